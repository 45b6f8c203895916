# source: a learner who compares numbers with numbers only
# mistake: a number whose source word is no number is not marked as wrong
def invoice_check(weights, source, target, least):
    wrong = torch.zeros(len(target), dtype=torch.bool)
    unsure = torch.zeros(len(target), dtype=torch.bool)
    for t, word in enumerate(target):
        ours = number(word, ",")
        theirs = number(source[int(weights[t].argmax())], ".")
        if ours is not None and theirs is not None:
            wrong[t] = ours != theirs
        if ours is not None:
            unsure[t] = weights[t].max() < least
    return wrong, unsure
