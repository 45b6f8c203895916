# source: an off-by-one learner: 'earlier' for 'not later'
# mistake: a word may not look at itself
def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    return (j[None, None] < lengths[:, None, None]) & (j[None, None] < positions[None, :, None])
