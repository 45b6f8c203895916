# source: written from the task's text, 2026-11
import torch

def compare_scores(query, keys, W, W_joined, v, gains):
    q = gains.to(query).view(-1, 1, 1, 1) * query
    k = keys.expand(len(gains), *keys.shape)
    general = torch.einsum("gbtq,qk,gbsk->gbts", q, W, k)
    split = query.shape[-1]
    left = q @ W_joined[:, :split].T
    right = k @ W_joined[:, split:].T
    concat = torch.tanh(left.unsqueeze(-2) + right.unsqueeze(-3)) @ v
    return torch.stack([s.softmax(-1).amax(-1).flatten(1).mean(-1) for s in (general, concat)])
