# source: a learner who looks before writing
# mistake: the new word does not look at itself
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, past_keys) / keys.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.softmax(-1), past_values), keys, values
