# source: a learner who returns what reads best
# mistake: unread holds the positions of the unread words and not a mark for each word
def read_alignment(weights):
    best = weights.argmax(dim=1)
    unread = torch.tensor([j for j in range(weights.shape[1]) if j not in best])
    return best, unread
