"""Read how Canvas and Moodle name the files that they give out; write what they take back.

A name is read where the platform has written it; what stands behind that is the learner's. The
patterns follow the platforms' own code:

- Canvas, `lib/content_zipper.rb`: the name for sorting, `LATE`, the number of the learner, that of
  the file, the learner's own name for it. Text that was typed in has no number of a file. Where
  graders see no names, `anon_` and a code stand for name and number.
- Moodle, `mod/assign/classes/downloader.php`: the full name without any `_`, the number of the
  participant, the plugin; then a folder, up to Moodle 4.0 with another `_`, or the file itself.

Canvas takes grades back in `lib/gradebook_importer.rb`, and files by their names in
`app/models/abstract_assignment.rb` (`infer_comment_context_from_filename`); Moodle in
`mod/assign/feedback/offline/importgradeslib.php` and `mod/assign/feedback/file/importziplib.php`.
"""

import re
from collections.abc import Collection
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
    """The facts in the name that a platform gave a file."""

    name: str  # of the learner
    id: str  # the number that the platform knows the learner by; "" where it is kept secret
    late: bool  # handed in after it was due
    number: int | None  # of the file; a later one has a larger number. None where there is none


def owner(platform: str, name: str) -> Owner | None:
    """Return whose a file or folder is, by its name; None if the platform has not named it."""
    for pattern in PATTERNS.get(platform, ()):
        if match := re.fullmatch(pattern, name, re.ASCII | re.DOTALL):
            number = int(match["number"]) if match["number"] else None
            return Owner(match["name"].strip() or "?", match["id"], bool(match["late"]), number)
    return None


def platform_of(names: Collection[str]) -> str:
    """Return the platform that has named more than half of these: "canvas" or "moodle", or ""."""
    named = {
        platform: sum(owner(platform, name) is not None for name in names)
        for platform in ("moodle", "canvas")  # what a learner calls a file may look like Canvas'
    }
    most = max(named, key=named.get)
    return most if 2 * named[most] > len(names) else ""


def grade_rows(platform: str, column: str, possible: float, rows: list[tuple]) -> list[list]:
    """Return the rows of a table of grades that a platform imports.

    Args:
        platform: "canvas", "moodle", or "".
        column: what Canvas calls the assignment.
        possible: the points that can be earned.
        rows: name, number and points of each learner.
    """
    if platform == "canvas":
        heads = [[*CANVAS, column], ["Points Possible", "", "", "", "", possible]]
        return heads + [[name, id, "", "", "", points] for name, id, points in rows]
    if platform == "moodle":  # without the last column it takes nothing
        heads = ["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)"]
        # It wants a number, and 0 is nobody's; a backslash before the end of a cell hides that end.
        return [heads] + [
            [f"Participant {id or 0}", name.replace("\\", "/"), points, possible, ""]
            for name, id, points in rows
        ]
    return [["Student", "Grade", "Points possible"]] + [
        [name, points, possible] for name, _, points in rows
    ]


def feedback(platform: str, name: str, id: str, file: str, page: str) -> tuple[str, str] | None:
    """Return name and content of a learner's page in the zip that the platform takes back.

    Args:
        platform: "canvas" or "moodle"; for anything else there is none.
        name, id: of the learner.
        file: one that they handed in.
        page: HTML.

    Returns:
        None where the platform could not tell whose it is.
    """
    known = owner(platform, PurePosixPath(file).name)
    if platform == "canvas" and known and known.number is not None:
        # Canvas hands it on under the name of that file, so in place of a notebook comes one.
        name = "_".join(filter(None, (name, id, str(known.number), "feedback")))
        if ".ipynb" not in file:
            return f"{name}.html", page
        cell = nbformat.v4.new_code_cell("# Feedback", id="feedback")
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": page})]
        return f"{name}.ipynb", nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    if platform == "moodle" and id:
        return f"{name}_{id}_assignfeedback_file_feedback.html", page
    return None
