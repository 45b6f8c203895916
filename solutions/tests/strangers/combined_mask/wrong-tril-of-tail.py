# source: a language model: the last rows of a causal mask
# mistake: the rows are the last ones of the causal square, whatever the positions say
def combined_mask(lengths, positions, src_len):
    causal = torch.ones(src_len, src_len, dtype=torch.bool).tril()[src_len - len(positions) :]
    real = torch.arange(src_len) < lengths[:, None]
    return causal[None] & real[:, None, :]
