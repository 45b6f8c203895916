"""Implementations that a learner's test has to tell apart: right ones, and some with one bug each.

`buggy_attend.py` holds the `IMPLEMENTATIONS` for the task `test_attend`: a right one from the
course's code, and one written line by line, whose arguments replace parts by bugs. Bugs that
several tasks share are defined here. Learners have these files, because their task is to write the
test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
        right: one or more right implementations, none of which a test may reject. The first is
            added once more, with other last digits.
        broken: slug of a misconception → implementation with the bug to which it leads.
        laws: slug → the law that this implementation breaks, in words; feedback names those that a
            test asks for. Only for implementations whose results cannot be worked out again.
    """

    right: Sequence[Callable]
    broken: dict[str, Callable]
    laws: dict[str, str] = field(default_factory=dict)

    @property
    def implementations(self) -> dict[str, Callable]:
        """Return all implementations by name, right ones last, so no test can rely on the first."""
        right = [*self.right, otherwise_rounded(self.right[0])]
        return self.broken | {f"right {place}": each for place, each in enumerate(right, start=1)}


def of(task_id: str) -> Implementations:
    """Return the implementations on which a task's test is tried."""
    return import_module(f"{__name__}.buggy_{task_id.removeprefix('test_')}").IMPLEMENTATIONS


# --- Bugs that take the place of `masked_softmax` -------------------------------------------------

over_queries = partial(masked_softmax, dim=-2)


def mask_after_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    weights = scores.softmax(-1)
    return weights if mask is None else weights * mask


def mask_of_the_first_sentence(scores: Tensor, mask: Tensor | None) -> Tensor:
    return masked_softmax(scores, mask if mask is None or mask.dim() < 3 else mask[:1])


# --- A right implementation with other last digits ------------------------------------------------


def otherwise_rounded(function: Callable) -> Callable:
    """Wrap a function to change its results' last digits, as another order of sums might do.

    Whole numbers stay, such as the 0 under a mask, because they are exact in any order.
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
