# source: a pandas person: NaN stands for 'no number' and equals nothing
def invoice_check(weights, source, target, least):
    """Marks `wrong` and `unsure`, each (tgt_len,), from weights (tgt_len, src_len)."""

    def column(words, decimal):
        values = [number(word, decimal) for word in words]
        return torch.tensor([float("nan") if v is None else v for v in values], dtype=torch.float64)

    theirs, ours = column(source, "."), column(target, ",")
    numeric = ~ours.isnan()
    wrong = numeric & (theirs[weights.argmax(-1)] != ours)
    unsure = numeric & (weights.amax(-1) < least)
    return wrong, unsure
