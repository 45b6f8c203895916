# source: written from the task's text, 2026-11
# mistake: the scale is the width of the values instead of that of the keys
import torch

def scaled_attention(query, keys, values, mask=None):
    scores = query @ keys.transpose(-2, -1) / values.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ values, weights
