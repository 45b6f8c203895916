"""Answer the calls of learners' tests in a limited process: learners choose what a call takes."""

import io
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from grading.intake.submissions import CannotGrade
from grading.run import protocol
from grading.run.limited_child import Gone, LimitedChild
from utils.checks import bank, implementations
from utils.checks.kinds import kind_of
from utils.checks.kinds.referee import answer_to

SECONDS = 2.0  # of processor time for a call; an honest one takes thousandths
LARGEST_CALL = 2**23  # bytes
TOO_MUCH = protocol.pack({"raised": ["MemoryError", "the call takes more than it may"]})
_HEAD = struct.Struct("!d?")  # before the frame of an answer: seconds, and whether it shows a bug


class Answered(NamedTuple):
    """The answer to a call."""

    frame: bytes  # packed for the worker
    seconds: float  # of processor time that it took
    shows: bool = False  # whether the right implementation answers otherwise


class Answers(LimitedChild):
    """A limited process that answers calls, one at a time, for several threads.

    Args:
        safe: whether to put the process into namespaces of its own.
    """

    def __init__(self, safe: bool = True):
        super().__init__(_answer, SECONDS, safe, _prepare)

    def answer(
        self, task: str, name: str, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> Answered:
        """Call one of a task's implementations in the limited process, like `answer_to`.

        Raises:
            CannotGrade: the process that watches over the limited one has ended.
        """
        call = protocol.pack([task, name, arguments, list(named.items())])
        try:
            reply = self.ask(call)
        except Gone:
            raise CannotGrade(
                "The process that answers learners' tests has ended: is there enough memory? What "
                "is graded is kept: go on with --resume."
            ) from None
        if reply is None:
            return Answered(TOO_MUCH, SECONDS)
        return Answered(reply[_HEAD.size :], *_HEAD.unpack_from(reply))


def answer_here(
    task: str, name: str, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Answered:
    """Call one of a task's implementations in this process."""
    start = time.process_time()
    reply, shows = answer_to(task, name, arguments, named)
    return Answered(protocol.pack(reply), time.process_time() - start, shows)


def _prepare() -> None:
    """Import all implementations; answer without threads."""
    torch.set_num_threads(1)  # threads do not survive a fork
    for tasks in bank.tasks().values():
        for task in tasks:
            if kind_of(task).is_refereed:
                implementations.of(task.id)


def _answer(call: bytes) -> bytes:
    (task, name, arguments, named), _ = protocol.unpack(
        io.BytesIO(call), protocol.OBJECTS * LARGEST_CALL
    )
    frame, *head = answer_here(task, name, arguments, dict(named))
    return _HEAD.pack(*head) + frame
