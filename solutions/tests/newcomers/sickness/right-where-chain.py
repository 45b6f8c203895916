# source: written from the task's text, 2026-11
import torch

def sickness(weights, mask):
    broken = (weights < 0).any(-1) | ((weights.sum(-1) - mask.any(-1).to(weights)).abs() > 0.01)
    broken = broken.any(-1)
    leaks = (weights.masked_fill(mask, 0) != 0).any(-1).any(-1)
    choice = mask.sum(-1) >= 2
    has = choice.any(-1)
    token = torch.where(choice[..., None], weights > 0.9, True).all(1).any(-1) & has
    inf = torch.tensor(torch.inf, dtype=weights.dtype)
    gap = torch.where(mask, weights, -inf).amax(-1) - torch.where(mask, weights, inf).amin(-1)
    uniform = torch.where(choice, gap < 0.01, True).all(-1) & has
    zero = torch.zeros(len(weights), dtype=torch.long)
    code = torch.where(uniform, 4, zero)
    code = torch.where(token, 3, code)
    code = torch.where(leaks, 2, code)
    return torch.where(broken, 1, code)
