# source: a learner who builds one mask of real pairs
# mistake: words of padding may not look either, so their rows are 0
def both_ways(left, right, left_mask, right_mask):
    pairs = left_mask[:, :, None] & right_mask[:, None, :]
    scores = left @ right.mT / left.shape[-1] ** 0.5
    forth = masked_softmax(scores, pairs)
    back = masked_softmax(scores.mT, pairs.mT)
    return forth @ right, back @ left, forth, back
