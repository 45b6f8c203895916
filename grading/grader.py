"""Grades a class: submissions in, results and tables out."""

import contextlib
import hashlib
import io
import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, astuple, dataclass, fields
from itertools import islice
from pathlib import Path
from types import ModuleType

from tqdm.auto import tqdm

from grading import pages, reading, tables
from grading.marking import Assignment, Result, Server, ask, mark
from grading.results import Store, write
from grading.sandbox import wire
from grading.submissions import CannotGrade, NoSubmissions, Submission, Unreadable, find
from grading.tables import Learner
from utils.checks import bank
from utils.checks.tasks import Record


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
        same = [one.task for one in made.public.values()] == [
            one.task for one in made.fresh.values()
        ]
        digests = {task: _digests(made, task) for task in made.public} if same else {}
        if known and digests != self.digests(name):
            raise CannotGrade(
                f"The exercises of {name} have changed since they were graded. First mark again "
                "what that changes: python -m grading regrade"
            )
        if not same:
            raise CannotGrade(
                f"The exercises of {name} are not what their specifications say. Build them: make "
                "exercises"
            )
        write(path.with_suffix(".digests"), json.dumps(digests, indent=1))
        return made

    def digests(self, name: str) -> dict[str, dict[str, str]]:
        """What the tasks of a notebook were like when its records were made."""
        return json.loads((self._folder / f"{name}.digests").read_text(encoding="utf-8"))


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
    build = _builder()
    with contextlib.redirect_stdout(io.StringIO()):
        return build.records_of(build.SOURCE / f"{name}.ipynb", seed)


def _builder() -> ModuleType:
    try:
        from solutions import build  # learners have none, and need none
    except ImportError:
        raise CannotGrade(
            "Grading compares with what the solutions return, and there is no folder `solutions/` "
            "here. Grade in a full copy of the course."
        ) from None
    return build


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
        only: grade only files whose path has this in it; what is known of the others stays.
        resume: go on in a folder that holds grades already.
        safe: in the sandbox.

    Raises:
        CannotGrade: the folder holds grades already, or there are no solutions.
        NoSubmissions, NoSandbox: see there.
    """
    public_seed = _builder().PUBLIC_SEED
    if out.resolve().is_relative_to(source.resolve()):
        raise CannotGrade(f"{out} lies among the submissions. Name a folder outside for --out.")
    _check_writable(out)
    if seed == public_seed:
        raise CannotGrade(f"The seed {seed} draws the inputs that learners have. Name another.")
    submissions = [one for one in find(source) if only in one.file]
    if not submissions:
        raise NoSubmissions(f"No file in {source} has {only!r} in its path.")
    store = Store(out)
    if store.run and not resume:
        raise CannotGrade(f"{out} holds grades already. Go on with --resume, or name another.")
    if store.run and seed not in (None, store.run["seed"]):
        raise CannotGrade(f"{out} was begun with another seed. Leave --seed out, or name another.")
    seed = store.run.get("seed", secrets.randbits(40) if seed is None else seed)
    assignments = Assignments(store.records, seed)
    with Server(safe) as server:
        safe = safe and store.run.get("safe", True)
        store.start(seed=seed, source=str(source.resolve()), safe=safe)
        with _Tables(out, store) as known:
            waiting = [one for one in submissions if not known.knows(one)]
            run(waiting, lambda one: _marked(one, assignments, server), known.keep, workers)
    return report(out)


def _check_writable(out: Path) -> None:
    """Before anything is started: whether the grades can go there, which need not exist yet.

    Raises:
        CannotGrade: they cannot.
    """
    path = out.absolute()
    there = next(one for one in (path, *path.parents) if os.path.lexists(one))
    if not there.is_dir():
        raise CannotGrade(f"{there} is not a folder. Name another for --out.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise CannotGrade(f"{there} cannot be written to. Name another folder for --out.")


def _marked(submission: Submission, assignments: Assignments, server: Server) -> Result:
    """The result of a file, even where the grader itself has a fault."""
    try:
        return mark(submission, assignments, server)
    except CannotGrade:
        raise
    except Exception as error:
        if server.ended:
            raise CannotGrade(
                "The process that runs the submissions has ended: is there enough memory? What is "
                "graded is kept: go on with --resume."
            ) from error
        fault = f"a fault of the grader, not of the file ({type(error).__name__}: {error})"
        learner, lms, id, file = astuple(submission)[:4]
        return Result(learner, lms, id, file, problem=fault)


class _Tables:
    """Keeps each result at once, and the tables never far behind.

    Args:
        out: where the tables are.
        store: where the results are.
    """

    def __init__(self, out: Path, store: Store):
        self._out, self._store = out, store
        self._known = {one.file: tables.brief(one) for one in store.all()}
        self._next = time.monotonic() + 1

    def __enter__(self) -> "_Tables":
        return self

    def __exit__(self, *_) -> None:
        self._write()

    def knows(self, submission: Submission) -> bool:
        """Whether this very file has its result."""
        result = self._known.get(submission.file)
        return result is not None and not result.problem and _digest(submission) == result.digest

    def keep(self, result: Result) -> None:
        self._store.save(result)
        self._known[result.file] = tables.brief(result)
        if time.monotonic() >= self._next:
            self._write()

    def _write(self) -> None:
        began = time.monotonic()
        write_tables(
            tables.learners([self._known[file] for file in sorted(self._known)]), self._out
        )
        ended = time.monotonic()
        self._next = ended + max(1.0, 20 * (ended - began))  # a twentieth of the time at most


def write_tables(class_: Sequence[Learner], out: Path) -> list[str]:
    """Write grades.csv and files.csv; what of marks.csv could not be used comes back in words."""
    complaints = tables.read_marks(out / "marks.csv", class_)
    tables.write_grades(class_, out / "grades.csv")
    tables.write_files(class_, out / "files.csv")
    return complaints


def run(
    submissions: Sequence[Submission],
    work: Callable[[Submission], Result],
    keep: Callable[[Result], None],
    workers: int | None,
) -> None:
    """Give every submission its result, several at a time, and keep each at once."""
    workers = workers or os.cpu_count() or 1
    rest = iter(submissions)
    pool = ThreadPoolExecutor(workers)
    with tqdm(total=len(submissions), desc="graded", unit=" files") as bar:
        running: set[Future] = set()
        try:
            while True:
                for submission in islice(rest, 2 * workers - len(running)):
                    running.add(pool.submit(work, submission))
                if not running:  # few wait at a time: memory does not grow with the class
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    keep(future.result())
                    bar.update()
        finally:  # whoever stops the grader does not wait for what is running
            pool.shutdown(wait=False, cancel_futures=True)


def report(out: Path) -> list[Result]:
    """Write all tables and pages from what is known."""
    results = list(Store(out).all())
    class_ = tables.learners(results)
    for complaint in write_tables(class_, out):
        print(complaint, file=sys.stderr)
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
    seed, source = store.run["seed"], Path(store.run["source"])
    draft = store.draft()
    before, now = (Assignments(one.records, seed) for one in (store, draft))
    changed = _changed(store, before, now)
    submissions = {one.file: one for one in find(source)}
    again = [one.file for one in store.all() if one.notebook in changed]
    for file in again:
        if file not in submissions or _digest(submissions[file]) != store.load(file).digest:
            raise CannotGrade(
                f"{file} is not what was graded any more, in {source}. Put it back, or grade it "
                "with --resume. Nothing was changed."
            )

    def marked(submission: Submission) -> Result:
        result = store.load(submission.file)
        tasks = changed[result.notebook]
        cells = reading.read(submission.read(), submission.file).cells
        result.flags = [one for one in result.flags if one.split()[0] not in tasks]
        for gone in set(tasks) - set(now[result.notebook].public):
            result.tasks.pop(gone, None)
        left = [task for task in now[result.notebook].public if task in tasks]
        ask(result, cells, now[result.notebook], left, server)
        if result.problem:
            raise CannotGrade(f"{result.file}: {result.problem}. Nothing was changed.")
        return result

    moves: list[Move] = []

    def keep(result: Result) -> None:
        draft.save(result)
        moves.extend(_moves(store.load(result.file), result, changed))

    if again:
        with Server(store.run["safe"]) as server:
            run([submissions[file] for file in again], marked, keep, None)
    moves.sort(key=lambda move: (move.learner, move.file, move.task))
    if changed:
        heads = [field.name for field in fields(Move)]
        tables.write_csv(out / "moved.csv", [heads, *map(astuple, moves)])
    draft.publish()
    report(out)
    return moves


def _digest(submission: Submission) -> str:
    """Of the bytes of a file; nothing where they cannot be read."""
    try:
        return hashlib.sha256(submission.read()).hexdigest()
    except Unreadable:
        return ""


def _moves(before: Result, now: Result, changed: Mapping) -> Iterator[Move]:
    """The scores of one file that moved."""
    for task, parts in changed[now.notebook].items():
        old, new = (one.tasks[task].points if task in one.tasks else 0 for one in (before, now))
        if old != new:
            yield Move(now.learner, now.file, task, old, new, " and ".join(parts))


def _changed(
    store: Store, before: Assignments, now: Assignments
) -> dict[str, dict[str, list[str]]]:
    """Notebook → task → which parts of it are no longer what they were."""
    changed: dict[str, dict[str, list[str]]] = {}
    for name in sorted({result.notebook for result in store.all() if result.notebook}):
        now[name]  # makes its records
        old, new = before.digests(name), now.digests(name)
        for task in [*new, *(task for task in old if task not in new)]:
            parts, known = new.get(task, {}), old.get(task, {})
            others = [part for part in parts or known if parts.get(part) != known.get(part)]
            if others:
                changed.setdefault(name, {})[task] = others
    return changed
