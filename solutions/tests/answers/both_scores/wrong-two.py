# source: two slips at once
# mistake: tanh around general, none in concat
def both_scores(query, keys, W, W_joined, v):
    general = torch.tanh(query @ W @ keys.mT)
    t, s = query.shape[1], keys.shape[1]
    pairs = torch.cat([query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)], -1)
    return general, pairs @ W_joined.T @ v
