# source: written from the task's text, 2026-11
# mistake: the weights are averaged over the heads before the entropy is taken
import torch
from utils.metrics import attention_entropy

def compare_heads(query, keys, counts):
    b, t, d = query.shape
    s = keys.shape[1]
    looked = []
    for h in counts:
        q = query.unflatten(-1, (h, d // h))
        k = keys.unflatten(-1, (h, d // h))
        w = (torch.einsum("bthd,bshd->bhts", q, k) / (d // h) ** 0.5).softmax(-1)
        looked.append(attention_entropy(w.mean(1)).exp().mean().item())
    n = torch.tensor(counts)
    return d // n, torch.full_like(n, 4 * d * (d + 1)), b * n * t * s, torch.tensor(looked)
