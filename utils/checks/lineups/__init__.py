"""Implementations that a learner's test has to tell apart: right ones, and some with a bug each.

The lineup of the task `test_attend` stands in `attend.py`, as `LINEUP`. Learners have these files:
the point of such a task is to write the test.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Lineup:
    """The implementations of one function.

    Args:
        right: one or more; a test may blame none of them. The first in float64 is added, which
            differs in its last digits.
        broken: kind of bug, a slug from the vocabulary of misconceptions → who has it.
    """

    right: Sequence[Callable]
    broken: dict[str, Callable]

    @property
    def implementations(self) -> dict[str, Callable]:
        """All of them by name, the right ones last: nobody may take the first as a measure."""
        right = [*self.right, in_double(self.right[0])]
        return self.broken | {f"right {place}": one for place, one in enumerate(right, start=1)}


def of(task_id: str) -> Lineup:
    """The lineup that a task's test is tried on."""
    return import_module(f"{__name__}.{task_id.removeprefix('test_')}").LINEUP


def in_double(function: Callable) -> Callable:
    """The same function, computed in float64 and rounded to what its inputs came in."""

    @wraps(function)
    def precise(*arguments: Any, **named: Any) -> Any:
        given = [*arguments, *named.values()]
        came_in = next((one.dtype for one in given if _is_float(one)), None)
        wide = [_to(torch.float64, one) for one in arguments]
        named = {name: _to(torch.float64, one) for name, one in named.items()}
        returned = function(*wide, **named)
        if isinstance(returned, tuple):
            return tuple(_to(came_in, one) for one in returned)
        return _to(came_in, returned)

    return precise


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _to(dtype: torch.dtype, value: Any) -> Any:
    return value.to(dtype) if _is_float(value) else value
