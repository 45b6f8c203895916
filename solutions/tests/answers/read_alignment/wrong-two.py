# source: two slips at once
# mistake: positions from 1, and the marks are shifted with them
def read_alignment(weights):
    best = weights.argmax(dim=-1) + 1
    unread = torch.ones(weights.shape[1] + 1, dtype=torch.bool)
    unread[best] = False
    return best, unread[:-1]
