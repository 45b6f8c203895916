"""Feeds the parent what no honest worker sends: `python -m grading.tests.fuzz --minutes 30`.

What honest workers send is spoiled, message by message: values become others, of another kind or
size, parts vanish, are doubled or change places. Whatever arrives, there has to be a result, which
can be written to disk and to a page, and not a word on the standard outputs. No sandbox is needed.
"""

import argparse
import contextlib
import json
import math
import random
import socket
import struct
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict
from typing import Any, NamedTuple

from grading.intake.notebook_parser import Cell, Notebook
from grading.report import pages
from grading.report.tables import learners
from grading.run import protocol
from grading.run.dialog import Assignment, RefereedTest
from grading.run.launcher import Worker
from grading.run.scoring import Result, ask
from grading.run.worker import plain
from solutions.build import SOURCE, solutions_of
from utils.checks import bank
from utils.checks.catch_the_bug import Decision
from utils.checks.runner import Printed, run_cases

NOTEBOOKS = ("01_attention_concepts", "02_additive_attention")  # all kinds of tasks
SLOW = 20.0  # seconds for one conversation, none of which waits for anything
LARGEST_BLOB = 2**16
VALUES = [
    *(None, True, False, 0, 1, -1, 2**31 - 1, 2**31, 2**63, 10**400, 0.5, math.inf, math.nan),
    *("", "\ud800", "passed", "error", "x" * 5000, "<x-live>", [], {}, [[]], [None, None], [{}]),
    *({"texts": ["a", "b"]}, {"texts": []}, {"texts": "a"}, {"end": True}, {"trouble": []}),
    *({"array": ["<f8", [2]]}, {"array": ["<i8", []]}, {"array": ["|b1", [3]], "tensor": True}),
]
EXTREMES = [
    bytearray(struct.pack("<2d", *pair))
    for pair in [(1e308, -1e308), (math.inf, -math.inf), (math.nan, 0.5), (5e-324, -0.0)]
]
SIZES = [0, 1, 2, 3, 2**31 - 1, 7, 1000, 2**31, 2**62, -1, True, 0.5, "2", None]


class Played:
    """A launcher whose workers each send what they are told, and hang up."""

    def __init__(self, sends: bytes):
        self.sends = sends

    def launch(self, *_: Any) -> Worker:
        (connection, far), (status, far_status) = socket.socketpair(), socket.socketpair()
        connection.settimeout(5)
        threading.Thread(target=self._play, args=(far, far_status)).start()
        return Worker(connection, status)

    def _play(self, far: socket.socket, far_status: socket.socket) -> None:
        with far, far_status, contextlib.suppress(OSError):
            far.settimeout(5)
            reading = threading.Thread(target=_read_all, args=(far,))
            reading.start()
            far.sendall(self.sends)
            far_status.sendall(b"done")
            far.shutdown(socket.SHUT_WR)
            reading.join()


def _read_all(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while connection.recv(2**20):
            pass


class Frame(NamedTuple):
    """A message as it goes over the wire: its JSON, and the bytes of its arrays."""

    content: Any
    blobs: bytes

    @classmethod
    def of(cls, message: Any) -> "Frame":
        data = protocol.pack(message)
        end = 4 + int.from_bytes(data[:4])
        return cls(json.loads(data[4:end]), data[end:])

    def packed(self) -> bytes:
        text = json.dumps(self.content).encode()
        return struct.pack("!I", len(text)) + text + self.blobs


def honest(assignment: Assignment) -> list[Frame]:
    """What an honest worker says whose answers are all right."""
    messages: list[Any] = [{"at": "cell", "which": 1}, {"cell": 1, "error": "NameError: x"}]
    for task, public in assignment.public.items():
        messages.append({"at": "task", "which": task})
        records = public, assignment.fresh[task]
        if public.task.answer_type == "test":
            messages += _test_of(task, assignment)
        said = [[plain(one) for one in record.expected] for record in records]
        parts = [{"answers": one, "printed": 3} for one in said]
        messages.append({"task": task, "parts": parts})
    return [Frame.of(message) for message in [*messages, {"end": True}]]


def _test_of(task: str, assignment: Assignment) -> list[Any]:
    """The calls and decisions of the published test, as its worker would send them."""
    said: list[Any] = []
    examination = RefereedTest(assignment.public[task], assignment.fresh[task])
    test = solutions_of(SOURCE / f"{assignment.name}.ipynb")[task]

    class Logged:
        def __init__(self, seeds):
            self.seeds, self.answer = seeds, None

        def call(self, arguments, named):
            said.append({"task": task, "call": [arguments, list(named.items())]})
            return examination.answer([arguments, named])

        def decided(self, decision: Decision):
            said.append({"task": task, "decision": decision})
            examination.decided(decision)

    for part in list(examination.parts):
        run_cases(assignment.public[task].task, test, [], Printed(), Logged(part.seeds))
    return said


# --- Spoiling -------------------------------------------------------------------------------------


def spoiled(honest: list[Frame], draw: random.Random) -> bytes:
    """What arrives in place of honest frames: some of them changed, or the order of them."""
    frames = list(honest)
    for _ in range(draw.choice([1, 2, 5, 20])):
        place = draw.randrange(len(frames))
        change = draw.randrange(10)
        if change == 0:
            del frames[place : place + draw.choice([1, 3])]
        elif change == 1:
            frames.insert(draw.randrange(len(frames)), frames[place])
        elif change == 2:
            frames[place] = Frame(draw.choice(VALUES), b"")
        else:
            frames[place] = _changed(frames[place], honest, draw)
        frames = frames or [Frame({}, b"")]
    data = b"".join(frame.packed() for frame in frames)
    return data[: draw.randrange(len(data))] if draw.random() < 0.05 else data


def _changed(frame: Frame, honest: list[Frame], draw: random.Random) -> Frame:
    """A frame with a few of its values changed, mostly with as many bytes as it announces."""
    root = [deepcopy(frame.content)]
    for _ in range(draw.choice([1, 1, 2, 4])):
        holder, key = draw.choice([*_places(root)])
        holder[key] = _other(holder[key], honest, draw)
        if draw.random() < 0.1:
            if isinstance(holder, dict):
                holder[draw.choice(["array", "texts", "tensor", "end", "\ud800"])] = holder.pop(key)
            elif holder is not root:
                holder.insert(key, holder[key]) if draw.random() < 0.5 else holder.pop(key)
    blobs = bytearray(frame.blobs)
    announced = sum(map(_announced, _values(root)))
    if announced <= LARGEST_BLOB and draw.random() < 0.9:
        blobs = blobs[:announced].ljust(announced, b"\x01")
    if draw.random() < 0.2:
        blobs = (draw.choice(EXTREMES) * len(blobs))[: len(blobs)]
    for _ in range(draw.choice([0, 0, 1, 8]) if blobs else 0):
        blobs[draw.randrange(len(blobs))] = draw.choice([0, 1, 0x7F, 0x80, 0xF0, 0xFF])
    return Frame(root[0], bytes(blobs))


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Where every value stands: what holds it, and under which key."""
    keys = range(len(holder)) if isinstance(holder, list) else holder
    for key in keys:
        yield holder, key
        if isinstance(holder[key], list | dict):
            yield from _places(holder[key])


def _values(root: Any) -> list[Any]:
    return [holder[key] for holder, key in _places(root)]


def _other(value: Any, honest: list[Frame], draw: random.Random) -> Any:
    described = isinstance(value, dict) and isinstance(value.get("array"), list)
    if described and draw.random() < 0.7:
        shape = [draw.choice(SIZES[: draw.choice([5, 5, 14])]) for _ in range(draw.randrange(10))]
        kept = value["array"][1:] if draw.random() < 0.4 else [shape]
        flags = {"tensor": draw.random() < 0.3, "strided": draw.random() < 0.5}
        return {"array": [draw.choice([*protocol.DTYPES, "|O", "<U4", 3, None]), *kept]} | flags
    change = draw.randrange(4)
    if change == 0:
        return [value] * (draw.choice([1, 2]) if isinstance(value, list | dict) else 300)
    if change == 1:
        for _ in range(draw.choice([1, 2, 60])):
            value = [value]
        return value
    if change == 2:
        return deepcopy(draw.choice(_values([draw.choice(honest).content])))
    return deepcopy(draw.choice(VALUES))


def _announced(value: Any) -> int:
    """How many bytes follow for a value, if it describes an array; 0 where that makes no sense."""
    match value:
        case {"array": [str(kind), list(shape)]} if kind in protocol.DTYPES:
            known = all(isinstance(size, int) and size >= 0 for size in shape)
            return math.prod(shape) * protocol.DTYPES[kind].itemsize if known else 0
    return 0


# --- Trying ---------------------------------------------------------------------------------------


def assignment_of(notebook: str) -> Assignment:
    """A notebook whose fresh cases are the public ones: it is not about points."""
    records = bank.load_all(bank.FOLDER / notebook)
    return Assignment(notebook, records, records)


def fault(frames: bytes, assignment: Assignment) -> str:
    """What goes wrong where these arrive from each worker; "" where nothing does."""
    result = Result("Somebody", "", "", "somebody.ipynb", notebook=assignment.name)
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            notebook = Notebook(assignment.name, [Cell(1, "x")])
            ask(result, notebook, assignment, list(assignment.public), Played(frames))
            json.dumps(asdict(result)).encode()
            pages.learner_page(*learners([result]), [], safe=True).encode(errors="replace")
        except Exception:
            return traceback.format_exc()
    if not 0 <= result.points <= result.of:
        return f"{result.points} of {result.of} points"
    if time.monotonic() - began > SLOW:
        return "it takes too long"
    return "; ".join(f"{one.filename}:{one.lineno}: {one.message}" for one in warned)


class TaskProgress(NamedTuple):
    """How much was tried, and what went wrong: the seed of the conversation → its fault."""

    conversations: int
    messages: int
    faults: dict[int, str]


def fuzz(seconds: float, first: int = 0, most: int = sys.maxsize) -> TaskProgress:
    """Try one conversation after another, each with a seed of its own."""
    assignments = [assignment_of(notebook) for notebook in NOTEBOOKS]
    said = [honest(assignment) for assignment in assignments]
    until, count, messages, faults = time.monotonic() + seconds, 0, 0, {}
    while time.monotonic() < until and count < most:
        seed = first + count
        which = seed % len(NOTEBOOKS)
        found = fault(spoiled(said[which], random.Random(seed)), assignments[which])
        count, messages = count + 1, messages + len(said[which])
        if found:
            faults[seed] = found
    return TaskProgress(count, messages, faults)


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed the parent what no honest worker sends.")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long; by default 1")
    parser.add_argument("--seed", type=int, default=0, help="of the first conversation")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="conversations")
    options = parser.parse_args()
    tried = fuzz(60 * options.minutes, options.seed, options.most)
    for seed, found in tried.faults.items():
        print(f"--seed {seed} --most 1:\n{found}")
    print(
        f"{tried.conversations:,} conversations of {tried.messages:,} messages: "
        f"{len(tried.faults):,} faults"
    )
    return 1 if tried.faults else 0


if __name__ == "__main__":
    sys.exit(main())
