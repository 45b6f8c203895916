# source: somebody who puts the source axis in front
# mistake: the result is (batch, src_len, tgt_len)
def additive_scores(query, keys, W_query, W_key, v):
    q = (query @ W_query.mT).unsqueeze(1)
    k = (keys @ W_key.mT).unsqueeze(2)
    return torch.tanh(q + k).matmul(v)
