"""Copy the exercise notebooks of all learners on a hub into one folder, to be graded.

It runs as root, which may read every home directory. So it follows no link: a link to another
learner's notebook, or to a file that only root may read, is reported and left out.
"""

import argparse
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from grading.intake.submissions import LARGEST, MOST_OF_ONE
from grading.report.room import opened

EXERCISES = ("attention-course", "exercises")
NOTEBOOK = re.compile(r"\w[^/]*\.ipynb")


def collect(homes: Path, out: Path) -> Iterator[str]:
    """Copy HOMES/NAME/attention-course/exercises/*.ipynb to OUT/NAME/*.ipynb; keep their times.

    Args:
        homes: the folder of the learners' home directories.
        out: the folder to make.

    Yields:
        A line for each file or home that was left out, with the reason.

    Raises:
        FileExistsError: `out` exists already.
    """
    out.mkdir(mode=0o700)
    everybody = os.open(homes, os.O_RDONLY)
    for learner in sorted(os.listdir(homes)):
        try:
            with opened((learner, *EXERCISES), everybody) as folder:
                names = sorted(filter(NOTEBOOK.fullmatch, os.listdir(folder)))[:MOST_OF_ONE]
                (out / learner).mkdir()
                yield from _copy(names, folder, out / learner)
        except OSError as error:
            yield f"{learner}: nothing, {(error.strerror or str(error)).lower()}"
    os.close(everybody)


def _copy(names: list[str], folder: int, out: Path) -> Iterator[str]:
    for name in names:
        try:
            with opened((name,), folder) as file:
                state = os.fstat(file)
                if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                    yield f"{out.name}: {name} is no file, or too large, and was left out"
                    continue
                with open(file, "rb", closefd=False) as stream:
                    (out / name).write_bytes(stream.read(LARGEST))
                os.utime(out / name, ns=(state.st_atime_ns, state.st_mtime_ns))
        except OSError as error:
            yield f"{out.name}: {name} was left out, {(error.strerror or str(error)).lower()}"


def main() -> None:
    """Collect the exercises of all learners from and into the folders on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m workshop.hub.collect",
        description="Copy the exercises of all learners on a hub into a folder to grade.",
    )
    parser.add_argument("homes", type=Path, help="where the learners' homes are, say /home")
    parser.add_argument("out", type=Path, help="a new folder")
    options = parser.parse_args()
    try:
        for line in collect(options.homes, options.out):
            print(line)
    except FileExistsError:
        sys.exit(f"{options.out} is there already. Name a new folder.")
    print(f"Now: python -m grading {options.out} --out grades")


if __name__ == "__main__":
    main()
