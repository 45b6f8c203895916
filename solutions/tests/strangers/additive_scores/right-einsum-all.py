# source: an einsum person
def additive_scores(query, keys, W_query, W_key, v):
    q = torch.einsum("btq,aq->bta", query, W_query)
    k = torch.einsum("bsk,ak->bsa", keys, W_key)
    return torch.einsum("btsa,a->bts", torch.tanh(q[:, :, None, :] + k[:, None, :, :]), v)
