# source: somebody who reads unread as 'gets little attention'
# mistake: a source word counts as unread if its column's mean is below the average, not if it is nobody's best
def read_alignment(weights):
    best = weights.argmax(-1)
    unread = weights.mean(0) < 1 / weights.shape[1]
    return best, unread
