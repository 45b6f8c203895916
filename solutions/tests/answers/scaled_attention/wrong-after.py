# source: a learner who scales the weights
# mistake: divides after the softmax, and the mask as well comes after
def scaled_attention(query, keys, values, mask=None):
    weights = (query @ keys.mT).softmax(-1) / query.shape[-1] ** 0.5
    if mask is not None:
        weights = weights * mask
    return weights @ values, weights
