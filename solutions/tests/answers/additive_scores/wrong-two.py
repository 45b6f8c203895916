# source: two slips at once
# mistake: the result is turned, (batch, src_len, tgt_len), and scaled by the root of the width
def additive_scores(query, keys, W_query, W_key, v):
    pair = (query @ W_query.T)[:, None] + (keys @ W_key.T)[:, :, None]
    return torch.tanh(pair) @ v / len(v) ** 0.5
