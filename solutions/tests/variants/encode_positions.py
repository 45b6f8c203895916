"""Right answers, written in other ways."""

import math

import torch


def number_by_number(positions, dim, base):
    codes = []
    for place in positions.flatten():
        for i in range(dim // 2):
            angle = place / base ** (2 * i / dim)
            codes += [angle.sin(), angle.cos()]
    return torch.stack(codes).view(*positions.shape, dim)


def through_logarithms(positions, dim, base):
    frequencies = torch.exp(-math.log(base) * torch.arange(dim // 2) * 2 / dim)
    angles = positions[..., None] * frequencies
    return torch.stack((torch.sin(angles), torch.cos(angles)), -1).reshape(*positions.shape, dim)


def shifted_sines(positions, dim, base):
    columns = torch.arange(dim)
    angles = positions.double()[..., None] / float(base) ** ((columns - columns % 2) / dim)
    return (angles + (columns % 2) * math.pi / 2).sin()


def filled_in(positions, dim, base):
    angles = torch.einsum(
        "...,i->...i", positions.float(), float(base) ** (-torch.arange(0, dim, 2) / dim)
    )
    codes = torch.zeros(*positions.shape, dim)
    codes[..., 0::2] = angles.sin()
    codes[..., 1::2] = angles.cos()
    return codes
