# source: a learner who takes the width from the wrong tensor
# mistake: the scores are divided by the root of the values' width
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT / math.sqrt(values.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ values, weights
