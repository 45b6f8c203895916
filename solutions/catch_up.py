"""Solve the exercises of earlier notebooks: `python -m solutions.catch_up 04`.

It is for learners who fell behind; `make catch-up UPTO=04` does the same. Each exercise notebook
before 04 is replaced by a solved one, unless all its tasks are done. The learner's own notebook is
kept beside it, as `mine_01_….ipynb`. For each task that was not done, `progress.json` records that
its solution was given: points earned before stay, and no points are added.
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
from utils.checks.progress_file import TaskProgress, load_progress, save_given

OWN = "mine_"


def catch_up(upto: str, folder: Path) -> Iterator[str]:
    """Solve the exercise notebooks before a notebook, and yield a message about each of them.

    Args:
        upto: number of the notebook with which the learner continues, "04".
        folder: folder of the learner's exercises.

    Raises:
        ValueError: no notebook has this number, or no notebook comes before it.
        OSError: nothing can be written in the folder.
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
    """Replace a learner's notebook by the solved one, and return a message about the outcome."""
    tasks, own = bank.tasks()[path.stem], folder / path.name
    with contextlib.chdir(folder):  # because `progress.json` is kept in the working directory
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
    """Return the sources of a notebook's cells; an empty list if the file is not a notebook."""
    try:
        return [cell.source for cell in nbformat.read(path, as_version=4).cells]
    except Exception:  # a missing or damaged file is not the solved notebook
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
