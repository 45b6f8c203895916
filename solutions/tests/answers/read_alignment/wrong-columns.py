# source: a learner who reads the picture by its columns
# mistake: unread from the largest column sums
def read_alignment(weights):
    best = weights.argmax(-1)
    unread = weights.sum(0) < 1 / weights.shape[1]
    return best, unread
