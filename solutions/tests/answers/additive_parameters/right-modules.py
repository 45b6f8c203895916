# source: a learner who builds the layers and counts
def additive_parameters(query_dim, key_dim, attention_dim):
    rows = []
    for q, k, a in zip(query_dim.tolist(), key_dim.tolist(), attention_dim.tolist()):
        size = lambda *layers: sum(p.numel() for layer in layers for p in layer.parameters())
        plain = size(nn.Linear(q, a, False), nn.Linear(k, a, False), nn.Linear(a, 1, False))
        split = size(nn.Linear(q, a), nn.Linear(k, a), nn.Linear(a, 1))
        joined = size(nn.Linear(q + k, a), nn.Linear(a, 1))
        rows.append([plain, split, joined])
    return tuple(torch.tensor(rows).T)
