# source: two slips at once
# mistake: leaks are looked for before broken, and small leaks are forgiven
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums, choice = m.any(-1).to(w.dtype), m.sum(-1) >= 2
        if (w[~m].abs() > 0.01).any():
            codes.append(2)
        elif (w < 0).any() or ((w.sum(-1) - sums).abs() > 0.01).any():
            codes.append(1)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and all((row[keep].max() - row[keep].min()) < 0.01 for row, keep in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)
