"""Copy the exercise notebooks of all learners on a hub into one folder, to be graded.

It runs as root, which may read every home directory. So it follows no link: a link to another
learner's notebook, or to a file that only root may read, is reported and left out. Nor does it let
one learner fill root's disk, or write to root's terminal: a file of 50 MB may take no room at all
in a home, and a name may hold any letters.
"""

import argparse
import os
import re
import stat
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from grading.intake.step_by_step import opened
from grading.intake.submissions import LARGEST, MOST_OF_ONE, MOST_SEEN_OF_ONE
from grading.start import about_python
from grading.text import clean, say

EXERCISES = ("attention-course", "exercises")
NOTEBOOK = re.compile(r"\w[^/]*\.ipynb")
MOST_BYTES = 200 * 2**20  # of all files of a learner; the course's own exercises have 2 MB
MOST_TOLD = 10  # lines about a learner's files


def collect(homes: Path, out: Path) -> Iterator[str]:
    """Copy HOMES/NAME/attention-course/exercises/*.ipynb to OUT/NAME/*.ipynb; keep their times.

    Args:
        homes: the folder of the learners' home directories.
        out: the folder to make.

    Yields:
        A line for each file or home that was left out, with the reason; for a learner who has many
        such files, a line with their number.

    Raises:
        FileExistsError: `out` exists already.
    """
    out.mkdir(mode=0o700)
    everybody = os.open(homes, os.O_RDONLY)
    for learner in sorted(os.listdir(homes)):
        lines = []
        try:
            with opened((learner, *EXERCISES), everybody) as folder:
                (out / learner).mkdir()
                lines = [*_copy(folder, out / learner)]
        except (OSError, ValueError) as error:
            lines = [f"nothing, {_why(error)}"]
        yield from (f"{clean(learner)}: {line}" for line in lines[:MOST_TOLD])
        if len(lines) > MOST_TOLD:
            yield f"{clean(learner)}: {len(lines) - MOST_TOLD:,} more files were left out"
    os.close(everybody)


def _copy(folder: int, out: Path) -> Iterator[str]:
    """Copy a learner's notebooks, as long as they are few and small enough; say what is left out.

    Yields:
        A line for each file that was left out.
    """
    with os.scandir(folder) as entries:
        seen = [entry.name for entry in islice(entries, MOST_SEEN_OF_ONE + 1)]
    names, left = sorted(filter(NOTEBOOK.fullmatch, seen)), MOST_BYTES
    if len(seen) > MOST_SEEN_OF_ONE:
        yield f"only {MOST_SEEN_OF_ONE:,} files were looked at: there are more"
    for name in names[MOST_OF_ONE:]:
        yield f"{clean(name)} was left out: more than {MOST_OF_ONE:,} notebooks"
    for name in names[:MOST_OF_ONE]:
        try:
            with opened((name,), folder) as file:
                state = os.fstat(file)
                if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                    yield f"{clean(name)} is no file, or too large, and was left out"
                    continue
                if state.st_size > left:
                    most = f"{MOST_BYTES >> 20} MB of one learner"
                    yield f"{clean(name)} was left out: all files together have more than {most}"
                    continue
                with open(file, "rb", closefd=False) as stream:
                    data = stream.read(min(LARGEST, left))  # it may grow meanwhile
                (out / name).write_bytes(data)
                left -= len(data)
                os.utime(out / name, ns=(state.st_atime_ns, state.st_mtime_ns))
        except (OSError, ValueError) as error:
            yield f"{clean(name)} was left out, {_why(error)}"


def _why(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def main() -> None:
    """Collect the exercises of all learners from and into the folders on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m workshop.hub.collect",
        description="Copy the exercises of all learners on a hub into a folder to grade.",
    )
    parser.add_argument("homes", type=Path, help="where the learners' homes are, say /home")
    parser.add_argument("out", type=Path, help="a new folder")
    options = parser.parse_args()
    if unfit := about_python():
        sys.exit(unfit)
    try:
        for line in collect(options.homes, options.out):
            say(line)
    except FileExistsError:
        sys.exit(f"{options.out} is there already. Name a new folder.")
    except OSError as error:
        sys.exit(f"{error.filename}: {_why(error)}. Nothing was collected.")
    say(f"Now: python -m grading {options.out} --out grades")


if __name__ == "__main__":
    main()
