"""Feeds the parent what no honest worker sends: `python -m grading.tests.fuzz --minutes 30`.

What honest workers send is spoiled: messages vanish, are doubled or change places, values in them
become others of another type or size, bytes are changed, removed and repeated. Whatever arrives,
there has to be a result, which can be written to disk and to a page, and not a word on the standard
outputs. No sandbox is needed.
"""

import argparse
import contextlib
import json
import math
import random
import struct
import sys
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
from grading.run.dialog import RefereedTest
from grading.run.grading import Assignment, Grading
from grading.run.scoring import Result, score_tasks
from grading.run.worker import plain
from grading.tests.made import PlayedLauncher
from solutions.build import SOURCE, solutions_of
from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.kinds.referee import Decision
from utils.checks.runner import Printed
from utils.checks.tasks import Case

NOTEBOOKS = ("01_attention_concepts", "02_additive_attention")  # all kinds of tasks
SLOW = 20.0  # seconds for one dialog, none of which waits for anything
LARGEST_BLOB = 2**16
VALUES = [
    *(None, True, False, 0, 1, -1, 2**31 - 1, 2**31, 2**63, 10**400, 0.5, math.inf, math.nan),
    *("", "\ud800", "passed", "error", "x" * 5000, "<x-live>", [], {}, [[]], [None, None], [{}]),
    *({"texts": ["a", "b"]}, {"texts": []}, {"texts": "a"}, {"end": True}, {"error": []}),
    *({"array": "0"}, {"array": "1", "tensor": True, "strided": True}, {"array": None}),
]
EXTREMES = [
    bytearray(struct.pack("<2d", *pair))
    for pair in [(1e308, -1e308), (math.inf, -math.inf), (math.nan, 0.5), (5e-324, -0.0)]
]
SIZES = [0, 1, 2, 3, 2**31 - 1, 7, 1000, 2**31, 2**62, -1, True, 0.5, "2", None]


class Frame(NamedTuple):
    """A message as it goes over the wire: its JSON, what describes its arrays, and their bytes."""

    content: Any
    header: Any
    blobs: bytes

    @classmethod
    def of(cls, message: Any) -> "Frame":
        data = protocol.pack(message)
        start = protocol.LENGTHS.size
        end = start + protocol.LENGTHS.unpack(data[:start])[0]
        content, arrays = json.loads(data[start:end]), data[end:]
        if not arrays:
            return cls(content, {}, b"")
        blobs = 8 + int.from_bytes(arrays[:8], "little")
        return cls(content, json.loads(arrays[8:blobs]), arrays[blobs:])

    def packed(self) -> bytes:
        text, arrays = json.dumps(self.content).encode(), b""
        if self.header or self.blobs:
            header = json.dumps(self.header).encode()
            arrays = struct.pack("<Q", len(header)) + header + self.blobs
        return protocol.LENGTHS.pack(len(text), len(arrays)) + text + arrays


def honest(assignment: Assignment) -> list[Frame]:
    """Return what an honest worker sends whose answers are all right."""
    messages: list[Any] = [
        {"at": 1},
        {"cell": 1, "error": "NameError: x", "late": False},
    ]
    for task, public in assignment.public.items():
        messages.append({"at": task})
        records = public, assignment.fresh[task]
        if kind_of(public.task).is_refereed:
            messages += _test_of(task, assignment)
        parts = [
            {"answers": [plain(answer) for answer in record.expected], "printed": 3}
            for record in records
        ]
        messages.append({"task": task, "parts": parts})
    return [Frame.of(message) for message in [*messages, {"end": True}]]


def _test_of(task: str, assignment: Assignment) -> list[Any]:
    """Return the calls and decisions of the published test, as its worker would send them."""
    messages: list[Any] = []
    refereed = RefereedTest(assignment.public[task], assignment.fresh[task])
    test = solutions_of(SOURCE / f"{assignment.name}.ipynb")[task]

    class Logged:
        def __init__(self, seeds):
            self.seeds, self.answer = seeds, None

        def call(self, arguments, named):
            messages.append({"task": task, "call": [arguments, list(named.items())]})
            return refereed.call(arguments, named.items())

        def decided(self, decision: Decision):
            messages.append({"task": task, "decision": decision})
            refereed.decide(*decision)

    def logged(case: Case) -> Logged:
        return Logged(case.inputs["seeds"])

    for cases in refereed.cases():
        kind_of(assignment.public[task].task, logged).run(test, cases, Printed())
    return messages


# --- Spoiling -------------------------------------------------------------------------------------


def spoiled(honest: list[Frame], draw: random.Random) -> bytes:
    """Return what arrives in place of honest frames: messages, values or bytes are changed."""
    frames = list(honest)
    changes = draw.choice([1, 2, 5, 20])
    if draw.random() < 0.2:
        return _spoiled_bytes(b"".join(frame.packed() for frame in frames), changes, draw)
    for _ in range(changes):
        place = draw.randrange(len(frames))
        change = draw.randrange(10)
        if change == 0:
            del frames[place : place + draw.choice([1, 3])]
        elif change == 1:
            frames.insert(draw.randrange(len(frames)), frames[place])
        elif change == 2:
            frames[place] = Frame(draw.choice(VALUES), {}, b"")
        else:
            frames[place] = _changed(frames[place], honest, draw)
        frames = frames or [Frame({}, {}, b"")]
    return b"".join(frame.packed() for frame in frames)


def _spoiled_bytes(data: bytes, changes: int, draw: random.Random) -> bytes:
    """Return bytes of which some are changed, removed or repeated, or the end is missing."""
    spoiled = bytearray(data)
    for _ in range(changes):
        place = draw.randrange(len(spoiled))
        change = draw.randrange(3)
        if change == 0:
            spoiled[place] = draw.randrange(256)
        elif change == 1:
            del spoiled[place : place + draw.choice([1, 4, 1000, len(spoiled)])]
        else:
            spoiled[place:place] = spoiled[max(0, place - 100) : place]
        spoiled = spoiled or bytearray(1)
    return bytes(spoiled)


def _changed(frame: Frame, honest: list[Frame], draw: random.Random) -> Frame:
    """Return a frame with a few values changed, mostly with as many bytes as it announces."""
    root = [deepcopy(frame.content), deepcopy(frame.header)]
    for _ in range(draw.choice([1, 1, 2, 4])):
        holder, key = draw.choice([*_places(root)])
        holder[key] = _other(holder[key], honest, draw)
        if draw.random() < 0.1 and holder is not root:
            value = holder.pop(key)
            if isinstance(holder, dict):
                holder[draw.choice(["array", "texts", "tensor", "end", "\ud800"])] = value
    blobs = bytearray(frame.blobs)
    announced = _announced(root[1])
    if announced <= LARGEST_BLOB and draw.random() < 0.9:
        blobs = blobs[:announced].ljust(announced, b"\x01")
    if draw.random() < 0.2:
        blobs = (draw.choice(EXTREMES) * len(blobs))[: len(blobs)]
    return Frame(*root, bytes(blobs))


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where every value stands: what holds it, and under which key."""
    for key in range(len(holder)) if isinstance(holder, list) else holder:
        yield holder, key
        if isinstance(holder[key], list | dict):
            yield from _places(holder[key])


def _other(value: Any, honest: list[Frame], draw: random.Random) -> Any:
    """Return something else that could stand in the place of a value."""
    if isinstance(value, dict) and draw.random() < 0.7:
        if "array" in value:
            flags = {"tensor": draw.random() < 0.3, "strided": draw.random() < 0.5}
            return {"array": draw.choice([value["array"], "0", "7", 0, None])} | flags
        if "data_offsets" in value:
            sizes = SIZES[: draw.choice([5, 5, 14])]
            shape = [draw.choice(sizes) for _ in range(draw.randrange(10))]
            dtype = draw.choice([*protocol.DTYPES, "F16", "O", 3, None])
            return value | {"dtype": dtype, "shape": draw.choice([value["shape"], shape])}
    elsewhere = [holder[key] for holder, key in _places([draw.choice(honest).content])]
    others = [_nested(value, 60), [value], draw.choice(elsewhere), draw.choice(VALUES)]
    others.append([value] * (2 if isinstance(value, list | dict) else 300))
    return deepcopy(draw.choice(others))


def _nested(value: Any, depth: int) -> Any:
    """Return a value in so many lists, each in the next."""
    for _ in range(depth):
        value = [value]
    return value


def _announced(header: Any) -> int:
    """Return how many bytes a header says that follow; 0 where it makes no sense."""
    with contextlib.suppress(Exception):
        return max(0, *(description["data_offsets"][1] for description in header.values()))
    return 0


# --- Trying ---------------------------------------------------------------------------------------


def assignment_of(notebook: str) -> Assignment:
    """Return a notebook whose fresh cases are the public ones: it is not about points."""
    records = bank.load_all(bank.FOLDER / notebook)
    return Assignment(notebook, records, records)


def fault(frames: bytes, assignment: Assignment) -> str:
    """Return what goes wrong where these arrive from each worker; "" where nothing does."""
    result = Result("Somebody", "", "", "somebody.ipynb", notebook=assignment.name)
    began = time.monotonic()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            notebook = Notebook(assignment.name, [Cell(1, "x")])
            grading = Grading({assignment.name: assignment}, PlayedLauncher(frames))
            score_tasks(result, notebook, list(assignment.public), grading)
            json.dumps(asdict(result)).encode()
            pages.learner_page(*learners([result]), [], safe=True).encode(errors="replace")
        except Exception:
            return traceback.format_exc()
    if not 0 <= result.points <= result.of:
        return f"{result.points} of {result.of} points"
    if time.monotonic() - began > SLOW:
        return "it takes too long"
    return "; ".join(f"{line.filename}:{line.lineno}: {line.message}" for line in warned)


def fuzz(seconds: float, first: int = 0, most: int = sys.maxsize) -> tuple[int, dict[int, str]]:
    """Try one dialog after another, each with a seed of its own.

    Returns:
        How many dialogs there were, and what went wrong: seed of the dialog → its fault.
    """
    assignments = [assignment_of(notebook) for notebook in NOTEBOOKS]
    frames = [honest(assignment) for assignment in assignments]
    until, faults, seed = time.monotonic() + seconds, {}, first
    while time.monotonic() < until and seed < first + most:
        which = seed % len(NOTEBOOKS)
        if wrong := fault(spoiled(frames[which], random.Random(seed)), assignments[which]):
            faults[seed] = wrong
        seed += 1
    return seed - first, faults


def main() -> int:
    parser = argparse.ArgumentParser(description="Feed the parent what no honest worker sends.")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long; by default 1")
    parser.add_argument("--seed", type=int, default=0, help="of the first dialog")
    parser.add_argument("--most", type=int, default=sys.maxsize, help="dialogs")
    options = parser.parse_args()
    dialogs, faults = fuzz(60 * options.minutes, options.seed, options.most)
    for seed, wrong in faults.items():
        print(f"--seed {seed} --most 1:\n{wrong}")
    print(f"{dialogs:,} dialogs: {len(faults):,} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
