# source: a language model: bisection of all rows at once, on a logarithmic scale
def temperature_for(scores, words):
    scores = scores.double()
    low = torch.full(scores.shape[:-1], 1e-6, dtype=torch.float64)
    high = torch.full(scores.shape[:-1], 1e8, dtype=torch.float64)
    for _ in range(100):
        middle = (low * high).sqrt()
        p = torch.softmax(scores / middle.unsqueeze(-1), dim=-1)
        effective = torch.special.entr(p).sum(-1).exp()
        too_many = effective > words
        high = torch.where(too_many, middle, high)
        low = torch.where(too_many, low, middle)
    return (low * high).sqrt().float()
