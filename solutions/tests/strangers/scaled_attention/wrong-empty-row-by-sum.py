# source: a learner who finds empty rows by the sum of the mask along the wrong axis
# mistake: rows are taken for empty where the mask has no open cell in the COLUMN of the same number
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(1, 2) / math.sqrt(keys.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    mask = mask.expand_as(scores)
    weights = scores.masked_fill(~mask, -1e30).softmax(-1)
    n = min(scores.shape[1:])
    empty = torch.zeros(scores.shape[:2], dtype=torch.bool)
    empty[:, :n] = ~mask.any(1)[:, :n]
    weights = weights.masked_fill(empty[..., None], 0)
    return weights @ values, weights
