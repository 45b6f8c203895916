# source: a learner who turns forth and makes its rows sum to 1
# mistake: back is forth turned and divided by its sums, not a softmax of the scores
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = forth.mT * left_mask[:, None, :]
    back = back / back.sum(-1, keepdim=True).clamp(min=1e-9)
    return forth @ right, back @ left, forth, back
