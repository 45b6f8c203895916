# source: written from the task's text, 2026-11
# mistake: the softmax of the 0/1 triangle leaves weight on later words
import torch

def four_patterns(length):
    itself = torch.eye(length)
    before = torch.zeros(length, length)
    for i in range(length):
        before[i, max(i - 1, 0)] = 1.0
    ends = torch.zeros(length, length)
    ends[:, 0] += 0.5
    ends[:, length - 1] += 0.5
    so_far = torch.tril(torch.ones(length, length)).softmax(dim=-1)
    return itself, before, ends, so_far
