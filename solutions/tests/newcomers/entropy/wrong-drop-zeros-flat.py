# source: written from the task's text, 2026-11
# mistake: boolean indexing drops the zeros and flattens the rows, so all rows share one sum
import torch

def entropy(weights):
    w = weights[weights > 0]
    h = -(w * torch.log(w)).sum()
    return h.expand(weights.shape[:-1])
