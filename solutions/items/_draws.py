"""Draw what several modules of the bank need."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from solutions.specification import Draw


def pick(draw: Draw, choices: Sequence[Any]) -> Any:
    """Draw one of several."""
    return choices[int(draw.whole(0, len(choices) - 1))]


def some(draw: Draw, choices: Sequence[Any], count: int) -> list[Any]:
    """Draw several of them, each at most once."""
    return [choices[place] for place in draw.order(len(choices)).tolist()[:count]]


def twentieths(draw: Draw, *shape: int, most: int = 14) -> Tensor:
    """Draw rows of weights that are multiples of 0.05, distinct within a row, and sum to 1."""
    rows = torch.Size(shape[:-1]).numel()
    drawn = [_row(draw, shape[-1], most) for _ in range(rows)]
    return (torch.tensor(drawn) / 20).reshape(shape)


def _row(draw: Draw, count: int, most: int) -> list[int]:
    while True:
        cuts = sorted((draw.order(19)[: count - 1] + 1).tolist())
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, 20], strict=True)]
        if len({*parts}) == count and max(parts) <= most:
            return parts
