# source: a performance-minded learner who caches the projected keys in a dictionary
# mistake: the cache goes by the shape of the keys, so a second batch of that shape gets the first one's keys; and it is cut off from the gradient
_projected = {}
def additive_scores(query, keys, W_query, W_key, v):
    if keys.shape not in _projected:
        _projected[keys.shape] = (keys @ W_key.T).detach()
    k = _projected[keys.shape]
    return torch.tanh((query @ W_query.T)[:, :, None] + k[:, None]) @ v
