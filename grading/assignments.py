"""What a class is graded on: its notebooks, with records drawn from the instructor's seed."""

import contextlib
import hashlib
import io
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from grading.intake.submissions import CannotGrade
from grading.names import Names
from grading.report.store import write
from grading.run import protocol
from grading.run.grading import Assignment
from utils.checks import bank
from utils.checks.tasks import Record


class Assignments(Mapping):
    """The assignments of this class, by notebook; each is made when it is first used.

    Args:
        folder: folder that keeps the fresh records, so that a resumed run uses the same records.
        seed: seed of the fresh cases.
        names: mistakes that this class has named.
        draw: function that stores the fresh records of a notebook: its name, the seed, the path.
        notebooks: the notebooks that count; by default, all.
    """

    def __init__(
        self,
        folder: Path,
        seed: int,
        names: Names,
        draw: Callable[[str, int, Path], None],
        notebooks: Sequence[str] = (),
    ):
        self._folder, self._seed, self._names = folder, seed, names
        self._draw = draw
        self._notebooks = list(notebooks or bank.tasks())
        self._made: dict[str, Assignment] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Assignment:
        if name not in self._notebooks:
            raise KeyError(name)
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._notebooks)

    def __len__(self) -> int:
        return len(self._notebooks)

    def _make(self, name: str) -> Assignment:
        path = self._folder / name
        known = path.with_suffix(".digests").exists()  # this file is written last
        if not known:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._draw(name, self._seed, path)
        public, fresh = bank.load_all(bank.FOLDER / name), bank.load_all(path)
        same = [record.task for record in public.values()] == [
            record.task for record in fresh.values()
        ]
        public = {task: self._names.taught(record) for task, record in public.items()}
        digests = {task: _digests(public[task], fresh[task]) for task in public} if same else {}
        if known and digests != self.digests(name):
            raise CannotGrade(
                f"The exercises of {name} have changed since they were graded. First mark again "
                "what that changes: python -m grading regrade"
            )
        if not same:
            raise CannotGrade(
                f"The exercises of {name} differ from their specifications. Build them: make "
                "exercises"
            )
        write(path.with_suffix(".digests"), json.dumps(digests, indent=1))
        return Assignment(name, public, fresh)

    def digests(self, name: str) -> dict[str, dict[str, str]]:
        """Return task → part of the task → the part's digest at the time when records were made."""
        return json.loads((self._folder / f"{name}.digests").read_text(encoding="utf-8"))


def _digests(public: Record, fresh: Record) -> dict[str, str]:
    """Return part of a task → digest of the part, which tells whether the part has changed."""
    facts, records = asdict(public.task), [asdict(public), asdict(fresh)]
    parts = {
        "the points": facts.pop("points"),
        "the known mistakes": [
            facts.pop("mistakes"),
            [record["mistaken"] for record in records],
        ],
        "the inputs": [record["cases"] for record in records],
        "what is expected": [record["expected"] for record in records],
        "how it is asked": facts,
    }
    return {
        part: hashlib.sha256(protocol.pack(content)).hexdigest()[:16]
        for part, content in parts.items()
    }


def draw(name: str, seed: int, path: Path) -> None:
    """Store the records of a notebook's tasks, with cases drawn from a seed."""
    bank.save(fresh_records(name, seed), path)


def fresh_records(name: str, seed: int) -> list[Record]:
    """Return the records of a notebook's tasks, with cases drawn from a seed.

    Raises:
        CannotGrade: the solutions are missing.
    """
    build = builder()
    with contextlib.redirect_stdout(io.StringIO()):
        return build.records_of(build.SOURCE / f"{name}.ipynb", seed, real=True)


def builder() -> ModuleType:
    """Return the module `solutions.build`, which builds the exercises.

    Raises:
        CannotGrade: this copy of the course has no solutions.
    """
    try:
        from solutions import build
    except ImportError:
        raise CannotGrade(
            "Grading compares with what the solutions return, and there is no folder `solutions/` "
            "here. Grade in a full copy of the course."
        ) from None
    return build
