# source: written from the task's text, 2026-11
# mistake: one search runs for the mean entropy of all rows, so every row gets the same temperature
import math
import torch

def temperature_for(scores, words):
    s = scores.double()
    target = math.log(words)
    lo, hi = 1e-6, 1e6
    for _ in range(100):
        t = math.sqrt(lo * hi)
        p = torch.softmax(s / t, dim=-1)
        h = torch.special.entr(p).sum(-1).mean()
        if h < target:
            lo = t
        else:
            hi = t
    return torch.full(scores.shape[:-1], math.sqrt(lo * hi), dtype=scores.dtype)
