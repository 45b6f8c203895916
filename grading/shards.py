"""A class in several shards, each graded by itself, on any machine; then put together.

A shard is a run that stops before the tables. It keeps with its results what all shards of a class
have to share, so that whoever merges them notices where they do not.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grading.intake.submissions import CannotGrade, Submission, some
from grading.report.store import Store
from grading.run.launcher import COURSE
from grading.run.version import version_of

SHARED = {  # what shards of one class have in common → what is wrong where they do not
    "seed": "was graded with another seed",
    "course": "was graded by another version of the course, Python, torch or NumPy",
    "shards": "is of another number of shards",
    "class": "was graded from other files (if some came or went, go on in each with --resume)",
    "late": "was graded with another --late",
    "column": "was graded with another --column",
}


class Shard(NamedTuple):
    """Shard `number` of so many, counted from 1; the third of five holds every fifth submission."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def of_run(cls, run: Mapping[str, Any]) -> "Shard | None":
        """The shard that a run grades, if it grades no whole class."""
        return cls(run["shard"], run["shards"]) if "shard" in run else None

    def part(self, class_: Sequence[Submission]) -> Sequence[Submission]:
        """Its own share of all submissions."""
        return class_[self.number - 1 :: self.of]

    def facts(self, class_: Sequence[Submission]) -> dict[str, Any]:
        """What it keeps with its results."""
        listed = "\n".join(one.file for one in class_).encode(errors="surrogatepass")
        folders = [COURSE / name for name in ("utils", "exercises", "solutions", "grading")]
        return {
            "shard": self.number,
            "shards": self.of,
            "files": len(self.part(class_)),
            "class": hashlib.sha256(listed).hexdigest()[:16],
            "course": version_of(*folders),
        }


def check(shards: Mapping[Path, Store]) -> None:
    """Check that these are the shards of one class, all of them, and done.

    Args:
        shards: the folder of each, and what is in it.

    Raises:
        CannotGrade: they are not.
    """
    numbers: dict[int, Path] = {}
    graded: dict[str, Path] = {}
    first: dict[str, Any] = {}
    for folder, shard in shards.items():
        run = shard.run
        if "shard" not in run:
            what = "holds no shard" if folder.is_dir() else "is not a folder"
            raise CannotGrade(f"{folder} {what}. Name the folders that --shard has graded into.")
        first = first or run
        for name, problem in SHARED.items():
            if run[name] != first[name]:
                raise CannotGrade(f"{folder} {problem} than {next(iter(shards))}.")
        if (other := numbers.setdefault(run["shard"], folder)) != folder:
            raise CannotGrade(f"{other} and {folder} are the same shard, {run['shard']}.")
        files = shard.files()
        if left := run["files"] - len(files):
            raise CannotGrade(
                f"{folder} is not done: {left} of its {run['files']} files are not graded. Go on "
                "there with --resume."
            )
        for file in files:
            if (other := graded.setdefault(file, folder)) != folder:
                raise CannotGrade(f"{file} is in two shards, {other} and {folder}.")
    of = first["shards"]
    if missing := [f"{number}/{of}" for number in range(1, of + 1) if number not in numbers]:
        raise CannotGrade(f"Missing: shard {some(missing)}. Grade it, and merge all {of}.")
