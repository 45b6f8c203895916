# source: a TensorFlow person who tiles both
# mistake: query and keys are tiled in the same order, so the pairs are the wrong ones (and do not fill the table)
def both_scores(query, keys, W, W_joined, v):
    b, t, s = query.shape[0], query.shape[1], keys.shape[1]
    general = query @ W @ keys.mT
    pairs = torch.cat([query.repeat(1, s, 1), keys.repeat(1, t, 1)], dim=-1)
    concat = (pairs @ W_joined.T).tanh() @ v
    return general, concat.view(b, t, s)
