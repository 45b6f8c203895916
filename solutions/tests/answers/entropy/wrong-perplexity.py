# source: a learner who thinks of the number of words that are looked at
# mistake: returns exp(H) in place of H
def entropy(weights):
    return torch.special.entr(weights).sum(-1).exp()
