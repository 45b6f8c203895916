# source: a language model that goes one step too far
# mistake: returns weights, not scores
def additive_scores_loop(states, keys, W_joined, v):
    pairs = torch.stack([torch.stack([torch.cat([s, h]) for h in keys]) for s in states])
    return torch.softmax(torch.tanh(pairs @ W_joined.T) @ v, dim=-1)
