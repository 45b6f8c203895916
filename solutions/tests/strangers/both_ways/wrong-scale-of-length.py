# source: a learner who takes shape[1] for the width
# mistake: the scores are divided by the root of the left sentence's length
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = masked_softmax(scores.mT, left_mask[:, None, :])
    return forth @ right, back @ left, forth, back
