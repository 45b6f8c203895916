"""Asks the workers of one submission, and trusts nothing that they answer.

A worker that tries a learner's test asks back: each call of the test is answered here, for an
implementation that the worker does not know. The test's decision on it is final before the next
one's turn comes, in an order that the instructor's seed draws.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np

from grading.intake import notebook_parser
from grading.run import protocol, schema
from grading.run.launcher import COURSE, Launcher, Worker
from utils.checks.catch_the_bug import Decision, Referee
from utils.checks.compare import Verdict
from utils.checks.diagnosis import diagnose
from utils.checks.runner import AnswerError
from utils.checks.tasks import Answer, CallSpec, Case, GradientKey, Reason, Record

LARGEST_REPLIES = 32 * 2**20  # maximum decoded size of a worker's replies in one round, in bytes
ROUNDS = 5  # workers for one submission
MOST_LATE = 2  # of them that run out of time
SPARE = 10.0  # seconds that a worker has beyond those of one cell and one task
LONGEST_TEXT = 1000  # characters that are kept of a text from a worker
MOST_REMARKS = 100
MOST_GRADIENTS = 100  # of one answer
# Folders of this machine that messages of Python and of libraries name.
PLACES = {str(COURSE), sys.prefix, sys.base_prefix, str(Path.home())} - {"/", "/usr"}
OURS = re.compile("|".join(re.escape(f"{place}/") for place in sorted(PLACES, key=len)[::-1]))
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
        """Return how much processor time a cell may take."""
        return max(record.task.seconds for record in self.public.values())


@dataclass(frozen=True)
class Reply:
    """A worker's reply to one set of cases: an answer to each, or why there are no more.

    Args:
        answers: in the order of the cases.
        error: why there is none to the next.
        printed: lines that the learner's code printed.
        verdict: on the public cases, once the answer could be called again; None elsewhere.
    """

    answers: Sequence[Answer] = ()
    error: AnswerError | None = None
    printed: int = 0
    verdict: Verdict | None = None


class Replies(NamedTuple):
    """The replies to one task."""

    public: Reply
    fresh: Reply


class Place(NamedTuple):
    """What a worker is working on: the number of a cell, or a task."""

    kind: Literal["cell", "task"]
    which: int | str


class RefereedTest:
    """A learner's test before the implementations, on the public case and then on the fresh one."""

    def __init__(self, public: Record, fresh: Record):
        (known,), (secret,) = public.cases, fresh.cases
        self.referees = [
            Referee(public.task.id, case, Random(f"{secret.inputs['order']} {number}"))
            for number, case in enumerate([known, secret])
        ]
        self._open = [*self.referees]

    def cases(self) -> list[list[Case]]:
        """Return what a worker gets: random seeds, no implementation and nothing of the order."""
        return [[Case("", {"seeds": referee.seeds})] for referee in self.referees]

    def call(self, arguments: Sequence[Any], named: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """Return what a test that calls gets back.

        Raises:
            Exception: no test of an honest worker can call that.
        """
        return self._open[0].call(arguments, dict(named))

    def decide(self, blames: bool, message: str, where: str) -> None:
        """Note the test's decision on the implementation whose turn it was.

        Raises:
            IndexError: all have had their turns.
        """
        self._open[0].decided(Decision(blames, _printable(message), _printable(where)))
        if self._open[0].done:
            self._open.pop(0)


class Dialog:
    """The questions to the workers of one submission, and their answers.

    Where a cell or a task ends its worker, the next worker goes on without it.
    """

    def __init__(
        self, cells: Sequence[notebook_parser.Cell], assignment: Assignment, tasks: Sequence[str]
    ):
        self.cells = {cell.number: cell.source for cell in cells}
        self.assignment = assignment
        self.open_tasks = list(tasks)
        self.tests: dict[str, RefereedTest] = {}  # of those tasks that ask for a test
        self.replies: dict[str, Replies] = {}
        self.remarks: list[str] = []
        self.heard = False  # anything at all
        self.late = False  # whether anything ran out of time
        self.starved = False  # whether it did so waiting for a processor
        self._late_workers = 0

    def run(self, launcher: Launcher) -> None:
        """Ask one worker after another, until nothing is open or the limits are reached."""
        for _ in range(ROUNDS):
            if self.open_tasks and self._late_workers < MOST_LATE:
                self._ask_worker(launcher)
        for task in self.open_tasks:
            self.replies[task] = _no_answers(Reason.TIME)
        errors = [reply.error for replies in self.replies.values() for reply in replies]
        self.late |= Reason.TIME in [error.reason for error in errors if error]

    def _ask_worker(self, launcher: Launcher) -> None:
        """Ask one worker everything that is open."""
        seconds = 2 * self.assignment.seconds + SPARE
        with launcher.launch(seconds) as worker, worker.stream() as stream:
            place, left = Place("cell", min(self.cells)), LARGEST_REPLIES
            ending = "wire"
            try:
                worker.connection.sendall(self._request())
                while True:
                    message, size = protocol.unpack(stream, left)
                    self.heard = True
                    form = schema.check(message)
                    if form == "end":
                        break
                    if form == "call":  # answered at once, and not kept
                        worker.connection.sendall(self._result_of_call(message))
                        continue
                    left -= size
                    if form == "at":
                        known = {"cell": self.cells, "task": self.open_tasks}
                        if message["which"] in known.get(message["at"], ()):
                            place = Place(message["at"], message["which"])
                    elif form == "cell" and message["cell"] in self.cells:
                        self._note_cell(message)
                    elif form == "decision":
                        self._note_decision(message)
                    elif form == "parts" and message["task"] in self.open_tasks:
                        self._note_answers(message["task"], message["parts"])
                        self._call_again(message["task"], worker, stream)
            except protocol.WireError:
                pass
            except OSError:  # it hung up, or fell silent
                ending = worker.ending()
        if self.open_tasks and ending != "failed":
            if ending == "clock":
                self.starved, ending = True, "time"
            self._go_on_without(place, Reason(ending) if ending in ENDED else Reason.DONE)

    def _request(self) -> bytes:
        tasks = []
        for task in self.open_tasks:
            records = self.assignment.public[task], self.assignment.fresh[task]
            spec = {part.name: getattr(records[0].task, part.name) for part in fields(CallSpec)}
            parts = [record.cases for record in records]
            if records[0].task.answer_type == "test":
                self.tests[task] = RefereedTest(*records)
                parts = self.tests[task].cases()
            tasks.append({"spec": spec, "parts": [[vars(case) for case in part] for part in parts]})
        cells = list(self.cells.items())
        return protocol.pack({"cells": cells, "seconds": self.assignment.seconds, "tasks": tasks})

    def _note_cell(self, message: dict[str, Any]) -> None:
        """Keep what went wrong in a cell as a remark."""
        self.late |= message["late"]
        error = _printable(message["error"])
        remark = f"cell {message['cell']}: {error or 'worked when it was run once more'}"
        if remark not in self.remarks and len(self.remarks) < MOST_REMARKS:
            self.remarks.append(remark)

    def _result_of_call(self, message: dict[str, Any]) -> bytes:
        """Pack what a call of a learner's test returns.

        Raises:
            WireError: no honest worker would ask that.
        """
        try:
            return protocol.pack(self.tests[message["task"]].call(*message["call"]))
        except Exception:
            raise protocol.WireError("a call that makes no sense") from None

    def _note_decision(self, message: dict[str, Any]) -> None:
        try:
            self.tests[message["task"]].decide(*message["decision"])
        except LookupError:
            raise protocol.WireError("a decision that makes no sense") from None

    def _note_answers(self, task: str, parts: Sequence[dict]) -> None:
        """Keep the replies to a task; what makes no sense costs this task alone."""
        records = self.assignment.public[task], self.assignment.fresh[task]
        try:
            if "error" in parts[0]:  # after an error in the public cases, others were not tried
                parts = [parts[0], parts[0] | {"answers": []}]
            referees = self.tests[task].referees if task in self.tests else [None, None]
            triples = zip(parts, records, referees, strict=True)
            self.replies[task] = Replies(*(_reply(*triple) for triple in triples))
        except Exception:  # a worker can send more kinds of nonsense than anybody foresees
            self.replies[task] = _no_answers(Reason.WIRE)
        self.open_tasks.remove(task)

    def _call_again(self, task: str, worker: Worker, stream: BinaryIO) -> None:
        """Have a wrong answer called with other inputs, to find out what is wrong with it."""

        def ask(cases: Sequence[Case], seed: int) -> list[Mapping[str, np.ndarray] | None]:
            if not cases:
                return []
            request = {"cases": [vars(case) for case in cases], "seed": seed}
            worker.connection.sendall(protocol.pack(request))
            message, _ = protocol.unpack(stream, LARGEST_REPLIES)
            if len(message["tried"]) != len(cases):
                raise protocol.WireError("not one answer for each case")
            return [
                None if outputs is None else _outputs(outputs, record.task)
                for outputs in message["tried"]
            ]

        record, replies = self.assignment.public[task], self.replies[task]
        try:
            with np.errstate(all="ignore"):
                verdict = diagnose(record, replies.public.answers, replies.public.error, ask)
        except (OSError, protocol.WireError):
            raise
        except Exception:  # arrays and messages that no worker of ours would send
            raise protocol.WireError("an answer that makes no sense") from None
        self.replies[task] = replies._replace(public=replace(replies.public, verdict=verdict))
        worker.connection.sendall(protocol.pack({"cases": []}))

    def _go_on_without(self, place: Place, reason: Reason) -> None:
        """Leave out what a worker was working on when it was lost."""
        self._late_workers += reason == Reason.TIME
        self.late |= reason == Reason.TIME
        if place.kind == "cell":
            self.remarks.append(f"cell {place.which}: {ENDED[reason]}")
            self.cells.pop(place.which, None)
            if not self.cells:
                self.cells[0] = ""
        elif place.which in self.open_tasks:  # it may have been answered
            self.replies[place.which] = _no_answers(reason)
            self.open_tasks.remove(place.which)


def _no_answers(reason: Reason) -> Replies:
    """Return what stands in place of a worker's replies: the reason why it sent none."""
    reply = Reply(error=AnswerError(reason, ENDED[reason]))
    return Replies(reply, reply)


def _printable(value: str) -> str:
    """Make a worker's text short, fit to be written to a file, and silent on where it ran."""
    return OURS.sub("…/", value[:LONGEST_TEXT]).encode(errors="replace").decode()


def _reply(part: dict, record: Record, referee: Referee | None) -> Reply:
    """Read a worker's reply to one set of cases; the decisions of a test are here already.

    Raises:
        ValueError: it makes no sense.
    """
    error = None
    if "error" in part:
        if not schema.fits(part, schema.ERROR):
            raise ValueError("an error that says nothing")
        reason, message, where = map(_printable, part["error"])
        error = AnswerError(Reason(reason), message, where)
        if not error.reason.from_worker:
            raise ValueError("a reason that is not a worker's to give")
    if not schema.fits(part, schema.ANSWERS):
        raise ValueError("no answers")
    if referee and not error:
        answers = [referee.answer]
    else:
        answers = [_answer(answer, record.task) for answer in part["answers"]]
    if (len(answers) == len(record.cases)) == bool(error) or len(answers) > len(record.cases):
        raise ValueError("not one answer for each case")
    return Reply(answers, error, min(part["printed"], 10**9))


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
