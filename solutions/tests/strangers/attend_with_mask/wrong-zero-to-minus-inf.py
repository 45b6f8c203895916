# source: a learner who masks the scores that are 0 after the product
# mistake: an open score that happens to be exactly 0 is hidden, too
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    scores = scores * mask
    scores = scores.masked_fill(scores == 0, -1e30)
    weights = scores.softmax(-1) * mask
    context = torch.bmm(weights, values)
    return context, weights
