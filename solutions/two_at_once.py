"""Compose two known mistakes: learners who make one often make another, and each hides the other.

Wrong answers of the catalogue are mostly right ones with a part replaced. Two that replace
different parts make an answer with both.
"""

import inspect
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from types import CellType, FunctionType
from typing import Any


def pairs(definitions: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield the places of two definitions that replace different parts, and one that has both."""
    for one, other in itertools.combinations(range(len(definitions)), 2):
        first, second = definitions[one], definitions[other]
        if inspect.isclass(first) and inspect.isclass(second):
            both = _class_of(first, second)
        elif inspect.isfunction(first) and inspect.isfunction(second):
            both = _function_of(first, second, definitions)
        else:
            both = None
        if both:
            yield one, other, both


def _class_of(first: type, second: type) -> type | None:
    parts, others = _own(first), _own(second)
    if first.__bases__ != second.__bases__ or not parts or not others or {*parts} & {*others}:
        return None
    return type(first.__name__, first.__bases__, {**parts, **others})


def _own(definition: type) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(definition).items()
        if not name.startswith("__") or name == "__init__"
    }


def _function_of(
    first: FunctionType, second: FunctionType, others: Sequence[Any]
) -> FunctionType | None:
    """Return a function of a factory's that has the parts in which either is unlike most others."""
    alike = [each for each in others if getattr(each, "__code__", None) is first.__code__]
    if second.__code__ is not first.__code__ or not first.__closure__ or len(alike) < 3:
        return None
    parts, has_first, has_second = [], False, False
    for values in zip(
        *([cell.cell_contents for cell in each.__closure__] for each in alike), strict=True
    ):
        (usual, _), *_ = Counter(map(_key, values)).most_common(1)
        mine, theirs = values[alike.index(first)], values[alike.index(second)]
        if usual not in (_key(mine), _key(theirs)):
            return None
        has_first |= _key(mine) != usual
        has_second |= _key(theirs) != usual
        parts.append(mine if _key(mine) != usual else theirs)
    if not (has_first and has_second):
        return None
    cells = tuple(map(CellType, parts))
    return FunctionType(
        first.__code__, first.__globals__, first.__name__, first.__defaults__, cells
    )


def _key(value: Any) -> Any:
    """Return what is equal for equal parts: a factory's own defaults are the same objects."""
    return id(value) if callable(value) else repr(value)
