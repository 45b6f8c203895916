# source: written from the task's text, 2026-11
import torch

def encode_positions(positions, dim, base):
    exponents = torch.arange(0, dim, 2, dtype=torch.float64) / dim
    angles = positions.to(torch.float64).unsqueeze(-1) * torch.pow(torch.tensor(float(base), dtype=torch.float64), -exponents)
    turns = torch.polar(torch.ones_like(angles), angles)
    codes = torch.stack((turns.imag, turns.real), dim=-1).flatten(-2)
    return codes.to(positions.dtype if positions.is_floating_point() else torch.float32)
