# source: written from the task's text, 2026-11
import torch

def alignment_picture(weights, source, target):
    words = {"<sos>", "<eos>", "<pad>"}.isdisjoint
    col = torch.tensor([words([w]) for w in source], dtype=torch.bool)
    row = torch.tensor([words([w]) for w in target[1:]], dtype=torch.bool)
    trimmed = weights[row][:, col]
    links = torch.zeros(trimmed.shape, dtype=torch.bool)
    if trimmed.numel():
        links.scatter_(1, trimmed.argmax(1, keepdim=True), True)
    return trimmed, links
