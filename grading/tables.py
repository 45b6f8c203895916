"""The tables: `grades.csv`, one row a learner, and `files.csv`, one row a file.

`grades.csv` has the columns that Canvas or Moodle requires, where the names of the files show that
they come from there. `marks.csv` is for the answers in words: marks that an instructor enters there
are added to the grades. That table is theirs: rows are added to it, and nothing else is changed.
"""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from grading.marking import Result
from grading.results import write
from utils.checks import bank

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("Identifier", "Full name")
MARKS = ("learner", "question", "points", "remark")


class Mark(NamedTuple):
    """What an instructor gives for an answer in words."""

    points: float
    remark: str


@dataclass
class Learner:
    """One learner, with the file that counts for each notebook: the one with the most points.

    Args:
        name, lms, id: as handed in.
        results: notebook → the result that counts.
        files: results of all their files.
        marks: question → mark, from `marks.csv`.
    """

    name: str
    lms: str
    id: str
    results: dict[str, Result] = field(default_factory=dict)
    files: list[Result] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What `marks.csv` calls the learner: learners of the same name have different numbers."""
        return key_of(self.name, self.id)

    @property
    def points(self) -> float:
        return sum(result.points for result in self.results.values()) + sum(
            mark.points for mark in self.marks.values()
        )

    def add(self, result: Result) -> None:
        self.files.append(result)
        best = self.results.get(result.notebook)
        if not result.problem and (best is None or result.points >= best.points):
            self.results[result.notebook] = result


def key_of(name: str, id: str) -> str:
    """What distinguishes a learner from all others."""
    return f"{name} ({id})" if id else name


def learners(results: Sequence[Result]) -> list[Learner]:
    """The learners with their results, sorted by name."""
    found: dict[str, Learner] = {}
    for result in results:
        new = Learner(result.learner, result.lms, result.id)
        found.setdefault(new.key, new).add(result)
    return [found[key] for key in sorted(found)]


def brief(result: Result) -> Result:
    """The little of a result that the tables need."""
    tasks = {
        task: replace(outcome, heading="", lines=(), expected=None, found=None, returned="")
        for task, outcome in result.tasks.items()
    }
    words = {question: text[:1] for question, text in result.words.items()}
    return replace(result, tasks=tasks, words=words, code={}, remarks=())


def tasks_of(class_: Sequence[Learner]) -> dict[str, int]:
    """Task → its points, for the notebooks that were handed in, in the order of the course."""
    notebooks = {name for learner in class_ for name in learner.results}
    return {
        task.id: task.points
        for name, tasks in bank.tasks().items()
        if name in notebooks
        for task in tasks
    }


def write_grades(class_: Sequence[Learner], path: Path) -> None:
    """One row a learner, one column a task; empty where the notebook was not handed in."""
    kinds = [learner.lms for learner in class_]
    lms = max(("canvas", "moodle"), key=kinds.count)
    lms = lms if lms in kinds else ""
    tasks = tasks_of(class_)
    questions = sorted({question for learner in class_ for question in learner.marks})
    heads = {"canvas": CANVAS, "moodle": MOODLE}.get(lms, ("Student",))
    rows = [[*heads, *tasks, *questions, "Grade"]]
    if lms == "canvas":  # it would take a number in brackets for an id of its own
        room = [""] * (len(CANVAS) - 1)
        rows.append(["Points Possible", *room, *tasks.values(), *[""] * (len(questions) + 1)])
    else:
        rows[0][len(heads) : len(heads) + len(tasks)] = [
            f"{task} ({points})" for task, points in tasks.items()
        ]
    for learner in class_:
        who = {
            "canvas": (learner.name, learner.id, "", "", ""),
            "moodle": (f"Participant {learner.id}", learner.name),
        }.get(lms, (learner.name,))
        own = {
            task: outcome
            for result in learner.results.values()
            for task, outcome in result.tasks.items()
        }
        earned = [own[task].points if task in own else "" for task in tasks]
        marks = [
            _plain(learner.marks[question].points) if question in learner.marks else ""
            for question in questions
        ]
        rows.append([*who, *earned, *marks, _plain(learner.points)])
    write_csv(path, rows)


def write_files(class_: Sequence[Learner], path: Path) -> None:
    """One row a file: what it earned, or why it earned nothing, and whether it counts."""
    rows = [["file", "learner", "notebook", "points", "of", "reason", "counts", "flags"]]
    for learner in class_:
        for result in learner.files:
            counts = "yes" if learner.results.get(result.notebook) is result else "no"
            reason = result.problem or "graded"
            flags = "; ".join(map(str, result.flags))
            what = result.notebook, result.points, result.of, reason
            rows.append([result.file, learner.key, *what, counts, flags])
    head, *others = rows
    write_csv(path, [head, *sorted(others)])


def read_marks(path: Path, class_: Sequence[Learner]) -> list[str]:
    """Give the learners the marks that were entered; complaints about those that make no sense."""
    if not path.exists():
        return []
    try:
        (heads, *rows), _ = _entered(path)
    except ValueError as error:
        return [f"{path.name} is left as it is, and not used: {error}"]
    known, complaints = {learner.key: learner for learner in class_}, []
    asked = {
        question for learner in class_ for result in learner.files for question in result.words
    }
    for number, row in enumerate(rows, start=2):
        cells = dict(zip(_column_names(heads), map(str.strip, row), strict=False))
        name, question, points, remark = (cells.get(column, "") for column in MARKS)
        if not points:
            continue
        learner = known.get(name) or known.get(_unguarded(name))
        try:
            if any(row[len(heads) :]):
                raise ValueError("more cells than heads; a comma inside a cell needs quotes")
            if learner is None:
                raise ValueError(f"nobody is called {name!r}")
            if question not in asked:
                raise ValueError(f"no question is called {question!r}")
            if question in learner.marks:
                raise ValueError(f"a second mark of {name!r} for {question!r}; the first counts")
            value = float(points.replace(",", "."))
            if not math.isfinite(value):
                raise ValueError(f"{points!r} is not a number")
            learner.marks[question] = Mark(value, remark)
        except ValueError as error:
            complaints.append(f"{path.name}, line {number}: {error}")
    return complaints


def write_marks(class_: Sequence[Learner], path: Path) -> None:
    """A row for each answer in words, for an instructor to fill in. Existing rows stay."""
    rows, delimiter = [list(MARKS)], ","
    if path.exists():
        try:
            rows, delimiter = _entered(path)
        except ValueError:  # `read_marks` complains about it
            return
    heads = _column_names(rows[0])
    at = heads.index("learner"), heads.index("question")
    there = {tuple(row[place].strip() for place in at) for row in rows if len(row) > max(at)}
    new = []
    for learner in class_:
        for question in _answered(learner):
            if (_guarded(learner.key), question) not in there:
                cells = {"learner": _guarded(learner.key), "question": question}
                new.append([cells.get(head, "") for head in heads])
    if new or not path.exists():
        write(path, _as_csv([*rows, *new], delimiter))


def _answered(learner: Learner) -> list[str]:
    return [
        question
        for result in learner.results.values()
        for question, text in result.words.items()
        if text
    ]


def _entered(path: Path) -> tuple[list[list[str]], str]:
    """The rows of the table that a person has edited in some program, and its delimiter.

    Raises:
        ValueError: it is no longer that table.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # older spreadsheets
        text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "cp1252", errors="replace")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(str(error)) from None
    missing = [head for head in MARKS if not rows or head not in _column_names(rows[0])]
    if missing:
        raise ValueError(f"it has no column {', '.join(missing)}. Add it, or move the file away.")
    return rows, delimiter


def _column_names(heads: Sequence[str]) -> list[str]:
    return [head.strip().lower() for head in heads]


def write_csv(path: Path, rows: Sequence[Sequence]) -> None:
    """Write a table that spreadsheets read as Unicode, with no cell taken for a formula."""
    write(path, _as_csv([[_guarded(cell) for cell in row] for row in rows]))


def _as_csv(rows: Sequence[Sequence], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "\ufeff" + text.getvalue()


def _plain(points: float) -> float:
    return int(points) if points == int(points) else points


def _guarded(value: object) -> object:
    """The value, after a quote where a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def _unguarded(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in tuple("=+-@\t\r") else text
