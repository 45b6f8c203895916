"""Count the guesses of a room: how many learners chose each answer to a question, and no names.

The questions are those of the course's notebooks. Guesses come from learners' files, so whatever is
no answer to one of them is left out.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from utils.course import chapters

PARTS = 10  # bars of a question that asks for a number
FEWEST = 3  # guesses that are shown: fewer would tell who was first


@dataclass(frozen=True)
class Question:
    """A question that a notebook asks with `predict`.

    Args:
        text: the question.
        options: the answers to choose from; empty if a number is asked for.
        between: the smallest and the largest number that may be guessed, if a number is asked for.
    """

    text: str
    options: Sequence[str] = ()
    between: Sequence[float] = ()

    def bars(self) -> list[str]:
        """Return the label of each bar: an option, a whole number, or a part of the range."""
        if self.options:
            return [*self.options]
        if self._is_counted():
            return self.marks()
        return [f"{a} to {b}" for a, b in pairwise([*self.marks(), _short(self.between[1])])]

    def marks(self) -> list[str]:
        """Return a short mark for each bar: a letter, a number, or where its part begins."""
        if self.options:
            return [*ascii_uppercase[: len(self.options)]]
        low, high = self.between
        if self._is_counted():
            return [f"{number}" for number in range(low, high + 1)]
        return [_short(low + (high - low) * part / PARTS) for part in range(PARTS)]

    def bar(self, guess: str) -> int | None:
        """Return the place of the bar that counts a guess; None if it is no answer."""
        if self.options:
            return self.options.index(guess) if guess in self.options else None
        low, high = self.between
        try:
            above = float(guess) - low
        except ValueError:
            return None
        if not 0 <= above <= high - low:
            return None
        return (
            round(above)
            if self._is_counted()
            else min(int(above / (high - low) * PARTS), PARTS - 1)
        )

    def _is_counted(self) -> bool:
        """Decide whether the range is one of few whole numbers, which get a bar each."""
        low, high = self.between
        return 1 < high - low <= PARTS


def _short(number: float) -> str:
    return f"{number:,.4g}"


def asked(source: str) -> Iterator[Question]:
    """Yield the questions that a code cell of the course asks."""
    tree = ast.parse(source)
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "predict":
            known = _constants(tree)
            text, *options = (eval(ast.unparse(each), known) for each in call.args)
            keywords = {word.arg: eval(ast.unparse(word.value)) for word in call.keywords}
            yield Question(text, *options, between=keywords.get("between", ()))


def _constants(tree: ast.Module) -> dict[str, object]:
    """Return the names that a cell of ours gives to lists and dictionaries written out in it."""
    return {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in tree.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.List | ast.Dict)
    }


@cache
def questions() -> dict[str, Question]:
    """Return text → question, for all questions of the course, in its order."""
    return {
        question.text: question
        for chapter in chapters().values()
        for cell in chapter.read().cells
        if cell.cell_type == "code"
        for question in asked(cell.source)
    }


def count(room: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Count what the learners of a room have guessed, who each count once.

    Args:
        room: for each learner, question → guess, as it stands in their file.

    Returns:
        Question → the number of "guesses" and the "bars", one count for each; none of fewer than
        `FEWEST` guesses. Questions that nobody has answered are left out.
    """
    counted = {}
    room = [*room]
    for text, question in questions().items():
        bars = [0] * len(question.bars())
        for guesses in room:
            guess = guesses.get(text)
            place = question.bar(guess) if isinstance(guess, str) else None
            if place is not None:
                bars[place] += 1
        if any(bars):
            counted[text] = {"guesses": sum(bars), "bars": bars if sum(bars) >= FEWEST else []}
    return counted
