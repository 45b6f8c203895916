# source: a language model
def invoice_check(weights, source, target, least):
    top, at = weights.max(dim=1)
    french = [number(word, ",") for word in target]
    english = [number(word, ".") for word in source]
    is_number = torch.tensor([value is not None for value in french])
    wrong = torch.tensor([f is not None and f != english[j] for f, j in zip(french, at.tolist())])
    return wrong, is_number & (top < least)
