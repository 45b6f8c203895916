# source: a learner who marks those that are read
# mistake: True for words that are somebody's best
def read_alignment(weights):
    best = weights.max(dim=1).indices
    unread = torch.zeros(weights.shape[1], dtype=torch.bool)
    unread[best] = True
    return best, unread
