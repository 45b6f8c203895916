# source: a learner who has read about the scale already
# mistake: general is divided by the root of the width of the keys
def both_scores(query, keys, W, W_joined, v):
    general = query @ W @ keys.transpose(1, 2) / keys.shape[-1] ** 0.5
    t, s = query.shape[1], keys.shape[1]
    pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
    return general, torch.tanh(pairs @ W_joined.T) @ v
