# source: a learner who reads all the keys at once: the results are the same
def streaming_attention(query, keys, values, mask, block):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    low = torch.finfo(scores.dtype).min
    hidden = scores.masked_fill(~mask, low)
    largest = hidden.max(-1, keepdim=True).values
    e = torch.where(mask, torch.exp(hidden - largest), 0.0)
    total = e.sum(-1)
    weights = e / torch.where(total == 0, 1.0, total)[..., None]
    return weights @ values, total
