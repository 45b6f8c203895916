"""Grades a class: submissions in, results and tables out."""

import contextlib
import hashlib
import io
import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

from tqdm.auto import tqdm

from utils.checks import bank
from utils.checks.tasks import Record
from utils.grading import pages, reading, tables, wire
from utils.grading.marking import Assignment, Result, Server, ask, mark
from utils.grading.results import Store, write
from utils.grading.submissions import Submission, Unreadable, find


class CannotGrade(RuntimeError):  # noqa: N818 - it is no fault, but something to do
    """Why it cannot begin, and what to do."""


class Assignments(Mapping):
    """The course's notebooks as this class is graded on them, each made when it is first needed.

    Args:
        folder: keeps the fresh records, so that a second start has the same.
        seed: of the fresh cases.
    """

    def __init__(self, folder: Path, seed: int):
        self._folder, self._seed = folder, seed
        self._made: dict[str, Assignment] = {}
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Assignment:
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(bank.tasks())

    def __len__(self) -> int:
        return len(bank.tasks())

    def _make(self, name: str) -> Assignment:
        path = self._folder / name
        known = path.with_suffix(".digests").exists()  # written last
        if not known:
            self._folder.mkdir(parents=True, exist_ok=True)
            bank.save(fresh_records(name, self._seed), path)
        made = Assignment(name, bank.load_all(bank.FOLDER / name), bank.load_all(path))
        if not known:
            digests = {task: _digests(made, task) for task in made.public}
            write(path.with_suffix(".digests"), json.dumps(digests, indent=1))
        return made

    def digests(self, name: str) -> dict[str, dict[str, str]]:
        """What the tasks of a notebook were like when its records were made."""
        self[name]
        return json.loads((self._folder / f"{name}.digests").read_text())


def _digests(assignment: Assignment, task: str) -> dict[str, str]:
    """A short name for each part of a task, which changes when the part does."""
    records = assignment.public[task], assignment.fresh[task]
    facts = asdict(records[0].task)
    parts = {
        "the points": facts.pop("points"),
        "the known mistakes": [facts.pop("mistakes"), [asdict(one)["mistaken"] for one in records]],
        "the inputs": [asdict(one)["cases"] for one in records],
        "what is expected": [asdict(one)["expected"] for one in records],
        "how it is asked": facts,
    }
    return {
        part: hashlib.sha256(wire.pack(content)).hexdigest()[:16] for part, content in parts.items()
    }


def fresh_records(name: str, seed: int) -> list[Record]:
    """The tasks of a notebook with cases from a seed.

    Raises:
        CannotGrade: there are no solutions here.
    """
    try:
        from solutions import build  # learners have none, and need none
    except ImportError:
        raise CannotGrade(
            "Grading compares with what the solutions return, and there is no folder `solutions/` "
            "here. Grade in a full copy of the course."
        ) from None
    path = build.SOURCE / f"{name}.ipynb"
    with contextlib.redirect_stdout(io.StringIO()):
        solutions = build.solutions_of(path)
    return [one.record(solutions[one.task.id], seed) for one in build.exercises_of(path)]


def grade(
    source: Path,
    out: Path,
    seed: int | None = None,
    workers: int | None = None,
    only: str = "",
    resume: bool = False,
    safe: bool = True,
) -> list[Result]:
    """Grade everything that was handed in.

    Args:
        source: a folder or a zip file.
        out: where the grades go.
        seed: of the fresh cases; drawn, and kept, where it is None.
        workers: how many submissions at a time; as many as there are processors.
        only: grade only files whose name has this in it; what is known of the others stays.
        resume: go on in a folder that holds grades already.
        safe: in the sandbox.

    Raises:
        CannotGrade: the folder holds grades already, or there are no solutions.
        NoSubmissions, NoSandbox: see there.
    """
    submissions = [one for one in find(source) if only in one.file]
    store = Store(out)
    if store.run and not resume:
        raise CannotGrade(f"{out} holds grades already. Go on with --resume, or name another.")
    if store.run and seed not in (None, store.run["seed"]):
        raise CannotGrade(f"{out} was begun with another seed. Leave --seed out, or name another.")
    seed = store.run.get("seed", secrets.randbits(40) if seed is None else seed)
    store.start(seed=seed, source=str(source.resolve()), safe=safe and store.run.get("safe", True))
    assignments = Assignments(store.records, seed)
    waiting = [one for one in submissions if not _known(one, store)]
    with Server(safe) as server:
        run(waiting, lambda one: mark(one, assignments, server), store.save, workers)
    return report(out)


def _known(submission: Submission, store: Store) -> bool:
    """Whether this very file has its result."""
    result = store.load(submission.file)
    if result is None or result.problem:
        return False
    try:
        return hashlib.sha256(submission.read()).hexdigest() == result.digest
    except Unreadable:
        return False


def run(
    submissions: Sequence[Submission],
    work: Callable[[Submission], Result],
    keep: Callable[[Result], None],
    workers: int | None,
) -> None:
    """Give every submission its result, several at a time, and keep each at once."""
    workers = workers or os.cpu_count() or 1
    rest = iter(submissions)
    bar = tqdm(total=len(submissions), desc="graded", unit=" files")
    with ThreadPoolExecutor(workers) as pool, bar:
        running: set[Future] = set()
        try:
            while True:
                for submission in rest:  # few wait at a time: memory does not grow with the class
                    running.add(pool.submit(work, submission))
                    if len(running) == 2 * workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    keep(future.result())
                    bar.update()
        finally:
            for future in running:
                future.cancel()


def report(out: Path) -> list[Result]:
    """Write all tables and pages from what is known."""
    results = list(Store(out).all())
    class_ = tables.learners(results)
    for complaint in tables.read_marks(out / "marks.csv", class_):
        print(complaint)
    tables.write_grades(class_, out / "grades.csv")
    tables.write_files(class_, out / "files.csv")
    tables.write_marks(class_, out / "marks.csv")
    pages.write_pages(class_, out, Store(out).run["safe"])
    return results


@dataclass(frozen=True)
class Move:
    """A score that moved."""

    learner: str
    file: str
    task: str
    before: int
    after: int
    why: str

    def __str__(self) -> str:
        change = f"{self.before} → {self.after}"
        return f"{self.learner}: {self.task} {change} ({self.file}), as {self.why} changed"


def regrade(out: Path) -> list[Move]:
    """After a specification was corrected: mark again what it changes, and nothing else.

    Args:
        out: the folder of the grades. The submissions have to be where they were.

    Raises:
        CannotGrade: there are no grades in it.
        NoSubmissions, NoSandbox: see there.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    submissions = {one.file: one for one in find(Path(store.run["source"]))}
    fresh = store.private / "records-new"  # takes the place of the old when all is done
    shutil.rmtree(fresh, ignore_errors=True)
    before, now = (Assignments(folder, store.run["seed"]) for folder in (store.records, fresh))
    changed = _changed(store, before, now)
    files = [one.file for one in store.all() if one.notebook in changed]
    missing = [file for file in files if file not in submissions]
    if missing:
        raise CannotGrade(
            f"{missing[0]} is gone from {store.run['source']}; put it back. Nothing was changed."
        )

    def again(submission: Submission) -> Result:
        result = store.load(submission.file)
        cells = reading.read(submission.read(), submission.file).cells
        ask(result, cells, now[result.notebook], list(changed[result.notebook]), server)
        return result

    results: list[Result] = []
    with Server(store.run["safe"]) as server:
        run([submissions[file] for file in files], again, results.append, None)
    moves = [move for one in results for move in _moves(store.load(one.file), one, changed)]
    moves.sort(key=lambda move: (move.learner, move.file, move.task))
    heads = [field.name for field in fields(Move)]
    tables.write_csv(out / "moved.csv", [heads, *map(astuple, moves)])
    for result in results:
        store.save(result)
    shutil.rmtree(store.records)
    fresh.rename(store.records)
    report(out)
    return moves


def _moves(before: Result, now: Result, changed: Mapping) -> Iterator[Move]:
    """The scores of one file that moved."""
    for task, parts in changed[now.notebook].items():
        old = before.tasks[task].points if task in before.tasks else 0
        if old != now.tasks[task].points:
            why = " and ".join(parts)
            yield Move(now.learner, now.file, task, old, now.tasks[task].points, why)


def _changed(
    store: Store, before: Assignments, now: Assignments
) -> dict[str, dict[str, list[str]]]:
    """Notebook → task → which parts of it are no longer what they were."""
    changed: dict[str, dict[str, list[str]]] = {}
    for name in sorted({result.notebook for result in store.all() if result.notebook}):
        old, new = before.digests(name), now.digests(name)
        for task, parts in new.items():
            others = [
                part for part, digest in parts.items() if digest != old.get(task, {}).get(part)
            ]
            if others:
                changed.setdefault(name, {})[task] = others
    return changed
