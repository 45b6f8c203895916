# source: written from the task's text, 2026-11
# mistake: repeat instead of repeat_interleave pairs each query with the wrong key once the pairs are reshaped
import torch

def both_scores(query, keys, W, W_joined, v):
    b, t, _ = query.shape
    s = keys.shape[1]
    general = query @ W @ keys.transpose(-1, -2)
    q = query.repeat(1, s, 1)
    k = keys.repeat_interleave(t, dim=1)
    pairs = torch.cat([q, k], dim=-1)
    concat = (torch.tanh(pairs @ W_joined.T) @ v).view(b, t, s)
    return general, concat
