"""Test that the parent bears what no honest worker sends.

What honest workers send is spoiled: messages vanish, are doubled or change places, values in them
become others of another type or size, bytes are changed. Whatever arrives, there has to be a
result, which can be written to disk and to a page, and not a word on the standard outputs. No
sandbox is needed. DIALOGS=20000 in front of pytest tries more.
"""

import json
import math
import os
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from grading.intake.notebook_parser import Notebook
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
from utils.checks.limits import Printed
from utils.checks.tasks import Case
from utils.notebook_file import Cell

NOTEBOOKS = ("01_attention_concepts", "02_additive_attention")  # all kinds of tasks
DIALOGS = int(os.environ.get("DIALOGS", 20))
SLOW = 20.0  # seconds for one dialog, none of which waits for anything
VALUES = [
    *(None, True, False, 0, 1, -1, 2**31 - 1, 2**31, 2**63, 10**400, 0.5, math.inf, math.nan),
    *("", "\ud800", "passed", "error", "x" * 5000, "<x-live>", [], {}, [[]], [None, None], [{}]),
    *({"texts": ["a", "b"]}, {"texts": []}, {"texts": "a"}, {"end": True}, {"error": []}),
    *({"array": "0"}, {"array": "1", "tensor": True, "strided": True}, {"array": None}),
]
KEYS = st.sampled_from(["array", "texts", "tensor", "task", "answers", "error", "end", "\ud800"])
ARRAYS = st_numpy.arrays(
    st.sampled_from([*protocol.DTYPES.values()]),
    st_numpy.array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4),
)
OTHERS = st.recursive(
    st.sampled_from(VALUES) | ARRAYS | ARRAYS.map(torch.from_numpy),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
SWAPS = {  # what describes arrays in a frame → something as long that is wrong
    **{b'"F32"': b'"F16"', b'"F64"': b'"I64"', b'"I64"': b'"F64"', b'"shape": [': b'"shape":[9'},
    **{b'"data_offsets": [0': b'"data_offsets": [8', b'{"array": "0': b'{"array": "1'},
    **{b'"array"': b'"texts"', b'"strided": false': b'"strided": true '},
}


# --- What honest workers send ---------------------------------------------------------------------


def all_right(assignment: Assignment) -> list[Any]:
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
            {"answers": [plain(answer) for answer in record.expected], "printed": 3, "doubts": []}
            for record in records
        ]
        messages.append({"task": task, "parts": parts})
    return [*messages, {"end": True}]


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

        def decide(self, turn):
            return turn()

        def decided(self, decision: Decision):
            messages.append({"task": task, "decision": decision})
            refereed.decide(*decision)

    def logged(case: Case) -> Logged:
        return Logged(case.inputs["seeds"])

    for cases in refereed.cases():
        kind_of(assignment.public[task].task, logged).run(test, cases, Printed())
    return messages


# --- Spoiling -------------------------------------------------------------------------------------


@st.composite
def spoiled(draw: st.DrawFn, messages: list[Any]) -> bytes:
    """Draw what arrives in place of honest messages: some messages, values or bytes are changed."""
    frames = [protocol.pack(message) for message in messages]
    for _ in range(draw(st.integers(1, 5))):
        place, other = (draw(st.integers(0, len(messages) - 1)) for _ in range(2))
        change = draw(st.sampled_from(["drop", "double", "exchange", *["value"] * 5]))
        if change == "value":
            frames[place] = draw(changed(messages[place]))
        else:
            frames[place] = {"drop": b"", "double": 2 * frames[place]}.get(change, frames[other])
    data = b"".join(frames)
    if draw(st.booleans()):
        return data
    found = [swap for swap in SWAPS if swap in data]
    if found and draw(st.booleans()):
        swap = draw(st.sampled_from(found))
        before = draw(st.integers(1, data.count(swap)))
        parts = data.split(swap, before)
        return swap.join(parts[:-1]) + SWAPS[swap] + parts[-1]
    place, gone = draw(st.integers(0, len(data))), draw(st.sampled_from([0, 1, 4, 1000]))
    return data[:place] + draw(st.binary(max_size=8)) + data[place + gone :]


@st.composite
def changed(draw: st.DrawFn, message: Any) -> bytes:
    """Draw a frame of a message in which some values are others."""
    root = [_in_lists(message)]
    for _ in range(draw(st.integers(1, 4))):
        places = [*_places(root)]
        holder, key = places[draw(st.integers(0, len(places) - 1))]
        nested = _in_lists([holder[key]] * draw(st.sampled_from([1, 2, 300])))
        holder[key] = _in_lists(draw(OTHERS | st.just(nested)))  # a copy: it may be changed next
    return protocol.pack(root[0])


def _in_lists(value: Any) -> Any:
    """Return a copy of a message that can be changed at every place."""
    if isinstance(value, dict):
        return {key: _in_lists(item) for key, item in value.items()}
    return [_in_lists(item) for item in value] if isinstance(value, list | tuple) else value


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where every value stands: what holds it, and under which key."""
    for key in range(len(holder)) if isinstance(holder, list) else holder:
        yield holder, key
        if isinstance(holder[key], list | dict):
            yield from _places(holder[key])


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


@pytest.mark.parametrize(
    "dialogs", [DIALOGS, pytest.param(10 * DIALOGS, marks=pytest.mark.nightly)]
)
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a dialog that fails
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_whatever_arrives_there_is_a_result_and_silence(notebook, dialogs):
    assignment = assignment_of(notebook)

    # Without looking for a smaller example, as each takes a tenth of a second.
    @settings(
        max_examples=dialogs,
        deadline=None,
        phases=[Phase.reuse, Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(spoiled(all_right(assignment)))
    def try_it(frames):
        assert fault(frames, assignment) == ""

    try_it()
