# source: a learner: -1e4 and the zeros put in afterwards
# mistake: -10000 is not far enough below scores that lie very far apart
def masked_softmax(scores, mask):
    w = scores.masked_fill(~mask, -1e4).softmax(dim=-1)
    return w * mask
