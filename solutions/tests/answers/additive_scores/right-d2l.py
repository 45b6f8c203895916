# source: Dive into Deep Learning, additive attention (code: MIT-0), taken out of its module
def additive_scores(query, keys, W_query, W_key, v):
    queries, keys = query @ W_query.T, keys @ W_key.T
    features = queries.unsqueeze(2) + keys.unsqueeze(1)
    features = torch.tanh(features)
    return (features @ v.reshape(-1, 1)).squeeze(-1)
