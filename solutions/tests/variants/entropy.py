"""Right answers, written in other ways."""

import torch


def from_torch(weights):
    return torch.special.entr(weights).sum(-1)


def clamped(p):
    return -(p * p.clamp(min=1e-12).log()).sum(dim=-1)


def xlogy(weights):
    return -torch.xlogy(weights, weights).sum(-1)


def a_little_more(weights):
    return -torch.einsum("...j,...j->...", weights, torch.log(weights + 1e-9))


def in_loops(weights):
    rows = []
    for row in weights.reshape(-1, weights.shape[-1]):
        total = row.new_zeros(())
        for share in row:
            if share > 0:
                total = total - share * share.log()
        rows.append(total + 0 * row.sum())
    return torch.stack(rows).reshape(weights.shape[:-1])


def nan_to_zero(weights):
    return -(weights * weights.log()).nan_to_num(0.0).sum(-1)


def in_float64(weights):
    return torch.special.entr(weights.double()).sum(-1)
