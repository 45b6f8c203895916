# source: a Python person: enumerate, max with a key, sets
def read_alignment(weights):
    rows = weights.tolist()
    best = [max(range(len(row)), key=row.__getitem__) for row in rows]
    read = set(best)
    unread = [j not in read for j in range(weights.shape[1])]
    return torch.tensor(best), torch.tensor(unread)
