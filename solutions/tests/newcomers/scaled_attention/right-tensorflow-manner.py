# source: written from the task's text, 2026-11
import math
import torch

def scaled_attention(query, keys, values, mask=None):
    depth = keys.size(-1)
    logits = torch.einsum("bqd,bkd->bqk", query, keys) / math.sqrt(depth)
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    mask = mask.broadcast_to(logits.shape)
    logits = torch.where(mask, logits, torch.tensor(torch.finfo(logits.dtype).min, dtype=logits.dtype))
    weights = torch.softmax(logits, dim=-1) * mask.to(logits.dtype)
    return torch.einsum("bqk,bkv->bqv", weights, values), weights
