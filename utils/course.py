"""The course as `notebooks/course.toml` states it, and the minutes that it takes.

The order of the notebooks, what they are called and which way through them is direct are stated
there. How long they take is measured, from their words, code, predictions and stubs.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode

from utils.checks.tasks import Task

FOLDER = Path(__file__).parents[1] / "notebooks"
# What learners take, as multiples of an estimate: from quick ones to those who try everything.
# Three readers took 1.3 to 1.7 times the estimate for notebooks, 1.1 to 1.4 times for exercises.
READERS, WORKERS = (1.2, 1.7), (1.0, 1.4)
STUB_MINUTES = 3  # for a stub to be written
ESSAY = 6  # minutes for a question that is answered in words
LINES_A_MINUTE = 6.5  # lines of code that an attentive reader follows in a minute
WIDGET = '<div class="explorer"'
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)  # in Markdown: no reader sees it
NUMBERS = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve"


def in_words(number: int) -> str:
    """Return a number as a word that begins a sentence, such as "Seven"; 13 and more as digits."""
    return dict(enumerate(NUMBERS.split(), start=1)).get(number, str(number))


class Span(NamedTuple):
    """A range of minutes: `low` for quick learners, `high` for those who try everything."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Chapter:
    """A notebook of the course with its exercises.

    Args:
        part: title of the part of the course that it belongs to.
        name: of its files, without the ending; it begins with the notebook's number.
        title: what stands at its top.
        subtitle: what it is about, in a sentence.
        difficulty: number of stars, from 1 to 3.
        builds_on: what a reader has to know.
        then: how the sentence on the direct way goes on behind the sections and exercises.
        sections: numbers of the sections that the direct way takes; if none, it skips the notebook.
        exercises: numbers of the exercises that it takes.
        essays: question to be answered in words → the most points that it can earn.
    """

    part: str
    name: str
    title: str
    subtitle: str
    difficulty: int
    builds_on: str
    then: str
    sections: Sequence[int] = ()
    exercises: Sequence[int] = ()
    essays: Mapping[str, int] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """The number of the notebook, such as "05"."""
        return self.name[:2]

    @property
    def label(self) -> str:
        """Its number and title, such as "05 · Multi-head attention"."""
        return f"{self.number} · {self.title}"

    @property
    def path(self) -> Path:
        """The path of the notebook."""
        return FOLDER / f"{self.name}.ipynb"

    def read(self) -> NotebookNode:
        """Read the notebook, as it is stored."""
        return nbformat.read(self.path, as_version=4)


@cache
def _stated() -> dict:
    return tomllib.loads((FOLDER / "course.toml").read_text(encoding="utf-8"))


@cache
def chapters() -> dict[str, Chapter]:
    """Return name → notebook, in the order of the course."""
    parts = {part["title"]: part["notebooks"] for part in _stated()["parts"]}
    of_parts = [Chapter(part, **entry) for part, entries in parts.items() for entry in entries]
    return {chapter.name: chapter for chapter in of_parts}


def public_address() -> str:
    """Return the address at which the reading site is public, or "" if it is not."""
    return _stated()["address"]


def reading_minutes(notebook: NotebookNode) -> Span:
    """Return the minutes that learners take to read a notebook of the course and try it out."""
    return _span(minutes_of(notebook.cells), READERS)


def working_minutes(tasks: Iterable[Task], essays: int = 0) -> Span:
    """Return the minutes that learners take for some tasks and questions to answer in words."""
    return _span(sum(task.minutes for task in tasks) + ESSAY * essays, WORKERS)


def direct_minutes(tasks: Mapping[str, Sequence[Task]]) -> list[Span]:
    """Return the minutes for each thing that the direct way reads, and for its exercises.

    Args:
        tasks: name of a notebook → the tasks of its exercises.
    """
    spans = []
    for name, chapter in chapters().items():
        spans.append(_span(minutes_of(_cells_in(chapter.read(), chapter.sections)), READERS))
        spans.append(working_minutes(tasks[name][number - 1] for number in chapter.exercises))
    return spans


def _cells_in(notebook: NotebookNode, sections: Sequence[int]) -> list[NotebookNode]:
    """Return the cells in those sections of a notebook that have these numbers."""
    headings = tuple(f"## {number}." for number in sections)
    cells, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            inside = cell.source.startswith(headings)
        if inside:
            cells.append(cell)
    return cells


def in_hours(spans: Sequence[Span]) -> str:
    """Write the sum of some spans in hours, such as "9–13"."""
    low, high = (round(sum(ends) / 60) for ends in zip(*spans, strict=True))
    return f"{low}–{high}"


def _span(estimate: float, factors: tuple[float, float]) -> Span:
    """Return an estimate in minutes times each of two factors, rounded to multiples of 5."""
    low, high = (5 * round(factor * estimate / 5) for factor in factors)
    return Span(low, high)


def minutes_of(cells: Iterable[NotebookNode]) -> float:
    """Estimate how many minutes a quick reader takes to work through some cells.

    150 words of prose take a minute; so do 6.5 lines of code, two predictions, or one widget.
    Completing a stub takes three minutes.
    """
    words = lines = predictions = movable = stubs = 0
    for cell in cells:
        if cell.cell_type == "markdown":
            words += len(COMMENT.sub("", cell.source).split())
        elif "predict(" in cell.source:
            predictions += 1
        elif 'check("' in cell.source:
            stubs += 1
        else:
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
            pages = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
            movable += any(WIDGET in page for page in pages)
    return words / 150 + lines / LINES_A_MINUTE + predictions / 2 + movable + STUB_MINUTES * stubs
