# source: written from the task's text, 2026-11
# mistake: the variance is the mean square of x itself, as in RMS norm, though the mean is subtracted above
import torch

def layer_norm(x, gamma, beta):
    centred = x - x.mean(dim=-1, keepdim=True)
    rms = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + 0.00001)
    return gamma * centred * rms + beta
