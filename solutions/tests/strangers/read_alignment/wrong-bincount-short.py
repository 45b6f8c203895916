# source: a numpy person with np.bincount and without minlength
# mistake: the marks end at the last word that is somebody's best, so they are too short where the last words are unread
def read_alignment(weights):
    best = weights.argmax(dim=-1)
    unread = torch.bincount(best) == 0
    return best, unread
