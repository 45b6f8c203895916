# source: a learner in plain Python
def read_alignment(weights):
    best = []
    for row in weights.tolist():
        best.append(row.index(max(row)))
    unread = [j not in best for j in range(weights.shape[1])]
    return torch.tensor(best), torch.tensor(unread)
