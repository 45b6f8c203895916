"""Read a class file: all that one week of one class is graded by, in one file of TOML.

`new` writes such a file, with comments, from what was handed in. `ClassFile()` is what holds where
there is none.
"""

import contextlib
import csv
import difflib
import io
import math
import os
import re
import shlex
import stat
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from grading.intake.notebook_parser import Notebook
from grading.intake.platforms import PLATFORMS
from grading.intake.submissions import CannotGrade, Submission, Unreadable, find, key_of, some
from grading.text import clean, shown, toml
from utils.checks import bank

BEST, LAST, ON_TIME = "best", "last", "on-time"
DAY = 24 * 60 * 60  # seconds
LOCAL_LAB = "http://localhost:8888/lab/tree"  # of a learner who has the course open
MOST_LOOKED_AT = 200  # learners whose files are read for a new class file
MOST_OF_ONE_LOOKED_AT = 50  # of their files
LARGEST = 2**20  # bytes of a class file
LARGEST_TABLE = 2**25  # bytes of a roster, or of another table
MOST_DOTS = 50  # in a line: the time that TOML takes for a.b.c.d grows with their square
MOST_MISTAKES = 20  # that a message tells
MOST_POINTS = 10_000
MOST_MINUTES = 366 * 24 * 60
LONGEST_KEY = 100  # letters of a key in a message
LONGEST_PLACE = 4_000  # letters of a path, as on most disks
HEADS = {  # what a column of a roster holds → its heads, in small letters
    "name": ("name", "learner", "student", "full name"),
    "first": ("first name",),
    "last": ("last name",),
    "id": ("id", "number", "identifier", "orgdefinedid", "org defined id", "student id", "sid"),
    "login": ("username", "user name", "account", "email"),
    "section": ("section", "group"),
    "time": ("handed in", "last modified (submission)"),
}
# in Moodle's grading worksheet, in English and in American English
TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p")
HOW_TO_WRITE = (
    'Texts stand in straight quotes, "week1.zip", and so do names with spaces or accents; a day is '
    "2030-01-31, a time 2030-01-31 23:59:00, a number 12.5."
)
NUMBERED = re.compile(r"(?P<name>.+) \((?P<number>\w+)\)")  # a name that has a number behind it
NOBODY = ("Points Possible", "Student, Test")  # rows in every export of Canvas' gradebook


class Person(NamedTuple):
    """A row of the roster."""

    name: str
    id: str = ""
    section: str = ""
    time: float | None = None  # when the learner handed in, if the roster says so
    login: str = ""  # account on the platform

    @property
    def names(self) -> tuple[str, str]:
        """The name as the roster has it, and with the first name first: "Ada Lovelace"."""
        last, _, first = self.name.partition(",")
        return self.name, f"{first} {last}".strip()

    @property
    def spellings(self) -> set[str]:
        return {*map(letters, self.names)} - {""}


def letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


@dataclass(frozen=True)
class ClassFile:
    """All that a class is graded by.

    Args:
        path: the file; None if there is none.
        handed_in: folder or zip file of what was handed in.
        grades: folder for the grades.
        notebooks: names of the course's notebooks that count; without any, those that at least a
            third of the class handed in.
        dropped: tasks and questions that do not count.
        points: task or question → its maximum, where that is not the course's own.
        counts: which file of a learner counts: "best", "last", or "on-time", the last one that is
            not late.
        deduction: percentage of its points that a late file loses for each day begun.
        deadline: the time, in seconds since 1970; None if only the platform tells what is late.
        grace: seconds after the deadline in which nothing is late.
        extensions: name or number of a learner → a deadline of their own.
        roster: who is in the class.
        column: name of the assignment, or of its grade, on the platform.
        course: address of the folder of the course, for links on learners' pages.
    """

    path: Path | None = None
    handed_in: Path = Path()
    grades: Path = Path()
    notebooks: Sequence[str] = ()
    dropped: Collection[str] = ()
    points: Mapping[str, float] = field(default_factory=dict)
    counts: str = BEST
    deduction: float = 0.0
    deadline: float | None = None
    grace: float = 0.0
    extensions: Mapping[str, float] = field(default_factory=dict)
    roster: Sequence[Person] = ()
    column: str = "Grade"
    course: str = LOCAL_LAB

    @cached_property
    def tasks(self) -> dict[str, dict[str, float]]:
        """Notebook that counts → task → maximum points."""
        course = bank.tasks()
        return {
            name: self._counting({task.id: task.points for task in course[name]})
            for name in self.notebooks
        }

    @cached_property
    def parts(self) -> dict[str, float]:
        """Task or question → maximum points, for all notebooks that count, tasks first."""
        parts = {}
        for points in [*self.tasks.values(), *map(_questions, self.notebooks)]:
            parts |= self._counting(points)
        return parts

    def _counting(self, points: Mapping[str, float]) -> dict[str, float]:
        return {
            part: self.points.get(part, most)
            for part, most in points.items()
            if part not in self.dropped
        }

    @property
    def asks_when(self) -> bool:
        """Whether it matters what is late."""
        return bool(self.deduction) or self.counts == ON_TIME

    def days_late(self, name: str, id: str, late: bool, handed_in: float | None) -> int:
        """Return how many days late a file is, begun ones counted in full.

        Args:
            name, id: its learner.
            late: whether the platform calls it late. That is one day where no time is known, and
                nothing for a learner with an extension.
            handed_in: when it was handed in; None if nobody knows. What the roster says goes first.
        """
        extended, person = self._extended(name, id), self.person(name, id)
        deadline = self.extensions[extended] if extended else self.deadline
        at = handed_in if person is None or person.time is None else person.time
        if at is None or deadline is None:
            return int(late and not extended)
        return math.ceil((at - deadline) / DAY) if at > deadline + self.grace else 0

    def _extended(self, name: str, id: str) -> str:
        """Return the name under which a learner has an extension; "" if there is none."""
        own = self.person(name, id) or Person(name, id)
        labels = [*map(letters, (key_of(name, id), id, name, own.id)), *own.spellings]
        return next((self._spelt[label] for label in labels if label in self._spelt), "")

    @cached_property
    def _spelt(self) -> dict[str, str]:
        """Letters of a name or number → the name under which there is an extension."""
        return {letters(name): name for name in self.extensions if letters(name)}

    def person(self, name: str, id: str) -> Person | None:
        """Return the row of the roster for a learner, by number or account if both have some."""
        by_number, by_name = self._people
        if id and by_number:
            return by_number.get(id)
        if (match := NUMBERED.fullmatch(name)) and match["number"] in by_number:
            person = by_number[match["number"]]
            return person if letters(match["name"]) in person.spellings else None
        return by_name.get(letters(name))

    def with_names(self, people: Iterable[tuple[str, str]]) -> set[tuple[str, ...]]:
        """Add to each name and number what the roster calls the learner.

        Canvas' files are called `lovelaceada`, and nobody looks for her under that name.
        """
        return {(*own, *(person.names if (person := self.person(*own)) else ())) for own in people}

    @cached_property
    def _people(self) -> tuple[dict[str, Person], dict[str, Person]]:
        """Number or account → person, and spelling that nobody else has → person."""
        spellings = Counter(text for person in self.roster for text in person.spellings)
        numbers = [(label, one) for one in self.roster for label in (one.login, one.id) if label]
        return dict(numbers), {
            text: person
            for person in self.roster
            for text in person.spellings
            if spellings[text] == 1
        }

    def check_people(self, people: Collection[tuple[str, str]]) -> list[str]:
        """Check the names in the file against who has handed in; return lines to read.

        Args:
            people: name and number of each learner who has handed in.

        Raises:
            CannotGrade: an extension fits several learners, or nobody on the roster; or a name
            without a number is that of several people.
        """
        everybody = {self.person(*own) or Person(*own) for own in people} | {*self.roster}
        fitting = Counter(self._extended(person.name, person.id) for person in everybody)
        if several := [name for name in self.extensions if fitting[name] > 1]:
            raise CannotGrade(
                f"{self.path}, extensions: {some(several)} may be several learners. Write their "
                "numbers in place of their names."
            )
        if namesakes := self._namesakes(people):
            raise CannotGrade(
                f"{some(namesakes)}: the roster has several people of this name, and the files say "
                "no number. Write it behind the name in the files' names: Ada Lovelace (4021)."
            )
        lines = []
        nobody = [name for name in self.extensions if not fitting[name]]
        if nobody and self.roster:
            raise CannotGrade(
                f"{self.path}, extensions: {some(nobody)}: nobody on the roster is called so."
            )
        if nobody:
            lines.append(f"Extensions for learners who have handed in nothing: {some(nobody)}")
        strangers = [own for own in sorted(people) if self.person(*own) is None]
        if strangers and self.roster:
            lines.append(f"Not on the roster: {some([key_of(*own) for own in strangers])}")
        for person in self.missing(people):
            begun = [
                key_of(*own)
                for own in strangers
                if letters(own[0]).startswith(tuple(person.spellings))
            ]
            if begun:
                lines.append(
                    f"If {some(begun)} is {person.name}, who seems to have handed in nothing, call "
                    f"the file {person.name} and grade again"
                )
        return lines

    def _namesakes(self, people: Collection[tuple[str, str]]) -> list[str]:
        """Return the names, without a number, under which several people are on the roster."""
        spelt = Counter(text for person in self.roster for text in person.spellings)
        return [name for name, id in sorted(people) if not id and spelt[letters(name)] > 1]

    def missing(self, people: Collection[tuple[str, str]]) -> list[Person]:
        """Return who is on the roster and has handed in nothing."""
        there = {self.person(*own) for own in people}
        return [person for person in self.roster if person not in there]


def parts_of(notebook: str) -> dict[str, int]:
    """Return task or question of a notebook → maximum points, tasks first."""
    return {task.id: task.points for task in bank.tasks()[notebook]} | _questions(notebook)


@cache
def _questions(notebook: str) -> dict[str, int]:
    from solutions import build  # the grader has checked that it exists

    return build.marks(build.SOURCE / f"{notebook}.ipynb")


# --- Reading --------------------------------------------------------------------------------------


def read(path: Path) -> ClassFile:
    """Read a class file.

    Raises:
        CannotGrade: something in it is wrong; the message names everything that is, and the cure.
    """
    try:
        content = _parsed(bytes_of(path, LARGEST).decode("utf-8-sig"))
    except FileNotFoundError:
        raise CannotGrade(f"There is no {path}. Write one: python -m grading new FOLDER") from None
    except tomllib.TOMLDecodeError as error:
        raise CannotGrade(f"{path} is no TOML: {error}. {HOW_TO_WRITE}") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise CannotGrade(f"{path} cannot be read: {why}") from None
    reading = _Reading(path, content)
    if problems := reading.problems:
        count = "one mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        if len(problems) > MOST_MISTAKES:
            count = f"more than {MOST_MISTAKES} mistakes. The first"
        raise CannotGrade("\n  ".join([f"{path} has {count}:", *problems[:MOST_MISTAKES]]))
    return reading.result


def bytes_of(path: Path, most: int) -> bytes:
    """Return the bytes of a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no ordinary file, or has more bytes than that.
    """
    with path.open("rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a device may never end
            raise ValueError("it is no ordinary file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most >> 20} MB: the right file?")
    return data


def _parsed(text: str) -> dict[str, Any]:
    """Return what TOML makes of a text.

    Raises:
        ValueError: it is no TOML, or nests absurdly.
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
            raise ValueError(f"line {number} has more than {MOST_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it has lists or tables hundreds of levels deep") from None


class _EnoughMistakes(Exception):  # noqa: N818 - more are not told
    """The end of a reading that has found more mistakes than a message tells."""


class _Reading:
    """One reading of a class file, which goes on after a mistake, to find them all.

    Args:
        content: what TOML makes of it.
    """

    def __init__(self, path: Path, content: dict[str, Any]):
        self._path, self.problems = path, []
        self._known: dict[str, Any] = {"path": path}
        with contextlib.suppress(_EnoughMistakes):
            self._read(content)

    def _read(self, content: dict[str, Any]) -> None:
        keys = {
            "handed_in": self._place,
            "grades": self._place,
            "notebooks": self._notebooks,
            "dropped": self._dropped,
            "points": self._points,
            "counts": self._counts,
            "deduction": self._number("per cent a day, from 0 to 100,", 100),
            "deadline": self._time,
            "grace": self._number("minutes", MOST_MINUTES),
            "extensions": self._extensions,
            "roster": self._roster,
            "column": self._text,
            "course": self._address,
        }
        for key, value in content.items():
            if key in keys:
                keys[key](key, value)
            else:
                self._say(key, f"there is no such key.{_meant(key, keys)}")
        for key in ("handed_in", "grades", "notebooks"):
            if key not in content:
                self._say(key, "it is missing")
        if "grace" in content and "deadline" not in content:
            self._say("grace", "there is no deadline that it could follow")
        if "grace" in self._known:
            self._known["grace"] *= 60
        self._check_parts()

    @property
    def result(self) -> ClassFile:
        return ClassFile(**self._known)

    def _say(self, key: str, problem: str) -> None:
        """Note a mistake.

        Raises:
            _EnoughMistakes: no more are told.
        """
        self.problems.append(f"{clean(key)[:LONGEST_KEY]}: {problem}")
        if len(self.problems) > MOST_MISTAKES:
            raise _EnoughMistakes

    def _text(self, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            self._say(key, 'a text in quotes is needed, such as "week-1"')
            return ""
        self._known[key] = value.strip()
        return value.strip()

    def _place(self, key: str, value: Any) -> None:
        if place := self._text(key, value):
            try:
                self._known[key] = self._beside(place)
            except ValueError as error:
                self._say(key, f"{shown(place)} cannot be used: {error}")

    def _beside(self, place: str) -> Path:
        """Return a path that is relative to the folder of the class file.

        Raises:
            ValueError: no disk has such a path.
        """
        if "\0" in place or len(place) > LONGEST_PLACE:
            raise ValueError("no disk has such a path")
        try:
            return self._path.parent / Path(place).expanduser()
        except RuntimeError:  # ~nobody/week1
            raise ValueError("nobody here has that home") from None

    def _address(self, key: str, value: Any) -> None:
        address = self._text(key, value)
        if address and not re.match(r"https?://[^\s\"'<>]+$", address):
            self._say(key, f"{shown(address)} is no address: it begins with http:// or https://")
        self._known[key] = address.rstrip("/")

    def _counts(self, key: str, value: Any) -> None:
        if value not in (BEST, LAST, ON_TIME):
            self._say(key, f'{shown(value)} is none of "best", "last" and "on-time"')
        self._known[key] = value

    def _number(self, what: str, most: float = math.inf) -> Callable[[str, Any], None]:
        def take(key: str, value: Any) -> None:
            if not _is_number(value) or value > most:
                self._say(key, f"a number of {what} is needed, such as 10, not {shown(value)}")
            else:
                self._known[key] = value

        return take

    def _time(self, key: str, value: Any) -> None:
        if (seconds := _seconds(value)) is None:
            self._say(key, "write a day, or a day and a time, without quotes: 2030-01-31 23:59:00")
        self._known[key] = seconds

    def _list(self, key: str, value: Any) -> list[str]:
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return value
        self._say(key, 'a list of texts is needed, such as ["entropy"]')
        return []

    def _table(self, key: str, value: Any, example: str) -> dict[str, Any]:
        if isinstance(value, dict):
            return value
        self._say(key, f"a table is needed: below a line [{key}], lines such as {example}")
        return {}

    def _notebooks(self, key: str, value: Any) -> None:
        names = []
        for wanted in self._list(key, value):
            fitting = [name for name in bank.tasks() if wanted in (name, name[:2])]
            if not fitting:
                self._say(key, f"no notebook is {shown(wanted)}.{_meant(wanted, bank.tasks())}")
            names += fitting
        if value == []:
            self._say(key, "name at least one")
        self._known[key] = [name for name in bank.tasks() if name in names]

    def _dropped(self, key: str, value: Any) -> None:
        self._known[key] = frozenset(self._list(key, value))

    def _points(self, key: str, value: Any) -> None:
        points = self._table(key, value, "entropy = 5")
        for part, most in points.items():
            if not _is_number(most) or most == 0:
                wrong = f"{shown(most)} is no number above 0; `dropped` drops it"
                self._say(f"points.{part}", wrong)
            elif most > MOST_POINTS:
                self._say(f"points.{part}", f"{shown(most)} is more than {MOST_POINTS:,}")
        self._known[key] = points

    def _extensions(self, key: str, value: Any) -> None:
        own = {}
        for learner, until in self._table(key, value, '"Ada" = 2030-02-02').items():
            if (seconds := _seconds(until)) is None:
                self._say(
                    f"extensions.{learner}", "write a day, or a day and a time: 2030-02-02 12:00:00"
                )
            if not letters(learner):
                self._say(f"extensions.{shown(learner)}", "a name or a number is needed")
            own[learner] = seconds
        self._known[key] = own

    def _roster(self, key: str, value: Any) -> None:
        if not (name := self._text(key, value)):
            return
        try:
            place = self._beside(name)
            self._known[key] = read_roster(place)
        except OSError as error:
            self._say(key, f"{clean(str(place))} cannot be used: {error.strerror}")
        except ValueError as error:
            self._say(key, f"{clean(name)} cannot be used: {error}")

    def _check_parts(self) -> None:
        """Check that the notebooks have the tasks and questions that the file names."""
        notebooks = self._known.get("notebooks", ())
        if not notebooks:
            return
        there = [part for name in notebooks for part in parts_of(name)]
        for key in ("dropped", "points"):
            for part in self._known.get(key, ()):
                if part not in there:
                    self._say(
                        key, f"no task or question is called {shown(part)}.{_meant(part, there)}"
                    )
        if both := sorted({*self._known.get("dropped", ())} & {*self._known.get("points", ())}):
            self._say("points", f"{some(both)} cannot have points and be dropped")


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and 0 <= value < math.inf


def _meant(wrong: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(wrong[:LONGEST_KEY], [*known], 1, cutoff=0.5)
    return f" Did you mean {close[0]}?" if close else ""


def _seconds(value: Any) -> float | None:
    """Return a day's end, or a time, in seconds since 1970; None if it is neither, or absurd."""
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(23, 59, 59))
    if not isinstance(value, datetime):
        return None
    try:
        return value.timestamp()  # without a zone: in that of this machine
    except (ValueError, OverflowError, OSError):  # before any clock, or after it
        return None


def read_roster(path: Path) -> list[Person]:
    """Read a roster: any CSV file with a column of names, and perhaps of numbers and sections.

    Canvas' export of its gradebook and Moodle's grading worksheet are such files. The latter also
    says when each learner has handed in.

    Raises:
        OSError, ValueError: the file cannot be used.
    """
    heads, *rows = read_csv(path)[0] or [[]]
    heads = [head.strip().casefold() for head in heads]
    places = {
        what: next((heads.index(name) for name in names if name in heads), None)
        for what, names in HEADS.items()
    }
    if places["name"] is places["last"] is None:
        raise ValueError("it has no column Name (or Student, or Full name, or Last name)")
    people = []
    for row in rows:
        cells = {
            what: clean(row[place]).strip() if place is not None and place < len(row) else ""
            for what, place in places.items()
        }
        name = cells["name"] or ", ".join(filter(None, (cells["last"], cells["first"])))
        if name in ("", *NOBODY):
            continue
        # Brightspace writes # before what a spreadsheet might take for a number.
        number, login = cells["id"].removeprefix("Participant ").lstrip("#"), cells["login"]
        at = _handed_in(cells["time"])
        people.append(Person(name, number, cells["section"], at, login.lstrip("#")))
    same = Counter(person.id or letters(person.name) for person in people)
    if twice := [person.name for person in people if same[person.id or letters(person.name)] > 1]:
        raise ValueError(f"{some(twice)}: a name or number twice. Give each a number of their own.")
    return people


def _handed_in(text: str) -> float | None:
    """Read a time as Moodle's worksheet or ISO 8601 writes it; None if there is none.

    Raises:
        ValueError: it is written in another way.
    """
    if text in ("", "-"):
        return None
    for form in TIMES:
        with contextlib.suppress(ValueError, OverflowError):
            return datetime.strptime(text, form).timestamp()
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(
            f"{shown(text)} is no time. Set Moodle to English, or write 2030-01-31 23:59"
        ) from None


def read_csv(path: Path) -> tuple[list[list[str]], str]:
    """Read a table that a person has edited in some program; return rows and delimiter.

    Raises:
        ValueError: the file is no table.
    """
    data = bytes_of(path, LARGEST_TABLE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:  # older spreadsheets
        text = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "cp1252", errors="replace")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)), delimiter
    except csv.Error as error:
        raise ValueError(str(error)) from None


# --- Writing --------------------------------------------------------------------------------------


def new(source: Path, read_file: Callable[[Submission], tuple[str, Notebook]]) -> str:
    """Return a class file, with comments, for what was handed in.

    Args:
        source: a folder or a zip file.
        read_file: function that reads a file's digest and notebook, or raises `Unreadable`.

    Raises:
        NoSubmissions, CannotGrade: see `find`.
        CannotGrade: no class file can hold the path.
    """
    submissions = find(source)
    of_each: dict[str, list[Submission]] = {}
    for submission in submissions:
        of_each.setdefault(key_of(submission.learner, submission.id), []).append(submission)
    seen = [_notebooks_in(files, read_file) for files in [*of_each.values()][:MOST_LOOKED_AT]]
    names = usual(Counter(name for one in seen for name in one), sum(map(bool, seen)))
    platform = PLATFORMS[next((each.lms for each in submissions if each.lms), "")]
    parts = [f"{part} {points}" for name in names for part, points in parts_of(name).items()]
    own = name_for(source)
    text = TEMPLATE.format(
        source=toml(str(source)),
        called=toml(clean(str(source))),
        name=shlex.quote(own),
        learners=len(of_each),
        files=len(submissions),
        grades=toml(f"{own.removesuffix('.toml')}-grades"),
        notebooks=", ".join(f'"{name}"' for name in names),
        parts="\n#     ".join(", ".join(parts[at : at + 4]) for at in range(0, len(parts), 4)),
        when=platform.when,
        export=platform.export,
    )
    try:  # TOML knows fewer texts than disks know names
        if tomllib.loads(text.encode(errors="replace").decode())["handed_in"] == str(source):
            return text
    except tomllib.TOMLDecodeError:
        pass
    raise CannotGrade(
        f"{clean(str(source))}: no class file can hold this name. Rename the folder or zip file."
    )


def name_for(source: Path) -> str:
    """Return the name of the class file that `new` writes for a folder or zip file."""
    return f"{clean(source.resolve().stem)[:LONGEST_KEY]}.toml"


def _notebooks_in(
    files: Sequence[Submission], read_file: Callable[[Submission], tuple[str, Notebook]]
) -> set[str]:
    """Return the names of the course's notebooks that a learner has handed in, except tests."""
    names = set()
    for submission in files[-MOST_OF_ONE_LOOKED_AT:]:
        with contextlib.suppress(Unreadable):
            notebook = read_file(submission)[1]
            names |= set() if notebook.form else {notebook.name}
    return names


def usual(count: Mapping[str, int], learners: int) -> list[str]:
    """Return the notebooks that at least a third of the learners handed in; else the commonest.

    Args:
        count: notebook → number of learners who handed it in.
    """
    enough = min(learners / 3, max(count.values(), default=0))
    return [name for name in bank.tasks() if name in count and count[name] >= enough]


TEMPLATE = """\
# The class in {called}: {learners} learners, {files} files. Grade it, again and again, with
#
#     make grade CLASS={name}
#
# A line that begins with # is off. Paths start from the folder of this file.

handed_in = {source}
grades = {grades}

# The notebooks that count, for everybody, whoever has handed in what.
notebooks = [{notebooks}]

# Their tasks and questions, with their points:
#     {parts}
# Those that do not count, such as questions that nobody is going to mark:
dropped = []

# Of several files of a learner for a notebook: the "best", the "last", or the last that is not
# late, "on-time".
counts = "best"

# {when}
# deadline = 2030-01-31 23:59:00
# grace = 15                        # minutes in which nothing is late
# deduction = 10                    # per cent of its points that a file loses for each day begun

# Who is in the class: {export}. It tells who has handed in nothing, and the sections.
# roster = "roster.csv"

# column = "Week 1 (815)"           # what an export of the platform's grades calls this one

# Where learners have the course, for the links on their pages:
# course = "https://hub.example.org/user-redirect/lab/tree/attention-course"

[points]                            # other points than the course's
# entropy = 5

[extensions]                        # deadlines of single learners, by name or number
# "Ada Lovelace" = 2030-02-02 23:59:00
"""
