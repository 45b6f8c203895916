"""Know the platforms that classes come from: how they name files, which table they take back.

Each is a record in `PLATFORMS`. Only the part of a name that the platform has written is read; the
rest is the learner's. The patterns follow the platforms' own code, or what others read in theirs:

- Canvas, `lib/content_zipper.rb`: the learner's name for sorting, `LATE`, the learner's number, the
  file's number, the learner's own name for the file. Text that was typed in has no file number. If
  graders must not see names, `anon_` and a code replace the learner's name and number.
- Moodle, `mod/assign/classes/downloader.php`: the full name without any `_`, the participant's
  number, the plugin; then a folder, up to Moodle 4.0 with another `_`, or the file itself.
- Brightspace: two numbers, name and time of each submission; then a folder, or ` - ` and the file.
- Blackboard: assignment, user name and time of each attempt, then the file. A `.txt` file with
  nothing behind the time is Blackboard's own and begins with the learner's name.
- Gradescope: a folder for each submission, and `submission_metadata.yml`, which says whose it is.
- nbgrader, `nbgrader/coursedir.py`: learner, assignment, file; perhaps `timestamp.txt`, and what
  checks it, `submission_secret.txt`.
- GitHub Classroom and its heirs: a repository for each learner, `assignment-learner`.
- Google Classroom: learner, ` - ` and the file, all in one folder of Google Drive.

Canvas takes grades back in `lib/gradebook_importer.rb`, and files by their names in
`app/models/abstract_assignment.rb` (`infer_comment_context_from_filename`); Moodle in
`mod/assign/feedback/offline/importgradeslib.php` and `mod/assign/feedback/file/importziplib.php`.
Brightspace and Blackboard document the columns that they take, in "Importing grades" and "Working
offline with grade data"; Google Classroom takes none.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

import nbformat

_ID = r"(?P<id>\d{1,20})"
_OF_A_FILE = r"_(?:(?P<number>\d{1,20})_.+|text\.html|link\.html)"
_DAY = r"[A-Z][a-z]{2} \d{1,2}, \d{4}"
_SECOND = r"\d{4}(?:-\d\d){5}"
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
BY_NAME = {"Student": "name", "Grade": "points", "Points possible": "of", "Section": "section"}
BY_ID = {"Student": "name", "ID": "id"} | BY_NAME
LEAST_REPOSITORIES = 3  # with one beginning, which is then the assignment's


class Platform(NamedTuple):
    """A platform that classes come from."""

    title: str  # what people call it
    patterns: tuple[str, ...] = ()  # of the names that it gives to files or folders
    own: str = r"(?!)"  # pattern of paths that are the platform's own, not handed in
    form: str = ""  # of the time in such a name
    dated: bool = False  # whether its copies of files keep the times of their last changes
    # head of the table that it takes back → field of `Row`, or a text; {} if code writes it
    table: dict[str, str] = BY_ID
    note: str = ""  # what is to be known about bringing the grades back
    when: str = ""  # what it tells of times, for a class file
    export: str = "any CSV file with a column Name"  # that can be a roster, for a class file


PLATFORMS = {  # what a pattern of the later ones fits may be a learner's own name for a file
    "moodle": Platform(
        "Moodle",
        (rf"(?P<name>[^_]*)_{_ID}_assignsubmission_[a-z]+(?:_.*)?",),
        table={},
        when="Moodle's files tell no times: take them from its grading worksheet, see `roster`.",
        export="the grading worksheet, which also has the times",
    ),
    "brightspace": Platform(
        "Brightspace",
        (rf"(?P<id>\d+-\d+) - (?P<name>.+?) - (?P<time>{_DAY} \d{{3,4}} [AP]M)(?: - .+)?",),
        own=r"index\.html",
        form="%b %d, %Y %I%M %p",
        table={
            "OrgDefinedId": "known_id",
            "Username": "login",
            "COLUMN Points Grade": "points",
            "End-of-Line Indicator": "#",
        },
        when="The times are those in Brightspace's names of folders, to the minute.",
        export="an export of Brightspace's grades with OrgDefinedId, Username and names",
    ),
    "blackboard": Platform(
        "Blackboard",
        (rf"(?P<start>.+?_(?P<name>[^_]+)_attempt_(?P<time>{_SECOND}))(?:_.*|\.txt)",),
        own=rf"(?:(?!_attempt_{_SECOND}).)+_attempt_{_SECOND}\.txt",
        form="%Y-%m-%d-%H-%M-%S",
        table={"Username": "user", "COLUMN": "points"},
        when="The times are those in Blackboard's names of files.",
        export="a download of Blackboard's grade centre, with user names",
    ),
    "gradescope": Platform(
        "Gradescope",
        (r"(?P<name>submission_\w+)",),
        own=r"submission_metadata\.yml",
        when="The times are those in submission_metadata.yml.",
    ),
    "canvas": Platform(
        "Canvas",
        (
            rf"(?P<late>LATE_)?(?P<name>anon_[^\W_]+)(?P<id>){_OF_A_FILE}",
            rf"(?P<name>.+?)_(?P<late>LATE_)?{_ID}{_OF_A_FILE}",
        ),
        table={},
        when="Canvas tells who is late, not by how much: that counts as one day.",
        export="an export of the gradebook",
    ),
    "nbgrader": Platform(
        "nbgrader",
        own=r"[^/]+/[^/]+/(timestamp|submission_secret)\.txt",
        dated=True,
        when="The times are those in timestamp.txt; without it, of a file's last change.",
    ),
    "github": Platform(
        "GitHub Classroom",
        own=r".*(?<!\.ipynb)(?<!\.zip)",  # a repository holds much that is no answer
        when="A copy of a repository tells no times: have only commits up to the deadline in it.",
    ),
    "google": Platform(
        "Google Classroom",
        (r"(?P<name>.+?)(?: \((?P<id>\w+)\))? - (?!Copy\b).+",),
        dated=True,
        table=BY_NAME,
        note="Google Classroom imports no table: enter the grades of grades.csv there by hand.",
        when="The time of a file is that of its last change, as Google Drive's zip file has it.",
    ),
    "": Platform(
        "no platform",
        dated=True,
        table=BY_NAME,
        when="The time of a file is that of its last change, so copy files with their times.",
    ),
}
NAMES = {key: platform.title for key, platform in PLATFORMS.items()}


class Owner(NamedTuple):
    """The facts that a platform has put into the name of a file."""

    name: str  # name of the learner
    id: str  # the platform's number for the learner; "" if it is kept secret
    late: bool = False  # whether it was handed in after it was due
    number: int | None = None  # number of the file, larger for a later file; None if it has none
    time: float | None = None  # when it was handed in; None if nothing says so
    start: str = ""  # what all names of this submission begin with


def owner(platform: str, name: str) -> Owner | None:
    """Read the owner out of a file's or folder's name; None if the platform has not named it."""
    for pattern in PLATFORMS[platform].patterns:
        if match := re.fullmatch(pattern, name, re.ASCII | re.DOTALL):
            said = {key: value or "" for key, value in match.groupdict().items()}
            number = int(said["number"]) if said.get("number") else None
            at = _seconds(said.get("time", ""), PLATFORMS[platform].form)
            known = said["name"].strip() or "?"
            late, start = bool(said.get("late")), said.get("start", "")
            return Owner(known, said.get("id", ""), late, number, at, start)
    return None


def _seconds(text: str, form: str) -> float | None:
    """Return the time in a name in seconds since 1970, on this machine's clock; None if none."""
    text = re.sub(r"\b\d{3}(?= [AP]M)", "0\\g<0>", text)  # 926 PM
    try:
        return datetime.strptime(text, form).timestamp() if text else None
    except (ValueError, OverflowError, OSError):
        return None


def platform_of(paths: Collection[Sequence[str]]) -> str:
    """Return the platform that named over half of the learners' files or folders; "" if none.

    Args:
        paths: the paths of the files, from the one part on that may name a learner.
    """
    dated = {path[0] for path in paths if [*path[2:]] == ["timestamp.txt"]}
    begin, named = repositories(paths), {}
    for key in PLATFORMS:
        names = {path[0] for path in paths if not is_own(key, path)}
        fitting = sum(
            owner(key, name) is not None
            or (key == "nbgrader" and name in dated)
            or (key == "github" and bool(begin))
            for name in names
        )
        named[key] = fitting if 2 * fitting > len(names) else 0
    most = max(named, key=named.get)
    return most if named[most] else ""


def is_own(platform: str, path: Sequence[str]) -> bool:
    """Return whether a file is the platform's own, which nobody has handed in."""
    return bool(re.fullmatch(PLATFORMS[platform].own, "/".join(path), re.DOTALL))


def repositories(paths: Collection[Sequence[str]]) -> str:
    """Return how the names of all repositories begin, such as "week1-"; "" if they are none."""
    names = {path[0] for path in paths}
    if len(names) < LEAST_REPOSITORIES or min(map(len, paths)) < 2:
        return ""
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    begin = re.sub(r"[^-]*$", "", "".join(letter for letter, _ in alike))
    accounts = {name.removeprefix(begin) for name in names}
    return begin if "" not in accounts and not all(map(str.isdigit, accounts)) else ""


class Row(NamedTuple):
    """A learner's row in a table of grades."""

    name: str
    id: str  # the platform's number, or the learner's account
    section: str
    points: float | str  # "" if there is no grade
    known_id: str = ""  # number on the roster
    login: str = ""  # account on the roster
    of: float = 0.0  # maximum number of points

    @property
    def user(self) -> str:
        return self.login or self.id


def grade_rows(platform: str, column: str, possible: float, rows: Sequence[Row]) -> list[Sequence]:
    """Return the rows of a table of grades, in the form that a platform imports.

    Args:
        platform: a key of `PLATFORMS`.
        column: name of the assignment on the platform.
        possible: maximum number of points.
    """
    if platform == "canvas":
        heads = [[*CANVAS, column], ["Points Possible", "", "", "", "", possible]]
        return heads + [[row.name, row.id, "", "", row.section, row.points] for row in rows]
    if platform == "moodle":  # without the last column, Moodle imports nothing
        heads = ["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)"]
        # Moodle needs a number, and nobody has 0. A backslash at the end of a cell hides that end.
        return [heads] + [
            [f"Participant {row.id or 0}", row.name.replace("\\", "/"), row.points, possible, ""]
            for row in rows
        ]
    table = PLATFORMS[platform].table
    rows = [row._replace(of=possible) for row in rows]
    heads = [head.replace("COLUMN", column) for head in table]
    return [heads] + [[getattr(row, field, field) for field in table.values()] for row in rows]


def feedback(platform: str, name: str, id: str, file: str, page: str) -> tuple[str, str] | None:
    """Return name and content of a learner's page for the zip that the platform takes back.

    Args:
        platform: "canvas" or "moodle"; no other platform takes pages back.
        file: a file that the learner handed in.
        page: the page in HTML.

    Returns:
        Name and content; None if the platform could not tell whose page it is.
    """
    if platform not in ("canvas", "moodle"):
        return None
    # The first name that the platform has written: the names in a learner's zip file are not.
    parts = ((part, owner(platform, part)) for part in PurePosixPath(file).parts)
    part, known = next(filter(lambda pair: pair[1], parts), ("", None))
    if platform == "canvas" and known and known.number is not None:
        # Canvas passes the page on under that file's name, so a notebook comes back as a notebook.
        name = "_".join(filter(None, (name, id, str(known.number), "feedback")))
        if ".ipynb" not in part:
            return f"{name}.html", page
        cell = nbformat.v4.new_code_cell("# Feedback", id="feedback")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": page})]
        return f"{name}.ipynb", nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    if platform == "moodle" and id:
        return f"{name}_{id}_assignfeedback_file_feedback.html", page
    return None
