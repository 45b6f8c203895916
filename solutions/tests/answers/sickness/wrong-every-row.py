# source: a learner who counts every row
# mistake: rows without a choice count for one token and uniform
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = m.any(-1).to(w.dtype)
        if (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif (w > 0.9).all(0).any():
            codes.append(3)
        elif all((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w, m) if keep.any()):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)
