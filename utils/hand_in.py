"""Pack the exercises into one zip file to hand in: `python -m utils.hand_in`, or `make hand-in`.

It reads the folder `exercises` and writes into `hand-in`, both in the folder that it is called in.
A notebook goes in as it was saved if anything is written in it. A line for each says what is not
written yet, as the grader would see it. What cannot be read is named and left out.
"""

import argparse
import ast
import re
import sys
import tomllib
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from utils.checks import bank
from utils.checks.code import syntax
from utils.items.item_bank import FORMS
from utils.notebook_file import Notebook, items_of, questions, read, stumbles_at, tasks
from utils.unreadable import Unreadable, check_size

EXERCISES, FOLDER = Path("exercises"), Path("hand-in")
NO_FILE_NAME = re.compile(r'[\x00-\x1f/\\:*?"<>|]')  # on some system or other
LONGEST_NAME = 100  # letters


def asked_for(class_file: Path) -> tuple[list[str], set[str]]:
    """Return the notebooks that count in a class file, and the tasks and questions that do not.

    Raises:
        ValueError: the file cannot be read, or names no notebook.
    """
    try:
        content = tomllib.loads(class_file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{class_file} cannot be read: {_why(error)}") from None
    named, dropped = (
        {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
        for listed in (content.get("notebooks"), content.get("dropped"))
    )
    names = [name for name in tasks() if named & {name, name[:2]}]
    if not names:
        raise ValueError(f'{class_file} names no notebook. It needs a line: notebooks = ["01"]')
    return names, dropped


def looked_through(
    names: Sequence[str], dropped: Collection[str] = ()
) -> tuple[dict[Path, bytes], list[str]]:
    """Return the notebooks to pack, and lines on what is written in them and what is missing.

    Args:
        names: names of the exercise notebooks that count. A test before or after the course is
            packed beside them if it is answered.
        dropped: tasks and questions that do not count.
    """
    contents, lines, missing = {}, [], []
    for name in [*names, *FORMS.values()]:
        path = EXERCISES / f"{name}.ipynb"
        try:
            state = path.stat()
            check_size(state.st_size)
            data = path.read_bytes()
            notebook = read(data, path.name)
        except FileNotFoundError:
            notebook = None
        except Exception as problem:  # whatever a damaged file brings up
            lines.append(f"{name}: left out, for it cannot be read: {_why(problem)}.")
            continue
        if notebook and _is_begun(notebook):
            contents[path] = data
            saved = datetime.fromtimestamp(state.st_mtime)
            left = "; ".join(_left(notebook, dropped)) or "everything is written"
            lines.append(f"{name}, saved {saved:%Y-%m-%d %H:%M}: {left}.")
        elif name in names:
            missing.append(name[:2])
    if missing:
        lines.append(f"Nothing is written yet in {', '.join(missing)}: left out.")
    known = {f"{name}.ipynb" for name in [*tasks(), *FORMS.values()]}
    if others := sorted({path.name for path in EXERCISES.glob("*.ipynb")} - known):
        lines.append(
            f"Left out, as the course has no such name: {', '.join(others)}. If your answers are "
            "in there, rename it."
        )
    return contents, lines


def _is_begun(notebook: Notebook) -> bool:
    """Return whether a learner has written anything for the grader."""
    return (
        len(notebook.code) > len(notebook.untouched)
        or any([*notebook.words.values(), *notebook.answers.values()])
        or bool(_broken(notebook))
    )


def _left(notebook: Notebook, dropped: Collection[str]) -> Iterator[str]:
    """Yield what is not written yet in a notebook."""
    if notebook.form:
        items = items_of(notebook.form)
        if count := sum(not notebook.answers.get(item) for item in items):
            yield f"{count} of {len(items)} questions are not answered"
        return
    own = [task for task in tasks()[notebook.name] if task not in dropped]
    given = [task for task in own if task not in notebook.code or task in notebook.untouched]
    gaps = [task for task in own if task not in given and has_gap(notebook.code[task])]
    blank = [
        question
        for question in questions(notebook.name)
        if question not in dropped and not notebook.words[question]
    ]
    for what, parts in (
        ("not written yet", given),
        ("still with a `...`", gaps),
        ("without an answer in words", blank),
    ):
        if parts:
            yield f"{what}: {', '.join(parts)}"
    if broken := _broken(notebook):
        yield f"no Python, and so not read: cell {', '.join(map(str, broken))}"


def has_gap(source: str) -> bool:
    """Return whether something in a piece of code is still `...`, other than an index."""
    nodes = [*ast.walk(syntax(source))]
    indices = {
        part for node in nodes if isinstance(node, ast.Subscript) for part in ast.walk(node.slice)
    }
    gaps = {node for node in nodes if isinstance(node, ast.Constant) and node.value is ...}
    return bool(gaps - indices)


def _broken(notebook: Notebook) -> list[int]:
    """Return the numbers of cells with a syntax error."""
    return [cell.number for cell in notebook.cells if stumbles_at(cell.source)]


def write_zip(file: Path, contents: Mapping[Path, bytes]) -> str:
    """Write a zip file, in one step, into a folder that may be new; return a line about it."""
    file.parent.mkdir(exist_ok=True)
    new = file.with_name(f".{file.name}")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo.from_file(path, path.name, strict_timestamps=False)
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    new.replace(file)
    what = "1 notebook" if len(contents) == 1 else f"{len(contents)} notebooks"
    size = f"{file.stat().st_size / 2**10:,.0f} KB"
    return f"Hand in this file, with {what}, {size}: {file.parent.name}/{file.name}"


def _why(problem: Exception) -> str:
    """Return a problem in words."""
    if isinstance(problem, OSError):
        return (problem.strerror or str(problem)).lower()
    known = isinstance(problem, Unreadable | ValueError)
    return str(problem) if known else type(problem).__name__


def main() -> int:
    """Pack what the command line names; return 0 if there is a file to hand in, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m utils.hand_in", description=__doc__)
    which = "its notebooks alone, and without the tasks that it drops (default: all that are begun)"
    parser.add_argument("--class-file", type=Path, metavar="TOML", help=which)
    called = "your name, for the name of the file, where no platform adds it"
    parser.add_argument("--name", default="", help=called)
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")  # a terminal may lack letters of a name
    if not EXERCISES.is_dir():
        print("There is no folder exercises here: change to that of the README.", file=sys.stderr)
        return 1
    try:
        names, dropped, stem = [*tasks()], set(), "exercises"
        if options.class_file:
            names, dropped = asked_for(options.class_file)
            stem = options.class_file.stem
        contents, lines = looked_through(names, dropped)
        print(*lines, sep="\n")
        if not contents:
            print("Nothing to hand in yet. Is the notebook saved, in the folder exercises?")
            return 1
        own = NO_FILE_NAME.sub("_", options.name).strip(" .")[:LONGEST_NAME]
        print(write_zip(FOLDER / f"{own or stem}.zip", contents))
    except (ValueError, bank.DamagedFile) as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"{FOLDER} cannot be written: {_why(problem)}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
