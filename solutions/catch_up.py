"""For whoever fell behind: `python -m solutions.catch_up 04`, or `make catch-up UPTO=04`.

The exercises of all notebooks before 04 are put in place solved, where they are not all done. What
was there is kept beside, as `mine_01_….ipynb`, and `progress.json` says of each task that was not
done that its solution was given: what was earned before stays, and nothing is earned by it.
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
    """Solve what stands before a notebook; yields what became of each.

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
    tasks, own = bank.tasks()[path.stem], folder / path.name
    with contextlib.chdir(folder):  # where progress is kept
        tried = load_progress()
        if all(tried.get(task.id, TaskProgress()).done(task) for task in tasks):
            return "all done, left as it is"
        if not save_given(tasks):
            raise OSError(f"Nothing can be written in {folder}, so nothing was changed.")
    given = learner_notebook(path, solved)
    if _sources(own) == [cell.source for cell in given.cells]:
        return "solved already"
    kept = _kept(own)
    nbformat.write(given, own)
    return f"solved; yours is now {kept.name}" if kept else "solved"


def _kept(own: Path) -> Path | None:
    """Where a learner's own file has been moved to; no earlier one is overwritten."""
    if not own.exists():
        return None
    further = (f"{OWN}{own.stem}_{number}.ipynb" for number in itertools.count(2))
    places = map(own.with_name, itertools.chain([f"{OWN}{own.name}"], further))
    return own.rename(next(place for place in places if not place.exists()))


def _sources(path: Path) -> list[str]:
    """What stands in the cells of a notebook; nothing where it is none."""
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
