# source: a learner who averages first
# mistake: the rows are averaged before the largest weight is taken
def compare_scores(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains))
    for i, g in enumerate(gains):
        q = g * query
        general = q @ W @ keys.mT
        wq, wk = W_joined[:, : q.shape[-1]], W_joined[:, q.shape[-1] :]
        concat = torch.tanh((q @ wq.T).unsqueeze(2) + (keys @ wk.T).unsqueeze(1)) @ v
        for r, scores in enumerate((general, concat)):
            table[r, i] = scores.softmax(-1).mean(dim=(0, 1)).max()
    return table
