"""Right answers, written in other ways."""

import torch

from utils.masks import masked_softmax, window_mask


def from_the_course(scores, centres, half_width):
    window = window_mask(centres.round().long(), scores.shape[-1], half_width)
    distances = torch.arange(scores.shape[-1]) - centres[..., None]
    sigma = half_width / 2
    return masked_softmax(scores, window) * torch.exp(-0.5 * (distances / sigma) ** 2)


def rounded_by_hand(scores, centres, D):
    places = torch.arange(scores.shape[-1])
    middle = (centres + 0.5).floor()[..., None]
    outside = (places < middle - D) | (places > middle + D)
    weights = scores.masked_fill(outside, float("-inf")).softmax(-1)
    return weights * torch.exp(-2 * (places - centres.unsqueeze(-1)) ** 2 / D**2)


def row_by_row(scores, centres, half_width):
    flat = []
    for row, centre in zip(scores.flatten(0, 1), centres.flatten(), strict=True):
        middle = round(centre.item())
        first, last = max(0, middle - half_width), min(len(row) - 1, middle + half_width)
        places = torch.arange(first, last + 1)
        inside = row[first : last + 1].softmax(0)
        bell = torch.exp(-((places - centre) ** 2) / (2 * (half_width / 2) ** 2))
        weights = torch.zeros(len(row), dtype=row.dtype)
        weights[first : last + 1] = inside * bell
        flat.append(weights)
    return torch.stack(flat).view(scores.shape)


def by_powers(scores, centres, half_width):
    places = torch.arange(scores.shape[-1])
    window = (places - centres.round().unsqueeze(-1)).abs() <= half_width
    best = scores.masked_fill(~window, -1e9).amax(-1, keepdim=True)
    powers = (scores - best).masked_fill(~window, -1e9).exp()
    normal = torch.distributions.Normal(0, half_width / 2)
    bell = (
        normal.log_prob(places - centres.unsqueeze(-1)) - normal.log_prob(torch.zeros(()))
    ).exp()
    return powers / powers.sum(-1, keepdim=True) * bell


def in_float64(scores, centres, half_width):
    scores, centres = scores.double(), centres.double().unsqueeze(-1)
    places = torch.arange(scores.shape[-1])
    weights = scores.where((places - centres.round()).abs() < half_width + 0.5, -1e300).softmax(-1)
    return weights * (-((places - centres).square()) * 2 / half_width**2).exp()
