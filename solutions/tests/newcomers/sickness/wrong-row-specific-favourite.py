# source: written from the task's text, 2026-11
# mistake: "one token" asks for a weight over 0.9 in every row, not for the same word in all rows
import torch

def sickness(weights, mask):
    codes = []
    for w, m in zip(weights, mask):
        sums = w.sum(-1)
        should = m.any(-1).to(w.dtype)
        choice = m.sum(-1) >= 2
        if (w < 0).any() or ((sums - should).abs() > 0.01).any():
            codes.append(1)
        elif (w[~m] != 0).any():
            codes.append(2)
        elif choice.any() and (w[choice].amax(-1) > 0.9).all():
            codes.append(3)
        else:
            high = w.masked_fill(~m, -torch.inf).amax(-1)
            low = w.masked_fill(~m, torch.inf).amin(-1)
            flat = (high - low < 0.01)[choice]
            codes.append(4 if choice.any() and flat.all() else 0)
    return torch.tensor(codes)
