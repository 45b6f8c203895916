# source: a learner who changes the one line
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    weights = torch.where(mask, weights, 0)
    context = torch.bmm(weights, values)
    return context, weights
