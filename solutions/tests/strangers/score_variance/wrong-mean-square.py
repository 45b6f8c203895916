# source: a physicist whose fluctuations have mean 0
# mistake: the mean of the squares is taken, without taking the mean away first
def score_variance(queries, keys, widths):
    plain, scaled = [], []
    for d in widths:
        s = (queries[:, :d] * keys[:, :d]).sum(-1)
        plain.append((s**2).mean())
        scaled.append(((s / d**0.5) ** 2).mean())
    return torch.stack(plain), torch.stack(scaled)
