# source: a C programmer who scales in place
# mistake: the query is multiplied in place, so each gain acts on top of those before, and the caller's query is spoilt
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.empty(2, gains.numel())
    n = query.size(-1)
    for i in range(gains.numel()):
        query *= gains[i]
        general = query @ W @ keys.mT
        hidden = torch.tanh((query @ W_joined[:, :n].T)[:, :, None] + (keys @ W_joined[:, n:].T)[:, None])
        table[0, i] = general.softmax(-1).max(-1).values.mean()
        table[1, i] = (hidden @ v).softmax(-1).max(-1).values.mean()
    return table
