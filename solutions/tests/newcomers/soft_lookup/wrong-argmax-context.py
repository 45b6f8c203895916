# source: written from the task's text, 2026-11
# mistake: the context is the value of the best key (a hard look-up), only the weights are soft
import torch

def soft_lookup(query, keys, values):
    scores = query @ keys.T
    weights = torch.softmax(scores, dim=-1)
    context = values[weights.argmax(dim=-1)]
    return context, weights
