"""Code that the notebooks share. Importing this package alone does not load PyTorch."""

import contextlib
import sys
from pathlib import Path


def _warn_of_another_course() -> None:
    """Say so if a notebook of one copy of the course runs the code of another copy.

    That happens where two copies share the environment that was made in one of them. A notebook
    runs in its own folder; whoever has no other copy around it, as on a hub, is told nothing.
    """
    course, here = Path(__file__).resolve().parents[1], Path.cwd()
    for folder in (here, here.parent):
        if folder.joinpath("utils", "checks").is_dir() and not folder.samefile(course):
            print(
                f"Careful: this runs in {folder}, but with the `utils` of {course}, where the "
                f"environment was made. In {folder}, run `make lab` for an environment of its own, "
                "or `pip install -e .` to use it in this one.",
                file=sys.stderr,
            )


with contextlib.suppress(OSError):  # a folder that is gone, or that nobody may read
    _warn_of_another_course()
