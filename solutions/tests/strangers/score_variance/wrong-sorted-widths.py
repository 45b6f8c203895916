# source: a learner who builds the sums step by step
# mistake: the widths are sorted on the way, so the results come in another order than was asked
def score_variance(queries, keys, widths):
    plain, scaled, total, before = [], [], 0, 0
    for d in sorted(widths):
        total = total + (queries[:, before:d] * keys[:, before:d]).sum(1)
        before = d
        plain.append(((total - total.mean()) ** 2).mean())
        scaled.append(plain[-1] / d)
    return torch.stack(plain), torch.stack(scaled)
