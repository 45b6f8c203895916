# source: a language model with another nonlinearity
# mistake: leaky ReLU, as in graph attention
def additive_scores(query, keys, W_query, W_key, v):
    pair = (query @ W_query.T)[:, :, None, :] + (keys @ W_key.T)[:, None, :, :]
    return torch.nn.functional.leaky_relu(pair, 0.2) @ v
