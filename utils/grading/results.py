"""What is known of each file, on disk as soon as it is known, so that nothing is lost.

DIR/private/run.json        seed, where the submissions are, what the tasks were like
DIR/private/records/        the fresh cases, with what the solutions return for them
DIR/private/results/        one file for each file that was handed in
"""

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utils.grading.marking import Outcome, Result


class Store:
    """The private part of a folder of grades.

    Args:
        out: the folder.
    """

    def __init__(self, out: Path):
        self.private = out / "private"
        self.records = self.private / "records"
        self._results = self.private / "results"
        self._run = self.private / "run.json"

    @property
    def run(self) -> dict[str, Any]:
        """What the grading was started with; empty before the first time."""
        return json.loads(self._run.read_text(encoding="utf-8")) if self._run.exists() else {}

    def start(self, **run: Any) -> None:
        """Note what the grading is started with."""
        self.records.mkdir(parents=True, exist_ok=True)
        self._results.mkdir(exist_ok=True)
        write(self._run, json.dumps(run, indent=1, ensure_ascii=False))

    def save(self, result: Result) -> None:
        text = json.dumps(dataclasses.asdict(result), ensure_ascii=False)
        write(self._path(result.file), text)

    def load(self, file: str) -> Result | None:
        """The result of a file that was handed in, if there is one."""
        path = self._path(file)
        return _result(path) if path.exists() else None

    def all(self) -> Iterator[Result]:
        """Every result, in the order of the files' names."""
        paths = [(json.loads(path.read_bytes())["file"], path) for path in self._files()]
        for _, path in sorted(paths):
            yield _result(path)

    def _files(self) -> list[Path]:
        return list(self._results.glob("*.json"))

    def _path(self, file: str) -> Path:
        return self._results / f"{hashlib.sha256(file.encode()).hexdigest()[:24]}.json"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all, whenever the process may be killed."""
    half = path.with_name(path.name + ".part")
    with half.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def _result(path: Path) -> Result:
    content = json.loads(path.read_text(encoding="utf-8"))
    tasks = {task: Outcome(**outcome) for task, outcome in content.pop("tasks").items()}
    return Result(**content, tasks=tasks)
