# source: a numpy person: torch.tensor([...]) around everything
# mistake: torch.tensor makes a new leaf of the scores, so no gradient reaches any input
def additive_scores_loop(states, keys, W_joined, v):
    return torch.tensor(
        [[(v * torch.tanh(W_joined @ torch.cat([s, k]))).sum() for k in keys] for s in states]
    )
