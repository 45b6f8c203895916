"""Solve the exercises of earlier notebooks: `python -m solutions.catch_up 04`.

For whoever fell behind; `make catch-up UPTO=04` does the same. The exercises of all notebooks
before 04 are put in place solved, where they are not all done. The learner's own file is kept
beside, as `mine_01_….ipynb`, and `progress.json` says of each task that was not done that its
solution was given: points that were earned before stay, and none are added.
"""

import argparse
import contextlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat

from solutions.build import learner_notebook, notebooks, solved
from utils.checks import bank
from utils.checks.memory import TaskProgress, load_progress, save_given

OWN = "mine_"


def catch_up(upto: str, folder: Path) -> Iterator[str]:
    """Solve the exercises before a notebook, and yield a line for each of their files.

    Args:
        upto: the number of the notebook to go on with, "04".
        folder: of the learner's exercises.

    Raises:
        ValueError: there is no such notebook, or none before it.
    """
    later = [path.name[:2] for path in notebooks()[1:]]
    if upto not in later:
        raise ValueError(
            f"Name the notebook to go on with, {later[0]} to {later[-1]}, not {upto!r}."
        )
    for path in notebooks():
        if path.name[:2] < upto:
            yield f"{path.name}: {_give(path, folder)}"


def _give(path: Path, folder: Path) -> str:
    """Put the solved exercises of a notebook in place, and return what became of the file."""
    tasks, own = bank.tasks()[path.stem], folder / path.name
    with contextlib.chdir(folder):  # where progress is kept
        progress = load_progress()
        if all(progress.get(task.id, TaskProgress()).done(task) for task in tasks):
            return "all done, left as it is"
        if not save_given(tasks):
            raise OSError(f"Nothing can be written in {folder}, so nothing was changed.")
    given = learner_notebook(path, solved)
    if _sources(own) == [cell.source for cell in given.cells]:
        return "solved already"
    kept = ""
    if own.exists():
        further = (f"{OWN}{own.stem}_{number}.ipynb" for number in itertools.count(2))
        places = map(own.with_name, itertools.chain([f"{OWN}{own.name}"], further))
        place = own.rename(next(place for place in places if not place.exists()))
        kept = f"; yours is now {place.name}"
    nbformat.write(given, own)
    return f"solved{kept}"


def _sources(path: Path) -> list[str]:
    """Return the sources of a notebook's cells; none where the file is no notebook."""
    try:
        return [cell.source for cell in nbformat.read(path, as_version=4).cells]
    except Exception:  # missing, or damaged in any way: then it is not the solved one
        return []


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m solutions.catch_up", description=__doc__)
    parser.add_argument("upto", nargs="?", default="", help='the notebook to go on with, "04"')
    try:
        for line in catch_up(parser.parse_args().upto, bank.FOLDER):
            print(line)
    except (ValueError, OSError) as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
