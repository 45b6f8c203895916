# source: a learner who flattens the batch away to get rid of an axis
# mistake: every query is scored with the keys of the first sentence only
def additive_scores(query, keys, W_query, W_key, v):
    q = query @ W_query.T
    k = keys @ W_key.T
    out = torch.stack([torch.tanh(q[:, t : t + 1] + k[0]) @ v for t in range(q.shape[1])], 1)
    return out
