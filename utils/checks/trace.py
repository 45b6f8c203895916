"""Trace the tensors that an answer computes, line by line, as a few numbers each.

The build traces right answers in the same way. Where a wrong answer leaves them is seen by
comparing these numbers, and no tensor has to be stored or sent.
"""

import linecache
import re
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from functools import reduce
from operator import attrgetter, or_
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

MOST_STEPS = 600  # what comes later, in a long loop, is not traced
MOST_RESULTS = 10  # of one call, such as `unbind`
LARGEST = 10**6  # numbers of a tensor that is described
LONGEST_LINE = 100  # characters of a line that are quoted
ROUNDING = 1e-5  # the largest number of a tensor that says nothing
HUGE = 1e6  # a score that stands for minus infinity counts as one
NUMBERS = 7  # how many describe a tensor
CLOSE = 1e-4  # relative difference of sums that is rounding
# These calls give the same numbers in another arrangement, or some of them: no work of a line's.
ARRANGES = re.compile(
    "__get(item)?__|chunk|clone|contiguous|detach|double|expand(_as)?|flatten|float|long|movedim|"
    "permute|reshape|split|squeeze|swapaxes|t|tensor_split|to|transpose|unbind|unflatten|unsqueeze|"
    "view(_as)?"
)


class Lines(NamedTuple):
    """What the lines of an answer have computed: an entry for each run of a line, in order.

    Args:
        numbers: numbers of the lines in their cell, (runs,).
        sources: the text of the lines, (runs,).
        computes: whether a line makes new numbers, and not a mere row of 0s and 1s, (runs,).
        results: the tensor that its last telling call returned, `described`, (runs, `NUMBERS`).
        again: whether a line has certainly run before, (runs,).
        rests: whether the result of a run rests on that of another: packed bits, (runs, runs / 8),
            rounded up; of more than `MOST_STEPS` runs it is not told, (runs, 0).
        origins: for each output, the numbers of the lines on whose values it rests; nothing if the
            answer returned something else, or nothing.
    """

    numbers: np.ndarray
    sources: np.ndarray
    computes: np.ndarray
    results: np.ndarray
    again: np.ndarray
    rests: np.ndarray
    origins: Sequence[frozenset[int]] = ()

    def uses(self) -> np.ndarray:
        """Decide which runs make direct use of which others' results, (runs, runs).

        Of an answer with very many runs nothing is said, since that would take long.
        """
        runs = len(self.numbers)
        if not self.rests.size:
            return np.zeros((runs, runs), dtype=bool)
        rests = np.unpackbits(self.rests, axis=1, count=runs).astype(np.float32)
        return (rests > 0) & (rests @ rests == 0)


NOTHING = Lines(
    *(np.empty(0),) * 3, np.empty((0, NUMBERS)), np.empty(0), np.empty((0, 0), dtype=np.uint8)
)
_ORIGINS = "_steps_it_rests_on"  # attribute of a tensor that is traced
# These say nothing of a tensor's numbers.
_OF_ITS_FORM = {"__get__", "__len__", "size", "dim", "numel", "stride"}


class _Origins(NamedTuple):
    """What a value rests on, in bits: bit n for step n, bit `MOST_STEPS` + n for a later one of
    line n.

    Args:
        steps: what tensors have brought.
        outside: what numbers and branches may have brought, which have left torch.
    """

    steps: int = 0
    outside: int = 0

    def __or__(self, other: "_Origins") -> "_Origins":
        return _Origins(self.steps | other.steps, self.outside | other.outside)


class _Step(NamedTuple):
    """One call of a torch function; `place` tells apart the runs of a line.

    It is the frame, the instruction, and the code that both belong to.
    """

    file: str
    line: int
    place: tuple[int, int, int]
    computes: bool
    changes: bool  # an array in place, as `weights[i] = …` does
    marks: bool  # the results are rows of 0s and 1s: what is wrong here may be right elsewhere
    rests: int  # on what steps, in bits
    results: list[tuple[float, ...]]


class Trace(TorchFunctionMode):
    """A mode that notes what torch functions return, by the line of the answer that called them.

    Args:
        files: names of the files, or cells, whose lines are the answer's.
    """

    def __init__(self, files: Container[str]):
        super().__init__()
        self._files = files
        self._steps: list[_Step] = []
        self._frames: set[FrameType] = set()  # kept alive, so that no other gets the same id
        self._outside = _Origins()  # values that have left torch, for whatever comes later
        self._origins: list[frozenset[int]] = []

    def __torch_function__(self, function: Callable, types: Any, args=(), kwargs=None) -> Any:
        result = function(*args, **kwargs or {})
        frame = sys._getframe(1)
        while frame and frame.f_code.co_filename not in self._files:
            frame = frame.f_back
        name = getattr(function, "__name__", "")
        changes = name in ("__setitem__", "__iadd__") or name.rstrip("_") + "_" == name
        changes |= "out" in (kwargs or {})
        found = args[0] if name == "__setitem__" else result
        rests = _Origins()
        # What others do with the values hands on their origins, too.
        if name not in _OF_ITS_FORM or isinstance(result, Tensor):  # as `.T` does
            own = frame is sys._getframe(1) or name == "__array__"
            line = frame.f_lineno if frame else None
            rests = self._follow([args, kwargs], found, line, changes, own)
        if frame and len(self._steps) < MOST_STEPS:
            several = found[:MOST_RESULTS] if isinstance(found, tuple | list) else [found]
            results = [described(value) for value in several if isinstance(value, Tensor)]
            self._frames.add(frame)
            place = id(frame), frame.f_lasti, id(frame.f_code)
            computes = not ARRANGES.fullmatch(name)
            marks = all(_is_marks(value) for value in several)
            step = frame.f_code.co_filename, frame.f_lineno, place, computes, changes, marks
            self._steps.append(_Step(*step, rests.steps, results))
        return result

    def _follow(
        self, given: Any, found: Any, line: int | None, changes: bool, own: bool
    ) -> _Origins:
        """Note on what the tensors rest that a call returns, or changes in place.

        Args:
            given: arguments of the call.
            found: what it returns, or the tensor that it changes.
            line: number of the answer's line; None if no line of its own has called.
            changes: whether it changes a tensor.
            own: whether the line itself calls, and not a function that it calls.

        Returns:
            What they rest on, but for the call itself.
        """
        handed = [*_tensors(given)]
        before = reduce(or_, map(_origins_of, handed), self._outside)
        number = len(self._steps)
        step = 1 << (number if number < MOST_STEPS else MOST_STEPS + line) if line else 0
        origins = before | _Origins(step)
        made = [*_tensors(found)]
        if not made and own:  # a number, as of `.item()`, or a branch that is taken
            self._outside = _Origins(outside=origins.steps | origins.outside)
        if not changes:  # what is handed back as it came rests on nothing new
            made = [tensor for tensor in made if not any(tensor is x for x in handed)]
        if changes:  # and what it is a view of
            made += [tensor._base for tensor in made if tensor._base is not None]
        for tensor in made:
            setattr(tensor, _ORIGINS, origins | _origins_of(tensor))
        return before

    def end(self, returned: Any, outputs: int) -> None:
        """Note on which lines each of so many outputs rests, from what the answer returned."""
        values = [*returned] if isinstance(returned, tuple | list) else [returned]
        if len(values) == outputs:
            self._origins = [
                self._lines_in(_origins_of(value) if isinstance(value, Tensor) else self._outside)
                for value in values
            ]

    def _lines_in(self, origins: _Origins) -> frozenset[int]:
        """Return the numbers of the lines that origins tell of."""
        bits = origins.steps | origins.outside
        numbers = (number for number in range(bits.bit_length()) if bits >> number & 1)
        return frozenset(
            self._steps[number].line if number < MOST_STEPS else number - MOST_STEPS
            for number in numbers
        )

    def results(self) -> np.ndarray:
        """Return the tensors that were computed, `described`: (tensors, `NUMBERS`)."""
        rows = [row for step in self._steps for row in step.results if row]
        return np.array(rows).reshape(-1, NUMBERS)

    def lines(self) -> Lines:
        """Return what the lines have computed.

        Of a line that fills an array in a loop, only the last run counts: until then it is not
        full. Runs without a telling result are left out.
        """
        runs = [*_runs(self._steps)]
        last = {run[-1].line: number for number, run in enumerate(runs)}
        again = _certainly_again(runs)
        numbered = {id(step): number for number, step in enumerate(self._steps)}
        entries = [
            (run[-1].line, _source(run[-1]), computes, row, again[number], numbered[id(telling)])
            for number, run in enumerate(runs)
            for computes in [any(step.computes for step in run) and not run[-1].marks]
            if not run[-1].changes or last[run[-1].line] == number
            for telling in _last_telling(run)
            for row in filter(None, telling.results)
        ]
        numbers, sources, computes, rows, again, steps = (
            zip(*entries, strict=True) if entries else [()] * 6
        )
        return Lines(
            np.array(numbers, dtype=int),
            np.array(sources, dtype=str),
            np.array(computes, dtype=bool),
            np.array(rows, dtype=float).reshape(-1, NUMBERS),
            np.array(again, dtype=bool),
            self._rests(np.array(steps, dtype=int)),
            self._origins,
        )

    def _rests(self, chosen: np.ndarray) -> np.ndarray:
        """Return, of some steps, which rests on which: packed bits, (chosen, chosen / 8)."""
        if len(chosen) > MOST_STEPS:
            return np.zeros((len(chosen), 0), dtype=np.uint8)
        count = len(self._steps)
        width = -(-count // 8)
        rows = ((step.rests & (1 << count) - 1).to_bytes(width, "little") for step in self._steps)
        bits = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(count, width)
        bits = np.unpackbits(bits[chosen], axis=1, bitorder="little")
        return np.packbits(bits[:, chosen], axis=1)


def _tensors(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in a call's arguments, or in what it returns."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _tensors(part)


def _origins_of(tensor: Tensor) -> _Origins:
    return getattr(tensor, _ORIGINS, _Origins())


def _runs(steps: list[_Step]) -> Iterator[list[_Step]]:
    """Yield the steps of each run of a line: within one, the instructions come in order."""
    run: list[_Step] = []
    for step in steps:
        if run and not (
            (step.line, step.place[0]) == (run[-1].line, run[-1].place[0])
            and step.place[1] > run[-1].place[1]
        ):
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _certainly_again(runs: Sequence[list[_Step]]) -> list[bool]:
    """Decide for each run whether its line has run before.

    What is called within one instruction looks like several runs, and a comprehension has code of
    its own: only a step back counts, or the same code in another frame.
    """
    last: dict[tuple[int, int], tuple[int, int]] = {}  # line and code → frame, instruction
    again: list[bool] = []
    for run in runs:
        (frame, instruction, code), end = run[0].place, run[-1].place
        before = last.get((run[0].line, code))
        again.append(before is not None and (frame != before[0] or instruction < before[1]))
        last[run[0].line, end[2]] = end[:2]
    return again


def _last_telling(run: Sequence[_Step]) -> list[_Step]:
    """Return the last call that returned something of which anything is told; a mean is one number.

    Before the last call, only what is new is of use, and no slice of an input.
    """
    last, *before = reversed(run)
    telling = [
        step for step in [last, *filter(attrgetter("computes"), before)] if any(step.results)
    ]
    return telling[:1]


def _is_marks(value: Any) -> bool:
    """Decide whether a value is one row of 0s and 1s; a mask with more axes says more."""
    is_row = isinstance(value, Tensor) and sum(length > 1 for length in value.shape) < 2
    return is_row and bool(((value == 0) | (value == 1)).all())


def _source(step: _Step) -> str:
    return linecache.getline(step.file, step.line).strip()[:LONGEST_LINE]


def described(value: Tensor) -> tuple[float, ...]:
    """Describe a tensor by its size, its axes, three sums, two that know each place, in one row.

    The three do not know how the numbers are arranged. The second is the root of the sum of all
    squares, times that of the size, so that it grows as the numbers do. The third tells apart what
    is normalised, of which the other two are all alike.

    Axes of length 1 do not count, nor does the type of numbers.

    Returns:
        `NUMBERS` numbers; none for a very large tensor, for one that holds nothing but rounding,
        and for what would be right by chance: fewer than three numbers, equal ones, or 2, 3, 4, ….
    """
    if not 3 <= value.numel() <= LARGEST:
        return ()
    if value.is_complex():
        value = torch.view_as_real(value)
    flat = value.detach().reshape(-1).double()
    plain = flat.isfinite() & (flat.abs() < HUGE)
    finite = torch.where(plain, flat, 0.0)
    dull = (flat == flat[0]).all() or (flat.diff() == 1).all() or finite.abs().max() < ROUNDING
    if not plain.any() or dull:
        return ()
    places = torch.arange(1.0, len(flat) + 1, dtype=torch.double).cos()
    lengths = [length for length in value.shape if length > 1]
    axes = sum(place * length for place, length in enumerate(lengths, start=1))
    norm = finite.norm() * len(flat) ** 0.5
    bent = (finite**3 / (1 + finite**2)).sum()
    sums = finite.sum(), norm, bent, finite @ places, (~plain).double() @ places
    return len(flat), axes, *(total.item() for total in sums)


def is_among(result: np.ndarray, others: np.ndarray) -> bool:
    """Decide whether a tensor is one of others, up to rounding; all are `described`."""
    return bool(_near(result, others).all(1).any())


def is_rearranged(result: np.ndarray, others: np.ndarray) -> bool:
    """Decide whether a tensor has the numbers of one of others, all `described`, in any order.

    Of masks, whose numbers are 0 and 1, that says nothing; of infinity and NaN nothing is known.
    """
    size, _, total, norm, *_, not_finite = result
    is_mask = abs(norm**2 / size - total) < CLOSE * (1e-3 + abs(total))
    others = others[others[:, -1] == 0]
    near = _near(result, others)[:, [0, 2, 3, 4]].all(1).any()
    return bool(near) and not (is_mask or not_finite)


def _near(result: np.ndarray, others: np.ndarray) -> np.ndarray:
    room = CLOSE * (1e-3 + others[:, 3:4])  # the sums' rounding grows with the numbers
    return np.abs(others - result) <= room * np.array([0, 0, 1, 1, 1, 1, 1])


def distinct(results: np.ndarray) -> np.ndarray:
    """Return the tensors that are no repetition of an earlier one, in order."""
    kept = np.empty((0, NUMBERS))
    for result in results:
        if not is_among(result, kept):
            kept = np.vstack([kept, result])
    return kept
