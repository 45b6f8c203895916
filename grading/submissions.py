"""What was handed in: a folder of notebooks, a folder for each learner, or the zip of an LMS.

Nothing is unpacked, and no link is followed out of the folder: a submission is bytes, or one reason
why there are none.
"""

import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f]")
LARGEST = 50 * 2**20  # bytes of a file
MOST_FILES = 20_000
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)", re.DOTALL)
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_.*", re.DOTALL)
NOT_HANDED_IN = re.compile(r"\.(?!\.?$)|__MACOSX$|Thumbs\.db$|desktop\.ini$|progress\.json$")
EXERCISE = re.compile(r"[ _-]*0\d_[a-z_]+( ?\(\d+\)|-\d+| ?-? ?[Cc]opy\d*)?$")


class Unreadable(Exception):  # noqa: N818 - a reason for the table, not a fault of ours
    """Why there is nothing to grade in a file."""


class CannotGrade(Exception):  # noqa: N818 - something to do, not a fault
    """Why grading cannot begin or continue, and what to do."""


class NoSubmissions(CannotGrade):
    """There is nothing at all to grade; the message says where to look."""


@dataclass(frozen=True)
class Submission:
    """One file.

    Args:
        learner: the name as handed in, in Unicode's composed form.
        lms: "canvas", "moodle", or "".
        id: the number that the LMS knows the learner by.
        file: path inside the folder or the zip; no two files have the same.
        read: gives the bytes, or raises `Unreadable`.
    """

    learner: str
    lms: str
    id: str
    file: str
    read: Callable[[], bytes]


def find(source: Path) -> list[Submission]:
    """Every file that was handed in, sorted by name.

    Raises:
        NoSubmissions: there is no such folder or zip, or nothing in it.
    """
    if source.is_dir():
        found = list(_in_folder(source))
    elif source.is_file() and source.suffix.lower() == ".zip":
        found = list(_in_zip(source))
    else:
        raise NoSubmissions(f"{source} is neither a folder nor a zip file. What was handed in?")
    if not found:
        raise NoSubmissions(f"There is no file in {source}. Notebooks are expected, *.ipynb.")
    used: Counter[str] = Counter()
    unique = []
    for submission in sorted(found, key=lambda submission: submission.file):
        name = file = submission.file  # may occur twice in a zip, or differ in bytes alone
        while used[file]:
            used[name] += 1
            file = f"{name} ({used[name]})"
        used[file] += 1
        unique.append(replace(submission, file=file))
    return unique


def _submission(path: PurePosixPath, read: Callable[[], bytes], top: str = "") -> Submission:
    """A file, with its learner told by its folder or name, below a folder `top` that holds all."""
    file = "/".join(_clean(part) for part in path.parts)
    parts = [part for part in file.removeprefix(top).split("/") if part not in ("..", "")]
    owner, *inside = parts or ["?"]
    if match := MOODLE.fullmatch(owner) or (None if inside else CANVAS.fullmatch(owner)):
        lms = "moodle" if match.re is MOODLE else "canvas"
        return Submission(match["name"].strip() or "?", lms, match["id"], file, read)
    if not inside:
        owner = PurePosixPath(owner).stem
        owner = EXERCISE.sub("", owner) or owner
    return Submission(owner.strip() or "?", "", "", file, read)


def _clean(name: str) -> str:
    """A file's name as text that any table can hold, whatever bytes are on the disk."""
    plain = name.encode(errors="surrogateescape").decode(errors="replace")
    return unicodedata.normalize("NFC", CONTROL.sub("\ufffd", plain))


def _in_folder(folder: Path) -> Iterator[Submission]:
    root, count = folder.resolve(), 0
    waiting = sorted(folder.iterdir())
    while waiting:
        path = waiting.pop()
        if NOT_HANDED_IN.match(path.name):
            continue
        if path.is_dir() and not path.is_symlink() and path.suffix != ".ipynb":
            try:
                waiting += sorted(path.iterdir())
                continue
            except PermissionError:
                pass  # its row in files.csv says so
        count += 1
        if count > MOST_FILES:
            raise NoSubmissions(f"More than {MOST_FILES:,} files in {folder}: the right one?")
        relative = PurePosixPath(path.relative_to(folder).as_posix())
        yield _submission(relative, lambda path=path: _bytes_of(path, root))


def _bytes_of(path: Path, root: Path) -> bytes:
    if path.is_symlink():
        if not path.exists():
            raise Unreadable("a broken link")
        if not path.resolve().is_relative_to(root):
            raise Unreadable("a link to a place outside the folder")
    if path.is_dir():
        named = path.suffix == ".ipynb" and not path.is_symlink()
        raise Unreadable(
            "a folder with the name of a notebook" if named else "a folder that is not opened"
        )
    if not path.is_file():  # a pipe would block for ever
        raise Unreadable("not an ordinary file")
    try:
        _check_size(path.stat().st_size)
        return path.read_bytes()
    except PermissionError:
        raise Unreadable("not readable: no permission") from None
    except OSError as error:
        raise Unreadable(f"not readable: {error.strerror}") from None


def _in_zip(path: Path) -> Iterator[Submission]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise NoSubmissions(f"{path} cannot be opened as a zip file: {error}") from None
    members = []
    for member in archive.infolist():
        inside = PurePosixPath(member.filename.replace("\\", "/").lstrip("/"))
        if not member.is_dir() and not any(map(NOT_HANDED_IN.match, inside.parts)):
            members.append((inside, member))
    if len(members) > MOST_FILES:
        raise NoSubmissions(f"More than {MOST_FILES:,} files in {path}: the right one?")
    # Compressing the folder `class` gives `class.zip`, with `class/` before every name.
    tops = {_clean(inside.parts[0]) if len(inside.parts) > 1 else "" for inside, _ in members}
    top = f"{_clean(path.stem)}/" if tops == {_clean(path.stem)} else ""
    for inside, member in members:
        yield _submission(inside, lambda member=member: _bytes_of_member(archive, member), top)


def _bytes_of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    _check_size(member.file_size)
    if member.flag_bits & 1:
        raise Unreadable("locked with a password")
    try:
        with archive.open(member) as file:
            data = file.read(LARGEST + 1)  # the sizes in a zip may be false
    except Exception as error:  # zipfile raises whatever the decompressor does
        raise Unreadable(f"damaged in the zip file: {error}") from None
    _check_size(len(data))
    return data


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise Unreadable(
            f"too large: {size / 2**20:.0f} MB of at most {LARGEST >> 20} MB; clear the outputs "
            "and save it again"
        )
