# source: einsum and nothing else
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("bte,ae->bta", query, W_query)
    k = torch.einsum("bse,ae->bsa", keys, W_key)
    pair = torch.einsum("bta,s->btsa", q, q.new_ones(keys.shape[1])) + k[:, None]
    return torch.einsum("btsa,a->bts", torch.tanh(pair), v)
