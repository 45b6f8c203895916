"""Store the result of each file on disk as soon as it is known, so that nothing is lost.

DIR/private/run.json        seed, path of the submissions, the instructor's options, and which
                            round of grading counts
DIR/private/lock            held by the grader that is at work
DIR/private/1/records/      the fresh cases of round 1, with the outputs of the solutions
DIR/private/1/results/      one result for each file that was handed in

Regrading makes a new round, 2, which does not count until it is complete.
"""

import dataclasses
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from grading.intake import class_file
from grading.intake.class_file import ClassFile
from grading.intake.notebook_parser import Flag
from grading.intake.submissions import CannotGrade
from grading.run.scoring import Outcome, Result
from utils.checks.tasks import Reason

FORMAT = 9  # of the stored files: it needs a new number for every change


class Store:
    """The private part of a folder of grades, for one round of grading.

    Args:
        round: number of the round; by default the round that counts.

    Raises:
        CannotGrade: the folder was written by another version of the grader.
    """

    def __init__(self, out: Path, round: int | None = None):
        self.out, self._private = out, out / "private"
        self._run = self._private / "run.json"
        self._round = round or self.run.get("round", 1)
        self.records = self._private / str(self._round) / "records"
        self._results = self._private / str(self._round) / "results"

    @property
    def run(self) -> dict[str, Any]:
        """The settings that the grading was started with; empty before the first start."""
        if not self._run.exists():
            return {}
        run = json.loads(self._run.read_text(encoding="utf-8"))
        if run.get("format") != FORMAT:
            raise CannotGrade(
                f"{self.out} holds grades of another version of the grader. Name a new folder."
            )
        return run

    @property
    def rules(self) -> ClassFile:
        """What this class is graded by: its class file as it is now, if it has one.

        Raises:
            CannotGrade: the class file is gone, or something in it is wrong.
        """
        return rules_of(self.run)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other grader away from the folder, until this grader is done or killed.

        Raises:
            CannotGrade: another grader is at work.
        """
        self._private.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(self._private / "lock", timeout=0):
                yield
        except filelock.Timeout:
            raise CannotGrade(
                f"Another grader is at work in {self.out}. Wait until it is done, or name another "
                "folder for --out."
            ) from None

    def start(self, **run: Any) -> None:
        """Write the settings that the grading is started with, in place of earlier ones."""
        self.records.mkdir(parents=True, exist_ok=True)
        self._results.mkdir(exist_ok=True)
        run |= {"round": self._round, "format": FORMAT}
        write(self._run, json.dumps(run, indent=1, ensure_ascii=False))

    def follow(self, path: Path) -> None:
        """Note the place of the class file, if it is not where it was when the class was graded."""
        known = self.run.get("class_file")
        if known and not Path(known).exists():
            self.start(**self.run | {"class_file": str(path.resolve())})

    def draft(self) -> "Store":
        """Start a new grading round with copies of the results, still without fresh cases."""
        draft = Store(self.out, self._round + 1)
        shutil.rmtree(draft._results.parent, ignore_errors=True)
        shutil.copytree(self._results, draft._results)
        return draft

    def publish(self) -> None:
        """Make this the round that counts, and delete the round before it."""
        self.start(**self.run)
        shutil.rmtree(self._private / str(self._round - 1))

    def save(self, result: Result) -> None:
        """Write the result of a file, in place of an older result."""
        content = dataclasses.asdict(result)
        sources = [*dict.fromkeys(result.code.values())]  # a cell that holds several tasks: once
        content["code"] = {task: sources.index(source) for task, source in result.code.items()}
        text = json.dumps(content | {"sources": sources}, ensure_ascii=False)
        write(self._path(result.file), text)

    def load(self, file: str) -> Result | None:
        """Return the result of a file that was handed in; None if it has no result."""
        path = self._path(file)
        return restored(_read(path)) if path.exists() else None

    def all(self) -> Iterator[Result]:
        """Yield the results of all files that are still among the submissions, sorted by file."""
        return self._sorted(gone=False)

    def gone(self) -> Iterator[Result]:
        """Yield the results of files that were removed or renamed since they were graded."""
        return self._sorted(gone=True)

    def files(self) -> set[str]:
        """Return the graded files that are still among the submissions."""
        return set(self._files()) - set(self.run.get("gone", []))

    def leave(self, files: Collection[str]) -> list[str]:
        """Count only the results of these files; return the graded files that are gone, sorted."""
        gone = [file for file in sorted(self._files()) if file not in files]
        self.start(**self.run | {"gone": gone})
        return gone

    def drop_gone(self) -> None:
        """Delete the results of files that are gone: if such a file returns, it is graded again."""
        for result in list(self.gone()):
            self._path(result.file).unlink()

    def _sorted(self, gone: bool) -> Iterator[Result]:
        away = set(self.run.get("gone", []))
        if away or not gone:
            for file, path in sorted(self._files().items()):
                if (file in away) is gone:
                    yield restored(_read(path))

    def _files(self) -> dict[str, Path]:
        """Return file that was handed in → path of its result."""
        return {_read(path)["file"]: path for path in self._results.glob("*.json")}

    def _path(self, file: str) -> Path:
        return self._results / f"{hashlib.sha256(file.encode()).hexdigest()[:24]}.json"


def rules_of(run: Mapping[str, Any]) -> ClassFile:
    """Return what a class is graded by that was started with these settings; see `Store.rules`."""
    known = run.get("class_file")
    if known and not Path(known).exists():
        name = Path(known).name
        raise CannotGrade(
            f"These grades go by the class file {known}, which is there no more. If it was moved, "
            f"give its new place in place of the folder, such as --out WHERE/{name}; "
            "`handed_in`, `grades` and `roster` in it start from where it is now."
        )
    return class_file.read(Path(known)) if known else ClassFile()


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_bytes())


def disk_is_full(error: BaseException) -> bool:
    """Return whether an error says that the disk, or the user's share of it, is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def write(path: Path, text: str) -> None:
    """Write a file completely or not at all, even if the process is killed meanwhile."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def restored(content: dict[str, Any]) -> Result:
    """Restore a result from the dictionary that `Store.save` made of it."""
    sources = content.pop("sources")
    content["code"] = {task: sources[place] for task, place in content["code"].items()}
    content["tasks"] = {
        task: Outcome(**outcome | {"reason": Reason(outcome["reason"])})
        for task, outcome in content["tasks"].items()
    }
    content["flags"] = [Flag(**flag) for flag in content["flags"]]
    return Result(**content)
