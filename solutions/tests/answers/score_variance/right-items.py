# source: a learner with .item(), as in a measuring instrument
def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        dots = (queries[:, :d] * keys[:, :d]).sum(-1)
        variance = ((dots - dots.mean()) ** 2).mean().item()
        plain.append(variance)
        scaled.append(variance / d)
    return torch.tensor(plain), torch.tensor(scaled)
