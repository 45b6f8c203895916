"""Specify items: small questions whose wrong options are what other beliefs compute.

An item is a situation drawn from a seed, a function that gives the right answer to it, and others
that give what somebody answers who believes otherwise. No wrong option is invented. The build draws
until the options differ visibly and none of them stands out: whoever sees only the options should
stay at chance.
"""

import inspect
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from solutions.misconceptions import MISCONCEPTIONS
from solutions.specification import PUBLIC_SEED, Draw
from utils.items.item_bank import VERSIONS, StoredItem, Version

TRIES = 400  # draws for an item, before it is refused
FEWEST = 4  # versions of an item
GAP = 3  # units of the last digit by which the numbers of two options differ somewhere
LONGER = 1.5  # times that the right option may be as long as all others, or as short


# --- How a value is shown -------------------------------------------------------------------------


def number(digits: int = 2, unit: str = "") -> Callable[[Any], str]:
    """Show a number with so many decimals; whole ones with a comma between thousands."""
    return lambda value: f"{float(value):,.{digits}f}{unit}".replace("-", "−")


def word_of(words: Sequence[str]) -> Callable[[Any], str]:
    """Show a position as the word that stands there."""
    return lambda place: words[int(place)]


def text(value: Any) -> str:
    """Show a text as it is."""
    return str(value)


def shape(value: Sequence[int]) -> str:
    """Show sizes as PyTorch prints them: `(2, 5, 8)`."""
    return f"`({', '.join(map(str, value))})`"


def grid(
    rows: Sequence[str] = (), columns: Sequence[str] = (), digits: int = 2
) -> Callable[[Any], dict[str, Any]]:
    """Show a table of numbers, shaded like a map; a vector is a single row.

    Args:
        rows: labels, or none.
        columns: labels, or none.
        digits: decimals; 0 for whole numbers, and for booleans.
    """

    def shown(values: Tensor) -> dict[str, Any]:
        table = torch.as_tensor(values).double()
        table = table[None] if table.dim() == 1 else table
        cells = [[round(cell, digits) + 0.0 for cell in row] for row in table.tolist()]
        return {"cells": cells, "rows": [*rows], "columns": [*columns], "digits": digits}

    return shown


def code(lines: Any) -> dict[str, Any]:
    """Show lines of code."""
    return {"code": str(lines).strip("\n")}


def curves(x: Sequence[float], x_label: str, y_label: str) -> Callable[[Any], dict[str, Any]]:
    """Show one curve, or several by name, over common places `x`."""

    def shown(values: Any) -> dict[str, Any]:
        named = values if isinstance(values, Mapping) else {"": values}
        lines = {
            name: [round(float(value), 3) for value in torch.as_tensor(line).flatten().tolist()]
            for name, line in named.items()
        }
        return {"x": [float(place) for place in x], "lines": lines, "axes": [x_label, y_label]}

    return shown


# --- An item --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """A question, with the answer that is right and those that other beliefs give.

    Args:
        id: short name, in kebab-case, distinct in the bank.
        section: section of the course that explains it, as in "04.3".
        text: the question, in Markdown; `{name}` stands for what is drawn under this name.
        draw: function that draws the situation: name → value.
        right: function of what is drawn, by name, that gives the right answer.
        wrong: slug of a misconception → the function of whoever believes it, or several such.
        why: a sentence or two: why the right answer is right, in words that hold for any draw.
        result: how an answer is shown (see the functions above).
        shows: name of what is drawn → how it is shown, below the question.
        typed: whether a number is asked for, and no option is shown.
        form: "A" or "B", if it is kept for one of the two tests; others come back as warm-ups.

    Raises:
        ValueError: the item has not two to four wrong answers, or a misconception is unknown.
    """

    id: str
    section: str
    text: str
    draw: Callable[[Draw], dict[str, Any]]
    right: Callable
    wrong: Mapping[str, Callable | Sequence[Callable]]
    why: str
    result: Callable[[Any], Any] = text
    shows: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    typed: bool = False
    form: str = ""

    def __post_init__(self):
        if not 2 <= len([*self._others()]) <= 4:
            raise ValueError(f"`{self.id}` needs two to four wrong answers, better three.")
        if strange := [slug for slug in self.wrong if slug not in MISCONCEPTIONS]:
            raise ValueError(f"`{self.id}`: there is no misconception `{strange[0]}`.")

    def _others(self) -> Iterator[tuple[str, Callable]]:
        for slug, functions in self.wrong.items():
            for function in functions if isinstance(functions, Sequence) else [functions]:
                yield slug, function

    def stored(self, seed: int = PUBLIC_SEED) -> StoredItem:
        """Return the item as learners get it: the same question in several sets of numbers.

        Raises:
            ValueError: no draw gives options that differ visibly and among which the right one
                does not stand out; the message says what stood in the way.
        """
        draw = Draw(seed + sum(map(ord, self.id)))
        found: dict[str, tuple[dict, list]] = {}  # by what is asked, which is not asked twice
        complaint = "all draws are the same"
        for _ in range(TRIES):
            drawn = self.draw(draw)
            options = [
                (self.result(_called(function, drawn)), slug)
                for slug, function in [("", self.right), *self._others()]
            ]
            shown = [option for option, _ in options]
            if fault := alike(shown) or (not self.typed and stands_out(shown)):
                complaint = fault
            else:
                found.setdefault(repr(drawn), (drawn, options))
        if len(found) < FEWEST:
            raise ValueError(f"`{self.id}`: {complaint}, in nearly all of {TRIES} draws.")
        versions = [
            self._version(drawn, options, draw, turn)
            for turn, (drawn, options) in enumerate(_balanced([*found.values()]))
        ]
        return StoredItem(self.id, self.section, self.form, self.why, self.typed, versions)

    def _version(self, drawn: dict, options: list, draw: Draw, turn: int) -> Version:
        """Shuffle the options; `turn` moves the right one, so that its place tells nothing."""
        right, *others = options
        order = [others[place] for place in draw.order(len(others)).tolist()]
        first = zlib.crc32(self.id.encode())  # another place in the first version of each item
        order.insert((first + turn) % len(options), right)
        return Version(
            _filled(self.text, drawn),
            [how(drawn[name]) for name, how in self.shows.items()],
            [option for option, _ in order],
            [slug for _, slug in order],
        )


def _called(function: Callable, drawn: Mapping[str, Any]) -> Any:
    """Call a function with those of the drawn values that it takes."""
    return function(**{name: drawn[name] for name in inspect.signature(function).parameters})


def _filled(question: str, drawn: Mapping[str, Any]) -> str:
    """Put drawn values into a question; other braces, as of formulae, stay."""
    return re.sub(
        r"\{(\w+)\}", lambda place: str(drawn.get(place[1], place[0])), inspect.cleandoc(question)
    )


def _balanced(found: Sequence[tuple[dict, list]]) -> Iterator[tuple[dict, list]]:
    """Yield draws in which the right option is now the largest, now the oddest, now neither.

    Each next one is that whose right option has the ranks that were rarest so far.
    """
    left = [(_ranks([option for option, _ in options]), drawn, options) for drawn, options in found]
    count: Counter[tuple[str, int]] = Counter()
    for _ in range(min(VERSIONS, len(left))):
        best = min(left, key=lambda each: sum(count[rank] for rank in each[0]))
        left.remove(best)
        count.update(best[0])
        yield best[1:]


def _ranks(shown: Sequence[Any]) -> list[tuple[str, int]]:
    """Return which place the first option takes by what somebody sees who reads only options."""
    numbers = [_numbers(option) for option in shown]
    seen = {"length": [len(str(option)) for option in shown]}
    if all(numbers) and len({*map(len, numbers)}) == 1:
        table = torch.tensor(numbers, dtype=torch.float64)  # (options, numbers)
        seen = {
            "size": table.abs().sum(-1).tolist(),
            "largest": table.amax(-1).tolist(),
            "oddness": (table[:, None] - table).abs().sum((1, 2)).tolist(),
            "zeros": (table == 0).sum(-1).tolist(),
        }
    return [(name, sum(value < values[0] for value in values)) for name, values in seen.items()]


# --- What makes options good ----------------------------------------------------------------------


def _numbers(shown: Any) -> list[float] | None:
    """Return the numbers of an option in units of its last digit; None if it is a text."""
    if isinstance(shown, dict) and "cells" in shown:
        return [cell * 10 ** shown["digits"] for row in shown["cells"] for cell in row]
    if isinstance(shown, dict) and "lines" in shown:
        return [value * 100 for line in shown["lines"].values() for value in line]
    plain = re.fullmatch(r"([−-]?[\d,]+)(?:\.(\d+))?\D*", shown) if isinstance(shown, str) else None
    if not plain:
        return None
    digits = plain[1].replace(",", "").replace("−", "-") + (plain[2] or "")
    return [float(digits)]


def alike(shown: Sequence[Any]) -> str:
    """Return which two options cannot be told apart at a glance; "" if all can."""
    for one, other in itertools.combinations(shown, 2):
        if one == other:
            return f"two options are the same, {one}"
        a, b = _numbers(one), _numbers(other)
        is_fine = one.get("digits") != 0 if isinstance(one, dict) else "." in one
        if a and b and len(a) == len(b) and is_fine and max(map(_distance, a, b)) < GAP:
            return f"two options hardly differ, {one} and {other}"
    return ""


def _distance(a: float, b: float) -> float:
    return abs(a - b)


def _features(shown: Any) -> dict[str, Any]:
    """Return what somebody notices about an option who has not read the question."""
    if isinstance(shown, dict) and "cells" in shown:
        cells = torch.tensor(shown["cells"])
        return {
            "size": tuple(cells.shape),
            "rows that sum to 1": bool(((cells.sum(-1) - 1).abs() < 0.03).all()),
            "columns that sum to 1": bool(((cells.sum(0) - 1).abs() < 0.03).all()),
            "zeros": bool((cells == 0).any()),
            "negative numbers": bool((cells < 0).any()),
            "equal numbers": bool((cells == cells.flatten()[0]).all()),
        }
    if isinstance(shown, str) and (numbers := _numbers(shown)):
        return {"sign": numbers[0] < 0, "zero": numbers[0] == 0}
    return {}


def stands_out(shown: Sequence[Any]) -> str:
    """Return in what the first option, the right one, differs from all others that agree in it."""
    right, *others = map(_features, shown)
    for name, value in right.items():
        theirs = {other.get(name) for other in others}
        if len(theirs) == 1 and len(others) > 1 and value not in theirs:
            return f"the right option stands out by its {name}"
    lengths = [len(option) for option in shown if isinstance(option, str) and not _numbers(option)]
    if len(lengths) == len(shown) and (
        lengths[0] > LONGER * max(lengths[1:]) or LONGER * lengths[0] < min(lengths[1:])
    ):
        return "the right option stands out by its length"
    return ""
