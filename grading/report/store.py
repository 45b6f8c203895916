"""What is known of each file, written to disk at once, so that nothing is lost.

DIR/private/run.json        seed, where the submissions are, what an instructor has chosen, and
                            which round counts
DIR/private/lock            held by the grader that is at work
DIR/private/1/records/      the fresh cases, with what the solutions return for them
DIR/private/1/results/      one file for each file that was handed in

Marking again makes a new round, 2, of which nothing counts until all of it is there.
"""

import dataclasses
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import filelock

from grading.intake.red_flags import Sign
from grading.intake.submissions import CannotGrade
from grading.run.scoring import Outcome, Result
from utils.checks.tasks import Reason

FORMAT = 3  # of what is written here: another number for every change


class Store:
    """The private part of a folder of grades.

    Args:
        out: the folder.
        round: its number; by default the one that counts.

    Raises:
        CannotGrade: the folder was written by another version of the grader.
    """

    def __init__(self, out: Path, round: int | None = None):
        self._out, self._private = out, out / "private"
        self._run = self._private / "run.json"
        self._round = round or self.run.get("round", 1)
        self.records = self._private / str(self._round) / "records"
        self._results = self._private / str(self._round) / "results"

    @property
    def run(self) -> dict[str, Any]:
        """What the grading was started with; empty before the first time."""
        if not self._run.exists():
            return {}
        run = json.loads(self._run.read_text(encoding="utf-8"))
        if run.get("format") != FORMAT:
            raise CannotGrade(
                f"{self._out} holds grades of another version of the grader. Name a new folder."
            )
        return run

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep every other grader away from the folder, until this one is done or killed.

        Raises:
            CannotGrade: another one is at work.
        """
        self._private.mkdir(parents=True, exist_ok=True)
        try:
            with filelock.FileLock(self._private / "lock", timeout=0):
                yield
        except filelock.Timeout:
            raise CannotGrade(
                f"Another grader is at work in {self._out}. Wait until it is done, or name another "
                "folder for --out."
            ) from None

    def start(self, **run: Any) -> None:
        """Write down what the grading is started with, in place of what was known."""
        self.records.mkdir(parents=True, exist_ok=True)
        self._results.mkdir(exist_ok=True)
        run |= {"round": self._round, "format": FORMAT}
        write(self._run, json.dumps(run, indent=1, ensure_ascii=False))

    def draft(self) -> "Store":
        """A new round with the same results, to be changed, and no records yet."""
        draft = Store(self._out, self._round + 1)
        shutil.rmtree(draft._results.parent, ignore_errors=True)
        shutil.copytree(self._results, draft._results)
        return draft

    def publish(self) -> None:
        """From now on this round counts; the one before it is deleted."""
        self.start(**self.run)
        shutil.rmtree(self._private / str(self._round - 1))

    def adopt(self, shards: Iterable["Store"]) -> None:
        """Copy what others know and have drawn, in place of what is here."""
        shutil.rmtree(self._results.parent, ignore_errors=True)
        self._results.mkdir(parents=True)
        self.records.mkdir()
        for shard in shards:
            shutil.copytree(shard.records, self.records, dirs_exist_ok=True)
            counted = {self._path(file).name for file in shard.files()}
            for path in shard._results.glob("*.json"):
                if path.name in counted or not (self._results / path.name).exists():
                    shutil.copyfile(path, self._results / path.name)

    def save(self, result: Result) -> None:
        text = json.dumps(dataclasses.asdict(result), ensure_ascii=False)
        write(self._path(result.file), text)

    def load(self, file: str) -> Result | None:
        """The result of a file that was handed in, if there is one."""
        path = self._path(file)
        return _result(path) if path.exists() else None

    def all(self) -> Iterator[Result]:
        """Every result, sorted by the file that was handed in, but for files that are gone."""
        return self._sorted(gone=False)

    def gone(self) -> Iterator[Result]:
        """The results of files that were removed or renamed since they were graded."""
        return self._sorted(gone=True)

    def files(self) -> set[str]:
        """The files that are graded, but for those that are gone."""
        return {file for file, _ in self._files()} - set(self.run.get("gone", []))

    def leave(self, files: Collection[str]) -> list[str]:
        """Count only what is known of these files; the files that are gone, sorted."""
        known = sorted(file for file, _ in self._files())
        gone = [file for file in known if file not in files]
        self.start(**self.run | {"gone": gone})
        return gone

    def drop_gone(self) -> None:
        """Forget the files that are gone: should they come back, they are graded again."""
        for result in list(self.gone()):
            self._path(result.file).unlink()

    def _sorted(self, gone: bool) -> Iterator[Result]:
        away = set(self.run.get("gone", []))
        if away or not gone:
            for file, path in sorted(self._files()):
                if (file in away) is gone:
                    yield _result(path)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """The file that was handed in, and where its result is."""
        for path in self._results.glob("*.json"):
            yield json.loads(path.read_bytes())["file"], path

    def _path(self, file: str) -> Path:
        return self._results / f"{hashlib.sha256(file.encode()).hexdigest()[:24]}.json"


def disk_is_full(error: BaseException) -> bool:
    """Whether that is what an error says; a share of the disk may be full too."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, even if the process is killed meanwhile."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _result(path: Path) -> Result:
    return restored(json.loads(path.read_text(encoding="utf-8")))


def restored(content: dict[str, Any]) -> Result:
    """A result from what `dataclasses.asdict` makes of it."""
    content["tasks"] = {
        task: Outcome(**outcome | {"reason": Reason(outcome["reason"])})
        for task, outcome in content["tasks"].items()
    }
    content["flags"] = [Sign(**flag) for flag in content["flags"]]
    return Result(**content)
