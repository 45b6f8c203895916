# source: a statistician used to scipy.special.xlogy
def entropy(weights):
    return torch.xlogy(weights, weights).sum(dim=-1).neg()
