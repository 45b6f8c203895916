# source: a learner who looks among the numbers of the source only
# mistake: the largest weight is looked for among the source's numbers, not in the whole row
def invoice_check(weights, source, target, least):
    theirs = [number(word, ".") for word in source]
    columns = [j for j, n in enumerate(theirs) if n is not None]
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        ours = number(word, ",")
        if ours is None or not columns:
            wrong.append(ours is not None)
            unsure.append(False)
            continue
        best = columns[int(row[columns].argmax())]
        wrong.append(theirs[best] != ours)
        unsure.append(bool(row[best] < least))
    return torch.tensor(wrong), torch.tensor(unsure)
