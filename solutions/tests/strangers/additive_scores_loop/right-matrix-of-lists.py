# source: a C programmer: two loops, and a stack at the end
def additive_scores_loop(states, keys, W_joined, v):
    """Scores (tgt_len, src_len) of every state with every key of one sentence."""
    table = []
    for s in states:
        row = []
        for h in keys:
            hidden = torch.tanh(torch.mv(W_joined, torch.cat((s, h))))
            row.append(torch.dot(v, hidden))
        table.append(torch.stack(row))
    return torch.stack(table)
