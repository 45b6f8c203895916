# source: written from the task's text, 2026-11
import torch

def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    ninf = torch.full_like(scores, float("-inf"))
    top = torch.where(mask, scores, ninf).amax(-1, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top).detach()
    z = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = torch.where(mask, z.exp(), torch.zeros_like(z))
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
