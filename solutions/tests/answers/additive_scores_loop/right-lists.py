# source: a learner who collects rows
def additive_scores_loop(states, keys, W_joined, v):
    rows = []
    for s in states:
        row = []
        for h in keys:
            row.append(torch.dot(v, torch.tanh(W_joined.mv(torch.cat((s, h))))))
        rows.append(torch.stack(row))
    return torch.stack(rows)
