# source: written from the task's text, 2026-11
# mistake: the result is filled through .data, so no gradient finds its way back
import torch

def additive_scores_loop(states, keys, W_joined, v):
    scores = torch.zeros(len(states), len(keys))
    for t in range(len(states)):
        for j in range(len(keys)):
            pair = torch.cat([states[t], keys[j]])
            scores.data[t, j] = (v @ torch.tanh(W_joined @ pair)).data
    return scores
