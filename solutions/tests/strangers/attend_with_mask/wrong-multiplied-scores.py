# source: a learner who replaces + by *
# mistake: hidden scores become 0, not minus infinity, and keep their share
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores * mask).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights
