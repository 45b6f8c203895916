# source: a mathematician who keeps the plus sign: the logarithm of the mask is added
def attend_with_mask(query, keys, values, mask):
    """Context (batch, tgt_len, value_dim) and weights (batch, tgt_len, src_len)."""
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    empty = ~mask.any(-1, keepdim=True)
    weights = (scores + (mask | empty).to(scores.dtype).log()).softmax(-1) * ~empty
    context = torch.bmm(weights, values)
    return context, weights
