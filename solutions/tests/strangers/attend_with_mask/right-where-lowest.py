# source: a learner with torch.where, twice
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)
    weights = torch.where(mask, weights, torch.zeros(()))
    context = torch.einsum("bts,bsv->btv", weights, values)
    return context, weights
