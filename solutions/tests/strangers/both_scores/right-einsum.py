# source: an einsum person
def both_scores(query, keys, W, W_joined, v):
    general = torch.einsum("btq,qk,bsk->bts", query, W, keys)
    t, s = query.shape[1], keys.shape[1]
    pairs = torch.cat(
        (query[:, :, None].expand(-1, -1, s, -1), keys[:, None].expand(-1, t, -1, -1)), dim=3
    )
    concat = torch.einsum("btsa,a->bts", torch.einsum("btsd,ad->btsa", pairs, W_joined).tanh(), v)
    return general, concat
