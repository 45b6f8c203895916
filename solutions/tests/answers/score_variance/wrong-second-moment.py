# source: a learner who knows that the mean is 0
# mistake: the mean of the squares, and scaled is divided by the root of d
def score_variance(queries, keys, widths):
    dots = torch.stack([(queries[:, :d] * keys[:, :d]).sum(-1) for d in widths])
    plain = (dots ** 2).mean(1)
    return plain, plain / torch.tensor(widths) ** 0.5
