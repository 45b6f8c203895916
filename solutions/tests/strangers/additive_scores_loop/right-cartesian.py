# source: a functional programmer: itertools.product instead of nested loops
from itertools import product
def additive_scores_loop(states, keys, W_joined, v):
    pairs = torch.stack([torch.cat(pair) for pair in product(states, keys)])
    return ((pairs @ W_joined.T).tanh() @ v).reshape(len(states), len(keys))
