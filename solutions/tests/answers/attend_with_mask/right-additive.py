# source: a learner who keeps the sum and adds a float mask
def attend_with_mask(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    bias = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    weights = torch.nan_to_num((scores + bias).softmax(-1))
    context = torch.bmm(weights, values)
    return context, weights
