"""Right answers, written in other ways."""

import torch
import torch.nn.functional as F


def _look(x):
    return F.scaled_dot_product_attention(x[None], x[None], x[None])[0]


def fused(x, positions, order):
    without = (_look(x[order]) - _look(x)[order]).abs().max(dim=1).values
    placed = _look(x[order] + positions) - _look(x + positions)[order]
    return without, placed.abs().max(dim=1).values


def _by_hand(x):
    scores = torch.einsum("id,jd->ij", x, x) * x.shape[1] ** -0.5
    return torch.einsum("ij,jd->id", scores.softmax(1), x)


def with_the_way_back(words, places, order):
    back = order.argsort()
    changes = []
    for added in (torch.zeros_like(places), places):
        shuffled = _by_hand(words[order] + added)[back]  # in the order of the straight one
        changes.append((shuffled - _by_hand(words + added)).abs().amax(-1)[order])
    return changes


def with_a_permutation_matrix(x, positions, order):
    turn = torch.eye(len(x), dtype=x.dtype)[order]
    without = _by_hand(turn @ x) - turn @ _by_hand(x)
    placed = _by_hand(turn @ x + positions) - turn @ _by_hand(x + positions)
    return without.abs().amax(1), placed.abs().amax(1)


def in_float64(x, positions, order):
    return with_the_way_back(x.double(), positions.double(), order)
