"""Implementations that a learner's test has to tell apart: right ones, and some with a bug each.

Those of the task `test_attend` stand in `attend.py`, as `IMPLEMENTATIONS`: a function of the course
and the same line by line, with the parts that a bug replaces as arguments. Bugs that several tasks
have are here. Learners have these files: the point of such a task is to write the test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from utils.masks import masked_softmax


@dataclass(frozen=True)
class Implementations:
    """The implementations of one function.

    Args:
        right: one or more; a test may blame none of them. One is added: the first, with other last
            digits.
        broken: slug of a misconception → the implementation that shows it.
    """

    right: Sequence[Callable]
    broken: dict[str, Callable]

    @property
    def implementations(self) -> dict[str, Callable]:
        """Return all by name, the right ones last: a test may not take the first as a measure."""
        right = [*self.right, otherwise_rounded(self.right[0])]
        return self.broken | {f"right {place}": each for place, each in enumerate(right, start=1)}


def of(task_id: str) -> Implementations:
    """Return the implementations that a task's test is tried on."""
    return import_module(f"{__name__}.{task_id.removeprefix('test_')}").IMPLEMENTATIONS


# --- Bugs that take the place of `masked_softmax` -------------------------------------------------

over_queries = partial(masked_softmax, dim=-2)


def mask_after_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    weights = scores.softmax(-1)
    return weights if mask is None else weights * mask


def mask_of_the_first_sentence(scores: Tensor, mask: Tensor | None) -> Tensor:
    return masked_softmax(scores, mask if mask is None or mask.dim() < 3 else mask[:1])


# --- A right one with other last digits -----------------------------------------------------------


def otherwise_rounded(function: Callable) -> Callable:
    """Change the last digit of what a function returns, as another order of its sums might.

    Whole numbers stay, among them the 0 under a mask: they are exact in any order.
    """

    @wraps(function)
    def rounded(*arguments: Any, **named: Any) -> Any:
        returned = function(*arguments, **named)
        return tuple(map(_nudged, returned)) if isinstance(returned, tuple) else _nudged(returned)

    return rounded


def _nudged(value: Any) -> Any:
    if not (isinstance(value, Tensor) and value.is_floating_point()):
        return value
    return torch.where(value == value.round(), value, value.nextafter(torch.zeros_like(value)))
