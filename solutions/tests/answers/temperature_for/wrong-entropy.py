# source: a learner who forgets the exponential
# mistake: the entropy itself equals words
def temperature_for(scores, words):
    low = torch.full(scores.shape[:-1], 1e-4)
    high = torch.full(scores.shape[:-1], 1e6)
    for _ in range(80):
        mid = (low * high) ** 0.5
        h = torch.special.entr((scores / mid[..., None]).softmax(-1)).sum(-1)
        low = torch.where(h < words, mid, low)
        high = torch.where(h < words, high, mid)
    return mid
