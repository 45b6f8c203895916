# source: a learner who forgets the last sentence of the task
# mistake: rows that may look at nothing give NaN
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return torch.bmm(weights, values), weights
