"""What the workers of one submission are asked, and what they say, none of which is trusted.

A worker that tries a learner's test asks back: each call of the test is answered here, for an
implementation that the worker does not know. What the test then says of it is final before the next
one's turn comes, in an order that the instructor's seed draws.
"""

import re
import sys
from collections.abc import Container, Mapping, Sequence
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
        """How much processor time a cell may take."""
        return max(record.task.seconds for record in self.public.values())


@dataclass(frozen=True)
class Reply:
    """What a worker said about one set of cases: an answer to each, or why there are no more.

    Args:
        answers: in the order of the cases.
        trouble: why there is none to the next.
        printed: lines that the learner's code printed.
        verdict: on the public cases, once the answer could be called again; None elsewhere.
    """

    answers: Sequence[Answer] = ()
    trouble: AnswerError | None = None
    printed: int = 0
    verdict: Verdict | None = None


class Replies(NamedTuple):
    """The replies to one task."""

    public: Reply
    fresh: Reply


def no_answers(reason: Reason) -> Replies:
    """In place of a worker's, with the reason why it sent none."""
    reply = Reply(trouble=AnswerError(reason, ENDED[reason]))
    return Replies(reply, reply)


class Place(NamedTuple):
    """What a worker is working on: the number of a cell, or a task."""

    kind: Literal["cell", "task"]
    which: int | str


class RefereedTest:
    """A learner's test before the implementations, on the public case and then on the fresh one."""

    def __init__(self, public: Record, fresh: Record):
        (known,), (secret,) = public.cases, fresh.cases
        self.parts = [
            Referee(public.task.id, case, Random(f"{secret.inputs['order']} {number}"))
            for number, case in enumerate([known, secret])
        ]
        self._open = [*self.parts]

    def cases(self) -> list[list[Case]]:
        """What a worker is told: the random seeds, and nothing of the lineup or its order."""
        return [[Case("", {"seeds": part.seeds})] for part in self.parts]

    def answer(self, call: Any) -> dict[str, Any]:
        """What comes back to a test that calls.

        Raises:
            Exception: it asks what no test of an honest worker can ask.
        """
        arguments, named = call
        return self._open[0].call(arguments, dict(named))

    def decided(self, said: Any) -> None:
        """Note what the test says of the implementation whose turn it was.

        Raises:
            Exception: it says nothing that makes sense.
        """
        blames, message, where = said
        self._open[0].decided(Decision(blames is True, _printable(message), _printable(where)))
        if self._open[0].done:
            self._open.pop(0)


class Conversation:
    """What the workers of one submission are asked, and what they have said.

    Where a cell or a task ends its worker, the next worker goes on without it.
    """

    def __init__(
        self, cells: Sequence[notebook_parser.Cell], assignment: Assignment, tasks: Sequence[str]
    ):
        self.cells = {cell.number: cell.source for cell in cells}
        self.assignment = assignment
        self.open_tasks = list(tasks)
        self.examinations: dict[str, RefereedTest] = {}  # of those tasks that ask for a test
        self.replies: dict[str, Replies] = {}
        self.remarks: list[str] = []
        self.heard = False  # anything at all
        self.late = False  # whether anything ran out of time
        self.starved = False  # whether it did so waiting for a processor
        self._late_workers = 0

    def hold(self, launcher: Launcher) -> None:
        """Ask one worker after another, until nothing is open or the limits are reached."""
        for _ in range(ROUNDS):
            if self.open_tasks and self._late_workers < MOST_LATE:
                self._ask_a_worker(launcher)
        for task in self.open_tasks:
            self.replies[task] = no_answers(Reason.TIME)
        said = [reply.trouble for replies in self.replies.values() for reply in replies]
        self.late |= Reason.TIME in [trouble.reason for trouble in said if trouble]

    def _ask_a_worker(self, launcher: Launcher) -> None:
        """Ask one worker everything that is open."""
        seconds = 2 * self.assignment.seconds + SPARE
        with launcher.launch(seconds) as worker, worker.stream() as stream:
            place = Place("cell", min(self.cells))
            try:
                worker.connection.sendall(self._request())
                left = LARGEST_REPLIES
                while True:
                    message, size = protocol.unpack(_reader(stream), left)
                    self.heard = True
                    schema.check(message)
                    if "end" in message:
                        break
                    if "call" in message:  # answered at once, and not kept
                        worker.connection.sendall(self._returned(message))
                        continue
                    left -= size
                    answered = _names(message.get("task"), str, self.open_tasks)
                    place = self._heard(message, place)
                    if answered and message["task"] not in self.open_tasks:
                        self._call_again(message["task"], worker, stream)
                ending = "wire"
            except protocol.WireError:
                ending = "wire"
            except OSError:  # it hung up, or fell silent
                ending = worker.ending()
        if self.open_tasks and ending != "failed":
            if ending == "clock":
                self.starved, ending = True, "time"
            self._lost(place, Reason(ending) if ending in ENDED else Reason.DONE)

    def _request(self) -> bytes:
        tasks = []
        for task in self.open_tasks:
            records = self.assignment.public[task], self.assignment.fresh[task]
            spec = {part.name: getattr(records[0].task, part.name) for part in fields(CallSpec)}
            parts = [record.cases for record in records]
            if records[0].task.answer_type == "test":
                self.examinations[task] = RefereedTest(*records)
                parts = self.examinations[task].cases()
            tasks.append({"spec": spec, "parts": [[vars(case) for case in part] for part in parts]})
        cells = list(self.cells.items())
        return protocol.pack({"cells": cells, "seconds": self.assignment.seconds, "tasks": tasks})

    def _heard(self, message: dict, place: Place) -> Place:
        """Take note of one message: where the worker is, a cell that failed, or the answers."""
        at, which, cell, task = (message.get(key) for key in ("at", "which", "cell", "task"))
        if at == "cell" and _names(which, int, self.cells):
            return Place("cell", which)
        if at == "task" and _names(which, str, self.open_tasks):
            return Place("task", which)
        if _names(cell, int, self.cells):
            self.late |= message["late"]
            error = _printable(message["error"])
            remark = f"cell {cell}: {error or 'worked when it was run once more'}"
            if remark not in self.remarks and len(self.remarks) < MOST_REMARKS:
                self.remarks.append(remark)
        elif _names(task, str, self.examinations) and "decision" in message:
            self._decided(task, message["decision"])
        elif _names(task, str, self.open_tasks):
            self._answered(task, message.get("parts"))
        return place

    def _call_again(self, task: str, worker: Worker, stream: BinaryIO) -> None:
        """Have a wrong answer called with other inputs, to find out what is wrong with it."""

        def ask(cases: Sequence[Case], seed: int) -> list[Mapping[str, np.ndarray] | None]:
            if not cases:
                return []
            told = {"cases": [vars(case) for case in cases], "seed": seed}
            worker.connection.sendall(protocol.pack(told))
            message, _ = protocol.unpack(_reader(stream), LARGEST_REPLIES)
            returned = message["tried"]
            if len(returned) != len(cases):
                raise protocol.WireError("not one answer for each case")
            return [None if one is None else _outputs(one, record.task) for one in returned]

        record, replies = self.assignment.public[task], self.replies[task]
        try:
            with np.errstate(all="ignore"):
                verdict = diagnose(record, replies.public.answers, replies.public.trouble, ask)
        except (OSError, protocol.WireError):
            raise
        except Exception:  # arrays and messages that no worker of ours would send
            raise protocol.WireError("an answer that makes no sense") from None
        public = replace(replies.public, verdict=verdict)
        self.replies[task] = replies._replace(public=public)
        worker.connection.sendall(protocol.pack({"cases": []}))

    def _returned(self, message: dict) -> bytes:
        """The answer to a call of a test, as it goes over the wire.

        Raises:
            WireError: no honest worker would ask that.
        """
        try:
            return protocol.pack(self.examinations[message["task"]].answer(message["call"]))
        except Exception:
            raise protocol.WireError("a call that makes no sense") from None

    def _decided(self, task: str, said: Any) -> None:
        try:
            self.examinations[task].decided(said)
        except Exception:
            raise protocol.WireError("a decision that makes no sense") from None

    def _answered(self, task: str, parts: Any) -> None:
        records = self.assignment.public[task], self.assignment.fresh[task]
        try:
            if "trouble" in parts[0]:  # after trouble with the public cases, others were not tried
                parts = [parts[0], parts[0] | {"answers": []}]
            examined = self.examinations[task].parts if task in self.examinations else [None] * 2
            triples = zip(parts, records, examined, strict=True)
            self.replies[task] = Replies(*(_reply(*triple) for triple in triples))
        except Exception:  # a worker can send more kinds of nonsense than anybody foresees
            self.replies[task] = no_answers(Reason.WIRE)
        self.open_tasks.remove(task)

    def _lost(self, place: Place, reason: Reason) -> None:
        """The worker is gone: continue without what it was working on."""
        self._late_workers += reason == Reason.TIME
        self.late |= reason == Reason.TIME
        if place.kind == "cell":
            self.remarks.append(f"cell {place.which}: {ENDED[reason]}")
            self.cells.pop(place.which, None)
            if not self.cells:
                self.cells[0] = ""
        elif place.which in self.open_tasks:  # it may have been answered
            self.replies[place.which] = no_answers(reason)
            self.open_tasks.remove(place.which)


def _reader(stream) -> protocol.Receive:
    def receive(count: int) -> bytes:
        data = stream.read(count)
        if len(data) < count:
            raise ConnectionError("the worker is gone")
        return data

    return receive


def _names(value: Any, kind: type, known: Container) -> bool:
    """Whether a worker names something known; what it sends may be a list, or True for 1."""
    return type(value) is kind and value in known


def _printable(value: str) -> str:
    """A worker's text, short enough, fit to be written to a file, and silent on where it ran."""
    return OURS.sub("…/", value[:LONGEST_TEXT]).encode(errors="replace").decode()


def _reply(part: dict, record: Record, examiner: Referee | None) -> Reply:
    """What a worker says of one set of cases; the decisions of a test are here already.

    Raises:
        ValueError: it says nothing that makes sense.
    """
    trouble = None
    if "trouble" in part:
        if not schema.fits(part, schema.TROUBLE):
            raise ValueError("trouble that is not told")
        value, message, where = map(_printable, part["trouble"])
        trouble = AnswerError(Reason(value), message, where)
        if not trouble.reason.from_worker:
            raise ValueError("a reason that is not a worker's to give")
    if not schema.fits(part, schema.ANSWERS):
        raise ValueError("no answers")
    if examiner and not trouble:
        answers = [examiner.answer]
    else:
        answers = [_answer(said, record.task) for said in part["answers"]]
    if (len(answers) == len(record.cases)) == bool(trouble) or len(answers) > len(record.cases):
        raise ValueError("not one answer for each case")
    return Reply(answers, trouble, min(part["printed"], 10**9))


def _outputs(said: Any, spec: CallSpec) -> dict[str, np.ndarray]:
    if not schema.fits(said, schema.OUTPUTS) or not set(spec.outputs) <= set(said):
        raise ValueError("an output is missing")
    return {name: said[name] for name in spec.outputs}


def _answer(said: dict, spec: CallSpec) -> Answer:
    outputs = _outputs(said["outputs"], spec)
    gradients = {
        GradientKey(output, input): gradient for output, input, gradient in said["gradients"]
    }
    if any(array.dtype.kind != "f" for array in gradients.values()):
        raise ValueError("gradients that are not decimal numbers")
    if len(gradients) > MOST_GRADIENTS:
        raise ValueError("more gradients than any task has")
    return Answer(outputs, gradients)
