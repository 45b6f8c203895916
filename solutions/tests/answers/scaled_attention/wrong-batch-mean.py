# source: a language model that subtracts the wrong maximum
# mistake: exponentials without a safe maximum overflow
def scaled_attention(query, keys, values, mask=None):
    e = torch.exp(query @ keys.mT / query.shape[-1] ** 0.5)
    if mask is not None:
        e = e * mask
    weights = e / e.sum(-1, keepdim=True).clamp(min=1e-12)
    return weights @ values, weights
