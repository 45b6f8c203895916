# source: a language model that forgets the exponential
# mistake: it searches for entropy = words, not for exp(entropy) = words
def temperature_for(scores, words):
    lo = torch.full(scores.shape[:-1], 1e-4, dtype=torch.float64)
    hi = torch.full(scores.shape[:-1], 1e6, dtype=torch.float64)
    x = scores.double()
    for _ in range(120):
        mid = (lo * hi).sqrt()
        p = torch.softmax(x / mid[..., None], dim=-1)
        h = torch.special.entr(p).sum(-1)
        hi = torch.where(h > words, mid, hi)
        lo = torch.where(h > words, lo, mid)
    return (lo * hi).sqrt().float()
