# source: a learner who goes through the queries one by one
def soft_lookup(query, keys, values):
    contexts, rows = [], []
    for q in query:
        scores = torch.stack([(q * k).sum() for k in keys])
        row = torch.softmax(scores, 0)
        rows.append(row)
        contexts.append(sum(w * v for w, v in zip(row, values)))
    return torch.stack(contexts), torch.stack(rows)
