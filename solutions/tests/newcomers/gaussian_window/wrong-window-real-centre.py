# source: written from the task's text, 2026-11
# mistake: the window is measured from the real centre, so it holds 2D words where p lies between two
import torch

def gaussian_window(scores, centres, half_width):
    j = torch.arange(scores.size(-1))
    dist = j - centres[..., None]
    inside = dist.abs() <= half_width
    weights = torch.softmax(scores.masked_fill(~inside, -1e9), dim=-1) * inside
    return weights * torch.exp(-dist.pow(2) / (2 * (half_width / 2) ** 2))
