# source: a learner who squares the padding mask
# mistake: the rows of queries that stand beyond the length are closed as well
def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    real = j < lengths[:, None]
    causal = j <= positions[:, None]
    return real[:, None] & causal & (positions < lengths[:, None])[:, :, None]
