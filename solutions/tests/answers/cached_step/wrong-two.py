# source: two slips at once
# mistake: scaled by the width of the words, and the context is joined from the keys' weights of one step before
def cached_step(x, past_keys, past_values, w_q, w_k, w_v):
    keys = torch.cat([past_keys, (x @ w_k)[:, None]], 1)
    values = torch.cat([past_values, (x @ w_v)[:, None]], 1)
    scores = torch.einsum("bd,bsd->bs", x @ w_q, keys) / x.shape[-1] ** 0.5
    return torch.einsum("bs,bsd->bd", scores.sigmoid(), values), keys, values
