# source: a learner who forgets that a variance is squared
# mistake: the variance itself is divided by the root of d
def score_variance(queries, keys, widths):
    plain = torch.stack(
        [(queries[:, :d] * keys[:, :d]).sum(1).var(correction=0) for d in widths]
    )
    scaled = plain / torch.tensor(widths).sqrt()
    return plain, scaled
