"""Test that answers are refused that keep an input from call to call, whichever it is."""

import inspect

import pytest
import torch

from solutions.build import chosen, solutions_of
from solutions.selftest import verdict
from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.runner import is_decimal
from utils.checks.tasks import Reason

OFTEN = [  # tables of masks, angles and scores are kept in real programs
    "turn_from",
    "turn",
    "encode_positions",
    "slower_clocks",
    "sliding_mask",
    "combined_mask",
    "scaled_attention",
    "MyAdditiveAttention",
    "CachedBlock",
]
TASKS = [
    pytest.param(exercise.task.id, marks=[] if exercise.task.id in OFTEN else pytest.mark.nightly)
    for _, exercise in chosen()
    if exercise.task.again and kind_of(exercise.task).is_related
]


def keeping(name, names, kept):
    """Return a function that gives back a call's inputs, but `name` as it first came with them."""

    def as_first(inputs):
        given = dict(zip(names, inputs, strict=False))
        if name not in given:
            return inputs
        key = repr([_form(x) if each == name else _written(x) for each, x in given.items()])
        value, first = given[name], kept.setdefault(key, given[name])
        if is_decimal(value) and is_decimal(first):  # the way back is that of a right answer
            first = value + (first.detach() - value).detach()
        return [*{**given, name: first}.values()]

    return as_first


def _form(value):
    return (value.shape, value.dtype) if torch.is_tensor(value) else ""


def _written(value):
    return _form(value), value.tolist() if torch.is_tensor(value) else value


def that_keeps(name, names, right):
    """Return a right answer that takes an input from an earlier call with the same other inputs."""
    if not inspect.isclass(right):
        as_first = keeping(name, names, {})
        return lambda *inputs: right(*as_first(inputs))

    class Keeps(right):
        def forward(self, *inputs):
            as_first = keeping(name, names, self.__dict__.setdefault("kept", {}))
            return super().forward(*as_first(inputs))

    return Keeps


@pytest.mark.parametrize("task", TASKS)
def test_a_right_answer_that_keeps_an_input_is_refused(task):
    ((path, _),) = chosen(task)
    record, right = bank.load(task), solutions_of(path, train=False)[task]
    names = [*max((case.inputs for case in record.cases), key=len)]
    changed = {name for twin in record.twins for name in twin.then.get("inputs", ())}
    assert verdict(record, right).passed
    assert changed or task in UNCHANGED
    for name in changed:
        given = verdict(record, that_keeps(name, names, right))
        assert not given.passed, name
        named = f"`{name}`" in given.message or "does your code keep" in given.message
        assert given.reason != Reason.KEPT or named


UNCHANGED = (  # nothing in them is another while all shapes stay the same, but what has to be kept
    "four_patterns",
    "look_back",
    "PrecomputedKeys",
)
