# source: a learner who makes the bonus large: + 1e4 * mask
# mistake: the sum eats up the digits of the scores, a hidden word stays in the race if its score is 10,000 higher, and empty rows are not 0
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    weights = (scores + 1e4 * mask).softmax(-1)
    context = torch.bmm(weights, values)
    return context, weights
