# source: a learner: "if not value"
# mistake: a figure of 0 is taken for no number
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    wrong, unsure = [], []
    for i, word in enumerate(target):
        value = number(word, ",")
        if not value:
            wrong.append(False)
            unsure.append(False)
        else:
            wrong.append(number(source[at[i]], ".") != value)
            unsure.append(bool(top[i] < least))
    return torch.tensor(wrong), torch.tensor(unsure)
