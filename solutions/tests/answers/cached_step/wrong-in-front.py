# source: a learner who puts the new word in front
# mistake: the cache is in the wrong order
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([(x @ w_k)[:, None], past_keys], 1)
    values = torch.cat([(x @ w_v)[:, None], past_values], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, keys) / keys.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.softmax(-1), values), keys, values
