"""Read the names that Canvas and Moodle give to files; write the files that they take back.

Only the part of a name that the platform has written is read; the rest is the learner's. The
patterns follow the platforms' own code:

- Canvas, `lib/content_zipper.rb`: the learner's name for sorting, `LATE`, the learner's number, the
  file's number, the learner's own name for the file. Text that was typed in has no file number. If
  graders must not see names, `anon_` and a code replace the learner's name and number.
- Moodle, `mod/assign/classes/downloader.php`: the full name without any `_`, the participant's
  number, the plugin; then a folder, up to Moodle 4.0 with another `_`, or the file itself.

Canvas takes grades back in `lib/gradebook_importer.rb`, and files by their names in
`app/models/abstract_assignment.rb` (`infer_comment_context_from_filename`); Moodle in
`mod/assign/feedback/offline/importgradeslib.php` and `mod/assign/feedback/file/importziplib.php`.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import nbformat

_ID = r"(?P<id>\d{1,20})"
_OF_A_FILE = r"_(?:(?P<number>\d{1,20})_.+|text\.html|link\.html)"
PATTERNS = {
    "canvas": (
        rf"(?P<late>LATE_)?(?P<name>anon_[^\W_]+)(?P<id>){_OF_A_FILE}",
        rf"(?P<name>.+?)_(?P<late>LATE_)?{_ID}{_OF_A_FILE}",
    ),
    "moodle": (rf"(?P<name>[^_]*)_{_ID}_assignsubmission_[a-z]+(?:_.*)?(?P<late>)(?P<number>)",),
}
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
NAMES = {"canvas": "Canvas", "moodle": "Moodle"}


class Owner(NamedTuple):
    """The facts that a platform has put into the name of a file."""

    name: str  # name of the learner
    id: str  # the platform's number for the learner; "" if it is kept secret
    late: bool  # whether it was handed in after it was due
    number: int | None  # number of the file, larger for a later file; None if it has none


def owner(platform: str, name: str) -> Owner | None:
    """Read the owner out of a file's or folder's name; None if the platform has not named it."""
    for pattern in PATTERNS.get(platform, ()):
        if match := re.fullmatch(pattern, name, re.ASCII | re.DOTALL):
            number = int(match["number"]) if match["number"] else None
            return Owner(match["name"].strip() or "?", match["id"], bool(match["late"]), number)
    return None


def platform_of(names: Collection[str]) -> str:
    """Return the platform that named over half of the files, "canvas" or "moodle"; "" if none."""
    named = {
        platform: sum(owner(platform, name) is not None for name in names)
        for platform in ("moodle", "canvas")  # a learner's name for a file may look like Canvas'
    }
    most = max(named, key=named.get)
    return most if 2 * named[most] > len(names) else ""


class Row(NamedTuple):
    """A learner's row in a table of grades."""

    name: str
    id: str
    section: str
    points: float | str  # "" if there is no grade


def grade_rows(platform: str, column: str, possible: float, rows: Sequence[Row]) -> list[Sequence]:
    """Return the rows of a table of grades, in the form that a platform imports.

    Args:
        platform: "canvas", "moodle", or "".
        column: name of the assignment in Canvas.
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
    heads = ["Student", "Grade", "Points possible", "Section"]
    return [heads] + [[row.name, row.points, possible, row.section] for row in rows]


def feedback(platform: str, name: str, id: str, file: str, page: str) -> tuple[str, str] | None:
    """Return name and content of a learner's page for the zip that the platform takes back.

    Args:
        platform: "canvas" or "moodle"; no other platform takes pages back.
        file: a file that the learner handed in.
        page: the page in HTML.

    Returns:
        Name and content; None if the platform could not tell whose page it is.
    """
    known = owner(platform, PurePosixPath(file).name)
    if platform == "canvas" and known and known.number is not None:
        # Canvas passes the page on under that file's name, so a notebook comes back as a notebook.
        name = "_".join(filter(None, (name, id, str(known.number), "feedback")))
        if ".ipynb" not in file:
            return f"{name}.html", page
        cell = nbformat.v4.new_code_cell("# Feedback", id="feedback")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": page})]
        return f"{name}.ipynb", nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    if platform == "moodle" and id:
        return f"{name}_{id}_assignfeedback_file_feedback.html", page
    return None
