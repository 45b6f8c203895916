"""Ask the workers of one submission for its answers, and trust none of their messages.

A worker that runs a learner's test sends each call of the test back to this process. The call is
answered in a limited process (see `answers`), by an implementation that the worker does not know.
The test's decision to accept or reject this implementation is final before the next implementation
has its turn, in an order that is drawn from the instructor's seed.
"""

import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from grading.intake.submissions import CannotGrade
from grading.run import protocol, schema
from grading.run.answers import TOO_MUCH, Answered, answer_here
from grading.run.cluster import Cluster
from grading.run.grading import Assignment, Budget
from grading.run.launcher import COURSE, Ending, Launcher, Worker
from grading.text import visible
from utils import notebook_file
from utils.checks.compare import Verdict
from utils.checks.kinds import kind_of
from utils.checks.kinds.referee import Decision, Referee
from utils.checks.runner import OUR_SEED, AnswerError
from utils.checks.tasks import Answer, CallSpec, Case, Doubt, GradientKey, Reason, Record
from utils.checks.trace import LONGEST_LINE, MOST_RESULTS, MOST_STEPS, NUMBERS, Lines

LARGEST_REPLIES = 32 * 2**20  # maximum decoded size of a worker's replies in one round, in bytes
LARGEST_TRIED = 4 * 2**20  # of its reply to calls with other inputs, which are as small as ours
LARGEST_TRACED = 16 * 2**20  # of that reply with every line that ran
ROUNDS = 5  # the most workers for one submission
MOST_LATE = 2  # the most of these workers that may run out of time
SPARE = 10.0  # seconds for a worker beyond the limits of one cell and one task
ANSWERING = 10.0  # seconds of processor time for all calls of a submission's tests
LONGEST_TEXT = 1000  # characters of a worker's text that are kept
MOST_REMARKS = 100
MOST_GRADIENTS = 100  # for one case
Place = int | str  # what a worker runs: a cell, by its number, or a task, by its name
# Folders of this machine whose names stand in error messages of Python and of libraries, and in
# what the kernel tells of mounted folders, perhaps without their beginning.
PLACES = {str(COURSE), sys.prefix, sys.base_prefix, str(Path.home())} - {"/", "/usr"}
OURS = re.compile("|".join(re.escape(f"{place}/") for place in sorted(PLACES, key=len)[::-1]))
# Any other path, up to its last part; paths inside the sandbox are the same everywhere.
INSIDE = "usr|lib|lib64|bin|tmp|dev|proc"
PATH = re.compile(rf"(?:(?<=[\s'\"(\[=:,])|^)/(?!(?:{INSIDE})\b)(?:[\w.@+~-]+/)+(?=[\w.@+~-])")
ENDED = {
    Reason.DONE: "Your code ended the whole process, so there was nothing left to ask. Look for "
    "`os._exit`, `os.kill`, or a crash.",
    Reason.MEMORY: "Your code took more memory than there is for a submission, and was stopped. Is "
    "a tensor far larger than it has to be?",
    Reason.TIME: "Your code was still running when its time was up, and could not be interrupted. "
    "Is there a loop that never ends?",
    Reason.WIRE: "Your code wrote into the channel that answers go through. Nothing could be read.",
}
REASONS = {  # why a worker that has ended like this leaves tasks without an answer
    Ending.DONE: Reason.DONE,
    Ending.UNWANTED: Reason.DONE,
    Ending.MEMORY: Reason.MEMORY,
    Ending.TIME: Reason.TIME,
    Ending.CLOCK: Reason.TIME,
}


@dataclass(frozen=True)
class Reply:
    """A worker's reply to one set of cases: an answer to each case, up to the first error.

    Args:
        answers: one for each case, in order.
        error: reason why the next case has no answer; None if every case has one.
        printed: number of lines that the learner's code printed.
        doubts: what is odd in how the answers use a network.
        verdict: verdict on the public cases, called after these; None if that was not possible.
    """

    answers: Sequence[Answer] = ()
    error: AnswerError | None = None
    printed: int = 0
    doubts: Sequence[Doubt] = ()
    verdict: Verdict | None = None


class Replies(NamedTuple):
    """The replies to one task: one for its public cases, one for its fresh cases."""

    public: Reply
    fresh: Reply


class RefereedTest:
    """A learner's test and the implementations that it judges, in the public and the fresh case.

    Args:
        answer: function that calls an implementation; by default, in this process.
        attempt: how often workers were lost before. Each time the order is drawn anew, because a
            test may have learnt something of it, and the moment of its end may tell that.
    """

    def __init__(
        self,
        public: Record,
        fresh: Record,
        answer: Callable[..., Any] | None = None,
        attempt: int = 0,
    ):
        (known,), (secret,) = public.cases, fresh.cases
        again = f" {attempt}" if attempt else ""
        self.referees = [
            Referee(
                public.task.id, case, Random(f"{secret.inputs['order']} {number}{again}"), answer
            )
            for number, case in enumerate([known, secret])
        ]
        self._open = [*self.referees]

    def cases(self) -> list[list[Case]]:
        """Return the cases for a worker: random seeds, without implementations or their order."""
        return [
            [Case("", {"seeds": referee.seeds, "apart": referee.apart})]
            for referee in self.referees
        ]

    def call(self, arguments: Sequence[Any], named: Sequence[tuple[str, Any]]) -> Any:
        """Return the result of a call that the test makes to the implementation whose turn it is.

        Raises:
            Exception: an honest worker's test could not make this call.
        """
        return self._open[0].call(arguments, dict(named))

    def decide(self, blames: bool, message: str, where: str) -> None:
        """Record the test's decision on the implementation whose turn it was.

        Raises:
            IndexError: all implementations have had their turns.
        """
        self._open[0].decided(Decision(blames, _printable(message), _printable(where)))
        if self._open[0].done:
            self._open.pop(0)


class Dialog:
    """The requests to the workers of one submission, and their replies.

    If a cell or a task ends its worker, the next worker goes on without that cell or task.

    Args:
        cells: the notebook's code.
        assignment: the notebook of the course that it answers.
        tasks: names of the tasks to ask for.
        answer: function that answers the calls of a learner's test.
    """

    def __init__(
        self,
        cells: Sequence[notebook_file.Cell],
        assignment: Assignment,
        tasks: Sequence[str],
        answer: Callable[..., Answered] = answer_here,
    ):
        self.cells = {cell.number: cell.source for cell in cells}
        self.assignment = assignment
        self.open_tasks = list(tasks)
        self.tests: dict[str, RefereedTest] = {}  # for tasks whose answer is a test
        self.replies: dict[str, Replies] = {}
        self.remarks: list[str] = []
        self.heard = False  # whether any message has arrived
        self.late = False  # whether anything ran out of time
        self.starved = False  # whether a worker spent that time waiting for a processor
        self._late_workers = 0
        self._workers = 0
        self._answer, self._left_for_answers = answer, ANSWERING

    def run(self, launcher: Launcher | Cluster, budget: Budget, most_late: int = MOST_LATE) -> None:
        """Start one worker after another, until every task has a reply or a limit is reached.

        Args:
            budget: what the learner's files may still take.
            most_late: the most workers that may run out of time.
        """
        for _ in range(ROUNDS):
            if self.open_tasks and self._late_workers < most_late and not budget.spent:
                late, start = self._late_workers, time.monotonic()
                self._ask_worker(launcher)
                late = self._seconds * (self._late_workers - late)
                budget.take(late, time.monotonic() - start)
        for task in self.open_tasks:
            self.replies[task] = _no_answers(Reason.TIME)
        errors = [reply.error for replies in self.replies.values() for reply in replies]
        self.late |= Reason.TIME in [error.reason for error in errors if error]

    @property
    def _seconds(self) -> float:
        """The processor time that a worker may take, in seconds."""
        return 2 * self.assignment.seconds + SPARE

    def _ask_worker(self, launcher: Launcher | Cluster) -> None:
        """Start one worker, and have it run all remaining cells and all tasks without a reply."""
        self._place = min(self.cells)
        with launcher.launch(self._seconds) as worker, worker.stream() as stream:
            try:
                worker.connection.sendall(self._request())
                self._listen(worker, stream)
                reason = Reason.WIRE  # unless it has answered everything
            except protocol.WireError:
                reason = Reason.WIRE
            except OSError:  # the worker hung up, or fell silent
                ending = worker.ending()
                if ending == Ending.FAILED:  # no fault of the code: the next worker may succeed
                    return
                self.starved |= ending == Ending.CLOCK and bool(self.open_tasks)
                reason = REASONS[ending]
        if self.open_tasks:
            self._go_on_without(self._place, reason)

    def _listen(self, worker: Worker, stream: BinaryIO) -> None:
        """Take in a worker's messages until it says that it is done.

        Raises:
            WireError: no honest worker would send this.
            OSError: the worker is gone, or silent.
        """
        left = LARGEST_REPLIES
        while True:
            message, size = protocol.unpack(stream, left)
            self.heard = True
            form = schema.check(message)
            if form == "end":
                return
            if form == "call":  # is answered at once, and not kept
                worker.connection.sendall(self._result_of_call(message))
                continue
            left -= size
            if form == "at":
                self._note_place(message["at"])
            elif form == "cell" and message["cell"] in self.cells:
                self._note_cell(message)
            elif form == "decision":
                self._note_decision(message)
            elif form == "parts" and message["task"] in self.open_tasks:
                self._note_answers(message["task"], message["parts"])
                self._call_again(message["task"], worker, stream)

    def _request(self) -> bytes:
        tasks = []
        for task in self.open_tasks:
            records = self.assignment.public[task], self.assignment.fresh[task]
            spec = {part.name: getattr(records[0].task, part.name) for part in fields(CallSpec)}
            parts = [record.cases for record in records]
            if kind_of(records[0].task).is_refereed:
                self.tests[task] = RefereedTest(*records, self._answered, self._workers)
                parts = self.tests[task].cases()
            tasks.append({"spec": spec, "parts": [[vars(case) for case in part] for part in parts]})
        self._workers += 1
        cells = list(self.cells.items())
        return protocol.pack({"cells": cells, "seconds": self.assignment.seconds, "tasks": tasks})

    def _note_place(self, place: Place) -> None:
        """Record which cell or task a worker begins, if it is one that it was sent."""
        if place in (self.cells if isinstance(place, int) else self.open_tasks):
            self._place = place

    def _note_cell(self, message: dict[str, Any]) -> None:
        """Record a cell's error, or its success when it was run once more, as a remark."""
        self.late |= message["late"]
        error = _printable(message["error"])
        remark = f"cell {message['cell']}: {error or 'worked when it was run once more'}"
        if remark not in self.remarks and len(self.remarks) < MOST_REMARKS:
            self.remarks.append(remark)

    def _result_of_call(self, message: dict[str, Any]) -> bytes:
        """Return the packed result of a call that a learner's test makes.

        Raises:
            WireError: no honest worker would send this call.
        """
        try:
            return self.tests[message["task"]].call(*message["call"])
        except CannotGrade:
            raise
        except Exception:
            raise protocol.WireError("a call that makes no sense") from None

    def _answered(self, *call: Any) -> tuple[bytes, bool]:
        """Return the packed answer to a call, as long as time is left, and if it shows a bug."""
        if self._left_for_answers <= 0:
            return TOO_MUCH, False
        answered = self._answer(*call)
        self._left_for_answers -= answered.seconds
        return answered.frame, answered.shows

    def _note_decision(self, message: dict[str, Any]) -> None:
        try:
            self.tests[message["task"]].decide(*message["decision"])
        except LookupError:
            raise protocol.WireError("a decision that makes no sense") from None

    def _note_answers(self, task: str, parts: Sequence[dict]) -> None:
        """Store the replies to a task. If they make no sense, only this task loses its answers."""
        records = self.assignment.public[task], self.assignment.fresh[task]
        try:
            if len(parts) == 1:  # after an error in the public cases, fresh ones were not tried
                parts = [parts[0], parts[0] | {"answers": []}]
            referees = self.tests[task].referees if task in self.tests else [None, None]
            triples = zip(parts, records, referees, strict=True)
            self.replies[task] = Replies(*(_reply(*triple) for triple in triples))
        except Exception:  # nobody can foresee every kind of nonsense that a worker may send
            self.replies[task] = _no_answers(Reason.WIRE)
        self.open_tasks.remove(task)

    def _call_again(self, task: str, worker: Worker, stream: BinaryIO) -> None:
        """Diagnose a task's public answers, calling a wrong definition again with other inputs."""

        def ask(cases: Sequence[Case], seed: int = OUR_SEED, traced: bool = False) -> list:
            if not cases:
                return []
            request = {"cases": [vars(case) for case in cases], "seed": seed, "traced": traced}
            try:
                worker.connection.sendall(protocol.pack(request))
                message, _ = protocol.unpack(stream, LARGEST_TRACED if traced else LARGEST_TRIED)
            except (OSError, protocol.WireError) as problem:
                lost.append(problem)  # a diagnosis may go on without an answer; we do not
                raise
            if len(message["tried"]) != len(cases):
                raise protocol.WireError("not one answer for each case")
            read = _lines if traced else partial(_outputs, spec=record.task)
            return [sent if sent is None else read(sent) for sent in message["tried"]]

        lost: list[Exception] = []
        record, replies = self.assignment.public[task], self.replies[task]
        try:
            with np.errstate(all="ignore"):
                again = None if task in self.tests else ask  # a worker has no implementations
                trace = again and partial(again, traced=True)
                public, kind = replies.public, kind_of(record.task)
                verdict = kind.diagnose(record, public.answers, public.error, again, trace)
        except (OSError, protocol.WireError):
            raise
        except Exception:  # arrays and messages that no worker of ours would send
            raise protocol.WireError("an answer that makes no sense") from None
        if lost:
            raise lost[0]
        self.replies[task] = replies._replace(public=replace(replies.public, verdict=verdict))
        worker.connection.sendall(protocol.pack({"cases": []}))

    def _go_on_without(self, place: Place, reason: Reason) -> None:
        """Skip the cell or task that a worker was running when it was lost."""
        self._late_workers += reason == Reason.TIME
        self.late |= reason == Reason.TIME
        if isinstance(place, int):
            self.remarks.append(f"cell {place}: {ENDED[reason]}")
            self.cells.pop(place, None)
            if not self.cells:
                self.cells[0] = ""
        elif place in self.open_tasks:  # the worker may already have answered it
            self.replies[place] = _no_answers(reason)
            self.open_tasks.remove(place)


def _no_answers(reason: Reason) -> Replies:
    """Return replies without answers, with the reason why the worker sent none."""
    reply = Reply(error=AnswerError(reason, ENDED[reason]))
    return Replies(reply, reply)


def _printable(value: str) -> str:
    """Shorten a worker's text, make it writable to a file, and hide this machine's folders."""
    text = PATH.sub("…/", OURS.sub("…/", value[:LONGEST_TEXT]))
    return visible(text)


def _reply(part: dict, record: Record, referee: Referee | None) -> Reply:
    """Check a worker's reply to one set of cases. For a test, the referee has the answer already.

    Raises:
        ValueError: the reply makes no sense.
    """
    error = None
    if "error" in part:
        if not schema.fits(part, schema.ERROR):
            raise ValueError("an error that says nothing")
        reason, message, where, raised = map(_printable, part["error"])
        error = AnswerError(Reason(reason), message, where, raised=raised)
        if not error.reason.from_worker:
            raise ValueError("a reason that is not a worker's to give")
    if not schema.fits(part, schema.ANSWERS):
        raise ValueError("no answers")
    if referee and not error:
        answers = [referee.answer]
    else:
        answers = [_answer(answer, record.task) for answer in part["answers"]]
    complete = len(answers) == len(record.cases)
    late = error is not None and error.reason == Reason.NO_NETWORK  # found when all are answered
    if complete != (late or not error) or len(answers) > len(record.cases):
        raise ValueError("not one answer for each case")
    doubts = [*dict.fromkeys(map(Doubt, part["doubts"]))]
    return Reply(answers, error, max(0, min(part["printed"], 10**9)), doubts)


def _answer(sent: dict[str, Any], spec: CallSpec) -> Answer:
    gradients = {
        GradientKey(output, input): gradient for output, input, gradient in sent["gradients"]
    }
    if any(array.dtype.kind != "f" for array in gradients.values()):
        raise ValueError("gradients that are not decimal numbers")
    if len(gradients) > MOST_GRADIENTS:
        raise ValueError("more gradients than any task has")
    return Answer(_outputs(sent["outputs"], spec), gradients)


def _outputs(sent: Any, spec: CallSpec) -> dict[str, np.ndarray]:
    if not schema.fits(sent, schema.OUTPUTS) or not set(spec.outputs) <= set(sent):
        raise ValueError("an output is missing")
    return {name: sent[name] for name in spec.outputs}


def _lines(sent: Any) -> Lines:
    """Check what a worker says of the lines of an answer."""
    if not schema.fits(sent, schema.LINES):
        raise ValueError("no lines")
    *columns, origins = (sent[name] for name in Lines._fields)
    lines = Lines(*columns, [frozenset(of_output) for of_output in origins])
    runs = len(lines.numbers)
    wide = -(-runs // 8) if runs <= MOST_STEPS else 0
    shapes = [(runs,), (runs,), (runs,), (runs, NUMBERS), (runs,), (runs, wide)]
    kinds = "".join(column.dtype.kind for column in columns)
    if (
        runs > MOST_STEPS * MOST_RESULTS
        or kinds != "iUbfbu"
        or [column.shape for column in columns] != shapes
    ):
        raise ValueError("lines that no answer has")
    sources = [_printable(source)[:LONGEST_LINE] for source in lines.sources]
    return lines._replace(sources=np.array(sources, dtype=str))
