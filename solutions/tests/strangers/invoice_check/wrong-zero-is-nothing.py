# source: a Python person: `if value:`
# mistake: 0 is taken for no number, and unsure holds only for numbers that are right
def invoice_check(weights, source, target, least):
    wrong, unsure = [], []
    for row, word in zip(weights, target):
        value = number(word, ",")
        other = number(source[row.argmax().item()], ".")
        wrong.append(bool(value) and other != value)
        unsure.append(bool(value) and other == value and row.max().item() < least)
    return torch.tensor(wrong), torch.tensor(unsure)
