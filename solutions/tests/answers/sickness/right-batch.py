# source: a language model: whole batch, where by where
def sickness(weights, mask):
    total = mask.any(-1).float()
    choice = mask.sum(-1) > 1
    some = choice.any(-1)
    broken = (weights < 0).any((1, 2)) | ((weights.sum(-1) - total).abs() > 0.01).any(-1)
    leaks = ((weights != 0) & ~mask).any((1, 2))
    one = ((weights > 0.9) | ~choice[..., None]).all(1).any(-1) & some
    spread = weights.masked_fill(~mask, -9).amax(-1) - weights.masked_fill(~mask, 9).amin(-1)
    uniform = ((spread < 0.01) | ~choice).all(-1) & some
    codes = torch.zeros(len(weights), dtype=torch.long)
    for code, which in [(4, uniform), (3, one), (2, leaks), (1, broken)]:
        codes[which] = code
    return codes
