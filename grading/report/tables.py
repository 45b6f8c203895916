"""Write `grades.csv` (a row per learner) and `files.csv` (a row per file), and read `marks.csv`.

`grades.csv` has one column of grades, in the form that the platform imports which the files come
from; `tasks.csv` has a column for each task. In `marks.csv`, the instructor enters marks for
answers in words, and points for a task that replace the grader's. The grader adds rows to it for
answers in words, changes no row that has points, and takes the marks into the grades.
"""

import csv
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from grading.intake import platforms
from grading.intake.class_file import BEST, ON_TIME, ClassFile, letters, read_csv, usual
from grading.intake.class_file import parts_of as parts_in
from grading.intake.submissions import key_of, some
from grading.report.store import write
from grading.run.scoring import Outcome, Result
from grading.text import clean, shown, visible
from utils.items.item_bank import FORMS
from utils.notebook_file import asked

NO_FILE = ClassFile()
LONGEST_POINTS = 20  # letters of a number that a message repeats
NUMBER = re.compile(r"\((\w+)\)\s*$")  # behind a name, as `key_of` writes it
MARKS = ("learner", "question", "points", "remark")
FORM = ("learner", "question", "asked", "answer", "of", "points", "remark")  # of a new marks.csv
# Beginnings of text that a spreadsheet reads as a formula. Text after a semicolon counts too: a
# program that splits lines at semicolons does not see the quotes around our cells.
FORMULA_SIGNS = "=+@\t\r＝＋－＠-"
FORMULA = re.compile(rf"(^|[;\t\r\n])([\s\"]*)(?='*[{FORMULA_SIGNS}])")


class ManualMark(NamedTuple):
    """The points that an instructor gives for an answer in words or for a task."""

    points: float
    remark: str


@dataclass
class Learner:
    """A learner, with all files, the file that counts for each notebook, and the marks.

    Somebody on the roster who has handed in nothing has no files.
    """

    name: str
    lms: str
    id: str
    results: dict[str, Result] = field(default_factory=dict)  # notebook → the result that counts
    files: list[Result] = field(default_factory=list)  # results of all their files
    # results of the tests before and after the course, which are no files to be graded
    tests: list[Result] = field(default_factory=list)
    marks: dict[str, ManualMark] = field(default_factory=dict)  # question → mark
    overrides: dict[str, ManualMark] = field(default_factory=dict)  # task → points that count
    settled: dict[str, ManualMark] = field(default_factory=dict)  # unreadable file → what is said
    rules: ClassFile = NO_FILE  # with the notebooks that count for this class
    section: str = ""

    @property
    def key(self) -> str:
        """The learner's name as handed in, with a number that tells people of one name apart."""
        return key_of(self.name, self.id)

    @property
    def called(self) -> str:
        """The name for people to read: that of the roster, with the first name first."""
        person = self.rules.person(self.name, self.id)
        return person.names[1] if person else self.name

    @property
    def label(self) -> str:
        """The name for people to read, with a number that tells people of one name apart."""
        return key_of(self.called, self.id)

    @property
    def is_stranger(self) -> bool:
        """Whether there is a roster, and the learner is not on it."""
        return bool(self.rules.roster) and self.rules.person(self.name, self.id) is None

    @property
    def accounts(self) -> tuple[str, str]:
        """Number and account on the roster."""
        person = self.rules.person(self.name, self.id)
        return (person.id, person.login) if person else ("", "")

    @cached_property
    def labels(self) -> set[str]:
        """The letters of label, name, number and name on the roster: all that one may be called."""
        person = self.rules.person(self.name, self.id)
        own = {letters(text) for text in (self.key, self.label, self.name, self.id)} - {""}
        return own | (person.spellings if person else set())

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
        if not self.rules.deduction:
            return 0.0
        return sum(
            (1 - self.worth(result)) * self.all_earned.get(part, 0)
            for result in self.results.values()
            for part in [*result.tasks, *result.words]
        )

    @property
    def points(self) -> float:
        return round(self.for_code + self.for_words - self.deducted, 2)

    def worth(self, result: Result) -> float:
        """Return the share of a file's points that is left after the deduction for lateness."""
        return max(0.0, 1 - self.rules.deduction / 100 * result.days_late)

    def _rank(self, result: Result) -> float | None:
        """Return the rank of a file: the highest rank counts, and a file with None never does."""
        if result.problem or (self.rules.counts == ON_TIME and result.days_late):
            return None
        best = self.rules.counts == BEST
        return result.points * self.worth(result) if best else result.order

    @property
    def unmarked(self) -> list[str]:
        """The questions that are answered, or may be, and have no mark yet."""
        return [
            question
            for result in self.results.values()
            for question, text in result.words.items()
            if (text or result.elsewhere) and question not in self.marks
        ]

    @property
    def _judged(self) -> list[str]:
        """The notebooks without a result for one of whose tasks a person has given points."""
        return [
            name
            for name, tasks in self.rules.tasks.items()
            if name not in self.results and not self.overrides.keys().isdisjoint(tasks)
        ]

    @property
    def missing(self) -> list[str]:
        """The notebooks that count, that nothing is handed in for and nobody has given points."""
        there = {result.notebook for result in self.files if not result.problem}
        there |= {*self._judged}
        return [name for name in self.rules.notebooks if name not in there]

    @property
    def unread(self) -> list[Result]:
        """The files that could not be graded, as long as a notebook is missing that they may be.

        An instructor settles one by points for a task of a notebook that is missing, or by a row
        that names the file.
        """
        left = [file for file in self.files if file.problem and file.file not in self.settled]
        judged = self._judged
        if self.rules.notebooks and {*self.results, *judged}.issuperset(self.rules.notebooks):
            return []
        for name in judged[: len(left)]:
            left.remove(max(left, key=lambda file: name in file.file))
        return left

    @property
    def pending(self) -> bool:
        """Whether the points are not final: nobody has marked or could read something."""
        return bool(self.unmarked or self.unread)

    @property
    def absent(self) -> bool:
        """Whether nothing has been handed in; a test is enough where no notebook counts."""
        return not self.files and not (self.tests and not self.rules.notebooks)

    @property
    def forms(self) -> dict[str, Result]:
        """Form → the result of the test that counts for it, the one handed in last."""
        return {result.form: result for result in sorted(self.tests, key=lambda test: test.order)}

    def add(self, result: Result) -> None:
        if result.form:
            self.tests.append(result)
            return
        self.files.append(result)
        rank, best = self._rank(result), self.results.get(result.notebook)
        if rank is not None and (best is None or rank >= self._rank(best)):
            self.results[result.notebook] = result

    def standing(self, result: Result) -> str:
        """Return words that say whether a graded file is late and whether it counts."""
        if result.form:
            other = [] if self.forms[result.form] is result else ["another file counts"]
            return "; ".join(["a test, for no points", *other, *result.remarks])
        words = ["graded", *["late"] * (result.days_late > 0)]
        if result.days_late > 1:
            words.append(f"day {result.days_late}")
        if self.results.get(result.notebook) is not result:
            no_one_asks = result.notebook not in self.rules.notebooks
            excluded = no_one_asks or self._rank(result) is None
            words.append("does not count" if excluded else "another file counts")
        elif result.days_late and self.rules.deduction:
            lost = 100 * (1 - self.worth(result))
            words.append(f"{lost:g} % of the points are taken off")
        return ", ".join(words)


def learners(results: Iterable[Result], rules: ClassFile = NO_FILE) -> list[Learner]:
    """Group results by learner, and return the learners sorted by name.

    Whoever is on the roster and has handed in nothing is among them, without files.
    """
    by_key: dict[str, Learner] = {}
    for result in results:
        new = Learner(result.learner, result.lms, result.id, rules=rules)
        by_key.setdefault(new.key, new).add(_adapted(result, rules))
    people = [(learner.name, learner.id) for learner in by_key.values()]
    for person in rules.missing(people):
        absent = Learner(person.name, "", person.id, rules=rules)
        by_key.setdefault(absent.key, absent)
    class_ = [by_key[key] for key in sorted(by_key)]
    taking_part = sum(bool(learner.files or not learner.tests) for learner in class_)
    usually = usual(notebooks_of(class_), taking_part)
    counting = replace(rules, notebooks=rules.notebooks or usually)
    for learner in class_:
        learner.rules = counting
        person = rules.person(learner.name, learner.id)
        learner.section = person.section if person else ""
        learner.results = {
            name: result for name, result in learner.results.items() if name in counting.notebooks
        }
    return class_


def notebooks_of(class_: Sequence[Learner]) -> Counter[str]:
    """Return notebook → number of learners who have handed it in."""
    return Counter(
        name
        for learner in class_
        for name in {result.notebook for result in learner.files if not result.problem}
    )


def _adapted(result: Result, rules: ClassFile) -> Result:
    """Return a result as these rules see it: how late it is, its tasks and their points."""
    own = result.learner, result.id, result.late, result.time
    result = replace(result, days_late=rules.days_late(*own))
    tasks = {
        task: _rescaled(outcome, rules.points.get(task, outcome.of))
        for task, outcome in result.tasks.items()
        if task not in rules.dropped
    }
    words = {each: text for each, text in result.words.items() if each not in rules.dropped}
    return replace(result, tasks=tasks, words=words)


def _rescaled(outcome: Outcome, of: float) -> Outcome:
    """Return an outcome with another maximum."""
    if of == outcome.of:
        return outcome
    points, public = (
        _plain(round(points * of / outcome.of, 2))
        for points in (outcome.points, outcome.public_points)
    )
    return replace(outcome, points=points, of=of, public_points=public)


def without_code(result: Result) -> Result:
    """Return a copy of a result without the learner's code and what it returned."""
    tasks = {task: replace(outcome, returned="") for task, outcome in result.tasks.items()}
    return replace(result, tasks=tasks, code={})


def brief(result: Result) -> Result:
    """Return a copy of a result with only those parts that the tables need."""
    tasks = {
        task: replace(outcome, title="", lines=(), expected=None, found=None, returned="")
        for task, outcome in result.tasks.items()
    }
    words = {question: text[:1] for question, text in result.words.items()}
    return replace(result, tasks=tasks, words=words, code={}, remarks=())


def tasks_of(class_: Sequence[Learner]) -> dict[str, float]:
    """Return task → maximum points, for the notebooks that count, in the order of the course."""
    tasks = class_[0].rules.tasks.values() if class_ else ()
    return {task: points for of_notebook in tasks for task, points in of_notebook.items()}


def parts_of(class_: Sequence[Learner]) -> dict[str, float]:
    """Return task or question → maximum points, for the notebooks that count, tasks first."""
    return class_[0].rules.parts if class_ else {}


def possible(class_: Sequence[Learner]) -> float:
    """Return the maximum number of points."""
    return _plain(sum(parts_of(class_).values()))


def about_possible(class_: Sequence[Learner]) -> Iterator[str]:
    """Yield a line on what counts, if no class file says so, and one on who is missing."""
    absent = [learner.label for learner in class_ if learner.absent]
    if absent:
        yield f"{len(absent)} of {len(class_)} have handed in nothing: {some(absent)}"
    if class_ and class_[0].rules.path is None:
        count, of = notebooks_of(class_), len(class_)
        usual = class_[0].rules.notebooks
        others = [f"{name} ({count[name]} of {of})" for name in sorted(count) if name not in usual]
        yield (
            f"{possible(class_):g} points are possible, from what at least a third handed in: "
            f"{', '.join(usual) or 'nothing'}."
            f"{f' Not counted: {some(others)}.' if others else ''} A class file says what counts: "
            "python -m grading new FOLDER"
        )


def about_import(class_: Sequence[Learner]) -> Iterator[str]:
    """Yield lines on what stands in the way of the grades' coming back to their platform."""
    platform = _platform(class_)
    if note := platforms.PLATFORMS[platform].note:
        yield note
    unknown = [learner.label for learner in class_ if not any(learner.accounts)]
    if platform == "brightspace" and unknown:
        yield (
            f"Brightspace's files name no accounts, and {len(unknown)} of {len(class_)} learners "
            f"have none in grades.csv: {some(unknown)}. Give an export of its grades as `roster`."
        )


def about_new_parts(class_: Sequence[Learner], before: Mapping[str, Sequence[str]]) -> str:
    """Return a line that says which tasks and questions came since the last run; "" if none.

    Args:
        before: notebook → its tasks and questions then.
    """
    rules = class_[0].rules if class_ else NO_FILE
    came = {
        part: points
        for name in rules.notebooks
        if name in before
        for part, points in parts_in(name).items()
        if part not in before[name] and part in rules.parts
    }
    if not came:
        return ""
    listed = ", ".join(f'"{part}"' for part in came)
    return (
        f"New since the last run, and 0 points for whoever has not written it: {listed}. If it is "
        f"not meant for this class, add it in the class file: dropped = [{listed}]"
    )


def about_pending(class_: Sequence[Learner]) -> str:
    """Return a line that says how many learners have no grade yet, and why; "" if none."""
    words, files = (
        sum(map(bool, which))
        for which in ([one.unmarked for one in class_], [one.unread for one in class_])
    )
    reasons = [f"{words} with answers in words to mark (marks.csv)"] if words else []
    if files:
        reasons.append(f"{files} with files that could not be graded (files.csv)")
    pending = sum(learner.pending for learner in class_)
    return (
        f"{pending} of {len(class_)} learners are pending, and blank in grades.csv: "
        f"{', '.join(reasons)}."
        if pending
        else ""
    )


def standing_of_lost(class_: Sequence[Learner]) -> Iterator[tuple[Result, str]]:
    """Yield each file that could not be graded, with words that say whether it is settled."""
    for learner in class_:
        open_ = [file.file for file in learner.unread]
        for file in learner.files:
            if file.problem:
                yield file, "open" if file.file in open_ else "settled"


def write_grades(class_: Sequence[Learner], path: Path) -> None:
    """Write a table of one row per learner, with the points for all notebooks together.

    Whoever has handed in nothing, or is pending, has an empty cell.
    """
    platform = _platform(class_)
    rows = [
        platforms.Row(
            _name_on(platform, learner),
            learner.id,
            learner.section,
            _grade(learner),
            *learner.accounts,
        )
        for learner in class_
    ]
    column = class_[0].rules.column if class_ else NO_FILE.column
    write_csv(path, platforms.grade_rows(platform, column, possible(class_), rows))


def _name_on(platform: str, learner: Learner) -> str:
    """Return a learner's name as a platform has it: Moodle in its files, Canvas in its gradebook.

    Canvas looks for the name where it has no number, and its files are called `lovelaceada`.
    """
    person = learner.rules.person(learner.name, learner.id)
    if platform == "canvas" and person:
        return person.name
    return learner.name if platform == "moodle" else learner.called


def _grade(learner: Learner) -> float | str:
    return _plain(learner.points) if learner.files and not learner.pending else ""


def write_tasks(class_: Sequence[Learner], path: Path) -> None:
    """Write a row per learner and a column per task or question; cells without points are empty."""
    parts = parts_of(class_)
    canvas = _platform(class_) == "canvas"  # it would read a number in brackets as its own
    heads = parts if canvas else [f"{part} ({points})" for part, points in parts.items()]
    rows = [[*(platforms.CANVAS if canvas else ("Student", "ID", "Section")), *heads]]
    blanks = [""] * (len(rows[0]) - len(parts) - 3)  # between the number and the section
    if canvas:
        rows.append(["Points Possible", "", *blanks, "", *parts.values()])
    for learner in class_:
        earned = learner.all_earned
        points = [_plain(earned[part]) if part in earned else "" for part in parts]
        rows.append([learner.called, learner.id, *blanks, learner.section, *points])
    write_csv(path, rows)


def _platform(class_: Sequence[Learner]) -> str:
    return next((learner.lms for learner in class_ if learner.lms), "")


def write_files(class_: Sequence[Learner], path: Path, gone: Iterable[Result] = ()) -> None:
    """Write a row per file: the points, or why there are none, and whether the file counts.

    Args:
        gone: results of files that were graded and are no longer there.
    """

    def row(result: Result, learner: str, reason: str, counts: bool) -> list:
        flags = "; ".join(map(str, result.flags))
        name = FORMS.get(result.form, result.notebook)
        graded = name, result.points, result.of, reason, "yes" if counts else "no"
        return [result.file, learner, *graded, flags]

    away = "removed or renamed since it was graded"
    rows = [row(result, key_of(result.learner, result.id), away, False) for result in gone]
    for learner in class_:
        for result in [*learner.files, *learner.tests]:
            counts = learner.results.get(result.notebook) is result
            reason = result.problem or learner.standing(result)
            rows.append(row(result, learner.label, reason, counts))
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
    worth, called = parts_of(class_), _by_names(class_)
    complaints: dict[str, list[int]] = {}
    for number, row in enumerate(rows, start=2):
        cells = dict(zip(_column_names(heads), map(str.strip, row), strict=False))
        name, part, points, remark = (cells.get(column, "") for column in MARKS)
        if not points:
            continue
        try:
            if any(row[len(heads) :]):
                raise ValueError("more cells than heads; a comma inside a cell needs quotes")
            learner = called(name)
            if learner is None:
                raise ValueError(
                    f"nobody is called {shown(name)}, or several are. Copy the learner from "
                    "files.csv"
                )
            if part in learner.rules.dropped:
                raise ValueError(f"the task is gone: the class file drops {shown(part)}")
            if part in worth:
                _enter(learner, part, points, worth[part], remark)
            elif files := [file for file in learner.files if _is_called(file, part)]:
                _settle(learner, files[0], points, remark)
            else:
                raise ValueError(f"no question, task or ungraded file is called {shown(part)}")
        except ValueError as error:
            complaints.setdefault(str(error), []).append(number)
    return [f"{path.name}, {_rows(numbers)}: {error}" for error, numbers in complaints.items()]


def _rows(numbers: Sequence[int]) -> str:
    """Name rows as a spreadsheet counts them: a question takes several lines of the file."""
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    return f"{len(numbers)} rows ({some([*map(str, numbers)])})"


def _is_called(file: Result, name: str) -> bool:
    """Return whether a row of `marks.csv` settles a file: one that is not graded, by its own name.

    The platform's part of it may be left out: `ada_4021_77001_notes.pdf` is `notes.pdf`, too.
    """
    return bool(file.problem) and f"/{file.file}".endswith((f"/{name}", f"_{name}"))


def _settle(learner: Learner, file: Result, points: str, remark: str) -> None:
    """Take it that an instructor has looked at a file that could not be graded.

    Raises:
        ValueError: the row gives points, which only a task has.
    """
    if points.replace(",", ".").strip("0.") or not points.strip("."):
        raise ValueError(
            f"{clean(points)[:LONGEST_POINTS]} points for a file: give them for a task of its "
            "notebook, or 0"
        )
    learner.settled[file.file] = ManualMark(0, remark)


def _by_names(class_: Sequence[Learner]) -> Callable[[str], Learner | None]:
    """Return what finds the learner whom a cell of `marks.csv` means: by label, name, or number.

    A number in brackets is enough: a spreadsheet may have spoilt the letters in front of it.
    """
    exact, spelt = defaultdict(list), defaultdict(list)
    for learner in class_:
        for name in (learner.key, learner.label):
            exact[name].append(learner)
            exact[_guarded(name)].append(learner)
        for text in learner.labels:
            spelt[text].append(learner)

    def called(name: str) -> Learner | None:
        number = NUMBER.search(name)
        meant = {letters(name), letters(number[1]) if number else ""} - {""}
        similar = [learner for text in meant for learner in spelt.get(text, ())]
        found = {learner.key: learner for learner in exact.get(name) or similar}
        return next(iter(found.values())) if len(found) == 1 else None

    return called


def _enter(learner: Learner, part: str, points: str, most: float, remark: str) -> None:
    """Give a learner a mark for an answer in words, or other points for a task.

    Raises:
        ValueError: the mark makes no sense.
    """
    is_task = any(part in tasks for tasks in learner.rules.tasks.values())
    entered = learner.overrides if is_task else learner.marks
    try:
        value = float(points.replace(",", "."))
    except ValueError:
        raise ValueError(f"{shown(points)} is not a number") from None
    if part in entered:
        raise ValueError(f"a second mark of {shown(learner.label)} for {part!r}; the first counts")
    if not math.isfinite(value):
        raise ValueError(f"{shown(points)} is not a number")
    if abs(value) > most or (is_task and value < 0):
        raise ValueError(
            f"{clean(points)[:LONGEST_POINTS]} points of {shown(learner.label)} for {part!r} do "
            f"not count: it is worth {most:g}"
        )
    if is_task and not remark:
        raise ValueError(f"other points for {part!r} need a reason: write it under remark")
    entered[part] = ManualMark(_plain(value), remark)


def write_marks(class_: Sequence[Learner], path: Path) -> None:
    """Add a row to `marks.csv` for each new answer in words, for an instructor to fill in.

    A row without points gets the answer as it is now. No other row changes.
    """
    rows, delimiter = [list(FORM)], ","
    if path.exists():
        try:
            rows, delimiter = _read_table(path)
        except ValueError:  # `read_marks` complains about it
            return
    before = [list(row) for row in rows] if path.exists() else []
    heads = _column_names(rows[0])
    at, called = (heads.index("learner"), heads.index("question")), _by_names(class_)
    there = {
        (learner.key, question): row
        for row in rows[1:]
        if len(row) > max(at)
        for name, question in [tuple(row[place].strip() for place in at)]
        if (learner := called(name))
    }
    worth = parts_of(class_)
    for learner in class_:
        for result in learner.results.values():
            for question, text in result.words.items():
                row = there.get((learner.key, question))
                if row is None and (text or result.elsewhere):  # perhaps in the wrong place
                    rows.append(row := [""] * len(heads))
                if row is None or question in learner.marks:
                    continue
                cells = {
                    "learner": learner.label,
                    "question": question,
                    "asked": asked(result.notebook)[question],
                    "answer": visible(text),
                    "of": f"{worth[question]:g}",
                }
                for place, head in enumerate(heads[: len(row)]):
                    if head in cells and (place not in at or not row[place]):
                        row[place] = _guarded(cells[head])
    if rows != before:
        write(path, _as_csv(rows, delimiter))


def enter_marks(
    class_: Sequence[Learner], path: Path, question: str, keys: Iterable[str], mark: ManualMark
) -> None:
    """Enter a mark for the same answer of some learners into `marks.csv`; no other row changes.

    Raises:
        ValueError: the file is no longer this table.
    """
    write_marks(class_, path)  # makes the rows that are missing
    rows, delimiter = _read_table(path)
    at = {head: place for place, head in enumerate(_column_names(rows[0]))}
    called = _by_names(class_)
    for row in rows[1:]:
        if len(row) > max(at[head] for head in MARKS) and row[at["question"]].strip() == question:
            learner = called(row[at["learner"]].strip())
            if learner and learner.key in keys:
                row[at["points"]], row[at["remark"]] = f"{mark.points:g}", _guarded(mark.remark)
    write(path, _as_csv(rows, delimiter))


def _read_table(path: Path) -> tuple[list[list[str]], str]:
    """Read `marks.csv`, which a person has edited in some program; return rows and delimiter.

    Raises:
        ValueError: the file is no longer this table.
    """
    rows, delimiter = read_csv(path)
    missing = [head for head in MARKS if not rows or head not in _column_names(rows[0])]
    if missing:
        raise ValueError(f"it has no column {', '.join(missing)}. Add it, or move the file away.")
    return rows, delimiter


def _column_names(heads: Sequence[str]) -> list[str]:
    return [head.strip().lower() for head in heads]


# --- CSV ------------------------------------------------------------------------------------------


def write_csv(path: Path, rows: Sequence[Sequence]) -> None:
    """Write a table that spreadsheets read as Unicode and in which they see no formula."""
    write(path, _as_csv([[_guarded(_visible(cell)) for cell in row] for row in rows]))


def _as_csv(rows: Sequence[Sequence], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "\ufeff" + text.getvalue()


def _visible(cell: object) -> object:
    return visible(cell) if isinstance(cell, str) else cell


def _plain(points: float) -> float:
    return int(points) if points == int(points) else points


def _guarded(value: object) -> object:
    """Put an apostrophe before each part of a text that a spreadsheet would read as a formula."""
    if not isinstance(value, str) or set(FORMULA_SIGNS).isdisjoint(value):  # a search takes longer
        return value
    return FORMULA.sub(r"\1\2'", value)
