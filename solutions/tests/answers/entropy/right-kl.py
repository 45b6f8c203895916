# source: a reader of Cover and Thomas: log n minus the divergence from equal shares
import math

def entropy(weights):
    n = weights.shape[-1]
    divergence = torch.special.xlogy(weights, weights * n).sum(-1)
    return math.log(n) - divergence
