# source: a learner who has one row in mind
# mistake: one temperature for all rows, from their mean
def temperature_for(scores, words):
    low, high = 1e-6, 1e8
    for _ in range(200):
        mid = (low * high) ** 0.5
        p = (scores.double() / mid).softmax(-1)
        many = torch.special.entr(p).sum(-1).exp().mean().item()
        if many > words:
            high = mid
        else:
            low = mid
    return torch.full(scores.shape[:-1], mid)
