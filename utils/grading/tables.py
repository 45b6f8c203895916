"""The tables: `grades.csv`, one row a learner, and `files.csv`, one row a file.

`grades.csv` has the columns that Canvas and Moodle ask for, where the names of the files show that
they come from there. `marks.csv` is for the questions in words: marks that an instructor enters
there come into the grades.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from utils.checks import bank
from utils.grading.marking import Result
from utils.grading.results import write

CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("Identifier", "Full name")
MARKS = ("learner", "question", "points", "remark")


@dataclass
class Learner:
    """One learner, and of each notebook the file that counts: the one with most points.

    Args:
        name, lms, id: as handed in.
        results: notebook → the result that counts.
        files: results of all their files.
        marks: question → points and remark, from `marks.csv`.
    """

    name: str
    lms: str
    id: str
    results: dict[str, Result] = field(default_factory=dict)
    files: list[Result] = field(default_factory=list)
    marks: dict[str, tuple[float, str]] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What `marks.csv` calls the learner."""
        return f"{self.name} ({self.id})" if self.id else self.name

    @property
    def points(self) -> float:
        return sum(one.points for one in self.results.values()) + sum(
            points for points, _ in self.marks.values()
        )

    def add(self, result: Result) -> None:
        self.files.append(result)
        best = self.results.get(result.notebook)
        if not result.problem and (best is None or result.points >= best.points):
            self.results[result.notebook] = result


def learners(results: Sequence[Result]) -> list[Learner]:
    """The learners with their results, in the order of their names."""
    found: dict[tuple[str, str], Learner] = {}
    for result in results:
        key = (result.learner, result.id)
        found.setdefault(key, Learner(result.learner, result.lms, result.id)).add(result)
    return [found[key] for key in sorted(found)]


def tasks_of(class_: Sequence[Learner]) -> dict[str, int]:
    """Tasks of the notebooks that were handed in, in the order of the course, and their points."""
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
    possible = [f"{task} ({points})" for task, points in tasks.items()]
    rows = [[*heads, *possible, *questions, "Grade"]]
    for learner in class_:
        who = {
            "canvas": (learner.name, learner.id, "", "", ""),
            "moodle": (f"Participant {learner.id}", learner.name),
        }.get(lms, (learner.name,))
        own = {
            task: one for result in learner.results.values() for task, one in result.tasks.items()
        }
        earned = [own[task].points if task in own else "" for task in tasks]
        marks = [learner.marks.get(question, ("",))[0] for question in questions]
        rows.append([*who, *earned, *marks, f"{learner.points:g}"])
    write_csv(path, rows)


def write_files(class_: Sequence[Learner], path: Path) -> None:
    """One row a file: what it earned, or why it earned nothing, and whether it counts."""
    rows = [["file", "learner", "notebook", "points", "of", "reason", "counts", "flags"]]
    for learner in class_:
        for one in learner.files:
            counts = "yes" if learner.results.get(one.notebook) is one else "no"
            reason = one.problem or "graded"
            flags = "; ".join(one.flags)
            what = one.notebook, one.points, one.of, reason
            rows.append([one.file, learner.key, *what, counts, flags])
    head, *others = rows
    write_csv(path, [head, *sorted(others)])


def read_marks(path: Path, class_: Sequence[Learner]) -> list[str]:
    """Give the learners the marks that were entered; what could not be used comes back in words."""
    if not path.exists():
        return []
    known, complaints = {learner.key: learner for learner in class_}, []
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    delimiter = ";" if ";" in text.partition("\n")[0] else ","  # spreadsheets write either
    for number, row in enumerate(csv.DictReader(io.StringIO(text), delimiter=delimiter), start=2):
        name, question, points, remark = ((row.get(head) or "").strip() for head in MARKS)
        if not points:
            continue
        learner = known.get(_unguarded(name))
        try:
            if learner is None:
                raise ValueError(f"nobody is called {name!r}")
            learner.marks[question] = float(points.replace(",", ".")), remark
        except ValueError as error:
            complaints.append(f"{path.name}, line {number}: {error}")
    return complaints


def write_marks(class_: Sequence[Learner], path: Path) -> None:
    """A row for each answer in words, for an instructor to fill in; known marks stay."""
    rows: list[list] = [list(MARKS)]
    for learner in class_:
        answered: dict[str, None] = defaultdict()
        for result in learner.results.values():
            answered |= dict.fromkeys(question for question, text in result.words.items() if text)
        for question in [*answered, *(one for one in learner.marks if one not in answered)]:
            points, remark = learner.marks.get(question, ("", ""))
            rows.append([learner.key, question, points and f"{points:g}", remark])
    write_csv(path, rows)


def write_csv(path: Path, rows: Sequence[Sequence]) -> None:
    """Write a table that spreadsheets open with every letter in place."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(
        [_guarded(one) for one in row] for row in rows
    )
    write(path, "\ufeff" + text.getvalue())


def _guarded(value: object) -> object:
    """A text that a spreadsheet would take for a formula, with a quote before it."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def _unguarded(text: str) -> str:
    return text[1:] if text[:1] == "'" and text[1:2] in tuple("=+-@\t\r") else text
