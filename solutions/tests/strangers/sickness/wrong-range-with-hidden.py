# source: a learner who forgets the mask in line 4
# mistake: the smallest weight is taken over hidden words as well, where it is 0, so a masked uniform map passes for healthy
def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif choice.any() and (w[choice] > 0.9).all(0).any():
            codes.append(3)
        elif choice.any() and (w[choice].amax(-1) - w[choice].amin(-1) < 0.01).all():
            codes.append(4)
        else:
            codes.append(0)
    return torch.tensor(codes)
