# source: a learner who takes a gain for a temperature
# mistake: the scores are multiplied, not the query; for concat that is not the same
def compare_scores(query, keys, W, W_joined, v, gains):
    a = query.unsqueeze(2).expand(-1, -1, keys.shape[1], -1)
    b = keys.unsqueeze(1).expand(-1, query.shape[1], -1, -1)
    general = query @ W @ keys.mT
    concat = torch.tanh(torch.cat([a, b], -1) @ W_joined.T) @ v
    rows = [[(g * s).softmax(-1).amax(-1).mean() for g in gains] for s in (general, concat)]
    return torch.tensor(rows)
