# source: a learner who subtracts what is closed
# mistake: closed cells get one less, not minus infinity
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores - 10.0 * ~mask).softmax(-1)
    return torch.bmm(weights, values), weights
