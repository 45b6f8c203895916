# source: a learner who multiplies in place of adding
# mistake: closed cells get the score 0
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores * mask).softmax(-1)
    return torch.bmm(weights, values), weights
