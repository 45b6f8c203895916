"""Made-up worlds for `utils.experiments.laboratory`: the curves that training would show in them.

A curve falls from `START` to its end. Any five seeds of an arm tell its range: where seeds are of
two kinds, four are of each.
"""

import torch
from torch import Tensor

from solutions.specification import Draw
from utils.experiments.laboratory import SEEDS

START = 3.0
FIRST, SECOND, THIRD, FOURTH, LAST = (range(seed, seed + 4) for seed in range(5))
EVEN, ODD = range(0, 8, 2), range(1, 8, 2)

# Reasons why a change to a solution is not a fault (see `Exercise.equivalents`)
EQUAL = "no two losses are equal"
NOT_ASKED = "nobody asks the laboratory for that"


def alike(draw: Draw, end: float) -> Tensor:
    """Return where the seeds of an arm end, (SEEDS,), all near one loss."""
    return end + (draw.order(SEEDS) - SEEDS // 2) * 0.01


def of_two_kinds(draw: Draw, low: float, high: float, which: range) -> Tensor:
    """Return where the seeds of an arm end, (SEEDS,): the seeds of `which` low, the others high."""
    is_low = torch.tensor([seed in which for seed in range(SEEDS)])
    return torch.where(is_low, low, high) + draw.numbers(SEEDS, reach=0.01)


def fallen(draw: Draw, ends: Tensor, points: int, at: float = 2) -> Tensor:
    """Return curves (SEEDS, points) that fall around the point `at`, and have fallen after it."""
    share = ((torch.arange(points) - at + 1) / 2).clamp(0, 1)  # (points,), of the way
    return _curves(draw, ends, share)


def falling(draw: Draw, ends: Tensor, points: int) -> Tensor:
    """Return curves (SEEDS, points) that fall evenly, and are on their way at the last point."""
    return _curves(draw, ends, torch.linspace(0, 1, points))


def _curves(draw: Draw, ends: Tensor, share: Tensor) -> Tensor:
    curves = START + (ends[:, None] - START) * share + draw.numbers(SEEDS, len(share), reach=0.01)
    return curves.double().round(decimals=3)
