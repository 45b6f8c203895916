# source: a learner who masks with a modest number and scales afterwards
# mistake: hidden scores are set to -1000 and then divided by the root of the width, which scores in the thousands undercut
def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.mT
    if mask is not None:
        scores = torch.where(mask, scores, -1000.0)
    weights = torch.softmax(scores / math.sqrt(query.size(-1)), dim=-1)
    if mask is not None:
        weights = weights * mask.any(-1, keepdim=True)
    return weights @ values, weights
