# source: written from the task's text, 2026-11
# mistake: the search is for 2**H of an entropy in nats instead of exp(H)
import torch

def temperature_for(scores, words):
    s = (scores - scores.amax(-1, keepdim=True)).double()
    lo = torch.full(s.shape[:-1], -25.0, dtype=torch.float64)
    hi = torch.full(s.shape[:-1], 25.0, dtype=torch.float64)
    for _ in range(100):
        mid = (lo + hi) / 2
        p = torch.softmax(s / mid.exp()[..., None], dim=-1)
        perplexity = 2 ** torch.special.entr(p).sum(-1)
        small = perplexity < words
        lo, hi = torch.where(small, mid, lo), torch.where(small, hi, mid)
    return mid.exp().to(scores.dtype)
