"""One submission: what to ask the worker, and what its answers are worth.

A task is tried on the public cases, which the learner's own notebook has checked, and on cases
drawn from the instructor's seed. The points are those of the worse of the two, so that answers made
for the public cases earn nothing. What the learner is told of fresh cases holds no expected value.
"""

import hashlib
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grading import reading, sandbox
from grading.sandbox import wire
from grading.submissions import Submission, Unreadable
from utils.checks import code
from utils.checks.feedback import in_words
from utils.checks.judging import Verdict, judge
from utils.checks.notebook import NOT_DEFINED
from utils.checks.tasks import Answer, Record

LARGEST_ANSWER = 32 * 2**20  # bytes that what a worker sends in one round may fill
ROUNDS = 5  # how often a submission may begin again after its worker was ended
SPARE = 10.0  # seconds beside those of a cell and a task, for all others
LAST_WORDS = 5.0  # seconds to wait for why a worker has hung up
MESSAGE = 1000  # letters of a message that a worker sends
REASONS = (  # what `calling.Trouble` may say; anything else is the submission's own invention
    *("nothing", "error", "time", "kind", "type", "parameters", "device", "choice"),
    *("in-place", "seed", "not defined"),
)
ENDED = {
    "done": "Your code ended the whole process, so there was nothing left to ask. Look for "
    "`os._exit`, `os.kill`, or a crash.",
    "memory": "Your code took more memory than there is for a submission, and was stopped. Is a "
    "tensor far larger than it has to be?",
    "time": "Your code was still running when its time was up, and could not be interrupted. Is "
    "there a loop that never ends?",
    "wire": "Your code wrote into the channel that answers go through. Nothing could be read.",
}


@dataclass(frozen=True)
class Assignment:
    """One of the course's notebooks, as this class is graded on it.

    Args:
        name: of the notebook.
        public: the records that learners have.
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
        reason: one word: "passed", or the first thing that is wrong.
        mistake: the name of the misunderstanding, where it is a known one.
        heading, lines: what the learner is told.
        expected, found: for a matrix of a public case that differs, both, and where.
        public_points: earned on the public cases alone: what the learner's notebook has shown.
    """

    points: int
    of: int
    reason: str
    mistake: str
    heading: str
    lines: Sequence[str]
    public_points: int
    expected: Sequence | None = None
    found: Sequence | None = None
    place: Sequence[int] = ()


@dataclass
class Result:
    """What is known of one file.

    Args:
        learner, lms, id, file: as in `Submission`.
        digest: of the file's bytes.
        notebook: which of the course's notebooks it answers, "" if none.
        problem: why nothing could be graded, "" if it was.
        tasks: task → outcome.
        words: question → answer in words.
        code: task → the cell that defines it.
        remarks: what was left out, and which cells failed.
        flags: what a person should look at.
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
    flags: Sequence[str] = ()

    @property
    def points(self) -> int:
        return sum(outcome.points for outcome in self.tasks.values())

    @property
    def of(self) -> int:
        return sum(outcome.of for outcome in self.tasks.values())


class Server:
    """The warm server, as the parent sees it. Several threads may ask it at once.

    Args:
        safe: in the sandbox.
    """

    def __init__(self, safe: bool = True):
        self._safe, self._over = safe, False
        self._lock = threading.Lock()
        self._start()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self._over = True
        self._stop()

    def _start(self) -> None:
        self._process, self._jobs = sandbox.start_server(self._safe)

    def _stop(self) -> None:
        self._jobs.close()
        self._process.communicate()  # closes its pipe too

    @property
    def ended(self) -> bool:
        """Whether it is gone, with all workers."""
        return self._process.poll() is not None

    def fork(self, seconds: float) -> tuple[socket.socket, socket.socket]:
        """A new worker: the connection to it, and the one on which its end is told."""
        connection, far_connection = socket.socketpair()
        status, far_status = socket.socketpair()
        with far_connection, far_status, self._lock:
            far = [far_connection.fileno(), far_status.fileno()]
            job = [f"{seconds:.1f}".encode().ljust(16)]
            try:
                socket.send_fds(self._jobs, job, far)
            except OSError:
                if self._over:  # nobody waits for an answer any more
                    raise
                self._stop()  # the machine had no memory left, say, and has ended it
                self._start()
                socket.send_fds(self._jobs, job, far)
        connection.settimeout(seconds + LAST_WORDS)  # the server should have ended it by then
        status.settimeout(LAST_WORDS)
        return connection, status


def mark(submission: Submission, assignments: Mapping[str, Assignment], server: Server) -> Result:
    """Grade one file. Whatever is in it, there is a result.

    Args:
        submission: the file.
        assignments: by the name of the notebook.
        server: forks the workers.
    """
    result = Result(submission.learner, submission.lms, submission.id, submission.file)
    try:
        data = submission.read()
        result.digest = hashlib.sha256(data).hexdigest()
        notebook = reading.read(data, submission.file)
        assignment = assignments[notebook.name]
        result.notebook, result.words = notebook.name, notebook.words
        result.remarks = notebook.remarks
        ask(result, notebook.cells, assignment, list(assignment.public), server)
    except Unreadable as problem:
        result.problem = str(problem)
    return result


def ask(
    result: Result,
    cells: Sequence[reading.Cell],
    assignment: Assignment,
    tasks: Sequence[str],
    server: Server,
) -> None:
    """Put the outcome of some tasks, and what was noticed on the way, into a result."""
    conversation = _Conversation(cells, assignment, tasks)
    for _ in range(ROUNDS):
        if not conversation.open_tasks or time.monotonic() > conversation.until:
            break
        conversation.hold(server)
    if conversation.open_tasks and not conversation.heard:
        result.problem = "no worker could be started for it; grade it again with --resume"
        return
    for task in tasks:
        record = assignment.public[task]
        found = conversation.found.get(task) or _trouble("time", ENDED["time"])
        result.tasks[task] = _outcome(record, assignment.fresh[task], *found)
        source = [cell.source for cell in cells if task in code.defined(cell.source)]
        result.code[task] = source[-1] if source else ""
    shortcuts = _shortcuts(cells, assignment, tasks)
    result.remarks = list(dict.fromkeys([*result.remarks, *conversation.remarks]))
    result.flags = list(dict.fromkeys([*result.flags, *shortcuts]))


class _Conversation:
    """What is asked of the workers of one submission, and what they have said.

    Where a cell or a task ends its worker, the next worker goes on without that one.
    """

    def __init__(self, cells: Sequence[reading.Cell], assignment: Assignment, tasks: Sequence[str]):
        self.cells = {cell.number: cell.source for cell in cells}
        self.assignment = assignment
        self.open_tasks = list(tasks)
        self.found: dict[str, tuple] = {}
        self.remarks: list[str] = []
        self.heard = False  # anything at all
        self.seconds = 2 * assignment.seconds + SPARE  # for one worker
        self.until = time.monotonic() + 2 * self.seconds  # no worker is asked from then on

    def hold(self, server: Server) -> None:
        """Ask one worker all that is open."""
        connection, status = server.fork(self.seconds)
        with connection, status, connection.makefile("rb") as stream:
            at: tuple[str, Any] = ("cell", min(self.cells))
            try:
                connection.sendall(self._request())
                left = LARGEST_ANSWER
                while True:
                    message, size = wire.unpack(_reader(stream), left)
                    left -= size
                    self.heard = True
                    if not isinstance(message, dict) or "end" in message:
                        break
                    at = self._heard(message, at)
                reason = "wire"
            except wire.WireError:
                reason = "wire"
            except OSError:  # it hung up, or says nothing any more
                reason = _last_words(status)
        if self.open_tasks and reason != "failed":
            self._lost(at, reason)

    def _request(self) -> bytes:
        description = []
        for task_id in self.open_tasks:
            task = self.assignment.public[task_id].task
            known = ("id", "kind", "outputs", "choices", "returns", "seconds")
            records = self.assignment.public[task_id], self.assignment.fresh[task_id]
            description.append(
                {
                    "task": {name: getattr(task, name) for name in known},
                    "parts": [[vars(case) for case in record.cases] for record in records],
                }
            )
        cells = list(self.cells.items())
        return wire.pack({"cells": cells, "seconds": self.assignment.seconds, "tasks": description})

    def _heard(self, message: dict, at: tuple[str, Any]) -> tuple[str, Any]:
        """Take note of one message: where the worker is, a cell that failed, or the answers."""
        where, which, cell, task = (message.get(key) for key in ("at", "which", "cell", "task"))
        if where == "cell" and _number(which) in self.cells:
            return "cell", which
        if where == "task" and _name(which) in self.open_tasks:
            return "task", which
        if _number(cell) in self.cells:
            error = _text(message.get("error", ""))
            note = f"cell {cell}: {error or 'worked when it was run once more'}"
            if note not in self.remarks and len(self.remarks) < 100:
                self.remarks.append(note)
        elif _name(task) in self.open_tasks:
            self._answered(task, message.get("parts"))
        return at

    def _answered(self, task_id: str, parts: Any) -> None:
        records = self.assignment.public[task_id], self.assignment.fresh[task_id]
        try:
            if "trouble" in parts[0]:  # what goes wrong with public cases is not tried with others
                parts = parts[:1] * 2
            found = tuple(_part(part, record) for part, record in zip(parts, records, strict=True))
        except Exception:  # there are more ways to be no answer than anybody thinks of
            found = _trouble("wire", ENDED["wire"])
        self.found[task_id] = found
        self.open_tasks.remove(task_id)

    def _lost(self, at: tuple[str, Any], reason: str) -> None:
        """The worker is gone: go on without what it was at."""
        kind, which = at
        message = ENDED.get(reason, ENDED["done"])
        if kind == "cell":
            self.remarks.append(f"cell {which}: {message}")
            self.cells.pop(which, None)
            if not self.cells:
                self.cells[0] = ""
        elif which in self.open_tasks:  # it may have been answered
            self.found[which] = _trouble(reason if reason in ENDED else "done", message)
            self.open_tasks.remove(which)


def _reader(stream) -> wire.Receive:
    def receive(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise ConnectionError("the worker is gone")
        return data

    return receive


def _last_words(status: socket.socket) -> str:
    """Why a worker has hung up, as its guard says it; "done" where it lives on and is silent."""
    try:
        return status.recv(16).decode() or "failed"
    except TimeoutError:
        return "done"


def _number(value: Any) -> int | None:
    return value if type(value) is int else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _text(value: Any) -> str:
    """What a worker says in words, as text that can be written to a file."""
    return str(value)[:MESSAGE].encode(errors="replace").decode()


def _trouble(reason: str, message: str) -> tuple:
    """The same trouble for the public and for the fresh cases."""
    return ((reason, message, "", 0),) * 2


def _part(part: dict, record: Record) -> tuple:
    """What a worker says of one set of cases: answers as they should be, or a trouble.

    Raises:
        Exception: it is neither.
    """
    if "trouble" in part:
        reason, message, where = map(_text, part["trouble"])
        if reason not in REASONS:
            raise ValueError("a reason of its own")
        return reason, message, where, 0
    answers = [
        Answer({name: one["outputs"][name] for name in record.task.outputs}, one["gradients"])
        for one in part["answers"]
    ]
    if len(answers) != len(record.cases):
        raise ValueError("not one answer for each case")
    values = [one for answer in answers for one in answer.outputs.values()]
    flows = [one for answer in answers for one in answer.gradients.values()]
    if not all(isinstance(one, np.ndarray) for one in (*values, *flows)):
        raise ValueError("no array")
    if any(flow.dtype.kind != "f" for flow in flows) or len(flows) > 100 * len(answers):
        raise ValueError("gradients that cannot be")
    return "", answers, "", min(_number(part["printed"]) or 0, 10**9)


def _verdict(record: Record, reason: str, said: Any, where: str) -> Verdict:
    if reason == "not defined":
        return Verdict(record.task, reason, NOT_DEFINED.format(record.task.id))
    if reason:
        return Verdict(record.task, reason, said, where=where)
    try:
        with np.errstate(all="ignore"):
            return judge(record, said)
    except Exception:  # arrays that no worker of ours would send
        return Verdict(record.task, "wire", ENDED["wire"])


def _outcome(public: Record, fresh: Record, on_public: tuple, on_fresh: tuple) -> Outcome:
    first = _verdict(public, *on_public[:3])
    second = _without_expected(_verdict(fresh, *on_fresh[:3]))
    shown = first if first.points < second.points or not first.passed else second
    if first.task.full_marks_from is not None:  # a model: what counts is what it has never seen
        shown = second
    note = in_words(shown, on_public[3])
    matrix = {}
    if shown is first and (pair := shown.matrix):
        expected, found, place = pair
        matrix = {"expected": expected.tolist(), "found": found.tolist(), "place": place}
    return Outcome(
        points=shown.points,
        of=shown.task.points,
        reason=shown.reason,
        mistake=shown.mistake.name if shown.mistake else "",
        heading=note.heading,
        lines=note.lines,
        public_points=first.points,
        **matrix,
    )


def _without_expected(verdict: Verdict) -> Verdict:
    """The same, with the case named and nothing shown of what was expected."""
    if verdict.evidence is None:
        return verdict
    seen = f" Seen with fresh inputs: {verdict.evidence.case.label}."
    return replace(verdict, message=verdict.message + seen, evidence=None)


def _shortcuts(
    cells: Sequence[reading.Cell], assignment: Assignment, tasks: Sequence[str]
) -> list[str]:
    """Calls, in the cell that defines a task, of what the task says not to use."""
    found = []
    for task in tasks:
        shortcuts = set(assignment.public[task].task.shortcuts)
        for cell in cells:
            if task in code.defined(cell.source):
                used = sorted(shortcuts & code.mentioned(cell.source))
                found += [f"{task} uses {name} (cell {cell.number})" for name in used]
    return found
