# source: a learner who compares the texts
# mistake: compares words, not numbers
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    numbers = torch.tensor([number(word, ",") is not None for word in target])
    differs = torch.tensor([word != source[j] for word, j in zip(target, at.tolist())])
    return numbers & differs, numbers & (top < least)
