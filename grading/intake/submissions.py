"""Find the files handed in: a folder of notebooks or of folders, or what a platform exports.

Nothing is unpacked, and no link is followed out of the folder. Reading a submission gives its
bytes, or one reason why there are none.
"""

import contextlib
import difflib
import io
import os
import re
import stat
import time
import unicodedata
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from grading.intake import platforms
from grading.intake.exports import Export, told_twice
from grading.intake.platforms import PLATFORMS, Owner
from grading.text import clean, clean_lines, visible
from utils.unreadable import LARGEST, Unreadable, check_size

MOST_OF_ONE = 1_000  # files of a learner; all files beyond share one row
MOST_SEEN_OF_ONE = 10_000  # files and folders of a learner that are looked at
MOST_NESTED = 20  # folders in one another that are opened
MOST_FILES = 20_000  # rows of a class
MOST_IN_ZIP = 1_000_000  # files in a zip, whose list has to be read
MOST_IN_ONE_ZIP = 10_000  # files in a learner's zip
ZIP = b"PK\x03\x04"  # the beginning of a zip file
ZIP_ENTRY = b"PK\x01\x02"  # of each entry in the list of its files
NESTED = "a zip file in a zip file: unpack it"
TOO_MANY = f"more than {MOST_SEEN_OF_ONE:,} files and folders of one learner"
TOO_DEEP = f"folders nested more than {MOST_NESTED} deep"
UNOPENED = "a folder that is not opened"
LINK = "a link out of its learner's folder"
NOT_HANDED_IN = re.compile(r"\.(?!\.?$)|__MACOSX$|Thumbs\.db$|desktop\.ini$|progress\.json$")
# Folders whose names begin with a dot and in which nobody looks for what was handed in.
OF_PROGRAMS = re.compile(
    r"\.(git|github|gitlab|svn|hg|ipynb_checkpoints|jupyter|ipython|binder|devcontainer|ci|venv|env|"
    r"vscode|idea|conda|npm|local|config|\w*cache|AppleDouble|DS_Store|fseventsd|TemporaryItems|"
    r"Spotlight-V100|Trash\S*)$"
)
COURSE = Path(__file__).parents[2] / "exercises"
# of the course's notebooks: 01|02|…
NUMBERS = "|".join(path.name.partition("_")[0] for path in COURSE.glob("[0-9]*.ipynb"))
# of a notebook that is handed in: one of the exercises, or a test before or after the course
NAMED = rf"({NUMBERS})_[a-z_]+|understanding_(before|after)"
EXERCISE = re.compile(rf"[ _-]*({NAMED})( ?\(\d+\)|-\d+| ?-? ?[Cc]opy\d*)?$")
# the name of a notebook of the course, not of a person
NUMBERED = re.compile(rf"\d\b|({NUMBERS})(\b|_)|understanding_(before|after)")


class CannotGrade(Exception):  # noqa: N818 - something to do, not a fault
    """The reason why grading cannot begin or continue, and advice on what to do."""


class NoSubmissions(CannotGrade):
    """The lack of files in a source; the message says where to look."""


@dataclass(frozen=True)
class Submission:
    """A file that was handed in."""

    learner: str  # the name as handed in, in Unicode's composed form, without invisible letters
    lms: str  # the platform, a key of `PLATFORMS`; "" if none
    id: str  # the LMS's number for the learner
    file: str  # path inside the folder or the zip, distinct for each file
    read: Callable[[], bytes]  # returns the bytes, or raises `Unreadable`
    late: bool = False  # handed in after it was due, as far as the LMS says so in the name
    # larger for a file that a learner handed in later: the number that Canvas gave it, or the time
    # of its last change, in seconds
    order: float = 0.0
    # when it was handed in, or last changed; None if neither the platform nor its copy tells that
    time: float | None = None


class _File(NamedTuple):
    """A file whose learner is not known yet."""

    parts: tuple[str, ...]
    as_named: tuple[str, ...]  # the parts, before they were cleaned
    read: Callable[[int], bytes]  # takes how many of the parts stand before the learner's own
    changed: float


def _file(as_named: Sequence[str], read: Callable[[int], bytes], changed: float) -> _File:
    return _File(tuple(map(clean, as_named)), tuple(as_named), read, changed)


def key_of(name: str, id: str) -> str:
    """Return a key made of a learner's name and number, which no other learner has."""
    return f"{name} ({id})" if id not in ("", name) else name


def find(source: Path, log: Callable[[str], object] = lambda line: None) -> list[Submission]:
    """Return every file that was handed in, sorted by name.

    Args:
        source: a folder or a zip file.
        log: function that is called with each line a person should read about the files' learners.

    Raises:
        NoSubmissions: there is no such folder or zip file, or it holds no files or too many.
        CannotGrade: two learners cannot be told apart.
    """
    hidden: set[tuple[str, ...]] = set()
    if source.is_dir():
        files = list(_in_folder(source, hidden))
    elif source.is_file() and source.suffix.lower() == ".zip":
        files = list(_in_zip(source, hidden))
    elif not source.exists():
        raise NoSubmissions(f"There is no {source.absolute()}. What was handed in?")
    else:
        raise NoSubmissions(f"{source} is neither a folder nor a zip file. What was handed in?")
    if not files:
        raise NoSubmissions(f"There is no file in {source}. Notebooks are expected, *.ipynb.")
    files.sort(key=lambda file: "/".join(file.parts))
    depth = _wrapper_depth([file.parts for file in files], source, log)
    if unopened := sorted(path[-1] for path in hidden if len(path) <= depth + 1):
        log(
            f"Folders whose names begin with a dot are not opened, {len(unopened)} here: "
            f"{some(unopened)}. If one is a learner's, rename it."
        )
    export = Export([file.parts[depth:] for file in files], lambda at: _text(files[at], depth))
    used: Counter[str] = Counter()
    spelled: dict[str, set[str]] = {}  # learner whom no platform tells → names that read alike
    submissions = []
    for file, is_own in zip(files, export.is_own, strict=True):
        name = "/".join(file.parts)  # may occur twice in a zip, or differ in bytes alone
        for owner in [] if is_own else export.owners(file.parts[depth:]) or [None]:
            unique = name
            while used[unique]:
                used[name] += 1
                unique = f"{name} ({used[name]})"
            used[unique] += 1
            submissions.append(_submission(file, unique, depth, export.platform, owner))
            if not owner:
                own = _own_name(file.as_named[depth:])
                spelled.setdefault(submissions[-1].learner, set()).add(own)
    submissions = [each for submission in submissions for each in _opened(submission)]
    if not submissions:
        raise NoSubmissions(f"There is no notebook in {source}, only files of its platform.")
    for line in _about_owners(submissions, export):
        log(line)
    if alike := [learner for learner, names in spelled.items() if len(names) > 1]:
        log(
            "Spelled in several ways that look the same, and taken for one learner each: "
            f"{some(alike)}. Look whose the files are."
        )
    _check_owners(submissions)
    submissions = _within_reason(submissions)
    if len(submissions) > MOST_FILES:
        raise NoSubmissions(f"More than {MOST_FILES:,} files in {source}: the right one?")
    return submissions


def _submission(
    file: _File, unique: str, depth: int, platform: str, known: Owner | None
) -> Submission:
    """Return a file with its learner.

    Args:
        known: whose it is, as the platform says; else the folder or file name at `depth` does.
    """
    read = partial(file.read, depth)
    changed = file.changed if PLATFORMS[platform].dated else None
    if known:
        at = changed if known.time is None else known.time
        order = (file.changed if at is None else at) if known.number is None else known.number
        own = clean(known.name).strip() or "?", platform, clean(known.id)
        return Submission(*own, unique, read, known.late, order, at)
    own = _own_name(file.parts[depth:]), "", ""
    return Submission(*own, unique, read, order=file.changed, time=changed)


def _own_name(parts: Sequence[str]) -> str:
    """Return the name that a folder, or else a file, has for its learner."""
    parts = [part for part in parts if part not in ("..", "")] or ["?"]
    name = parts[0] if len(parts) > 1 else _without_exercise(parts[0])
    return name.strip() or "?"


def _opened(submission: Submission) -> Iterator[Submission]:
    """Yield the notebooks in a zip file of several; else the file as it is, for its one reader."""
    members = _members(submission) if submission.file.lower().endswith(".zip") else []
    if sum(name.endswith(".ipynb") for name in members) < 2:
        yield submission
        return
    for name in members:
        read = partial(_member_of, submission, name)
        yield replace(submission, file=f"{submission.file}/{clean(name)}", read=read)


def _members(submission: Submission) -> list[str]:
    """Return the names of notebooks and zip files in a zip file; none if it cannot be opened."""
    try:
        names = dict.fromkeys(_archive(submission).namelist())
    except Exception:  # whoever reads the file is told why
        return []
    return [name for name in names if name.endswith((".ipynb", ".zip")) and is_handed_in(name)]


def _member_of(submission: Submission, name: str) -> bytes:
    """Return the bytes of a file in a learner's zip file."""
    archive = _archive(submission)
    data = read_member(archive, archive.getinfo(name))
    if data.startswith(ZIP):
        raise Unreadable(NESTED)
    return data


def _archive(submission: Submission) -> zipfile.ZipFile:
    """Open a learner's zip file, whose list may be far longer than anybody's."""
    data = submission.read()
    if data.count(ZIP_ENTRY) > MOST_IN_ONE_ZIP:
        raise Unreadable(f"a zip file of more than {MOST_IN_ONE_ZIP:,} files")
    return zipfile.ZipFile(io.BytesIO(data))


def is_handed_in(name: str) -> bool:
    """Return whether a path in a zip file is that of something that people hand in."""
    return not any(map(NOT_HANDED_IN.match, name.split("/")))


def _text(file: _File, depth: int) -> str:
    """Return the text of a platform's own file; "" if it cannot be read."""
    try:
        return clean_lines(file.read(depth).decode("utf-8-sig", errors="replace"))
    except Unreadable:
        return ""


def _about_owners(submissions: Sequence[Submission], export: Export) -> Iterator[str]:
    """Yield lines on learners whom the names of the files do not tell for certain."""
    title = PLATFORMS[export.platform].title
    strangers = [each.file for each in submissions if each.lms != export.platform]
    if strangers:
        yield f"Not named as {title} names files, and so without a number: {some(strangers)}"
    if not export.is_told:
        yield (
            "There is no submission_metadata.yml that says whose Gradescope's submissions are: "
            "export them once more, or take the whole zip file."
        )
    if export.platform == "github":
        yield "The folders are taken for repositories: a learner is what follows the assignment."
    numbers: dict[str, set[str]] = {}
    for each in submissions:
        numbers.setdefault(each.learner, set()).add(each.id)
    same = [name for name, ids in numbers.items() if len(ids) > 1]
    if same and export.platform == "brightspace":
        yield f"Two learners of one name, told apart by {title}'s numbers: {some(same)}"
    if export.platform == "google":
        unsure = [each for each in submissions if not each.id]
        if twice := [*told_twice([(each.learner, each.file) for each in unsure])]:
            yield (
                f"Two files called the same, of one learner or of two of one name: {some(twice)}. "
                'If they are two, write a number behind each name, "Ada Lovelace (1) - 01.ipynb".'
            )


def _without_exercise(name: str) -> str:
    """Remove the extension and the name of an exercise from a file's name."""
    stem = PurePosixPath(name).stem
    return EXERCISE.sub("", stem) or stem


def _wrapper_depth(paths: Sequence[tuple[str, ...]], source: Path, log: Callable) -> int:
    """Return how many nested folders surround all submissions.

    `week1/Ada/01.ipynb` and `week1/Bob/01.ipynb` are a class in a folder. `Ada/01.ipynb` and
    `Ada/02.ipynb` belong to one learner.
    """
    depth = 0
    while len({path[depth] for path in paths}) == 1 and min(map(len, paths)) > depth + 1:
        depth += 1
    if depth == 0:
        return 0
    people = set()
    for path in paths:
        if len(path) > depth + 1:
            people.add(path[depth])
        elif path[depth].endswith(".ipynb"):
            people.add(_without_exercise(path[depth]))
    people = {name for name in people if not NUMBERED.match(name)}
    if not platforms.platform_of([path[depth:] for path in paths]) and len(people) < 2:
        # Compressing the folder `class` gives `class.zip`, with `class/` before every name.
        depth = int(source.is_file() and paths[0][0] == clean(source.stem))
    top = "/".join(paths[0][: max(depth, 1)])
    log(
        f"Everything lies in the folder {top}, taken for the class: what it holds, for learners."
        if depth
        else f"Everything lies in the folder {top}, taken for one learner. If it holds a class, "
        "name that folder (unpack a zip first)."
    )
    return depth


def _check_owners(submissions: Sequence[Submission]) -> None:
    """Refuse a class in which one learner could be mistaken for another.

    Raises:
        CannotGrade: two names share a number, or a name equals another learner's key (`key_of`).
    """
    first: dict[str, Submission] = {}
    for submission in submissions:
        owner = submission.learner, submission.id
        labels = [f"the number {submission.id}"] if submission.id else []
        for label in [*labels, key_of(*owner)]:
            other = first.setdefault(label, submission)
            if owner != (other.learner, other.id):
                raise CannotGrade(
                    f"Two learners share {label}: {other.learner!r} ({other.file}) and "
                    f"{submission.learner!r} ({submission.file}). Look whose each is, and rename "
                    "or remove what is wrong: nothing is graded before."
                )


def _within_reason(submissions: Sequence[Submission]) -> list[Submission]:
    """Keep `MOST_OF_ONE` files of a learner; one entry, marked unreadable, stands for the rest."""

    def too_many() -> bytes:
        raise Unreadable(f"more than {MOST_OF_ONE:,} files of one learner")

    by_learner: dict[str, list[Submission]] = {}
    for submission in submissions:
        by_learner.setdefault(key_of(submission.learner, submission.id), []).append(submission)
    for files in by_learner.values():
        if extra := files[MOST_OF_ONE:]:
            name = f"{extra[0].file}, and {len(extra) - 1:,} more"
            files[MOST_OF_ONE:] = [replace(extra[0], file=name, read=too_many)]
    return sorted(
        (file for files in by_learner.values() for file in files), key=lambda file: file.file
    )


def find_learner(
    wanted: str,
    people: Collection[tuple[str, ...]],
    log: Callable[[str], object] = lambda line: None,
) -> str:
    """Return the key of the learner whom a person has named.

    Args:
        wanted: a name, a number, or both in the form that the tables use; or the beginning of one
            learner's name and of no other's, with or without its accents.
        people: name and number of each learner, and other names that they have.
        log: function that is called with a line that says who was found by a beginning.

    Raises:
        CannotGrade: no learner matches, or several do.
    """
    labels = {key_of(*own[:2]): {key_of(*own[:2]), *own} for own in people}
    matching = sorted(
        key
        for key, own in labels.items()
        if wanted.strip().casefold() in map(str.casefold, own - {""})
    )
    if not matching and wanted.strip():
        begins = _without_accents(wanted.strip())
        matching = sorted(
            key
            for key, (_, id, *names) in ((key_of(*own[:2]), own) for own in people)
            if any(_without_accents(name).startswith(begins) for name in (key, *names))
        )
        if len(matching) == 1:
            log(f"{wanted.strip()!r} is taken for {matching[0]}.")
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise CannotGrade(f"{wanted!r} may be {some(matching)}. Name one of these.")
    similar = difflib.get_close_matches(wanted, labels, cutoff=0.5)
    hint = f" Did you mean {some(similar)}?" if similar else ""
    raise CannotGrade(f"Nobody is called {wanted!r}.{hint}")


def some(names: Sequence[str], most: int = 5) -> str:
    """Join the first names with commas, and say how many more names there are."""
    more = f", and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(map(clean, names[:most])) + more


def _without_accents(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _in_folder(folder: Path, hidden: set[tuple[str, ...]]) -> Iterator[_File]:
    """Yield the files in a folder; of each entry that may be a learner's, only so many.

    Args:
        hidden: takes the paths of folders beside the learners' whose names begin with a dot.
    """
    root, above = str(folder.resolve()), ()
    entries = _entries(root, above, hidden)
    while len(entries) == 1 and _is_folder(entries[0]) and len(above) < MOST_NESTED:
        above = (*above, entries[0].name)
        entries = _entries(entries[0].path, above, hidden)
    for entry in entries:
        yield from _below(root, above, entry)


def _entries(
    folder: str, above: tuple[str, ...], hidden: set[tuple[str, ...]]
) -> list[os.DirEntry]:
    """Return what is in a folder, sorted, without empty folders and what nobody hands in."""
    with os.scandir(folder) as all_:
        filled = [entry for entry in all_ if not (_is_folder(entry) and _is_empty(entry.path))]
    hidden |= {
        (*above, entry.name) for entry in filled if _is_folder(entry) and _is_hidden(entry.name)
    }
    entries = [entry for entry in filled if not NOT_HANDED_IN.match(entry.name)]
    return sorted(entries, key=lambda entry: entry.name)


def _is_hidden(name: str) -> bool:
    """Return whether a folder's name begins with a dot, though no program is known to do that."""
    return name.startswith(".") and not OF_PROGRAMS.match(name)


def _is_folder(entry: os.DirEntry) -> bool:
    return entry.is_dir(follow_symlinks=False) and not entry.name.endswith(".ipynb")


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:  # its row in files.csv says why
        return False


def _below(root: str, above: tuple[str, ...], entry: os.DirEntry) -> Iterator[_File]:
    """Yield an entry, or the files below it: the nearest first, and not more than may be seen."""
    waiting, left, full = deque([((*above, entry.name), entry)]), MOST_SEEN_OF_ONE, False
    while waiting:
        parts, entry = waiting.popleft()
        inside: list[os.DirEntry] = []
        if full and _is_folder(entry):
            continue
        if opened := _is_folder(entry) and len(parts) <= MOST_NESTED:
            try:
                with os.scandir(entry.path) as entries:
                    inside = [*islice(entries, left + 1)]
            except OSError:
                opened = False
        waiting += [
            ((*parts, each.name), each)
            for each in inside[:left]
            if not NOT_HANDED_IN.match(each.name)
        ]
        if len(inside) > left:
            full = True
            yield _file(parts, partial(_refused, TOO_MANY), 0.0)
        left -= min(left, len(inside))
        if not opened:
            with contextlib.suppress(FileNotFoundError):  # it has just been removed
                changed = entry.stat(follow_symlinks=False).st_mtime
                yield _file(parts, partial(_read_file, root, parts), changed)


def _refused(why: str, depth: int) -> bytes:
    raise Unreadable(why)


def _read_file(root: str, parts: tuple[str, ...], depth: int) -> bytes:
    """Read a file, unless its path leads out of the folder of its learner.

    That is decided for the file that is open: until then, a learner can put a link anywhere.

    Args:
        root: folder of all submissions, without links in its path.
        parts: path of the file in that folder.
        depth: how many of these parts stand before the learner's own.
    """
    path = os.path.join(root, *parts)
    own = os.path.join(root, *parts[: depth + 1])
    if not _is_within(os.path.realpath(path), own):
        broken = os.path.islink(path) and not os.path.exists(path)
        raise Unreadable("a broken link" if broken else LINK)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise Unreadable(_why_closed(path, error)) from None
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISDIR(state.st_mode) and not _is_within(_path_of(descriptor, path), own):
            raise Unreadable(LINK)
        if stat.S_ISDIR(state.st_mode):
            named = path.endswith(".ipynb") and not os.path.islink(path)
            unopened = TOO_DEEP if len(parts) > MOST_NESTED else UNOPENED
            raise Unreadable("a folder with the name of a notebook" if named else unopened)
        if not stat.S_ISREG(state.st_mode):  # a pipe would block for ever
            raise Unreadable("not an ordinary file")
        check_size(state.st_size)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(LARGEST + 1)  # it may grow meanwhile
    except OSError as error:
        raise Unreadable(f"not readable: {error.strerror}") from None
    finally:
        os.close(descriptor)
    check_size(len(data))
    return data


def _why_closed(path: str, error: OSError) -> str:
    """Return why a file could not be opened."""
    if os.path.islink(path) and not isinstance(error, PermissionError):
        return "a broken link"
    if isinstance(error, FileNotFoundError):
        return "not an ordinary file"
    if isinstance(error, PermissionError):
        return UNOPENED if os.path.isdir(path) else "not readable: no permission"
    return f"not readable: {error.strerror}"


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _path_of(descriptor: int, path: str) -> str:
    """Return the path of an open file, or of what lies there if no /proc tells it."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        real = os.path.realpath(path)
        same = os.path.samestat(os.lstat(real), os.fstat(descriptor))
        return real if same else ""


def _in_zip(path: Path, hidden: set[tuple[str, ...]]) -> Iterator[_File]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise NoSubmissions(f"{path} cannot be opened as a zip file: {error}") from None
    files, seen = [], Counter()
    if len(archive.infolist()) > MOST_IN_ZIP:
        raise NoSubmissions(f"More than {MOST_IN_ZIP:,} files in {path}: the right one?")
    for member in archive.infolist():
        parts = PurePosixPath(member.filename.replace("\\", "/").lstrip("/")).parts
        left_out = next((at for at, part in enumerate(parts) if NOT_HANDED_IN.match(part)), None)
        if left_out is not None and left_out + 1 < len(parts) and _is_hidden(parts[left_out]):
            hidden.add(parts[: left_out + 1])
        if not member.is_dir() and left_out is None:
            year, month, *rest = member.date_time  # the month is 0 where a program knows none
            changed = time.mktime((year, min(max(month, 1), 12), *rest, 0, 0, -1))  # local
            read = partial(read_member, archive, member)
            of_one = parts[:2]  # a folder around all may come first
            seen[of_one] += 1
            if seen[of_one] == MOST_SEEN_OF_ONE + 1:
                parts, read = of_one, partial(_refused, TOO_MANY)
            if seen[of_one] <= MOST_SEEN_OF_ONE + 1:
                files.append(_file(parts or ("?",), read, changed))
    yield from files


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int = 0) -> bytes:
    """Return the bytes of a file in a zip file.

    Raises:
        Unreadable: they are too many, or damaged.
    """
    check_size(member.file_size)
    if member.flag_bits & 1:
        raise Unreadable("locked with a password")
    try:
        with archive.open(member) as file:
            data = file.read(LARGEST + 1)  # the sizes in a zip may be false
    except Exception as error:  # zipfile raises whatever the decompressor does
        why = visible(str(error)) or type(error).__name__
        raise Unreadable(f"damaged in the zip file: {why}") from None
    check_size(len(data))
    return data
