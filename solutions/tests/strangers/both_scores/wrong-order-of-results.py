# source: a language model that returns concat, general
# mistake: the two tables come back in the other order
def both_scores(query, keys, W, W_joined, v):
    a = query[:, :, None, :].expand(-1, -1, keys.shape[1], -1)
    b = keys[:, None, :, :].expand(-1, query.shape[1], -1, -1)
    concat = torch.tanh(torch.cat([a, b], dim=-1) @ W_joined.T) @ v
    general = torch.bmm(query @ W, keys.transpose(1, 2))
    return concat, general
