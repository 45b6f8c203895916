"""Right answers, written in other ways."""

import torch


def view_and_transpose(x, heads):
    batch, length, dim = x.shape
    return x.contiguous().view(batch, length, heads, dim // heads).transpose(1, 2)


def head_by_head(tensor, heads):
    width = tensor.shape[-1] // heads
    slices = [tensor[..., head * width : (head + 1) * width] for head in range(heads)]
    return torch.stack(slices, dim=1)


def chunks(tensor, heads):
    return torch.stack(tensor.chunk(heads, dim=-1), 1)


def in_float64(tensor, heads):
    cut = tensor.double().reshape(*tensor.shape[:2], heads, -1)
    return torch.einsum("blhw->bhlw", cut)
