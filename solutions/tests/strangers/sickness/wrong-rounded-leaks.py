# source: a learner who never compares floats with ==
# mistake: a leak has to be larger than 1e-6 to count, and exactly 0 is asked for
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m].abs() > 1e-6).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and all(r[o].max() - r[o].min() < 0.01 for r, o in zip(w[choice], m[choice])):
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)
