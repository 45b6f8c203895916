# source: a learner whose masks are (batch, src_len)
# mistake: the mask is given an axis in the middle, which is wrong for every mask that broadcasts already
def scaled_attention(query, keys, values, mask=None):
    scores = torch.bmm(query, keys.transpose(1, 2)) / query.shape[-1] ** 0.5
    if mask is None:
        mask = torch.ones(scores.shape[0], scores.shape[2], dtype=torch.bool)
    if mask.dim() == 2:
        mask = mask[:, None, :]
    weights = scores.masked_fill(~mask, -1e30).softmax(-1) * mask
    return torch.bmm(weights, values), weights
