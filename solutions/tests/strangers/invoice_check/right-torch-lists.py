# source: a data person: two lists of numbers, then comparisons
def invoice_check(weights, source, target, least):
    largest, place = weights.max(dim=-1)
    wrong, unsure = [], []
    for t, word in enumerate(target):
        value = number(word, ",")
        is_number = value is not None
        wrong.append(is_number and number(source[place[t]], ".") != value)
        unsure.append(is_number and bool(largest[t] < least))
    return torch.tensor(wrong), torch.tensor(unsure)
