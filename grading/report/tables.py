"""Write `grades.csv` (a row per learner) and `files.csv` (a row per file), and read `marks.csv`.

`grades.csv` has one column of grades, in the form that Canvas or Moodle imports if the files come
from there; `tasks.csv` has a column for each task. In `marks.csv`, the instructor enters marks for
answers in words, and points for a task that replace the grader's. The grader adds rows to it for
answers in words, changes nothing else in it, and takes the marks into the grades.
"""

import csv
import functools
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from grading.intake import platforms
from grading.intake.submissions import key_of
from grading.report.store import write
from grading.run.scoring import Result
from utils.checks import bank

MARKS = ("learner", "question", "points", "remark")
BEST, LAST, ON_TIME = "best", "last", "on-time"
# Beginnings of text that a spreadsheet reads as a formula. Text after a semicolon counts too: a
# program that splits lines at semicolons does not see the quotes around our cells.
FORMULA_SIGNS = "=+@\t\r＝＋－＠-"
FORMULA = re.compile(rf"(^|[;\t\r\n])([\s\"]*)(?='*[{FORMULA_SIGNS}])")


class ManualMark(NamedTuple):
    """The points that an instructor gives for an answer in words or for a task."""

    points: float
    remark: str


class Lateness(NamedTuple):
    """The rule that says which file of a learner counts for a notebook, and what lateness costs."""

    counts: str = BEST  # "best", "last", or "on-time": the last file that is not late
    percent: float = 0.0  # percentage of its points that a late file loses

    @classmethod
    def of(cls, text: str) -> "Lateness":
        """Read a rule in the form of the command line: `best`, `last`, `on-time`, or `20%`.

        Raises:
            ValueError: the text is not a rule.
        """
        if text in (BEST, LAST, ON_TIME):
            return cls(text)
        if not re.fullmatch(r"\d{1,3}(\.\d+)?%", text, re.ASCII) or float(text[:-1]) > 100:
            raise ValueError(f"{text!r} is none of best, last, on-time, and no share such as 20%")
        return cls(BEST, float(text[:-1]))

    def worth(self, result: Result) -> float:
        """Return the share of a file's points that is left after the deduction for lateness."""
        return 1 - self.percent / 100 if result.late else 1.0

    def rank(self, result: Result) -> float | None:
        """Return the rank of a file: the highest rank counts, and a file with None never does."""
        if result.problem or (self.counts == ON_TIME and result.late):
            return None
        return result.points * self.worth(result) if self.counts == BEST else result.order


BEST_COUNTS = Lateness()


@dataclass
class Learner:
    """A learner, with all files, the file that counts for each notebook, and the marks."""

    name: str
    lms: str
    id: str
    results: dict[str, Result] = field(default_factory=dict)  # notebook → the result that counts
    files: list[Result] = field(default_factory=list)  # results of all their files
    marks: dict[str, ManualMark] = field(default_factory=dict)  # question → mark
    overrides: dict[str, ManualMark] = field(default_factory=dict)  # task → points that count
    lateness: Lateness = BEST_COUNTS

    @property
    def key(self) -> str:
        """The learner's name in `marks.csv`, with a number that tells people of one name apart."""
        return key_of(self.name, self.id)

    @property
    def earned(self) -> dict[str, float]:
        """Task → points; points that an instructor has given replace the grader's points."""
        graded = {
            task: outcome.points
            for result in self.results.values()
            for task, outcome in result.tasks.items()
        }
        return graded | {task: mark.points for task, mark in self.overrides.items()}

    @property
    def all_earned(self) -> dict[str, float]:
        """Task or question → points."""
        return self.earned | {question: mark.points for question, mark in self.marks.items()}

    @property
    def for_code(self) -> float:
        return sum(self.earned.values())

    @property
    def for_words(self) -> float:
        return sum(mark.points for mark in self.marks.values())

    @property
    def deducted(self) -> float:
        """The points that the learner loses because files were late."""
        if not self.lateness.percent:
            return 0.0
        return sum(
            (1 - self.lateness.worth(result)) * self.all_earned.get(part, 0)
            for result in self.results.values()
            for part in [*result.tasks, *result.words]
        )

    @property
    def points(self) -> float:
        return round(self.for_code + self.for_words - self.deducted, 2)

    def add(self, result: Result) -> None:
        self.files.append(result)
        rank, best = self.lateness.rank(result), self.results.get(result.notebook)
        if rank is not None and (best is None or rank >= self.lateness.rank(best)):
            self.results[result.notebook] = result

    def standing(self, result: Result) -> str:
        """Return words that say whether a graded file is late and whether it counts."""
        words = ["graded", *["late"] * result.late]
        if self.results.get(result.notebook) is not result:
            excluded = self.lateness.rank(result) is None
            words.append("does not count" if excluded else "another file counts")
        elif result.late and self.lateness.percent:
            words.append(f"{self.lateness.percent:g} % of the points are taken off")
        return ", ".join(words)


def learners(results: Iterable[Result], lateness: Lateness = BEST_COUNTS) -> list[Learner]:
    """Group results by learner, and return the learners sorted by name."""
    by_key: dict[str, Learner] = {}
    for result in results:
        new = Learner(result.learner, result.lms, result.id, lateness=lateness)
        by_key.setdefault(new.key, new).add(result)
    return [by_key[key] for key in sorted(by_key)]


def without_code(result: Result) -> Result:
    """Return a copy of a result without the learner's code and what it returned."""
    tasks = {task: replace(outcome, returned="") for task, outcome in result.tasks.items()}
    return replace(result, tasks=tasks, code={})


def brief(result: Result) -> Result:
    """Return a copy of a result with only those parts that the tables need."""
    tasks = {
        task: replace(outcome, heading="", lines=(), expected=None, found=None, returned="")
        for task, outcome in result.tasks.items()
    }
    words = {question: text[:1] for question, text in result.words.items()}
    return replace(result, tasks=tasks, words=words, code={}, remarks=())


def tasks_of(class_: Sequence[Learner]) -> dict[str, int]:
    """Return task → maximum points, for the notebooks handed in, in the order of the course."""
    notebooks = {name for learner in class_ for name in learner.results}
    return {
        task.id: task.points
        for name, tasks in bank.tasks().items()
        if name in notebooks
        for task in tasks
    }


@functools.cache
def _questions() -> dict[str, dict[str, int]]:
    """Return notebook → question → maximum points for its answer in words."""
    from solutions import build  # `grader` has checked that it exists

    return {path.stem: build.marks(path) for path in build.notebooks()}


def parts_of(class_: Sequence[Learner]) -> dict[str, int]:
    """Return task or question → maximum points, for the notebooks handed in, tasks first."""
    notebooks = {name for learner in class_ for name in learner.results}
    parts = tasks_of(class_)
    for name, questions in _questions().items():
        parts |= questions if name in notebooks else {}
    return parts


def possible(class_: Sequence[Learner]) -> int:
    """Return the maximum number of points for all notebooks that were handed in."""
    return sum(parts_of(class_).values())


def write_grades(class_: Sequence[Learner], path: Path, column: str = "Grade") -> None:
    """Write a table of one row per learner, with the points for all notebooks together.

    Args:
        class_: the learners.
        path: path of the table.
        column: name of the assignment in Canvas.
    """
    rows = [(learner.name, learner.id, _plain(learner.points)) for learner in class_]
    write_csv(path, platforms.grade_rows(_platform(class_), column, possible(class_), rows))


def write_tasks(class_: Sequence[Learner], path: Path) -> None:
    """Write a row per learner and a column per task or question; cells without points are empty."""
    parts = parts_of(class_)
    canvas = _platform(class_) == "canvas"  # it would read a number in brackets as its own
    heads = parts if canvas else [f"{part} ({points})" for part, points in parts.items()]
    blanks = [""] * (len(platforms.CANVAS) - 2 if canvas else 0)
    rows = [[*(platforms.CANVAS if canvas else ("Student", "ID")), *heads]]
    if canvas:
        rows.append(["Points Possible", "", *blanks, *parts.values()])
    for learner in class_:
        earned = learner.all_earned
        points = [_plain(earned[part]) if part in earned else "" for part in parts]
        rows.append([learner.name, learner.id, *blanks, *points])
    write_csv(path, rows)


def _platform(class_: Sequence[Learner]) -> str:
    return next((learner.lms for learner in class_ if learner.lms), "")


def write_files(class_: Sequence[Learner], path: Path, gone: Iterable[Result] = ()) -> None:
    """Write a row per file: the points, or why there are none, and whether the file counts.

    Args:
        class_: the learners.
        path: path of the table.
        gone: results of files that were graded and are no longer there.
    """

    def row(result: Result, reason: str, counts: bool) -> list:
        learner, flags = key_of(result.learner, result.id), "; ".join(map(str, result.flags))
        graded = result.notebook, result.points, result.of, reason, "yes" if counts else "no"
        return [result.file, learner, *graded, flags]

    rows = [row(result, "removed or renamed since it was graded", False) for result in gone]
    for learner in class_:
        for result in learner.files:
            counts = learner.results.get(result.notebook) is result
            rows.append(row(result, result.problem or learner.standing(result), counts))
    heads = ["file", "learner", "notebook", "points", "of", "reason", "counts", "flags"]
    write_csv(path, [heads, *sorted(rows)])


# --- marks.csv ------------------------------------------------------------------------------------


def read_marks(path: Path, class_: Sequence[Learner]) -> list[str]:
    """Enter the marks from `marks.csv` for their learners; return complaints about invalid rows."""
    if not path.exists():
        return []
    try:
        (heads, *rows), _ = _read_table(path)
    except ValueError as error:
        return [f"{path.name} is left as it is, and not used: {error}"]
    known, worth = _by_name(class_), parts_of(class_)
    complaints = []
    for number, row in enumerate(rows, start=2):
        cells = dict(zip(_column_names(heads), map(str.strip, row), strict=False))
        name, part, points, remark = (cells.get(column, "") for column in MARKS)
        if not points:
            continue
        try:
            if any(row[len(heads) :]):
                raise ValueError("more cells than heads; a comma inside a cell needs quotes")
            if name not in known:
                raise ValueError(f"nobody is called {name!r}")
            if part not in worth:
                raise ValueError(f"no question or task is called {part!r}")
            _enter(known[name], part, points, worth[part], remark)
        except ValueError as error:
            complaints.append(f"{path.name}, line {number}: {error}")
    return complaints


def _by_name(class_: Sequence[Learner]) -> dict[str, Learner]:
    """Return name → learner, also for names with the apostrophe that `_guarded` adds."""
    known = {learner.key: learner for learner in class_}
    return known | {_guarded(learner.key): learner for learner in class_}


def _enter(learner: Learner, part: str, points: str, most: int, remark: str) -> None:
    """Give a learner a mark for an answer in words, or other points for a task.

    Raises:
        ValueError: the mark makes no sense.
    """
    is_task = all(part not in questions for questions in _questions().values())
    entered = learner.overrides if is_task else learner.marks
    value = float(points.replace(",", "."))
    if part in entered:
        raise ValueError(f"a second mark of {learner.key!r} for {part!r}; the first counts")
    if not math.isfinite(value):
        raise ValueError(f"{points!r} is not a number")
    if abs(value) > most or (is_task and value < 0):
        raise ValueError(f"{points} points for {part!r} do not count: it is worth {most}")
    if is_task and not remark:
        raise ValueError(f"other points for {part!r} need a reason: write it under remark")
    entered[part] = ManualMark(_plain(value), remark)


def write_marks(class_: Sequence[Learner], path: Path) -> None:
    """Add a row to `marks.csv` for each new answer in words, for an instructor to fill in."""
    rows, delimiter = [list(MARKS)], ","
    if path.exists():
        try:
            rows, delimiter = _read_table(path)
        except ValueError:  # `read_marks` complains about it
            return
    heads = _column_names(rows[0])
    at = heads.index("learner"), heads.index("question")
    there = [tuple(row[place].strip() for place in at) for row in rows if len(row) > max(at)]
    known = _by_name(class_)
    there = {(known[name].key, question) for name, question in there if name in known}
    new = []
    for learner in class_:
        for result in learner.results.values():
            for question, text in result.words.items():
                answered = text or result.elsewhere  # perhaps an answer in the wrong place
                if answered and (learner.key, question) not in there:
                    cells = {"learner": _guarded(learner.key), "question": question}
                    new.append([cells.get(head, "") for head in heads])
    if new or not path.exists():
        write(path, _as_csv([*rows, *new], delimiter))


def _read_table(path: Path) -> tuple[list[list[str]], str]:
    """Read `marks.csv`, which a person has edited in some program; return rows and delimiter.

    Raises:
        ValueError: the file is no longer this table.
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


# --- CSV ------------------------------------------------------------------------------------------


def write_csv(path: Path, rows: Sequence[Sequence]) -> None:
    """Write a table that spreadsheets read as Unicode and in which they see no formula."""
    write(path, _as_csv([[_guarded(cell) for cell in row] for row in rows]))


def _as_csv(rows: Sequence[Sequence], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "\ufeff" + text.getvalue()


def _plain(points: float) -> float:
    return int(points) if points == int(points) else points


def _guarded(value: object) -> object:
    """Put an apostrophe before each part of a text that a spreadsheet would read as a formula."""
    if not isinstance(value, str) or set(FORMULA_SIGNS).isdisjoint(value):  # a search takes longer
        return value
    return FORMULA.sub(r"\1\2'", value)
