# source: a learner who takes the softmax over the other axis
# mistake: back is the softmax down the columns, and it is not turned: (batch, left_len, right_len)
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, right_mask[:, None, :])
    back = masked_softmax(scores, left_mask[:, :, None], dim=1)
    return forth @ right, back.mT @ left, forth, back
