# source: a learner who turns the weights on their side
# mistake: back is forth turned
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None])
    back = forth.mT
    return forth @ right, back @ left, forth, back
