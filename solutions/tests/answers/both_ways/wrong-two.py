# source: two slips at once
# mistake: no scale, and the two reads change places
def both_ways(left, right, left_mask, right_mask):
    scores = left @ right.mT
    forth = masked_softmax(scores, right_mask[:, None])
    back = masked_softmax(scores.mT, left_mask[:, None])
    return back @ left, forth @ right, forth, back
