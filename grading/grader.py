"""Grade a class: find, read, run and score the files handed in; store and report the results.

`grade` does all of it; the steps that it takes stand below it. Then come two later commands: `show`
lists the results of one learner, `regrade` grades again what a corrected exercise changes.
"""

import contextlib
import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import astuple, dataclass, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from grading.assignments import Assignments, builder, draw
from grading.intake.class_file import ClassFile, parts_of
from grading.intake.class_file import read as read_class_file
from grading.intake.limited_reader import Reader
from grading.intake.platforms import PLATFORMS
from grading.intake.submissions import (
    CannotGrade,
    Submission,
    Unreadable,
    find,
    find_learner,
    key_of,
    some,
)
from grading.names import Names
from grading.report import pages, tables
from grading.report.store import Store, disk_is_full, rules_of
from grading.report.tables import Learner
from grading.run.answers import Answers
from grading.run.cluster import AT_A_TIME, Cluster, NodeLost
from grading.run.drawing import Drawing
from grading.run.grading import Grading
from grading.run.launcher import Launcher, NoSandbox, processors
from grading.run.scoring import USED_UP, Result, score_submission, score_tasks
from grading.text import visible
from utils.checks.limits import limited
from utils.pretrained import is_here

MEMORY = 2**30  # bytes of this process, beyond what it has before anything is graded
MEMORY_OF_ONE = 2**25  # bytes more for each submission at a time: threads have stacks
MEMORY_OF_FILE = 2**19  # bytes more for each file of the class: its row and its page
MOST_LOST = 3  # nodes of a cluster that one submission may lose before it is given up
LOST = f"{MOST_LOST} nodes were lost while it ran on them; grade it again with --resume"


@dataclass(frozen=True)
class Options:
    """How to grade what was handed in.

    Args:
        seed: seed of the fresh cases; by default drawn, and kept with the grades.
        workers: number of submissions at a time; by default the number of processors, or with a
            scheduler `AT_A_TIME`.
        resume: whether to continue in a folder that holds grades already.
        safe: whether to use the sandbox.
        apart: whether submissions run as the user `nobody` where there is no sandbox; root only.
        again: name or number of the only learner to grade, anew; continues as `resume` does.
        scheduler: address of a Dask cluster on whose nodes, in their sandboxes, submissions run.
        class_file: what the class is graded by; by default as before, or no file.
    """

    seed: int | None = None
    workers: int | None = None
    resume: bool = False
    safe: bool = True
    apart: bool = False
    again: str = ""
    scheduler: str = ""
    class_file: Path | None = None

    @property
    def at_a_time(self) -> int:
        return self.workers or (AT_A_TIME if self.scheduler else processors())

    def launcher(self) -> Launcher | Cluster:
        """Start what starts workers."""
        if self.scheduler:
            return Cluster(self.scheduler, _log)
        return Launcher(self.safe, self.at_a_time, self.apart)


def grade(source: Path, out: Path, options: Options = Options()) -> list[Learner]:
    """Grade everything that was handed in, and return all learners with their results.

    Args:
        source: a folder or a zip file.
        out: folder for the grades.

    Raises:
        CannotGrade: the folder holds grades already, another grader is at work in it, two learners
            cannot be told apart, or there are no solutions.
        NoSubmissions, NoSandbox: see these classes.
    """
    _check(source, out, options)
    everything = find(source, _log)
    chosen = _chosen(everything, options)
    with Store(out).alone(), Drawing(draw) as drawing:
        store = Store(out)
        settings = _settings(store, source, everything, options)
        rules = rules_of(settings)
        _log_about(rules, everything)
        seed, names = settings["seed"], Names(out)
        assignments = Assignments(store.records, seed, names, drawing.draw, rules.notebooks)
        workers, files = options.at_a_time, len(everything)
        started = _started(assignments, options.launcher(), options.safe)
        with started as grading, _limited(workers, files):
            gone_before = {*store.run.get("gone", [])}
            store.start(**settings)
            gone = store.leave({submission.file for submission in everything})
            for line in _about_gone(gone, gone_before):
                _log(line)
            waiting = [each for each in chosen if options.again or not _is_graded(each, store)]
            try:
                run(waiting, partial(_score, grading), store.save, workers)
            finally:  # whoever stops it has current tables, too
                write_tables(tables.learners(map(tables.brief, store.all()), rules), out, store)
        with _limited(workers, files):
            return report(out)


def _check(source: Path, out: Path, options: Options) -> None:
    """Check, before anything is read, that these can be graded so.

    Raises:
        CannotGrade: they cannot.
    """
    public_seed = builder().PUBLIC_SEED
    if out.resolve().is_relative_to(source.resolve()):
        raise CannotGrade(f"{out} lies among the submissions. Name a folder outside for --out.")
    _check_writable(out)
    if options.seed == public_seed:
        raise CannotGrade(
            f"The seed {public_seed} draws the inputs that learners have. Name another."
        )
    if options.scheduler and not options.safe:
        raise CannotGrade("Without a sandbox, submissions run on no cluster: leave --unsafe out.")


def _chosen(everything: Sequence[Submission], options: Options) -> list[Submission]:
    """Return the submissions to grade: all, or those of the learner to grade anew.

    Raises:
        CannotGrade: the name fits no learner or several, or the class file is wrong.
    """
    people = {(submission.learner, submission.id) for submission in everything}
    if options.class_file:
        people = read_class_file(options.class_file).with_names(people)
    if not options.again:
        return list(everything)
    key = find_learner(options.again, people, _log)
    return [each for each in everything if key_of(each.learner, each.id) == key]


def _settings(
    store: Store, source: Path, everything: Sequence[Submission], options: Options
) -> dict[str, Any]:
    """Return the settings to start with: those of the grades that are there already go on.

    Raises:
        CannotGrade: with these options, or with this source, they do not go on.
    """
    before, out, graded = store.run, store.out, store.files()
    if before and not (options.resume or options.again):
        raise CannotGrade(f"{out} holds grades already. Go on with --resume, or name another.")
    if before and options.seed not in (None, before["seed"]):
        raise CannotGrade(f"{out} was begun with another seed. Leave --seed out, or name another.")
    if graded and graded.isdisjoint(submission.file for submission in everything):
        raise CannotGrade(
            f"Nothing that was graded into {out} is in {source}. Is it the right one? If so, "
            "name another folder for --out."
        )
    seed = secrets.randbits(40) if options.seed is None else options.seed
    path = options.class_file
    return {
        "seed": before.get("seed", seed),
        "source": str(source.resolve()),
        "safe": options.safe and before.get("safe", True),
        "real": is_here() and before.get("real", True),
        "class_file": str(path.resolve()) if path else before.get("class_file", ""),
        "parts": before.get("parts", {}),
    }


def _about_gone(gone: Sequence[str], before: Collection[str]) -> Iterator[str]:
    """Yield a line on the files that have just gone, and one on those that went before."""
    new = [file for file in gone if file not in before]
    if new:
        yield f"Removed or renamed, and no longer in the grades: {some(new)}"
    if len(gone) > len(new):
        yield f"Gone in earlier runs, and not in the grades (files.csv): {len(gone) - len(new)}"


def _log_about(rules: ClassFile, everything: Sequence[Submission]) -> None:
    people = {(submission.learner, submission.id) for submission in everything}
    for line in [*rules.check_people(people), *_about_lateness(rules, everything)]:
        _log(line)


@contextlib.contextmanager
def _started(
    assignments: Assignments, launcher: Launcher | Cluster, safe: bool
) -> Iterator[Grading]:
    """Start what reads, runs and answers submissions, and end it afterwards."""
    with Reader(safe) as reader, Answers(safe) as answers, launcher:
        yield Grading(assignments, launcher, reader.read, answers.answer)


def _about_lateness(rules: ClassFile, submissions: Sequence[Submission]) -> Iterator[str]:
    """Yield a line if nothing tells how late files are, or not by how much."""
    if not rules.asks_when:
        return
    platform = next((each.lms for each in submissions if each.lms), "")
    times = [person.time for person in rules.roster] + [each.time for each in submissions]
    if rules.deadline is not None and any(time is not None for time in times):
        return
    if platform == "canvas":
        yield (
            "Canvas tells who is late, not by how much: each late file counts as one day late, "
            "whatever `deadline` and `grace` say."
        )
    elif platform == "moodle":
        yield (
            "The rule for late files does nothing: Moodle's files tell no times. Set the deadline, "
            "and as the roster Moodle's grading worksheet, which has the times."
        )
    elif rules.deadline is not None:
        yield f"The rule for late files does nothing. {PLATFORMS[platform].when}"
    else:
        yield "The rule for late files does nothing without a deadline: set one."


@contextlib.contextmanager
def _limited(workers: int, files: int) -> Iterator[None]:
    """Limit this process's memory: what costs more than that is a fault, and costs one file."""
    status = Path("/proc/self/status")
    if not status.exists():  # not Linux
        yield
        return
    import resource  # not on Windows

    held = next(line for line in status.read_text().splitlines() if line.startswith("VmData"))
    most = 1024 * int(held.split()[1]) + MEMORY + workers * MEMORY_OF_ONE
    most += files * MEMORY_OF_FILE
    with limited(resource.RLIMIT_DATA, most):
        yield


def _check_writable(out: Path) -> None:
    """Check, before anything starts, that grades can be written to a folder, which may be new.

    Raises:
        CannotGrade: grades cannot be written there.
    """
    path = out.absolute()
    there = next(folder for folder in (path, *path.parents) if os.path.lexists(folder))
    if not there.is_dir():
        raise CannotGrade(f"{there} is not a folder. Name another for --out.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise CannotGrade(f"{there} cannot be written to. Name another folder for --out.")


def _log(line: str) -> None:
    """Print a line for the instructor, above the progress bar if there is one."""
    tqdm.write(visible(line), file=sys.stderr)


# --- One submission, and all of them --------------------------------------------------------------


def _score(grading: Grading, submission: Submission, alone: bool) -> Result | None:
    """Score a submission like `score_submission`, but return a result even if the grader fails."""
    try:
        for _ in range(MOST_LOST):
            with contextlib.suppress(NodeLost):
                return score_submission(submission, grading, alone)
        return Result.for_file(submission, LOST)
    except (CannotGrade, NoSandbox):
        raise
    except Exception as error:
        if disk_is_full(error):
            raise
        if grading.launcher.server_ended:
            raise CannotGrade(
                "The process that runs the submissions has ended: is there enough memory? What is "
                "graded is kept: go on with --resume."
            ) from error
        fault = f"a fault of the grader, not of the file ({type(error).__name__}: {error})"
        return Result.for_file(submission, fault)


def run(
    submissions: Sequence[Submission],
    score: Callable[[Submission, bool], Result | None],
    keep: Callable[[Result], None],
    workers: int,
) -> None:
    """Score all submissions, several at a time, and store each result as soon as it is there.

    Args:
        score: function that takes a submission and whether it runs alone, and returns a result; or
            None if other submissions may have slowed it down: it is then called again at the end.
        workers: number of submissions at a time.
    """
    rest, retries = iter(submissions), []
    pool = ThreadPoolExecutor(workers)
    with tqdm(total=len(submissions), desc="graded", unit=" files") as bar:
        running: dict[Future, Submission] = {}
        try:
            while True:
                for submission in islice(rest, 2 * workers - len(running)):
                    running[pool.submit(score, submission, workers == 1)] = submission
                if not running:  # only a few are pending: memory does not grow with the class
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    submission, result = running.pop(future), future.result()
                    if result is None:
                        retries.append(submission)
                        continue
                    keep(result)
                    bar.update()
            for submission in retries:
                keep(score(submission, True))
                bar.update()
        finally:  # Ctrl-C does not wait for running submissions
            pool.shutdown(wait=False, cancel_futures=True)


def _is_graded(submission: Submission, store: Store) -> bool:
    """Return whether this file, with its present content, has been graded without a problem."""
    result = store.load(submission.file)
    return result is not None and not result.problem and _digest(submission) == result.digest


def _digest(submission: Submission) -> str:
    """Return a digest of a file's bytes; "" if they cannot be read."""
    try:
        return hashlib.sha256(submission.read()).hexdigest()
    except Unreadable:
        return ""


def write_tables(class_: Sequence[Learner], out: Path, store: Store) -> list[str]:
    """Write grades.csv and files.csv; return complaints about invalid rows in marks.csv."""
    complaints = tables.read_marks(out / "marks.csv", class_)
    tables.write_grades(class_, out / "grades.csv")
    tables.write_files(class_, out / "files.csv", store.gone())
    return complaints


def report(out: Path) -> list[Learner]:
    """Write all tables and pages from the results stored so far; return the learners with them."""
    store = Store(out)
    rules = store.rules
    brief = tables.learners(map(tables.brief, store.all()), rules)
    count = {result.file for learner in brief for result in learner.results.values()}
    results = [  # a learner may have handed in a thousand files, of which few count
        result if result.file in count else tables.without_code(result) for result in store.all()
    ]
    class_ = tables.learners(results, rules)
    for complaint in write_tables(class_, out, store):
        _log(complaint)
    for line in [*tables.about_possible(class_), *tables.about_import(class_)]:
        _log(line)
    _log_new_parts(class_, store)
    tables.write_tasks(class_, out / "tasks.csv")
    tables.write_marks(class_, out / "marks.csv")
    run = store.run
    pages.write_pages(class_, Names(out), out, run["safe"], run.get("real", True))
    return class_


def _log_new_parts(class_: Sequence[Learner], store: Store) -> None:
    """Say which tasks came since the last run, and remember those that are there now."""
    before = store.run.get("parts", {})
    if line := tables.about_new_parts(class_, before):
        _log(line)
    notebooks = class_[0].rules.notebooks if class_ else ()
    now = {name: [*parts_of(name)] for name in notebooks}
    store.start(**store.run | {"parts": before | now})


# --- Afterwards -----------------------------------------------------------------------------------


def show(out: Path, name: str) -> Iterator[str]:
    """Yield, line by line, the results of one learner, without anything that steers a terminal.

    Args:
        name: name or number of the learner.

    Raises:
        CannotGrade: there are no grades, or the name fits no learner or several.
    """
    store = _store_with_grades(out)
    class_ = tables.learners(store.all(), store.rules)
    tables.read_marks(out / "marks.csv", class_)
    people = store.rules.with_names((learner.name, learner.id) for learner in class_)
    chosen = find_learner(name, people, _log)
    learner = next(learner for learner in class_ if learner.key == chosen)
    for line in _lines_about(learner, class_, out):
        yield visible(line).replace("\n", " ")


def _lines_about(learner: Learner, class_: Sequence[Learner], out: Path) -> Iterator[str]:
    points = f"{learner.points:g} of {tables.possible(class_):g} points"
    if not learner.files:
        points = "nothing handed in, blank in grades.csv"
    elif learner.pending:
        points += " so far, pending, blank in grades.csv"
    yield f"{learner.label}: {points}"
    if learner.files and learner.missing:
        yield f"  nothing handed in for {pages.and_(learner.missing)}"
    for result in [*learner.files, *learner.tests]:
        yield f"  {result.file}: {result.problem or learner.standing(result)}"
        for task, outcome in result.tasks.items():
            reason = outcome.mistake or outcome.reason.words
            yield f"    {task}: {outcome.points} of {outcome.of}, {reason}"
        yield from (f"    to look at: {flag}" for flag in [*result.flags, *result.elsewhere])
    for part, (points, remark) in (learner.marks | learner.overrides).items():
        yield f"  {part}: {points:g} by you. {remark}".rstrip()
    yield f"  {out / 'learners' / pages.page_names(class_)[learner.key]}"


def _store_with_grades(out: Path) -> Store:
    store = Store(out)
    if not store.run:
        raise CannotGrade(f"There are no grades in {out}.")
    return store


@dataclass(frozen=True)
class Move:
    """A change of a score: points before and after, and what has become of the task."""

    learner: str
    file: str
    task: str
    before: int
    after: int
    why: str

    def __str__(self) -> str:
        change = f"{self.before} → {self.after}"
        return f"{self.learner}: {self.task} {change} ({self.file}), as {self.why}"


def regrade(out: Path) -> list[Move]:
    """Grade again the tasks that a corrected specification changes, and no others.

    Args:
        out: folder of the grades. The submissions must be where they were, or where the class
            file says.

    Raises:
        CannotGrade: there are no grades in the folder, or a submission has changed or is missing.
        NoSubmissions, NoSandbox: see these classes.
    """
    with _store_with_grades(out).alone(), Drawing(draw) as drawing:
        correction = _Correction(Store(out), Names(out), drawing)
        if again := correction.submissions():
            workers, safe = processors(), correction.store.run["safe"]
            started = _started(correction.now, Launcher(safe, workers), safe)
            with started as grading, _limited(workers, len(again)):
                run(again, partial(correction.score, grading), correction.keep, workers)
        moves = sorted(correction.moves, key=lambda move: (move.learner, move.file, move.task))
        if correction.changed:
            heads = [field.name for field in fields(Move)]
            tables.write_csv(out / "moved.csv", [heads, *map(astuple, moves)])
        correction.draft.drop_gone()
        correction.draft.publish()
        report(out)
        return moves


class _Correction:
    """Results before and after the correction of specifications.

    Args:
        store: the results that count.
        names: mistakes that this class has named.
        drawing: process that draws fresh cases.
    """

    def __init__(self, store: Store, names: Names, drawing: Drawing):
        rules = store.rules  # before anything is drawn: the class file may be wrong or gone
        self.source = rules.handed_in if rules.path else Path(store.run["source"])
        self.store, self.draft = store, store.draft()
        before, self.now = (
            Assignments(kept.records, store.run["seed"], names, drawing.draw)
            for kept in (store, self.draft)
        )
        self.changed = _changed_tasks(store, before, self.now)
        self.moves: list[Move] = []

    def submissions(self) -> list[Submission]:
        """Return the submissions to grade again.

        Raises:
            CannotGrade: one has changed or is missing.
        """
        there = {submission.file: submission for submission in find(self.source)}
        if ungraded := sorted(there.keys() - self.store.files()):
            _log(f"Not graded yet, and not now: {some(ungraded)}. Grade the class once more.")
        again = [result for result in self.store.all() if result.notebook in self.changed]
        for result in again:
            if result.file not in there or _digest(there[result.file]) != result.digest:
                raise CannotGrade(
                    f"{result.file} is not what was graded, in {self.source}. Put it back, or "
                    "grade it with --resume. Nothing was changed."
                )
        return [there[result.file] for result in again]

    def score(self, grading: Grading, submission: Submission, alone: bool) -> Result | None:
        """Score what has changed for a submission; return its whole result, as `run` asks for.

        A learner whose files never end has only so much time, as in `grade`: what is left over then
        keeps its points, and is told.
        """
        result = self.store.load(submission.file)
        if grading.budgets[result.key].spent:
            _log(f"{result.file} keeps its points: {USED_UP}.")
            return result
        public, tasks = self.now[result.notebook].public, self.changed[result.notebook]
        for removed in tasks.keys() - public.keys():
            result.tasks.pop(removed, None)
        left = [task for task in public if task in tasks]
        late = score_tasks(result, grading.read(submission)[1], left, grading, alone)
        if late and not alone:
            return None
        if result.problem:
            raise CannotGrade(f"{result.file}: {result.problem}. Nothing was changed.")
        return result

    def keep(self, result: Result) -> None:
        """Keep a result in the draft, and its moves."""
        old = self.store.load(result.file)
        for task, parts in self.changed[result.notebook].items():
            before, after = (
                graded.tasks[task].points if task in graded.tasks else 0 for graded in (old, result)
            )
            if before != after:
                there = task in self.now[result.notebook].public
                why = f"{' and '.join(parts)} changed" if there else "the task is gone"
                self.moves.append(Move(result.learner, result.file, task, before, after, why))
        self.draft.save(result)


def _changed_tasks(
    store: Store, before: Assignments, now: Assignments
) -> dict[str, dict[str, list[str]]]:
    """Return notebook → task → the parts of the task that have changed."""
    changed: dict[str, dict[str, list[str]]] = {}
    for name in sorted({result.notebook for result in store.all() if result.notebook}):
        now[name]  # makes its records
        old, new = before.digests(name), now.digests(name)
        for task in [*new, *(task for task in old if task not in new)]:
            parts, known = new.get(task, {}), old.get(task, {})
            different = [part for part in parts or known if parts.get(part) != known.get(part)]
            if different:
                changed.setdefault(name, {})[task] = different
    return changed
