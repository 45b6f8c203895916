# source: written from the task's text, 2026-11
# mistake: the queries are taken to stand at 0, 1, 2, … and only the number of positions is used
import torch

def combined_mask(lengths, positions, src_len):
    j = torch.arange(src_len)
    t = torch.arange(len(positions))
    causal = j[None, :] <= t[:, None]
    real = j[None, :] < lengths[:, None]
    return causal[None] & real[:, None]
