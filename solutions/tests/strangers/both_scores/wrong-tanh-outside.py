# source: a learner who takes the activation last
# mistake: concat is tanh(v · W_joined [s; h]): v is applied before the tanh
def both_scores(query, keys, W, W_joined, v):
    general = (query @ W) @ keys.transpose(1, 2)
    a = query.unsqueeze(2).expand(-1, -1, keys.size(1), -1)
    b = keys.unsqueeze(1).expand(-1, query.size(1), -1, -1)
    concat = torch.tanh(torch.cat([a, b], -1) @ W_joined.T @ v)
    return general, concat
