# source: a learner whose loop has a single temperature
# mistake: one temperature is searched at which the mean over all rows fits, instead of one for each row
def temperature_for(scores, words):
    low, high = 1e-6, 1e6
    for _ in range(100):
        mid = (low * high) ** 0.5
        w = (scores.double() / mid).softmax(-1)
        n = torch.special.entr(w).sum(-1).exp().mean()
        if n > words:
            high = mid
        else:
            low = mid
    return torch.full(scores.shape[:-1], mid)
