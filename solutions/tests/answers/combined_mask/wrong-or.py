# source: a learner: | in place of &
# mistake: real word or not later
def combined_mask(lengths, positions, src_len):
    keys = torch.arange(src_len)
    return (keys < lengths[:, None])[:, None, :] | (keys <= positions[:, None])[None]
