# source: a learner for whom 'best' means above one half
# mistake: words are counted as read only where a weight is above 0.5; in flat rows the best word stays unread
def read_alignment(weights):
    best = weights.argmax(dim=1)
    unread = ~(weights > 0.5).any(dim=0)
    return best, unread
