# source: a learner: softmax, zero, divide by what is left plus a little
# mistake: where the open scores are far below the hidden ones, the open weights have underflowed and the row gives zeros
def masked_softmax(scores, mask):
    weights = scores.softmax(dim=-1) * mask
    return weights / (weights.sum(dim=-1, keepdim=True) + 1e-12)
