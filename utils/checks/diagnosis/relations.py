"""How a wrong answer is related to the right one, for mistakes that nobody wrote down.

A relation is a small function of one output over all cases. It returns a sentence, or "" where it
does not hold. What it says was verified in every case in which it can be seen, and on so many
numbers that chance is excluded. Relations are tried after a wrong answer that is no known mistake,
the strongest first, and the first that holds is told.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from utils.checks.tasks import Answer, Case, Record

LOOSE = 10  # times the task's tolerance: a relation is well within it, or does not hold
CLOSE = 2e-3  # of factors and exponents that have a name
BITS = {"f": 10, "i": 2, "u": 2, "b": 1}  # that an entry is worth as evidence, at least
ENOUGH = 30  # bits: a thousand relations may be tried
MOST_LABELS = 3  # of cases, that are told
SMALLEST_SHARE = 0.01  # recorded numbers have six decimals: smaller ones have few digits left


class Pair(NamedTuple):
    """One output in one case, as it should be and as it is.

    Args:
        case: its inputs.
        should, is_: expected and found.
        others: all expected outputs.
    """

    case: Case
    expected: np.ndarray
    actual: np.ndarray
    others: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class OutputComparison:
    """One output in all cases.

    Args:
        record: what was asked and expected.
        answers: one for each case, or for the first of them.
        output: its name.
    """

    record: Record
    answers: Sequence[Answer]
    output: str

    @cached_property
    def all_pairs(self) -> list[Pair]:
        """All cases that were answered."""
        name, record = self.output, self.record
        return [
            Pair(case, expected.outputs[name], actual.outputs[name], expected.outputs)
            for case, expected, actual in zip(
                record.cases, record.expected, self.answers, strict=False
            )
        ]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Those but for what blew up, whose numbers say nothing."""
        return [
            pair for pair in self.all_pairs if _finite(pair.actual) or not _finite(pair.expected)
        ]

    @cached_property
    def right(self) -> bool:
        """Whether it is right in all of them."""
        whole = len(self.pairs) == len(self.all_pairs)
        return (
            whole
            and self.shaped
            and all(self.same(pair.expected, pair.actual) for pair in self.pairs)
        )

    def tells_apart(self, number: int) -> bool:
        """Whether a case shows most of the known mistakes: what all get right tells nothing."""
        expected = self.all_pairs[number].expected
        fooled = [
            self.same(expected, theirs[number].outputs[self.output])
            for theirs in self.record.mistaken.values()
        ]
        return 2 * sum(fooled) <= len(fooled)

    @cached_property
    def depth(self) -> int:
        """The number of axes that it should have in every case."""
        return min((pair.expected.ndim for pair in self.pairs), default=0)

    @cached_property
    def axes(self) -> range:
        """Those axes, counted from the end."""
        return range(-1, -self.depth - 1, -1)

    @cached_property
    def shaped(self) -> bool:
        """Whether it has the right shape in all cases."""
        return all(pair.expected.shape == pair.actual.shape for pair in self.pairs)

    @cached_property
    def dtypes(self) -> str:
        """The kinds of numbers, of what is expected and of what was found: "ff", "bb", "if", …"""
        of_each = {pair.expected.dtype.kind + pair.actual.dtype.kind for pair in self.pairs}
        return of_each.pop() if len(of_each) == 1 else ""

    @cached_property
    def numbers(self) -> bool:
        """Whether it can be calculated with, entry by entry."""
        return self.shaped and self.dtypes in ("ff", "ii")

    def same(self, left: np.ndarray, right: np.ndarray) -> bool:
        """Whether two arrays are equal, but for rounding."""
        return left.shape == right.shape and bool(self.equal(left, right).all())

    def equal(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Which entries are equal, but for rounding."""
        room = LOOSE * self.record.task.tolerance
        return np.isclose(left, right, rtol=room, atol=room, equal_nan=True)

    def agree(
        self, left: Callable[[Pair], np.ndarray], right: Callable[[Pair], np.ndarray]
    ) -> bool:
        """Whether two functions of a pair are equal in all cases.

        An entry that is right where it stands is no evidence, nor is the same number over and over.
        """
        bits, decimals = 0, set()
        for pair in self.pairs:
            try:
                one, other = np.asarray(left(pair)), np.asarray(right(pair))
            except (ValueError, IndexError, TypeError):  # it has too few axes for that
                return False
            if not self.same(one, other):
                return False
            telling = min(one.size, pair.expected.size)
            if pair.expected.shape == pair.actual.shape:
                telling = min(telling, int((~self.equal(pair.expected, pair.actual)).sum()))
            bits += _worth(pair.expected, one) * telling
            decimals |= set(pair.actual.round(4).ravel().tolist()) if self.dtypes == "ff" else set()
        return bits >= ENOUGH and (self.dtypes != "ff" or BITS["f"] * len(decimals) >= ENOUGH)

    def is_made_by(self, change: Callable[[np.ndarray], np.ndarray]) -> bool:
        """Whether that change of the right values gives the answer, in all cases."""
        return self.agree(lambda pair: change(pair.expected), lambda pair: pair.actual)

    def is_mended_by(self, change: Callable[[np.ndarray], np.ndarray]) -> bool:
        """Whether that change of the answer gives the right values, in all cases."""
        return self.agree(lambda pair: pair.expected, lambda pair: change(pair.actual))


def _finite(values: np.ndarray) -> bool:
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


def _worth(expected: np.ndarray, found: np.ndarray) -> float:
    """What an entry is worth as evidence, in bits: a large count is as telling as a decimal."""
    least = BITS[expected.dtype.kind]
    if expected.dtype.kind != "i" or not found.size:
        return least
    return float(np.clip(np.log2(1 + np.abs(found).min()), least, BITS["f"]))


# --- In words -------------------------------------------------------------------------------------

FACTORS = {
    "with the opposite sign": -1.0,
    "times 2": 2.0,
    "divided by 2": 0.5,
    "times 4": 4.0,
    "divided by 4": 0.25,
    "times √2": math.sqrt(2),
    "divided by √2": math.sqrt(0.5),
    "times log 2 (0.693…)": math.log(2),
    "divided by log 2 (0.693…)": 1 / math.log(2),
}
POWERS = {
    "times the square root of {}": 0.5,
    "divided by the square root of {}": -0.5,
    "times {}": 1.0,
    "divided by {}": -1.0,
    "times the square of {}": 2.0,
    "divided by the square of {}": -2.0,
}

RATIOS = {
    "divided by the square root of {} in place of that of {}": 0.5,
    "divided by {} in place of {}": 1.0,
}


def axis_in_words(axis: int, depth: int) -> str:
    """An axis, counted from the end."""
    if depth == 1:
        return "the only axis"
    return {-1: "the last axis", -depth: "the first axis"}.get(axis, f"axis {depth + axis}")


def _axis(axis: int, depth: int) -> str:
    """The same, of what was named before."""
    return axis_in_words(axis, depth).replace("the ", "its ")


def _factor(factors: Mapping[int, float], cases: Sequence[Case]) -> str:
    """A factor that an answer has in each case, in words; "" if it is a different one by chance.

    Args:
        factors: number of the case → factor, where it can be told.
        cases: all of them.
    """
    values = [*factors.values()]
    if max(values) - min(values) <= CLOSE * abs(values[0]):
        return _constant(values[0])
    if len(values) < 3:
        return ""
    every = {name: np.array(sizes)[[*factors]] for name, sizes in _sizes(cases).items()}
    sizes = {name: of_each for name, of_each in every.items() if of_each.min() > 0}

    def fits(of_each: np.ndarray, power: float) -> bool:
        return np.allclose(of_each**power, values, rtol=CLOSE, atol=0)

    for words, power in POWERS.items():
        for name, of_each in sizes.items():
            if fits(of_each, power):
                return words.format(name)
    for words, power in POWERS.items():
        for name, of_each in sizes.items():
            constant = values[0] / of_each[0] ** power
            if len({*of_each}) > 2 and np.allclose(
                constant * of_each**power, values, rtol=CLOSE, atol=0
            ):
                return f"{_constant(constant)} and {words.format(name)}"
    for words, power in RATIOS.items():
        lengths = {name: of_each for name, of_each in sizes.items() if "number of" not in name}
        for (one, ones), (other, others) in itertools.permutations(lengths.items(), 2):
            if fits(others / ones, power):
                return words.format(one, other)
    return ""


def _constant(factor: float) -> str:
    known = [words for words, one in FACTORS.items() if math.isclose(one, factor, rel_tol=CLOSE)]
    return known[0] if known else f"times {factor:.3g}"


def _sizes(cases: Sequence[Case]) -> dict[str, list[float]]:
    """Every size and setting that all cases have, in words → its value in each case."""
    named = [dict(_sizes_of(case)) for case in cases]
    common = [name for name in named[0] if all(name in sizes for sizes in named)]
    return {name: [sizes[name] for sizes in named] for name in common}


def _sizes_of(case: Case) -> Iterator[tuple[str, float]]:
    for name, value in {**case.inputs, **case.build}.items():
        if isinstance(value, Tensor):
            for axis in range(-1, -value.dim() - 1, -1):
                where = axis_in_words(axis, max(2, value.dim()))  # with and without a batch
                yield f"the length of {where} of `{name}`", value.shape[axis]
            if not value.is_floating_point():
                what = "that are `True`" if value.dtype == torch.bool else "other than 0"
                yield f"the number of entries of `{name}` {what}", int(value.count_nonzero())
            yield f"the number of entries of `{name}`", value.numel()
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"`{name}`", value


# --- Another thing in its place -------------------------------------------------------------------


def _another_output(seen: OutputComparison) -> str:
    for other in seen.record.task.outputs:
        if other != seen.output and seen.agree(
            lambda pair, other=other: pair.others[other], lambda pair: pair.actual
        ):
            return f"What you return as `{seen.output}` is what `{other}` should be."
    return ""


def _an_input(seen: OutputComparison) -> str:
    for name, value in seen.record.cases[0].inputs.items():
        if isinstance(value, Tensor) and seen.agree(
            lambda pair, name=name: pair.case.inputs.get(name), lambda pair: pair.actual
        ):
            return f"What you return as `{seen.output}` is your input `{name}`, unchanged."
    return ""


# --- The same numbers in other places -------------------------------------------------------------


def _another_shape(seen: OutputComparison) -> str:
    if seen.agree(lambda pair: pair.expected.ravel(), lambda pair: pair.actual.ravel()):
        return f"The numbers of `{seen.output}` are right, in the right order: its shape is not."
    return ""


def _axes_exchanged(seen: OutputComparison) -> str:
    depth = seen.depth
    for order in itertools.permutations(range(depth)):
        moved = [axis - depth for axis, place in enumerate(order) if axis != place]
        if not moved or not seen.is_made_by(partial(np.transpose, axes=order)):
            continue
        if len(moved) > 2:
            return (
                f"`{seen.output}` holds the right numbers, but its axes stand in another order: "
                f"they are axes {', '.join(map(str, order))} of the right one."
            )
        if depth == 2:
            return f"`{seen.output}` is right, but transposed: its rows should be columns."
        first, second = (_axis(axis, depth) for axis in moved)
        return f"`{seen.output}` holds the right numbers, but {first} and {second} are exchanged."
    return ""


def _turned_round(seen: OutputComparison) -> str:
    for axis in seen.axes:
        if seen.is_made_by(partial(np.flip, axis=axis)):
            where = _axis(axis, seen.depth)
            return f"`{seen.output}` is right, but back to front along {where}."
    return ""


def _shifted(seen: OutputComparison) -> str:
    if not seen.shaped:
        return ""
    for axis in seen.axes:
        where = _axis(axis, seen.depth)
        for steps, words in ((1, "late"), (-1, "early")):
            if seen.is_made_by(partial(np.roll, shift=steps, axis=axis)):
                return (
                    f"`{seen.output}` is shifted by one place along {where}: what falls off at one "
                    "end comes back at the other."
                )
            if _overlaps(seen, axis, steps):
                return (
                    f"`{seen.output}` is shifted along {where}: each entry comes one place too "
                    f"{words}."
                )
    return ""


def _overlaps(seen: OutputComparison, axis: int, steps: int) -> bool:
    """Whether it is shifted, whatever stands at the end that is left open."""
    early, late = slice(None, -1), slice(1, None)
    theirs, ours = (early, late) if steps > 0 else (late, early)
    bits = 0
    for pair in seen.pairs:
        if pair.expected.shape[axis] < 2:  # nothing overlaps
            continue
        expected, actual = (np.moveaxis(values, axis, 0) for values in (pair.expected, pair.actual))
        if not seen.same(expected[theirs], actual[ours]):
            return False
        telling = ~seen.equal(expected[theirs], expected[ours])
        bits += BITS[expected.dtype.kind] * int(telling.sum())
    return bits >= ENOUGH


def _one_for_all(seen: OutputComparison) -> str:
    for axis in seen.axes:
        for place, words in ((0, "first"), (-1, "last")):

            def repeated(values: np.ndarray, axis: int = axis, place: int = place) -> np.ndarray:
                return np.broadcast_to(np.take(values, [place], axis), values.shape)

            if seen.is_made_by(repeated):
                return (
                    f"Along {_axis(axis, seen.depth)}, `{seen.output}` is right for the {words} "
                    "entry, and holds that one in all other places too."
                )
    return ""


def _cut_off(seen: OutputComparison) -> str:
    """An end is missing, or there is one too many."""
    for axis in seen.axes:
        for end, words in ((slice(1, None), "first"), (slice(None, -1), "last")):

            def without(values: np.ndarray, axis: int = axis, end: slice = end) -> np.ndarray:
                return np.moveaxis(np.moveaxis(values, axis, 0)[end], 0, axis)

            where = f"the {words} entry along {_axis(axis, seen.depth)}"
            if seen.is_made_by(without):
                return f"`{seen.output}` is right, but {where} is missing."
            if seen.is_mended_by(without):
                return f"`{seen.output}` is right, but for {where}, which is one too many."
    return ""


def _other_places(seen: OutputComparison) -> str:
    for order in itertools.permutations(range(seen.depth)):

        def read(values: np.ndarray, order: Sequence[int] = order) -> np.ndarray:
            return np.transpose(values, order).ravel()

        if seen.agree(
            lambda pair: read(pair.expected), lambda pair: pair.actual.ravel()
        ) or seen.agree(lambda pair: pair.expected.ravel(), lambda pair: read(pair.actual)):
            return (
                f"`{seen.output}` holds the right numbers in other places, as when axes are merged "
                "or split while they stand in another order: `view` and `reshape` read row by row, "
                "and exchange no axes."
            )
    if seen.dtypes == "ff" and seen.agree(
        lambda pair: np.sort(pair.expected, axis=None), lambda pair: np.sort(pair.actual, axis=None)
    ):
        return f"`{seen.output}` holds the right numbers, but not in their places."
    return ""


# --- The same numbers, calculated with ------------------------------------------------------------


def _softmax(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """Shares of scores, of the same shape, that sum to 1 along an axis."""
    powers = np.exp(values - values.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def _shares(values: np.ndarray, axis: int) -> np.ndarray:
    return values / values.sum(axis, keepdims=True)


def _sigmoid(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))


def _everywhere(shrink: Callable, values: np.ndarray, axis: int) -> np.ndarray:
    return np.broadcast_to(shrink(values, axis=axis, keepdims=True), values.shape)


# Words, with the output and an axis → the change of the right values that gives the answer.
MADE_BY = {
    "A softmax too many: along {1}, it makes your `{0}` of the right one.": _softmax,
    "`{0}` is the right one divided by its sum along {1}.": _shares,
    "A tanh too many: it makes your `{0}` of the right one.": np.tanh,
    "A sigmoid too many: it makes your `{0}` of the right one.": _sigmoid,
    "`{0}` is 1 minus what it should be.": lambda values: 1 - values,
    "`{0}` holds the squares of the right numbers.": np.square,
    "`{0}` has lost its signs: it holds the absolute values.": np.abs,
    "`{0}` is right where it is above 0, and 0 elsewhere.": lambda values: np.maximum(values, 0),
    "`{0}` is right where it is below 1, and 1 elsewhere.": lambda values: np.minimum(values, 1),
    "`{0}` is right, but rounded to whole numbers.": np.round,
    "`{0}` is right, but its decimals are cut off.": np.trunc,
    "Along {1}, `{0}` adds up: each entry is the sum of the right ones up to there.": np.cumsum,
    "Along {1}, `{0}` holds the mean of the right numbers in all places.": partial(
        _everywhere, np.mean
    ),
    "Along {1}, `{0}` holds the sum of the right numbers in all places.": partial(
        _everywhere, np.sum
    ),
    "Along {1}, `{0}` holds the largest of the right numbers in all places.": partial(
        _everywhere, np.max
    ),
}
# Words, with the output and an axis → the change of the answer that gives the right values.
MENDED_BY = {
    "A tanh is missing: it would make your `{0}` right.": np.tanh,
    "A sigmoid is missing: it would make your `{0}` right.": _sigmoid,
    "`{0}` holds the logarithms of the right numbers.": np.exp,
    "`{0}` holds the logarithms of the right numbers, to base 2.": np.exp2,
    "A softmax is missing: along {1}, it would make your `{0}` right.": _softmax,
    "The logarithm is missing: that of your `{0}` would be right.": np.log,
    "`{0}` would be right if it were divided by its sum along {1}.": _shares,
    "`{0}` holds the square roots of the right numbers.": np.square,
    "The root is missing: that of your `{0}` would be right.": np.sqrt,
    "`{0}` is 1 divided by what it should be.": np.reciprocal,
    "Along {1}, `{0}` holds steps: added up from the start, they would be right.": np.cumsum,
}


def _a_step(seen: OutputComparison) -> str:
    if seen.shaped and seen.dtypes == "bb" and seen.is_made_by(np.logical_not):
        return f"`{seen.output}` is `True` where it should be `False`, and the other way round."
    if not seen.numbers:
        return ""
    for fits, changes in ((seen.is_mended_by, MENDED_BY), (seen.is_made_by, MADE_BY)):
        for words, change in changes.items():
            for axis in seen.axes if "{1}" in words else [-1]:
                if fits(partial(change, axis=axis) if "{1}" in words else change):
                    return words.format(seen.output, _axis(axis, seen.depth))
    return ""


def _mean(values: np.ndarray, axis: int) -> np.ndarray:
    """As NumPy's, but that of nothing is an error, as the largest of nothing is."""
    if values.shape[axis] == 0:
        raise ValueError("the mean of nothing")
    return np.mean(values, axis=axis)


SHRUNK = {
    "the sum": np.sum,
    "the mean": _mean,
    "the largest": np.max,
    "the first": lambda values, axis: np.take(values, 0, axis),
    "the last": lambda values, axis: np.take(values, -1, axis),
}


def _an_axis_too_few(seen: OutputComparison) -> str:
    for words, shrink in SHRUNK.items():
        for axis in seen.axes:
            if seen.is_made_by(partial(shrink, axis=axis)):
                where = _axis(axis, seen.depth)
                return f"`{seen.output}` is {words} of the right one along {where}."
            if seen.is_mended_by(partial(shrink, axis=axis - 1)):
                where = _axis(axis - 1, seen.depth + 1)
                return (
                    f"`{seen.output}` has an axis too many: {words} along {where} would be right."
                )
    return ""


def _another_kind(seen: OutputComparison) -> str:
    """The right numbers, as another kind."""
    if not seen.shaped or seen.dtypes not in ("fi", "if", "bf", "bi", "fb", "ib"):
        return ""
    values = [(pair.expected.astype(float), pair.actual.astype(float)) for pair in seen.pairs]
    if all(seen.same(expected, actual) for expected, actual in values):
        return f"The numbers of `{seen.output}` are right, only their kind is not."
    if seen.dtypes == "fi" and all(
        seen.same(np.trunc(expected), actual) for expected, actual in values
    ):
        return (
            f"The numbers of `{seen.output}` are right but for their decimals, which are cut off."
        )
    return ""


def _times_a_factor(seen: OutputComparison) -> str:
    if not seen.numbers:
        return ""
    factors, of_each = {}, {}
    for number, (_, expected, actual, _) in enumerate(seen.pairs):
        if not seen.equal(expected, np.zeros_like(expected)).all():
            factors[number] = float((expected * actual).sum() / (expected * expected).sum())
        if not seen.same(factors.get(number, 1.0) * expected, actual):
            return ""
        of_each[number] = len(np.unique(expected[expected != 0]))
    numbers = sum(of_each.values())
    if all(math.isclose(one, 1, rel_tol=CLOSE) for one in factors.values()):
        return ""
    words, each = _factor(factors, [pair.case for pair in seen.pairs]), BITS[seen.dtypes[0]]
    if each * (numbers - 2) < ENOUGH:
        return ""
    if not any(factors.values()):
        return f"`{seen.output}` is 0 everywhere."
    if words:
        return f"`{seen.output}` is the right one {words}."
    right, none = (
        [math.isclose(one, value, abs_tol=CLOSE) for one in factors.values()] for value in (1, 0)
    )
    told = sum(
        of_each[number] - 1 for number, is_right in zip(factors, right, strict=True) if not is_right
    )
    if seen.dtypes != "ff" or each * told < ENOUGH:
        return ""
    if any(none):
        zero = f"`{seen.output}` is 0 everywhere in some cases, and right in the others."
        return zero if sum(none) + sum(right) == len(factors) else ""
    if any(right):
        return f"`{seen.output}` is right in some cases, and in the others but for a factor."
    return f"`{seen.output}` is right but for a factor, which is not the same in all cases."


def _plus_a_number(seen: OutputComparison) -> str:
    if not seen.numbers:
        return ""
    steps = [pair.actual - pair.expected for pair in seen.pairs if pair.actual.size]
    if not all(seen.same(step, np.full_like(step, step.mean())) for step in steps):
        return ""
    sizes = [float(step.mean()) for step in steps]
    numbers, each = sum(len(np.unique(pair.expected)) for pair in seen.pairs), BITS[seen.dtypes[0]]
    if max(map(abs, sizes), default=0) < CLOSE or each * (numbers - 1) < ENOUGH:
        return ""
    if max(sizes) - min(sizes) <= CLOSE:
        more = "larger" if sizes[0] > 0 else "smaller"
        return f"`{seen.output}` is {more} by {abs(sizes[0]):.3g} than it should be, everywhere."
    if seen.dtypes != "ff" or each * (numbers - len(sizes)) < ENOUGH:
        return ""
    if min(map(abs, sizes)) < CLOSE:
        return ""
    return f"All of `{seen.output}` is off by one number, which is not the same in all cases."


def _a_count(seen: OutputComparison) -> str:
    """Whole numbers that are off by a multiple of one of the sizes, or of the product of two."""
    if not seen.numbers or seen.dtypes != "ii":
        return ""
    off = [pair.actual - pair.expected for pair in seen.pairs]
    steps = np.concatenate([one.ravel() for one in off]).astype(float)
    if np.log2(1 + np.abs(steps)).sum() < ENOUGH or len(np.unique(steps)) < 3:
        return ""
    of_each = [dict(_counts_of(pair)) for pair in seen.pairs]
    names = [name for name in of_each[0] if all(name in sizes for sizes in of_each)]
    sizes = {
        name: np.concatenate([of_case[name].ravel() for of_case in of_each]).astype(float)
        for name in names
    }
    products = {
        f"{one} times {other}" if one != other else f"the square of {one}": sizes[one]
        * sizes[other]
        for one, other in itertools.combinations_with_replacement(sizes, 2)
    }
    for words, size in {**sizes, **products}.items():
        times = round(float(steps[size != 0].sum() / size.sum())) if size.any() else 0
        if times and np.array_equal(times * size, steps):
            more = "larger" if times > 0 else "smaller"
            multiple = f"{abs(times)} times " if abs(times) > 1 else ""
            return f"`{seen.output}` is {more} than it should be, by {multiple}{words}."
    return ""


def _counts_of(pair: Pair) -> Iterator[tuple[str, np.ndarray]]:
    """Every size and whole number that a case has, for each entry of the output."""
    shape = pair.expected.shape
    for name, value in pair.case.inputs.items():
        if isinstance(value, Tensor) and value.shape == shape and value.dtype == torch.int64:
            yield f"`{name}`", value.numpy()
    for name, value in _sizes_of(pair.case):
        if float(value).is_integer() and "number of" not in name:
            yield name, np.full(shape, value)


# Words, with the output and another tensor → the change of the answer that gives the right values.
TERMS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "`{0}` would be right if `{1}` were added to it.": np.add,
    "`{0}` would be right if `{1}` were taken away from it.": np.subtract,
    "`{0}` would be right if it were multiplied by `{1}`.": np.multiply,
    "`{0}` would be right if it were divided by `{1}`.": np.divide,
}


def _a_term(seen: OutputComparison) -> str:
    """One input is missing, as the one around which a residual goes, or is one too many."""
    if not seen.numbers:
        return ""
    tensors = [_tensors(pair) for pair in seen.pairs]
    for name in tensors[0] if tensors else ():
        if not all(name in of_case for of_case in tensors):
            continue
        for words, change in TERMS.items():
            if seen.agree(
                lambda pair: pair.expected,
                lambda pair, name=name, change=change: change(pair.actual, _tensors(pair)[name]),
            ):
                return words.format(seen.output, name)
    return ""


def _tensors(pair: Pair) -> dict[str, np.ndarray]:
    """All decimal numbers that a case has, by name."""
    every = {**pair.case.inputs, **pair.case.parameters}
    return {
        name: value.double().numpy()
        for name, value in every.items()
        if isinstance(value, Tensor) and value.is_floating_point()
    }


def _row_by_row(seen: OutputComparison) -> str:
    """Right but for a factor or a number of each row, along some axis."""
    if not (seen.numbers and seen.dtypes == "ff"):
        return ""
    for axis in seen.axes:
        where = _axis(axis, seen.depth)
        if _each_row(seen, axis, _factor_of, np.multiply):
            return (
                f"Along {where}, the numbers of `{seen.output}` are in the right proportion to "
                "each other: each row lacks a factor, not the same one for all."
            )
        if _each_row(seen, axis, _step_of, np.add):
            return (
                f"Along {where}, the numbers of `{seen.output}` are at the right distance from "
                "each other: each row lacks a number to be added, not the same one for all."
            )
    return ""


def _factor_of(expected: np.ndarray, actual: np.ndarray, axis: int) -> np.ndarray:
    squares = (expected * expected).sum(axis, keepdims=True)
    return np.where(squares > 0, (expected * actual).sum(axis, keepdims=True) / squares, 1.0)


def _step_of(expected: np.ndarray, actual: np.ndarray, axis: int) -> np.ndarray:
    return (actual - expected).mean(axis, keepdims=True)


def _each_row(seen: OutputComparison, axis: int, lack: Callable, change: Callable) -> bool:
    """Whether the change by what each row lacks explains all of them, and not by chance."""
    bits = 0
    for pair in seen.pairs:
        expected, actual = pair.expected, pair.actual
        lacking = lack(expected, actual, axis)
        if not seen.same(change(expected, lacking), actual):
            return False
        if change is np.multiply and (np.abs(lacking) < CLOSE).any():
            return False  # what is 0 everywhere is in any proportion
        wrong = ~seen.equal(expected, actual).all(axis)
        others = (~seen.equal(expected, np.take(expected, [0], axis))).sum(axis)
        bits += BITS["f"] * int(others[wrong].sum())
    return bits >= ENOUGH


def _steeper(seen: OutputComparison) -> str:
    """Shares of scores that were multiplied by something first, and should not have been."""
    if not (seen.numbers and seen.depth) or not all(
        _is_shares(pair.expected) for pair in seen.pairs
    ):
        return ""
    factors, bits, whole = {}, 0, True
    for number, (_, expected, actual, _) in enumerate(seen.pairs):
        told = [
            (row, mine)
            for row, mine in zip(_rows(expected), _rows(actual), strict=True)
            if _tells(row)
        ]
        rows = [(np.log(row[row > 0]), np.log(mine[row > 0])) for row, mine in told]
        if not rows:
            continue
        whole &= all(math.isclose(mine[row > 0].sum(), 1, abs_tol=CLOSE) for row, mine in told)
        left, right = (
            np.concatenate([part - part.mean() for part in parts])
            for parts in zip(*rows, strict=True)
        )
        if not np.isfinite(right).all():
            return ""
        factors[number] = float((left * right).sum() / (left * left).sum())
        if not np.allclose(factors[number] * left, right, rtol=CLOSE, atol=CLOSE):
            return ""
        bits += BITS["f"] * (len(left) - len(rows) - 1)
    if bits < ENOUGH or all(math.isclose(one, 1, rel_tol=CLOSE) for one in factors.values()):
        return ""
    words = _factor(factors, [pair.case for pair in seen.pairs])
    if not any(abs(one) > CLOSE for one in factors.values()):
        return f"Each row of `{seen.output}` holds one number, wherever it should not be 0."
    words = words or "times a factor, which is not the same in all cases"
    if whole:
        return f"`{seen.output}` is the softmax of the right scores {words}."
    return (
        f"Where `{seen.output}` should not be 0, its rows are in proportion to the softmax of the "
        f"right scores {words}. But its rows have other sums."
    )


def _tells(row: np.ndarray) -> bool:
    """Whether a row of shares says enough of its scores."""
    shares = row[row > 0]
    return len(shares) > 1 and shares.min() > SMALLEST_SHARE and np.ptp(shares) > SMALLEST_SHARE


def _sums_elsewhere(seen: OutputComparison) -> str:
    if not (seen.numbers and seen.dtypes == "ff") or seen.depth < 2:
        return ""
    if not all(_is_shares(pair.expected) for pair in seen.pairs):
        return ""
    for axis in seen.axes[1:]:
        sums = [
            (pair.actual.sum(axis), pair.actual.sum(-1), pair.actual.shape[axis])
            for pair in seen.pairs
        ]
        whole = all(seen.same(along, np.ones_like(along)) for along, _, _ in sums)
        broken = sum(not seen.same(last, np.ones_like(last)) for _, last, _ in sums)
        if whole and broken >= 2:
            where = _axis(axis, seen.depth)
            return f"`{seen.output}` sums to 1 along {where}, and should along its last axis."
    return ""


def _is_shares(values: np.ndarray) -> bool:
    sums = values.sum(-1)
    return bool((values >= 0).all() and (np.isclose(sums, 1, atol=1e-4) | (sums == 0)).all())


def _rows(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, values.shape[-1])


# --- Right in some places -------------------------------------------------------------------------


def _right_elsewhere(seen: OutputComparison) -> str:
    if not seen.shaped or seen.dtypes not in ("ff", "ii", "bb"):
        return ""
    wrong = [~seen.equal(pair.expected, pair.actual) for pair in seen.pairs]
    regions = [dict(_regions(pair, seen.depth)) for pair in seen.pairs]
    for key in regions[0] if regions else ():
        of_each = [of_case.get(key) for of_case in regions]
        if _explained(wrong, of_each) and _outside(seen.pairs, of_each):
            return f"`{seen.output}` is right {key[0]}."
    return ""


def _right_at_an_end(seen: OutputComparison) -> str:
    """Right for the first entry or the last along an axis, and wrong in each other place."""
    if not seen.shaped or seen.dtypes not in ("ff", "ii", "bb"):
        return ""
    wrong = [~seen.equal(pair.expected, pair.actual) for pair in seen.pairs]
    for axis in seen.axes:
        along = [np.moveaxis(one, axis, 0).reshape(one.shape[axis], -1).any(1) for one in wrong]
        for words, end, others in (("first", 0, slice(1, None)), ("last", -1, slice(None, -1))):
            if any(one[end] or not one[others].all() for one in along if one.any()):
                continue
            places = [np.arange(len(one)) != np.arange(len(one))[end] for one in along]
            regions = [one.reshape(-1, *[1] * (-1 - axis)) for one in places]
            if _explained(wrong, regions) and _outside(seen.pairs, regions):
                where = _axis(axis, seen.depth)
                return (
                    f"`{seen.output}` is right for the {words} entry along {where}, and not for "
                    "the others."
                )
    return ""


def _explained(wrong: Sequence[np.ndarray], regions: Sequence[np.ndarray | None]) -> bool:
    """Whether all wrong entries lie in a region, most of which is wrong, and not by chance."""
    cases, size, surprise = 0, 0, 0.0
    for is_wrong, region in zip(wrong, regions, strict=True):
        here = np.broadcast_to(False if region is None else region, is_wrong.shape)
        if (is_wrong & ~here).any():
            return False
        size += int(here.sum())
        if is_wrong.any():
            cases += 1
            surprise += is_wrong.sum() * math.log2(is_wrong.size / here.sum())
    return cases >= 2 and surprise >= ENOUGH / 3 and 2 * sum(map(np.sum, wrong)) >= size


def _outside(pairs: Sequence[Pair], regions: Sequence[np.ndarray | None]) -> bool:
    """Whether what lies outside a region is more than one number over and over."""
    others = [
        pair.expected[~np.broadcast_to(False if region is None else region, pair.expected.shape)]
        for pair, region in zip(pairs, regions, strict=True)
    ]
    return len(np.unique(np.concatenate(others))) > 1


def _regions(pair: Pair, depth: int) -> Iterator[tuple[tuple, np.ndarray]]:
    """Words that complete "it is right …", and more to tell regions apart → what may be wrong."""
    shape = pair.expected.shape
    for name, value in pair.case.inputs.items():
        if isinstance(value, Tensor) and value.dtype == torch.bool and value.dim():
            mask = value.numpy()
            for axes, open_ in _laid_over(mask, shape):
                yield (f"but where `{name}` is `False`", axes), ~open_
                yield (f"but where `{name}` is `True`", axes), open_
            for axes, shut in _laid_over(~mask.any(-1), shape):
                yield (f"but for rows in which `{name}` is `False` everywhere", axes), shut
    for axis in range(-1, -depth - 1, -1):
        where, length = _axis(axis, depth), shape[axis]
        places = np.arange(length).reshape(-1, *[1] * (-1 - axis))
        yield (f"but for the first entry along {where}",), places == 0
        yield (f"but for the last entry along {where}",), places == length - 1
    if depth > 1:
        rows, columns = np.arange(shape[-2])[:, None], np.arange(shape[-1])
        yield ("but on the diagonal",), rows == columns
        yield ("but above the diagonal",), rows < columns
        yield ("but below the diagonal",), rows > columns
    if pair.expected.dtype.kind != "b":
        yield ("but where it should be 0",), pair.expected == 0


def _laid_over(mask: np.ndarray, shape: Sequence[int]) -> Iterator[tuple[tuple, np.ndarray]]:
    """A mask along each choice of the axes of a shape that it fits, counted from the end."""
    depth = len(shape)
    for axes in itertools.combinations(range(-depth, 0), mask.ndim):
        if all(length in (1, shape[axis]) for length, axis in zip(mask.shape, axes, strict=True)):
            others = tuple(axis for axis in range(-depth, 0) if axis not in axes)
            yield axes, np.expand_dims(mask, others)


def _one_sided(seen: OutputComparison) -> str:
    """Wrong one way only, so that it holds all that it should, or nothing else."""
    if not seen.shaped or seen.dtypes != "bb":
        return ""
    more, less = (
        sum(int((one & ~other).sum()) for one, other in pairs)
        for pairs in (
            [(pair.actual, pair.expected) for pair in seen.pairs],
            [(pair.expected, pair.actual) for pair in seen.pairs],
        )
    )
    if max(more, less) < ENOUGH / 3 or min(more, less):
        return ""
    if more:
        return f"`{seen.output}` is `True` wherever it should be, and in {more} other places too."
    return f"`{seen.output}` is `True` only where it should be, but lacks {less} such places."


def _in_some_cases(seen: OutputComparison) -> str:
    """Which cases are right: their labels say what is special about them."""
    pairs = seen.all_pairs
    right = [seen.same(pair.expected, pair.actual) for pair in pairs]
    fewer = sum(right) < len(right) / 2
    bits = sum(
        _telling(seen, pair.expected)
        for number, pair in enumerate(pairs)
        if right[number] and (seen.tells_apart(number) or not fewer)
    )
    if bits < ENOUGH / 3 or len(right) < 3:
        return ""
    told = [pair.case.label for pair, so in zip(pairs, right, strict=True) if so == fewer]
    if len(told) > MOST_LABELS:
        return ""
    whole = len(pairs) == len(seen.record.cases)  # otherwise nobody knows about the others
    of_which = "" if whole else f" of the first {len(pairs)}"
    if fewer:
        return f"`{seen.output}` is right in these cases only{of_which}: {'; '.join(told)}."
    return f"`{seen.output}` is right in all cases{of_which} but these: {'; '.join(told)}."


def _telling(seen: OutputComparison, values: np.ndarray) -> float:
    """Bits of evidence that lie in being right there: 0 and 1 come about in many ways."""
    if values.dtype.kind == "f":
        plain = seen.equal(values, np.zeros(())) | seen.equal(values, np.ones(()))
        return BITS["f"] * len(np.unique(values[~plain]))
    _, counts = np.unique(values, return_counts=True)  # in how many orders they could come
    orders = math.lgamma(values.size + 1) - sum(math.lgamma(count + 1) for count in counts)
    return orders / math.log(2)


def _has_order_of_an_input(pair: Pair) -> bool:
    order = pair.expected.argsort(-1)
    return any(
        value.shape == order.shape and order.shape[-1] > 2 and (value.argsort(-1) == order).all()
        for value in _tensors(pair).values()
    )


def _in_order(seen: OutputComparison) -> str:
    """What is larger than its neighbour should be so: only how much is wrong.

    An order that an input has as well is no evidence.
    """
    if not (seen.numbers and seen.dtypes == "ff" and seen.depth):
        return ""
    if any(map(_has_order_of_an_input, seen.pairs)):
        return ""
    bits = 0.0
    for pair in seen.pairs:
        for row, mine in zip(_rows(pair.expected), _rows(pair.actual), strict=True):
            order = np.argsort(row, kind="stable")
            rises, found = (~seen.equal(one[order][1:], one[order][:-1]) for one in (row, mine))
            if (rises != found).any() or (np.diff(mine[order])[rises] < 0).any():
                return ""
            if not seen.same(row, mine):
                bits += math.lgamma(int(rises.sum()) + 2) / math.log(2)
    if bits < ENOUGH:
        return ""
    return (
        f"Along its last axis, the numbers of `{seen.output}` come in the right order from small "
        "to large, but they are not the right ones."
    )


def _straight_line(seen: OutputComparison) -> str:
    """Each row is an input's, times a number and plus a number, where the right one bends."""
    if not (seen.numbers and seen.dtypes == "ff" and seen.depth):
        return ""
    for name in _tensors(seen.pairs[0]):
        bits, bends = 0, False
        for pair in seen.pairs:
            source = _tensors(pair).get(name)
            if source is None or source.shape != pair.actual.shape:
                break
            if not seen.same(_on_a_line(pair.actual, source), pair.actual):
                break
            wrong = ~seen.equal(pair.expected, pair.actual).all(-1) & (
                np.ptp(pair.actual, -1) > CLOSE
            )
            others = [len(np.unique(row)) - 2 for row in _rows(source)]
            bits += BITS["f"] * sum(np.maximum(others, 0)[wrong.ravel()])
            bends |= not seen.same(_on_a_line(pair.expected, source), pair.expected)
        else:
            if bits >= ENOUGH and bends:
                return (
                    f"In each row, your `{seen.output}` is `{name}` times a number plus a number, "
                    "a straight line. The right one bends: is an exponential missing, or another "
                    "function?"
                )
    return ""


def _on_a_line(values: np.ndarray, source: np.ndarray) -> np.ndarray:
    """The nearest to some values that a straight line makes of each row of the source."""
    centred = source - source.mean(-1, keepdims=True)
    squares = (centred * centred).sum(-1, keepdims=True)
    slope = (centred * values).sum(-1, keepdims=True) / np.where(squares > 0, squares, 1)
    return values.mean(-1, keepdims=True) + slope * centred


# The strongest first. What an answer does when it is called again comes between the two lists.
RELATIONS: list[Callable[[OutputComparison], str]] = [
    _another_output,
    _an_input,
    _another_shape,
    _cut_off,
    _axes_exchanged,
    _turned_round,
    _shifted,
    _one_for_all,
    _times_a_factor,
    _plus_a_number,
    _a_count,
    _a_step,
    _a_term,
    _steeper,
    _sums_elsewhere,
    _an_axis_too_few,
    _another_kind,
]
WEAKER_RELATIONS: list[Callable[[OutputComparison], str]] = [
    _other_places,
    _right_elsewhere,
    _right_at_an_end,
    _row_by_row,
    _straight_line,
    _one_sided,
    _in_some_cases,
    _in_order,
]


def of_values(
    record: Record,
    answers: Sequence[Answer],
    relations: Sequence[Callable[[OutputComparison], str]],
) -> str:
    """The first of some relations of an answer's values to the right ones; "" if none holds."""
    seen = [OutputComparison(record, answers, output) for output in record.task.outputs]
    wrong = [one for one in seen if not one.right and 2 * len(one.pairs) >= len(answers)]
    with np.errstate(all="ignore"):
        told = (relation(one) for relation in relations for one in wrong)
        return next(filter(None, told), "")
