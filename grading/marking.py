"""One submission: what to ask the worker, and what its answers are worth.

A task is tried on the public cases, which the learner's own notebook has checked, and on cases
drawn from the instructor's seed. The worse of the two decides the points, so that answers made for
the public cases earn nothing. What the learner is told of fresh cases holds no expected value.
"""

import hashlib
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from grading import reading
from grading.sandbox import Launcher, wire
from grading.submissions import Submission, Unreadable
from utils.checks import code
from utils.checks.calling import Trouble
from utils.checks.feedback import in_words
from utils.checks.judging import Verdict, judge
from utils.checks.reasons import Reason
from utils.checks.tasks import Answer, CallSpec, GradientKey, Record

LARGEST_REPLIES = 32 * 2**20  # maximum decoded size of a worker's replies in one round, in bytes
ROUNDS = 5  # workers that a submission may use up
SPARE = 10.0  # seconds that a worker has beyond those of one cell and one task
LONGEST_TEXT = 1000  # characters that are kept of a text from a worker
MOST_REMARKS = 100
MOST_GRADIENTS = 100  # of one answer
ENDED = {
    Reason.DONE: "Your code ended the whole process, so there was nothing left to ask. Look for "
    "`os._exit`, `os.kill`, or a crash.",
    Reason.MEMORY: "Your code took more memory than there is for a submission, and was stopped. Is "
    "a tensor far larger than it has to be?",
    Reason.TIME: "Your code was still running when its time was up, and could not be interrupted. "
    "Is there a loop that never ends?",
    Reason.WIRE: "Your code wrote into the channel that answers go through. Nothing could be read.",
}


@dataclass(frozen=True)
class Assignment:
    """One of the course's notebooks, as this class is graded on it.

    Args:
        name: of the notebook.
        public: task → the record that learners have.
        fresh: the same tasks with cases from the instructor's seed.
    """

    name: str
    public: Mapping[str, Record]
    fresh: Mapping[str, Record]

    @property
    def seconds(self) -> float:
        """How long a cell may run."""
        return max(record.task.seconds for record in self.public.values())


@dataclass
class Outcome:
    """What is known of one task of a submission.

    Args:
        points: earned.
        of: the most that can be earned.
        reason: passed, or the first thing that is wrong.
        mistake: the name of the misunderstanding, where it is a known one.
        heading, lines: what the learner is told.
        public_points: earned on the public cases alone, as the learner's notebook shows.
        expected, found, place: the small matrix of a public case that differs, and where.
    """

    points: int
    of: int
    reason: Reason
    mistake: str
    heading: str
    lines: Sequence[str]
    public_points: int
    expected: Sequence | None = None
    found: Sequence | None = None
    place: Sequence[int] = ()


@dataclass(frozen=True)
class Shortcut:
    """A call, in the cell that answers a task, that does what the learner was asked to write."""

    task: str
    call: str
    cell: int

    def __str__(self) -> str:
        return f"{self.task} uses {self.call} (cell {self.cell})"


@dataclass
class Result:
    """What is known of one file.

    Args:
        learner, lms, id, file: as in `Submission`.
        digest: of the file's bytes.
        notebook: which of the course's notebooks it answers; "" if none.
        problem: why nothing could be graded; "" if it was.
        tasks: task → outcome.
        words: question → answer in words.
        code: task → the cell that defines it.
        remarks: what was left out, and which cells failed.
        flags: for a person to look at.
    """

    learner: str
    lms: str
    id: str
    file: str
    digest: str = ""
    notebook: str = ""
    problem: str = ""
    tasks: dict[str, Outcome] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    flags: Sequence[Shortcut] = ()

    @classmethod
    def for_file(cls, submission: Submission, problem: str = "") -> "Result":
        """A result in which nothing is known yet but whose file it is."""
        own = submission.learner, submission.lms, submission.id, submission.file
        return cls(*own, problem=problem)

    @property
    def points(self) -> int:
        return sum(outcome.points for outcome in self.tasks.values())

    @property
    def of(self) -> int:
        return sum(outcome.of for outcome in self.tasks.values())


def mark(
    submission: Submission, assignments: Mapping[str, Assignment], launcher: Launcher
) -> Result:
    """Grade one file. Whatever is in it, there is a result.

    Args:
        submission: the file.
        assignments: by the name of the notebook.
        launcher: of the workers.
    """
    result = Result.for_file(submission)
    try:
        data = submission.read()
        result.digest = hashlib.sha256(data).hexdigest()
        notebook = reading.read(data, submission.file)
        assignment = assignments[notebook.name]
        result.notebook, result.words = notebook.name, notebook.words
        result.remarks = notebook.remarks
        ask(result, notebook.cells, assignment, list(assignment.public), launcher)
    except Unreadable as problem:
        result.problem = str(problem)
    return result


def ask(
    result: Result,
    cells: Sequence[reading.Cell],
    assignment: Assignment,
    tasks: Sequence[str],
    launcher: Launcher,
) -> None:
    """Enter the outcome of some tasks, and what was noticed on the way, into a result."""
    conversation = _Conversation(cells, assignment, tasks)
    for _ in range(ROUNDS):
        if not conversation.open_tasks or time.monotonic() > conversation.until:
            break
        conversation.hold(launcher)
    if conversation.open_tasks and not conversation.heard:
        result.problem = "no worker could be started for it; grade it again with --resume"
        return
    for task in tasks:
        replies = conversation.replies.get(task) or _no_answers(Reason.TIME)
        result.tasks[task] = _outcome(assignment.public[task], assignment.fresh[task], replies)
        source = [cell.source for cell in cells if task in code.defined(cell.source)]
        result.code[task] = source[-1] if source else ""
    shortcuts = _shortcuts(cells, assignment, tasks)
    result.remarks = list(dict.fromkeys([*result.remarks, *conversation.remarks]))
    result.flags = list(dict.fromkeys([*result.flags, *shortcuts]))


@dataclass(frozen=True)
class Reply:
    """What is known of one set of cases: an answer to each, or the trouble in their place.

    Args:
        answers: in the order of the cases.
        trouble: why there are none.
        printed: lines that the learner's code printed.
    """

    answers: Sequence[Answer] = ()
    trouble: Trouble | None = None
    printed: int = 0


class Replies(NamedTuple):
    """The replies to one task."""

    public: Reply
    fresh: Reply


class Place(NamedTuple):
    """What a worker is at: the number of a cell, or a task."""

    kind: Literal["cell", "task"]
    which: int | str


class _Conversation:
    """What is asked of the workers of one submission, and what they have said.

    Where a cell or a task ends its worker, the next worker goes on without it.
    """

    def __init__(self, cells: Sequence[reading.Cell], assignment: Assignment, tasks: Sequence[str]):
        self.cells = {cell.number: cell.source for cell in cells}
        self.assignment = assignment
        self.open_tasks = list(tasks)
        self.replies: dict[str, Replies] = {}
        self.remarks: list[str] = []
        self.heard = False  # anything at all
        self.seconds = 2 * assignment.seconds + SPARE  # for one worker
        self.until = time.monotonic() + 2 * self.seconds  # no worker is asked from then on

    def hold(self, launcher: Launcher) -> None:
        """Ask one worker everything that is open."""
        with launcher.launch(self.seconds) as worker, worker.stream() as stream:
            place = Place("cell", min(self.cells))
            try:
                worker.connection.sendall(self._request())
                left = LARGEST_REPLIES
                while True:
                    message, size = wire.unpack(_reader(stream), left)
                    left -= size
                    self.heard = True
                    if not isinstance(message, dict) or "end" in message:
                        break
                    place = self._heard(message, place)
                ending = "wire"
            except wire.WireError:
                ending = "wire"
            except OSError:  # it hung up, or fell silent
                ending = worker.ending()
        if self.open_tasks and ending != "failed":
            self._lost(place, Reason(ending) if ending in ENDED else Reason.DONE)

    def _request(self) -> bytes:
        tasks = []
        for task in self.open_tasks:
            records = self.assignment.public[task], self.assignment.fresh[task]
            spec = {part.name: getattr(records[0].task, part.name) for part in fields(CallSpec)}
            cases = [[vars(case) for case in record.cases] for record in records]
            tasks.append({"spec": spec, "parts": cases})
        cells = list(self.cells.items())
        return wire.pack({"cells": cells, "seconds": self.assignment.seconds, "tasks": tasks})

    def _heard(self, message: dict, place: Place) -> Place:
        """Take note of one message: where the worker is, a cell that failed, or the answers."""
        at, which, cell, task = (message.get(key) for key in ("at", "which", "cell", "task"))
        if at == "cell" and _names(which, int, self.cells):
            return Place("cell", which)
        if at == "task" and _names(which, str, self.open_tasks):
            return Place("task", which)
        if _names(cell, int, self.cells):
            error = _printable(message.get("error", ""))
            remark = f"cell {cell}: {error or 'worked when it was run once more'}"
            if remark not in self.remarks and len(self.remarks) < MOST_REMARKS:
                self.remarks.append(remark)
        elif _names(task, str, self.open_tasks):
            self._answered(task, message.get("parts"))
        return place

    def _answered(self, task: str, parts: Any) -> None:
        records = self.assignment.public[task], self.assignment.fresh[task]
        try:
            if "trouble" in parts[0]:  # whoever fails the public cases is not asked any others
                parts = parts[:1] * 2
            pairs = zip(parts, records, strict=True)
            self.replies[task] = Replies(*(_reply(part, record) for part, record in pairs))
        except Exception:  # there are more ways to be no answer than anybody foresees
            self.replies[task] = _no_answers(Reason.WIRE)
        self.open_tasks.remove(task)

    def _lost(self, place: Place, reason: Reason) -> None:
        """The worker is gone: go on without what it was at."""
        if place.kind == "cell":
            self.remarks.append(f"cell {place.which}: {ENDED[reason]}")
            self.cells.pop(place.which, None)
            if not self.cells:
                self.cells[0] = ""
        elif place.which in self.open_tasks:  # it may have been answered
            self.replies[place.which] = _no_answers(reason)
            self.open_tasks.remove(place.which)


def _reader(stream) -> wire.Receive:
    def receive(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise ConnectionError("the worker is gone")
        return data

    return receive


def _names(value: Any, kind: type, known: Container) -> bool:
    """Whether a worker names something known; what it sends may be a list, or True for 1."""
    return type(value) is kind and value in known


def _printable(value: Any) -> str:
    """A worker's text, short enough and fit to be written to a file."""
    return str(value)[:LONGEST_TEXT].encode(errors="replace").decode()


def _no_answers(reason: Reason) -> Replies:
    reply = Reply(trouble=Trouble(reason, ENDED[reason]))
    return Replies(reply, reply)


def _reply(part: dict, record: Record) -> Reply:
    """What a worker says of one set of cases.

    Raises:
        Exception: it says nothing that makes sense.
    """
    if "trouble" in part:
        value, message, where = map(_printable, part["trouble"])
        reason = Reason(value)
        if not reason.from_worker:
            raise ValueError("a reason that is not a worker's to give")
        return Reply(trouble=Trouble(reason, message, where))
    answers = [_answer(said, record.task) for said in part["answers"]]
    if len(answers) != len(record.cases):
        raise ValueError("not one answer for each case")
    printed = part["printed"]
    return Reply(answers, printed=min(printed, 10**9) if type(printed) is int else 0)


def _answer(said: dict, spec: CallSpec) -> Answer:
    outputs = {name: said["outputs"][name] for name in spec.outputs}
    gradients = {
        GradientKey(output, input): gradient for output, input, gradient in said["gradients"]
    }
    if not all(isinstance(array, np.ndarray) for array in [*outputs.values(), *gradients.values()]):
        raise ValueError("no array")
    if any(array.dtype.kind != "f" for array in gradients.values()):
        raise ValueError("gradients that are not decimal numbers")
    if len(gradients) > MOST_GRADIENTS:
        raise ValueError("more gradients than any task has")
    return Answer(outputs, gradients)


def _verdict(record: Record, reply: Reply) -> Verdict:
    if trouble := reply.trouble:
        return Verdict(record.task, trouble.reason, trouble.message, where=trouble.where)
    try:
        with np.errstate(all="ignore"):
            return judge(record, reply.answers)
    except Exception:  # arrays that no worker of ours would send
        return Verdict(record.task, Reason.WIRE, ENDED[Reason.WIRE])


def _outcome(public: Record, fresh: Record, replies: Replies) -> Outcome:
    on_public = _verdict(public, replies.public)
    on_fresh = _without_expected(_verdict(fresh, replies.fresh))
    is_model = public.task.full_marks_from is not None  # what counts is what it has never seen
    public_decides = on_public.points < on_fresh.points or not on_public.passed
    shown = on_public if public_decides and not is_model else on_fresh
    note = in_words(shown, replies.public.printed)
    comparison = shown.comparison  # never of fresh cases: they come without evidence
    return Outcome(
        points=shown.points,
        of=shown.task.points,
        reason=shown.reason,
        mistake=shown.mistake.name if shown.mistake else "",
        heading=note.heading,
        lines=note.lines,
        public_points=on_public.points,
        expected=comparison and comparison.expected.tolist(),
        found=comparison and comparison.found.tolist(),
        place=comparison.place if comparison else (),
    )


def _without_expected(verdict: Verdict) -> Verdict:
    """The same, with the case named and nothing shown of what was expected."""
    if verdict.evidence is None:
        return verdict
    seen = f" Seen with fresh inputs: {verdict.evidence.case.label}."
    return replace(verdict, message=verdict.message + seen, evidence=None)


def _shortcuts(
    cells: Sequence[reading.Cell], assignment: Assignment, tasks: Sequence[str]
) -> list[Shortcut]:
    """Calls of what a task says not to use, in the cells that define it."""
    found = []
    for task in tasks:
        forbidden = set(assignment.public[task].task.shortcuts)
        for cell in cells:
            if task in code.defined(cell.source):
                used = sorted(forbidden & code.mentioned(cell.source))
                found += [Shortcut(task, call, cell.number) for call in used]
    return found
