# source: a learner who takes torch.tril
# mistake: the queries are taken to begin at place 0
def combined_mask(lengths, positions, src_len):
    causal = torch.ones(len(positions), src_len).tril().bool()
    return causal[None] & (torch.arange(src_len) < lengths[:, None])[:, None]
