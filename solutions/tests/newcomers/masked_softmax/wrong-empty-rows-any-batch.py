# source: written from the task's text, 2026-11
# mistake: a row is zeroed only if the whole sentence is masked, other empty rows come out uniform
import torch

def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(filled, dim=-1)
    empty = ~mask.flatten(-2).any(dim=-1)
    return weights.masked_fill(empty[..., None, None], 0.0)
