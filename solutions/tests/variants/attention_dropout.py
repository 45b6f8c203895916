"""Right answers, written in other ways."""

import torch


def by_filling(weights, values, keep, p, training):
    if not training:
        return weights @ values, weights
    used = weights.masked_fill(~keep, 0.0).div(1 - p)
    return torch.bmm(used, values), used


def one_factor(alpha, v, keep, p, training):
    factor = torch.where(keep, 1 / (1 - p), 0.0).to(alpha) if training else torch.ones_like(alpha)
    alpha = alpha * factor
    return torch.einsum("bts,bsv->btv", alpha, v), alpha


def in_loops(weights, values, keep, p, training):
    kept = 1 - p
    rows = []
    for row, stays in zip(weights.flatten(0, 1), keep.flatten(0, 1), strict=True):
        cells = [
            weight / kept if stay or not training else 0 * weight
            for weight, stay in zip(row, stays, strict=True)
        ]
        rows.append(torch.stack(cells) if training else row)
    used = torch.stack(rows).view(weights.shape)
    return [used @ values, used]


def in_float64(weights, values, keep, p, training):
    weights, values = weights.double(), values.double()
    dropped = torch.where(keep, weights, 0) / (1 - p) if training else weights.clone()
    return dropped @ values, dropped
