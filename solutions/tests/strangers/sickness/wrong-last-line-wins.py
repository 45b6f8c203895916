# source: a learner who fills the codes one after the other
# mistake: later lines of the table overwrite earlier ones, so the last that applies is the answer
def sickness(weights, mask):
    codes = torch.zeros(len(weights), dtype=torch.long)
    for i, (w, m) in enumerate(zip(weights, mask)):
        choice = m.sum(-1) > 1
        if (w < 0).any() or ((w.sum(-1) - m.any(-1).float()).abs() > 0.01).any():
            codes[i] = 1
        if (w[~m] != 0).any():
            codes[i] = 2
        if choice.any() and (w[choice] > 0.9).all(0).any():
            codes[i] = 3
        if choice.any() and all(r[o].max() - r[o].min() < 0.01 for r, o in zip(w[choice], m[choice])):
            codes[i] = 4
    return codes
