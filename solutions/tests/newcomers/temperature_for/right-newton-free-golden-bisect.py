# source: written from the task's text, 2026-11
import torch

def temperature_for(scores, words):
    s = scores.double()
    s = s - s.amax(-1, keepdim=True)
    spread = (s.amax(-1) - s.amin(-1)).clamp_min(1e-12)
    lo = (spread * 1e-9).log()
    hi = (spread * 1e9).log()
    for _ in range(200):
        mid = (lo + hi) / 2
        w = torch.softmax(s / mid.exp().unsqueeze(-1), -1)
        n = torch.special.entr(w).sum(-1).exp()
        lo = torch.where(n < words, mid, lo)
        hi = torch.where(n < words, hi, mid)
    return ((lo + hi) / 2).exp().to(scores.dtype)
