# source: two slips at once
# mistake: both are read with the English sign, and right numbers are never unsure
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    values = [number(word, ".") for word in target]
    wrong = torch.tensor([v is not None and v != number(source[j], ".") for v, j in zip(values, at.tolist())])
    return wrong, wrong & (top < least)
