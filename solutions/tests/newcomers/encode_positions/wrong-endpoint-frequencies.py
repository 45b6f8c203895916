# source: written from the task's text, 2026-11
# mistake: the exponents run from 0 to 1 with both ends (i over half - 1), as in tensor2tensor, but 2i/dim never reaches 1
import math
import torch

def encode_positions(positions, dim, base):
    half = dim // 2
    step = math.log(base) / max(half - 1, 1)
    freqs = torch.exp(-step * torch.arange(half))
    angles = positions[..., None] * freqs
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
