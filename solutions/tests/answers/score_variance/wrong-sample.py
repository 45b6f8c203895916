# source: a learner: .var() as it comes
# mistake: divides by one less than the number of pairs
def score_variance(queries, keys, widths):
    dots = [(queries[:, :d] * keys[:, :d]).sum(-1) for d in widths]
    plain = torch.stack([x.var() for x in dots])
    scaled = torch.stack([(x / math.sqrt(d)).var() for x, d in zip(dots, widths)])
    return plain, scaled
