# source: a learner in plain Python
def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights.tolist(), target):
        value = number(word, ",")
        if value is None:
            wrong.append(False)
            unsure.append(False)
            continue
        largest = max(row)
        wrong.append(number(source[row.index(largest)], ".") != value)
        unsure.append(largest < least)
    return torch.tensor(wrong), torch.tensor(unsure)
