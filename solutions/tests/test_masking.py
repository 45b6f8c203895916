"""Test that no task with scores accepts two slips that show in rare inputs only.

A running maximum that begins at a finite number, or a number that is filled in and not low enough,
loses rows whose open scores all lie below it. And a score of exactly 0 is no sign of a mask.
"""

import inspect

import pytest
import torch
from torch.overrides import TorchFunctionMode

from solutions.build import chosen, solutions_of
from solutions.selftest import verdict
from utils.checks import bank
from utils.masks import masked_softmax

LOW = -1e8  # what is lower stands for minus infinity
FILLS = ("masked_fill", "where", "new_full", "full")


def limited(floor):
    """Return a slip: scores of rows that lie below a number lose against it."""

    def softmax(scores, mask=None, dim=-1):
        scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        powers = (scores - scores.amax(dim, keepdim=True).clamp(min=floor)).exp()
        total = powers.sum(dim, keepdim=True)
        return powers / torch.where(total > 0, total, 1.0)

    def fill(name, arguments):
        return [floor if isinstance(x, float) and x < LOW else x for x in arguments]

    return softmax, fill


def zero_is_hidden(scores, mask=None, dim=-1):
    return masked_softmax(scores, mask if mask is None else mask & (scores != 0), dim)


def zeros_filled(name, arguments):
    if name == "masked_fill":
        scores, hidden, low = arguments
        return [scores, hidden | (scores == 0), low] if low < LOW else arguments
    if name == "where" and isinstance(arguments[2], float) and arguments[2] < LOW:
        return [arguments[0] & (arguments[1] != 0), *arguments[1:]]
    return arguments


class Slip(TorchFunctionMode):
    """A mode in which an answer's softmax, and what it fills in, have a slip."""

    def __init__(self, softmax, fill):
        super().__init__()
        self.softmax, self.fill = softmax, fill

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name == "softmax" and self.softmax is not zero_is_hidden:
            return self.softmax(*args[:1], None, *args[1:], **kwargs or {})
        args = self.fill(name, args) if name in FILLS else args
        return function(*args, **kwargs or {})


def with_slip(right, slip, monkeypatch):
    """Return a right answer with a slip in it."""
    forward = right.forward if inspect.isclass(right) else right
    if "masked_softmax" in forward.__globals__:
        monkeypatch.setitem(forward.__globals__, "masked_softmax", slip.softmax)

    def answer(*inputs):
        with slip:
            return forward(*inputs)

    return type(right.__name__, (right,), {"forward": answer}) if right is not forward else answer


BELOW = [
    "masked_softmax",
    "softmax_with_temperature",
    "normalised_heatmap",
    "gaussian_window",
    "scaled_attention",
    "masked_weights",
    "streaming_attention",
    "decoder_step",
    "next_word",
    "read_piece",
    "sparse_read",
    "ring_step",
]
ZERO = [
    "masked_softmax",
    "MyAdditiveAttention",
    "BahdanauStep",
    "weights_without_padding",
    "luong_step",
    "gaussian_window",
    "scaled_attention",
    "masked_weights",
    "streaming_attention",
    "MultiHead",
    "decoder_step",
    "counterfactual",
    "next_word",
    "read_piece",
    "sparse_read",
    "attend_in_groups",
    "MyBlock",
]
SLIPS = {
    "a maximum of -20 or more": limited(-20.0),
    "a maximum of -50,000 or more": limited(-5e4),
    "0 is hidden": (zero_is_hidden, zeros_filled),
}


@pytest.mark.parametrize(
    ("task", "slip"),
    [(task, slip) for slip in SLIPS for task in (ZERO if "0 is" in slip else BELOW)],
)
def test_a_slip_that_shows_in_rare_inputs_is_refused(task, slip, monkeypatch):
    ((path, _),) = chosen(task)
    record, right = bank.load(task), solutions_of(path, train=False)[task]
    assert not verdict(record, with_slip(right, Slip(*SLIPS[slip]), monkeypatch)).passed
