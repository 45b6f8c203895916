# source: a language model
def read_alignment(weights):
    best = torch.argmax(weights, dim=1)
    counts = torch.bincount(best, minlength=weights.size(1))
    return best, counts == 0
