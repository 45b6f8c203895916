# source: written from the task's text, 2026-11
# mistake: only the context of an empty row is zeroed, its weights stay uniform
import torch

def scaled_attention(query, keys, values, mask=None):
    scores = torch.bmm(query, keys.transpose(1, 2)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    context = torch.bmm(weights, values)
    if mask is not None:
        some = mask.expand(scores.shape).any(-1, keepdim=True)
        context = context * some
    return context, weights
