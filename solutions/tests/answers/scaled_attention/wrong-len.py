# source: a learner who scales by the wrong number
# mistake: the root of the number of keys in place of the width
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT / keys.shape[1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num()
    return weights @ values, weights
