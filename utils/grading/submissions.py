"""What was handed in: a folder of notebooks, a folder for each learner, or the zip of an LMS.

Nothing is unpacked and nothing is followed out of the folder: a submission is bytes, or one reason
why there are none.
"""

import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LARGEST = 50 * 2**20
MOST_FILES = 20_000
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)", re.DOTALL)
MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_\w+", re.DOTALL)
NOT_HANDED_IN = re.compile(r"\.|__MACOSX$|Thumbs\.db$|desktop\.ini$|progress\.json$")
EXERCISE = re.compile(r"[ _-]*0\d_[a-z_]+( ?\(\d+\)|-\d+| ?-? ?[Cc]opy\d*)?$")


class Unreadable(Exception):  # noqa: N818 - a reason for the table, and no fault of ours
    """Why there is nothing to grade in a file."""


class NoSubmissions(ValueError):  # noqa: N818 - it is no fault, but something to do
    """There is nothing at all to grade, and where to look."""


@dataclass(frozen=True)
class Submission:
    """One file.

    Args:
        learner: the name as handed in, in Unicode's composed form.
        lms: "canvas", "moodle", or "".
        id: the number that the LMS knows the learner by.
        file: path inside the folder or the zip.
        read: gives the bytes, or raises `Unreadable`.
    """

    learner: str
    lms: str
    id: str
    file: str
    read: Callable[[], bytes]


def find(source: Path) -> list[Submission]:
    """Every file that was handed in, in the order of their names.

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
    return sorted(found, key=lambda one: one.file)


def _submission(path: PurePosixPath, read: Callable[[], bytes]) -> Submission:
    """Whose file it is, by its folder or its name."""
    parts = [_text(part) for part in path.parts]
    owner, lms = parts[0], ""
    if len(parts) == 1:
        owner = PurePosixPath(owner).stem
        owner = EXERCISE.sub("", owner) or owner
    match = MOODLE.fullmatch(parts[0]) if len(parts) > 1 else CANVAS.fullmatch(parts[0])
    if match:
        owner, lms = match["name"], "moodle" if len(parts) > 1 else "canvas"
    return Submission(
        owner.strip() or "?", lms, match["id"] if match else "", "/".join(parts), read
    )


def _text(name: str) -> str:
    """A file's name as text that any file can hold, whatever bytes the disk gave."""
    plain = name.encode(errors="surrogateescape").decode(errors="replace")
    return unicodedata.normalize("NFC", plain)


def _in_folder(folder: Path) -> Iterator[Submission]:
    root, count = folder.resolve(), 0
    waiting = [folder]
    while waiting:
        for path in sorted(waiting.pop().iterdir()):
            if NOT_HANDED_IN.match(path.name):
                continue
            if path.is_dir() and not path.is_symlink() and path.suffix != ".ipynb":
                waiting.append(path)
                continue
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
        raise Unreadable("a folder with the name of a notebook")
    if not path.is_file():  # a pipe would wait for ever
        raise Unreadable("no ordinary file")
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
    members = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not any(map(NOT_HANDED_IN.match, PurePosixPath(one.filename).parts))
    ]
    if len(members) > MOST_FILES:
        raise NoSubmissions(f"More than {MOST_FILES:,} files in {path}: the right one?")
    for member in members:
        inside = PurePosixPath(member.filename.lstrip("/"))
        yield _submission(inside, lambda member=member: _bytes_of_member(archive, member))


def _bytes_of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    _check_size(member.file_size)
    if member.flag_bits & 1:
        raise Unreadable("locked with a password")
    try:
        with archive.open(member) as file:
            data = file.read(LARGEST + 1)  # a zip may lie about its sizes
    except Exception as error:  # zipfile raises whatever the decompressor does
        raise Unreadable(f"damaged in the zip file: {error}") from None
    _check_size(len(data))
    return data


def _check_size(size: int) -> None:
    if size > LARGEST:
        raise Unreadable(
            f"too large: {size / 2**20:.0f} MB, and {LARGEST >> 20} MB are read at most; clear the "
            "outputs and save it again"
        )
