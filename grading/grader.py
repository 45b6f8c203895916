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
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, astuple, dataclass, fields, replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from tqdm.auto import tqdm

from grading.intake.limited_reader import Reader
from grading.intake.submissions import (
    CannotGrade,
    NoSubmissions,
    Submission,
    Unreadable,
    find,
    find_learner,
    key_of,
    some,
)
from grading.report import pages, tables
from grading.report.store import Store, disk_is_full, write
from grading.report.tables import Lateness, Learner
from grading.report.unrecognised import Names
from grading.run import protocol
from grading.run.cluster import AT_A_TIME, Cluster, NodeLost
from grading.run.dialog import Assignment
from grading.run.launcher import Launcher, processors
from grading.run.scoring import Result, ask, mark
from grading.shards import Shard, check
from utils.checks import bank
from utils.checks.tasks import Record

MOST_LOST = 3  # nodes of a cluster: another submission may fare better
LOST = f"{MOST_LOST} nodes were lost while it ran on them; grade it again with --resume"


class Assignments(Mapping):
    """The course's notebooks as this class is graded on them, each made on first use.

    Args:
        folder: keeps the fresh records, so that a resumed run uses the same.
        seed: of the fresh cases.
        names: mistakes that this class has named.
    """

    def __init__(self, folder: Path, seed: int, names: Names):
        self._folder, self._seed, self._names = folder, seed, names
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
        same = [record.task for record in made.public.values()] == [
            record.task for record in made.fresh.values()
        ]
        public = {task: self._names.taught(record) for task, record in made.public.items()}
        made = replace(made, public=public)
        digests = {task: _digests(made, task) for task in made.public} if same else {}
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
        return made

    def digests(self, name: str) -> dict[str, dict[str, str]]:
        """The digests of a notebook's tasks when its records were made."""
        return json.loads((self._folder / f"{name}.digests").read_text(encoding="utf-8"))


def _digests(assignment: Assignment, task: str) -> dict[str, str]:
    """A digest of each part of a task, to tell when the part has changed."""
    records = assignment.public[task], assignment.fresh[task]
    facts = asdict(records[0].task)
    parts = {
        "the points": facts.pop("points"),
        "the known mistakes": [
            facts.pop("mistakes"),
            [asdict(record)["mistaken"] for record in records],
        ],
        "the inputs": [asdict(record)["cases"] for record in records],
        "what is expected": [asdict(record)["expected"] for record in records],
        "how it is asked": facts,
    }
    return {
        part: hashlib.sha256(protocol.pack(content)).hexdigest()[:16]
        for part, content in parts.items()
    }


def fresh_records(name: str, seed: int) -> list[Record]:
    """The records of a notebook's tasks, with cases from a seed.

    Raises:
        CannotGrade: the solutions are missing.
    """
    build = _builder()
    with contextlib.redirect_stdout(io.StringIO()):
        return build.records_of(build.SOURCE / f"{name}.ipynb", seed)


def _builder() -> ModuleType:
    try:
        from solutions import build  # learners have none
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
    again: str = "",
    late: str | None = None,
    column: str | None = None,
    shard: Shard | None = None,
    scheduler: str = "",
) -> list[Result]:
    """Grade everything that was handed in.

    Args:
        source: a folder or a zip file.
        out: where the grades go.
        seed: of the fresh cases; by default drawn, and kept with the grades.
        workers: submissions at a time; by default the number of processors, or with a scheduler
            `AT_A_TIME`.
        only: grade only files whose path contains this; results of the others stay.
        resume: continue in a folder that holds grades already.
        safe: in the sandbox.
        again: mark this learner anew, and nobody else; continues as `resume` does.
        late: which file counts and what being late costs, as `tables.Lateness` reads it; by
            default as before, or the best.
        column: what Canvas calls the assignment; by default as before, or "Grade".
        shard: grade this part of the class, and write no tables: `merge` does. By default as
            before, or the whole class.
        scheduler: address of a Dask cluster on whose nodes, in their sandboxes, submissions run.

    Raises:
        CannotGrade: the folder holds grades already, another grader is at work in it, two
            learners cannot be told apart, or there are no solutions.
        NoSubmissions, NoSandbox: see there.
    """
    public_seed = _builder().PUBLIC_SEED
    if out.resolve().is_relative_to(source.resolve()):
        raise CannotGrade(f"{out} lies among the submissions. Name a folder outside for --out.")
    _check_writable(out)
    if seed == public_seed:
        raise CannotGrade(f"The seed {seed} draws the inputs that learners have. Name another.")
    everything = find(source, _tell)
    chosen = find_learner(again, {(one.learner, one.id) for one in everything}) if again else ""
    submissions = [
        one
        for one in everything
        if only in one.file and chosen in ("", key_of(one.learner, one.id))
    ]
    if not submissions:
        raise NoSubmissions(f"No file in {source} has {only!r} in its path.")
    with Store(out).alone():
        store = Store(out)
        before = store.run
        if before:
            shard = shard or Shard.of_run(before)
            _check_continues(store, out, source, everything, seed, shard, resume or bool(again))
        elif shard and seed is None:
            raise CannotGrade("All shards of a class need the same seed. Name it with --seed.")
        own = {one.file for one in (shard.part(everything) if shard else everything)}
        seed = before.get("seed", secrets.randbits(40) if seed is None else seed)
        assignments = Assignments(store.records, seed, Names(out))
        workers = workers or (AT_A_TIME if scheduler else processors())
        with Reader() as reader, _launcher(safe, workers, scheduler) as launcher:
            store.start(
                seed=seed,
                source=str(source.resolve()),
                safe=safe and before.get("safe", True),
                late=late or before.get("late", tables.BEST),
                column=column or before.get("column", "Grade"),
                **(shard.facts(everything) if shard else {}),
            )
            if gone := store.leave(own):
                _tell(f"Removed or renamed, and no longer in the grades: {some(gone)}")
            with _Tables(out, store) as known:
                waiting = [
                    one for one in submissions if one.file in own and (again or not known.has(one))
                ]
                run(
                    waiting,
                    lambda submission, alone: _marked(
                        submission, assignments, launcher, alone, reader.read
                    ),
                    known.keep,
                    workers,
                )
        return list(store.all()) if shard else report(out)


def _launcher(safe: bool, workers: int, scheduler: str) -> Launcher | Cluster:
    if scheduler and not safe:
        raise CannotGrade("Without a sandbox, submissions run on no cluster: leave --unsafe out.")
    return Cluster(scheduler, _tell) if scheduler else Launcher(safe, workers)


def merge(folders: Sequence[Path], out: Path) -> list[Result]:
    """Put the shards of a class together, as if one run had graded it.

    Args:
        folders: of the shards, in any order.
        out: where the grades go.

    Raises:
        CannotGrade: these are not the shards of one class, all of them, and done; or `out` holds
            grades already.
    """
    _builder()
    _check_writable(out)
    shards = {folder: Store(folder) for folder in folders}
    check(shards)
    with Store(out).alone():
        store = Store(out)
        if store.run:
            raise CannotGrade(f"{out} holds grades already. Name another folder for --out.")
        store.adopt(shards.values())
        runs = [shard.run for shard in shards.values()]
        run = {name: runs[0][name] for name in ("seed", "source", "safe", "late", "column")}
        store.start(**run | {"safe": all(one["safe"] for one in runs)})
        store.leave({file for shard in shards.values() for file in shard.files()})
        return report(out)


def _check_continues(
    store: Store,
    out: Path,
    source: Path,
    everything: Collection[Submission],
    seed: int | None,
    shard: Shard | None,
    wanted: bool,
) -> None:
    """Check that a folder that holds grades is the one to go on in.

    Raises:
        CannotGrade: it is not.
    """
    if not wanted:
        raise CannotGrade(f"{out} holds grades already. Go on with --resume, or name another.")
    if seed not in (None, store.run["seed"]):
        raise CannotGrade(f"{out} was begun with another seed. Leave --seed out, or name another.")
    if shard != Shard.of_run(store.run):
        raise CannotGrade(f"{out} was begun with another --shard, or none. Name another folder.")
    known = store.files()
    if known and known.isdisjoint(one.file for one in everything):
        raise CannotGrade(
            f"Nothing that was graded into {out} is in {source}. Is it the right one? If so, name "
            "another folder for --out."
        )


def _tell(line: str) -> None:
    tqdm.write(line, file=sys.stderr)  # above the bar, if there is one


def _check_writable(out: Path) -> None:
    """Check, before anything starts, that the grades can go there; it need not exist yet.

    Raises:
        CannotGrade: they cannot.
    """
    path = out.absolute()
    there = next(folder for folder in (path, *path.parents) if os.path.lexists(folder))
    if not there.is_dir():
        raise CannotGrade(f"{there} is not a folder. Name another for --out.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise CannotGrade(f"{there} cannot be written to. Name another folder for --out.")


def _marked(
    submission: Submission, assignments: Assignments, launcher: Launcher | Cluster, *more: Any
) -> Result | None:
    """What `mark` returns, and a result even if the grader itself fails."""
    try:
        for _ in range(MOST_LOST):
            with contextlib.suppress(NodeLost):
                return mark(submission, assignments, launcher, *more)
        return Result.for_file(submission, LOST)
    except CannotGrade:
        raise
    except Exception as error:
        if disk_is_full(error):
            raise
        if launcher.server_ended:
            raise CannotGrade(
                "The process that runs the submissions has ended: is there enough memory? What is "
                "graded is kept: go on with --resume."
            ) from error
        fault = f"a fault of the grader, not of the file ({type(error).__name__}: {error})"
        return Result.for_file(submission, fault)


class _Tables:
    """Saves each result at once, and keeps the tables nearly up to date.

    Args:
        out: where the tables are.
        store: where the results are.
    """

    def __init__(self, out: Path, store: Store):
        self._out, self._store = out, store
        self._known = {result.file: tables.brief(result) for result in store.all()}
        self._next = time.monotonic() + 1

    def __enter__(self) -> "_Tables":
        return self

    def __exit__(self, *_) -> None:
        self._write()

    def has(self, submission: Submission) -> bool:
        """Whether there is a result for this very file."""
        result = self._known.get(submission.file)
        return result is not None and not result.problem and _digest(submission) == result.digest

    def keep(self, result: Result) -> None:
        self._store.save(result)
        self._known[result.file] = tables.brief(result)
        if time.monotonic() >= self._next:
            self._write()

    def _write(self) -> None:
        if "shard" in self._store.run:  # the tables are about a whole class
            return
        began = time.monotonic()
        known = [self._known[file] for file in sorted(self._known)]
        write_tables(_class_of(known, self._store), self._out, self._store)
        ended = time.monotonic()
        self._next = ended + max(1.0, 20 * (ended - began))  # at most a twentieth of the time


def _class_of(results: Iterable[Result], store: Store) -> list[Learner]:
    return tables.learners(results, Lateness.of(store.run["late"]))


def write_tables(class_: Sequence[Learner], out: Path, store: Store) -> list[str]:
    """Write grades.csv and files.csv; complaints about marks.csv."""
    complaints = tables.read_marks(out / "marks.csv", class_)
    tables.write_grades(class_, out / "grades.csv", store.run["column"])
    tables.write_files(class_, out / "files.csv", store.gone())
    return complaints


def run(
    submissions: Sequence[Submission],
    work: Callable[[Submission, bool], Result | None],
    keep: Callable[[Result], None],
    workers: int,
) -> None:
    """Give every submission its result, several at a time, and keep each as it comes.

    Args:
        submissions: the files.
        work: gives a result. Told that the submission is not alone, it may give none where the
            others could be to blame; last, the submission is then tried alone.
        keep: keeps a result.
        workers: how many at a time.
    """
    rest, again = iter(submissions), []
    pool = ThreadPoolExecutor(workers)
    with tqdm(total=len(submissions), desc="graded", unit=" files") as bar:
        running: dict[Future, Submission] = {}
        try:
            while True:
                for submission in islice(rest, 2 * workers - len(running)):
                    running[pool.submit(work, submission, workers == 1)] = submission
                if not running:  # only a few are pending: memory does not grow with the class
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    submission, result = running.pop(future), future.result()
                    if result is None:
                        again.append(submission)
                        continue
                    keep(result)
                    bar.update()
            for submission in again:
                keep(work(submission, True))
                bar.update()
        finally:  # Ctrl-C does not wait for what is running
            pool.shutdown(wait=False, cancel_futures=True)


def report(out: Path) -> list[Result]:
    """Write all tables and pages from the results so far."""
    store = Store(out)
    results = list(store.all())
    class_ = _class_of(results, store)
    for complaint in write_tables(class_, out, store):
        _tell(complaint)
    for name, count in Counter(name for one in class_ for name in one.results).items():
        if 10 * count < len(class_):  # perhaps a mistake of theirs, which costs the others
            _tell(
                f"Only {count} of {len(class_)} learners handed in {name}: its points are among "
                "those that are possible for everybody."
            )
    tables.write_tasks(class_, out / "tasks.csv")
    tables.write_marks(class_, out / "marks.csv")
    pages.write_pages(class_, Names(out), out, store.run["safe"])
    return results


def show(out: Path, name: str) -> Iterator[str]:
    """What is known of one learner, in lines.

    Args:
        out: the folder of the grades.
        name: the learner's name or number.

    Raises:
        CannotGrade: there are no grades, or nobody is called that, or several are.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    class_ = _class_of(store.all(), store)
    tables.read_marks(out / "marks.csv", class_)
    chosen = find_learner(name, {(learner.name, learner.id) for learner in class_})
    learner = next(one for one in class_ if one.key == chosen)
    yield f"{learner.key}: {learner.points:g} of {tables.possible(class_)} points"
    for result in learner.files:
        yield f"  {result.file}: {result.problem or learner.standing(result)}"
        for task, outcome in result.tasks.items():
            said = outcome.mistake or outcome.reason.words
            yield f"    {task}: {outcome.points} of {outcome.of}, {said}"
        yield from (f"    to look at: {flag}" for flag in [*result.flags, *result.elsewhere])
    for part, (points, remark) in (learner.marks | learner.overrides).items():
        yield f"  {part}: {points:g} by you. {remark}".rstrip()
    yield f"  {out / 'learners' / pages.page_names(class_)[chosen]}"


@dataclass(frozen=True)
class Move:
    """A score that moved: points before and after, and which parts of the task changed."""

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
    """Mark again what a corrected specification changes, and nothing else.

    Args:
        out: the folder of the grades. The submissions have to be where they were.

    Raises:
        CannotGrade: there are no grades in it, or a submission has changed.
        NoSubmissions, NoSandbox: see there.
    """
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    if "shard" in store.run:
        raise CannotGrade(f"{out} holds one shard of a class. Merge all of them first.")
    with store.alone():
        return _regrade(out, Store(out))


def _regrade(out: Path, store: Store) -> list[Move]:
    seed, source = store.run["seed"], Path(store.run["source"])
    draft = store.draft()
    names = Names(out)
    before, now = (Assignments(kept.records, seed, names) for kept in (store, draft))
    changed = _changed(store, before, now)
    submissions = {submission.file: submission for submission in find(source)}
    again = [result.file for result in store.all() if result.notebook in changed]
    for file in again:
        if file not in submissions or _digest(submissions[file]) != store.load(file).digest:
            raise CannotGrade(
                f"{file} is not what was graded, in {source}. Put it back, or grade it with "
                "--resume. Nothing was changed."
            )

    def marked(submission: Submission, alone: bool) -> Result | None:
        result = store.load(submission.file)
        tasks = changed[result.notebook]
        notebook = reader.read(submission)[1]
        for removed in set(tasks) - set(now[result.notebook].public):
            result.tasks.pop(removed, None)
        left = [task for task in now[result.notebook].public if task in tasks]
        if ask(result, notebook, now[result.notebook], left, launcher) and not alone:
            return None
        if result.problem:
            raise CannotGrade(f"{result.file}: {result.problem}. Nothing was changed.")
        return result

    moves: list[Move] = []

    def keep(result: Result) -> None:
        draft.save(result)
        moves.extend(_moves(store.load(result.file), result, changed))

    if again:
        workers = processors()
        with Reader() as reader, Launcher(store.run["safe"], workers) as launcher:
            run([submissions[file] for file in again], marked, keep, workers)
    moves.sort(key=lambda move: (move.learner, move.file, move.task))
    if changed:
        heads = [field.name for field in fields(Move)]
        tables.write_csv(out / "moved.csv", [heads, *map(astuple, moves)])
    draft.drop_gone()
    draft.publish()
    report(out)
    return moves


def _digest(submission: Submission) -> str:
    """Of the bytes of a file; "" where they cannot be read."""
    try:
        return hashlib.sha256(submission.read()).hexdigest()
    except Unreadable:
        return ""


def _moves(before: Result, now: Result, changed: Mapping) -> Iterator[Move]:
    """The scores of one file that moved."""
    for task, parts in changed[now.notebook].items():
        old, new = (
            result.tasks[task].points if task in result.tasks else 0 for result in (before, now)
        )
        if old != new:
            yield Move(now.learner, now.file, task, old, new, " and ".join(parts))


def _changed(
    store: Store, before: Assignments, now: Assignments
) -> dict[str, dict[str, list[str]]]:
    """Notebook → task → which of its parts have changed."""
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
