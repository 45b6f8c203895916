# source: a careful practitioner: rows without a word are opened for the softmax and closed afterwards
def masked_softmax(scores, mask):
    """Weights (..., tgt_len, src_len) from scores of that shape and a boolean mask."""
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(mask | empty), float("-inf")).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)
