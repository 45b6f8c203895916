# source: a learner who joins the keys in front
# mistake: [h; s] in concat
def both_scores(query, keys, W, W_joined, v):
    general = query @ (keys @ W.T).mT
    t, s = query.shape[1], keys.shape[1]
    pairs = torch.cat([keys[:, None].expand(-1, t, -1, -1), query[:, :, None].expand(-1, -1, s, -1)], -1)
    return general, torch.tanh(pairs @ W_joined.T) @ v
