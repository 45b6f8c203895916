"""Rules that relate a wrong answer to the right one, for mistakes that nobody wrote down.

A rule compares one output with the expected one in all cases. It returns a sentence, the relation,
or "" if it finds none. A relation is verified in every case in which it can be seen, and on so many
numbers that chance is excluded. `describe_values` tries the rules in order, the strongest first.

The docstring of a rule names an answer that it describes, as an example. Rules that spoke of hardly
any labelled answer (`make recall`) were removed: the line at which an answer leaves all right ones
is told instead.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from torch import Tensor

from utils.checks.compare import agree, are_close, listed
from utils.checks.tasks import Answer, Case, Mistake, Record, Trial

ROUNDED = 1e-6  # difference by which recorded numbers may be rounded
CLOSE = 5e-4  # difference up to which two factors count as equal
BITS = {"f": 10, "i": 2, "u": 2, "b": 1}  # bits of evidence in an entry, at least
ENOUGH = 30  # bits of evidence that exclude chance if a thousand relations are tried
MOST_LABELS = 3  # labels of cases that a sentence quotes
MOST_EXCHANGED = 4  # results of which every order is tried
LEAST_COUNTS = 4  # cases whose counts differ from the right ones by one rule
MOST_TIMES = 4  # as often a product may be missing
LEFT_OUT = " This leaves out the cases in which it holds NaN or infinity."
OF_WHAT = "the numbers that right answers take it of, each"  # their softmax
SMALLEST_SHARE = 0.01  # recorded numbers have six decimals: smaller shares have few digits


def speaks_against(
    record: Record, mistake: Mistake, given: Sequence[Mapping[str, np.ndarray] | None]
) -> bool:
    """Decide whether an answer has clearly right, in some case, what a mistake makes wrong there.

    A few decisions are often right by chance.

    Args:
        record: the task, its cases and the expected values.
        mistake: one of the task's known mistakes.
        given: the outputs in each case; None where the answer failed.
    """
    bits, tolerance = 0, record.task.tolerance
    for expected, known, outputs in zip(
        record.expected, record.mistaken[mistake.name], given, strict=False
    ):
        for name, right in expected.outputs.items():
            if outputs is not None and are_close(right, outputs[name], tolerance):
                kept = agree(right, outputs[name], tolerance)
                moved = kept & ~agree(right, known.outputs[name], tolerance)
                bits += BITS.get(right.dtype.kind, 0) * int(moved.sum())
    return bits >= ENOUGH


class Pair(NamedTuple):
    """One output's expected and actual values in a case; `others` are the expected ones of all."""

    case: Case
    expected: np.ndarray
    actual: np.ndarray
    others: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class OutputComparison:
    """The expected and the actual values of one output, in the cases that were answered."""

    record: Record
    trials: Sequence[Trial]
    output: str

    @cached_property
    def all_pairs(self) -> list[Pair]:
        """The pairs of all cases for which there are returned values."""
        name = self.output
        return [
            Pair(
                trial.case,
                trial.expected.outputs[name],
                trial.actual.outputs[name],
                trial.expected.outputs,
            )
            for trial in self.trials
        ]

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pairs without unexpected NaN or infinity, which would hide a relation."""
        return [
            pair
            for pair in self.all_pairs
            if _is_finite(pair.actual) or not _is_finite(pair.expected)
        ]

    @cached_property
    def right(self) -> bool:
        """Whether the output is right in all cases."""
        return (
            len(self.pairs) == len(self.all_pairs)
            and self.right_shapes
            and all(self.same(pair.expected, pair.actual) for pair in self.pairs)
        )

    def is_right_in(self, case: Case) -> bool:
        """Decide whether the output is right in a case."""
        pairs = [pair for pair in self.all_pairs if pair.case is case]
        return all(self.same(pair.expected, pair.actual) for pair in pairs)

    def is_telling(self, number: int) -> bool:
        """Decide whether a case reveals at least half of the known mistakes, so is no easy case."""
        expected = self.all_pairs[number].expected
        fooled = [
            self.same(expected, theirs[number].outputs[self.output])
            for theirs in self.record.mistaken.values()
        ]
        return 2 * sum(fooled) <= len(fooled)

    @cached_property
    def depth(self) -> int:
        """The smallest number of axes that the output should have in any case."""
        return min((pair.expected.ndim for pair in self.pairs), default=0)

    @cached_property
    def axes(self) -> range:
        """The output's axes as negative numbers, from the last axis to the first."""
        return range(-1, -self.depth - 1, -1)

    def its_axis(self, axis: int) -> str:
        """Name one of `axes` after its output in a sentence: "its last axis"."""
        if len({pair.expected.ndim for pair in self.pairs}) == 1:
            return axis_in_words(axis, self.depth, "its")
        return {-1: "its last axis", -2: "the axis before its last"}.get(axis, f"its axis {axis}")

    @cached_property
    def right_shapes(self) -> bool:
        """Whether the output has the right shape in all cases."""
        return all(pair.expected.shape == pair.actual.shape for pair in self.pairs)

    @cached_property
    def dtypes(self) -> str:
        """The expected and the actual type of numbers, as "ff" or "if"; "" if cases differ."""
        of_each = {pair.expected.dtype.kind + pair.actual.dtype.kind for pair in self.pairs}
        return of_each.pop() if len(of_each) == 1 else ""

    def holds(self, dtypes: str) -> bool:
        """Decide whether all shapes are right, and the types of numbers are as in `dtypes`."""
        return self.right_shapes and self.dtypes == dtypes

    @cached_property
    def holds_shares(self) -> bool:
        """Whether each row should sum to 1, or to 0 if it is completely masked."""
        shares = (_is_shares(pair.expected) for pair in self.pairs)
        return self.holds("ff") and self.depth > 0 and all(shares)

    def same(self, left: np.ndarray, right: np.ndarray, room: np.ndarray | float = 0.0) -> bool:
        """Decide whether two arrays are equal, shapes included, except for rounding."""
        return left.shape == right.shape and bool(self.equal(left, right, room).all())

    def equal(
        self, left: np.ndarray, right: np.ndarray, room: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Return a boolean array, True at entries that are equal within the verdict's tolerance.

        Args:
            left, right: arrays of one shape.
            room: difference beyond the tolerance that is rounding too.
        """
        most = self.record.task.tolerance
        return np.isclose(left, right, rtol=most, atol=most + room, equal_nan=True)


def describe_values(
    record: Record,
    trials: Sequence[Trial],
    rules: Sequence[Callable[[OutputComparison], str]],
    shown: Case | None = None,
) -> str:
    """Return the sentence of the first rule that describes a wrong output; "" if no rule does.

    Args:
        record, trials: the task, and the cases in which the answer returned something.
        rules: what may be said of an output.
        shown: the case that is shown; None if none is. In which cases an output is right is only
            said if it is wrong in that one.
    """
    outputs = [OutputComparison(record, trials, name) for name in record.task.outputs]
    most = len(record.cases) / 2  # what is seen in fewer cases may be otherwise in the others
    wrong = [output for output in outputs if not output.right and len(output.pairs) >= most]
    wrong.sort(key=lambda output: sum(map(output.is_right_in, record.cases)))  # nearest to a slip
    for rule, output in itertools.product(rules, wrong):
        if rule is right_in_some_cases and shown and output.is_right_in(shown):
            continue
        if sentence := rule(output):
            left_out = len(output.pairs) < len(output.all_pairs)
            return sentence + LEFT_OUT * (left_out and rule is not right_in_some_cases)
    return ""


# --- Words ----------------------------------------------------------------------------------------


def axis_in_words(axis: int, depth: int, article: str = "the") -> str:
    """Name an axis, given as a negative number, of an array with `depth` axes."""
    if depth == 1:
        return f"{article} only axis"
    ends = {-1: f"{article} last axis", -depth: f"{article} first axis"}
    return ends.get(axis, f"axis {depth + axis}")


POWERS = {
    "times the square root of {}": 0.5,
    "divided by the square root of {}": -0.5,
    "times {}": 1.0,
    "divided by {}": -1.0,
}


def _factor_in_words(factors: Mapping[int, float], cases: Sequence[Case]) -> str:
    """Describe the factors between right and actual values; "" if they have no pattern.

    Args:
        factors: number of the case → factor, for the cases in which it can be seen.
        cases: all cases, whose sizes may explain the factors.
    """
    values = np.array([*factors.values()])
    if np.ptp(values) <= CLOSE * abs(values[0]):
        return _constant_in_words(values[0])
    if len(values) < 3:
        return ""
    every = {name: np.array(of_each)[[*factors]] for name, of_each in _sizes(cases).items()}
    sizes = {name: of_each for name, of_each in every.items() if of_each.min() > 0}
    fits = partial(np.allclose, b=values, rtol=CLOSE, atol=0)
    for words, power in POWERS.items():
        for name, of_each in sizes.items():
            if fits(of_each**power):
                return words.format(name)
    for words, power in POWERS.items():
        for name, of_each in sizes.items():
            constant = values[0] / of_each[0] ** power
            if len({*of_each}) > 2 and fits(constant * of_each**power):
                return f"{_constant_in_words(constant)} and {words.format(name)}"
    for (used, used_sizes), (right, right_sizes) in itertools.permutations(sizes.items(), 2):
        if fits(np.sqrt(right_sizes / used_sizes)):
            return f"divided by the square root of {used} and times that of {right}"
    return ""


def _constant_in_words(factor: float) -> str:
    if math.isclose(factor, 1 / math.log(2), rel_tol=CLOSE):
        return "divided by log 2 (0.693…)"
    return f"times {factor:.3g}"


def _sizes(cases: Sequence[Case]) -> dict[str, list[float]]:
    """Return the description of each length or number that all cases have → its value in each."""
    named = [dict(_sizes_of(case)) for case in cases]
    common = [name for name in named[0] if all(name in sizes for sizes in named)]
    return {name: [sizes[name] for sizes in named] for name in common}


def _sizes_of(case: Case) -> Iterator[tuple[str, float]]:
    for name, value in {**case.inputs, **case.build}.items():
        if isinstance(value, Tensor):
            for axis in range(-1, -value.dim() - 1, -1):
                where = axis_in_words(axis, max(2, value.dim()))  # also without a batch
                yield f"the length of {where} of `{name}`", value.shape[axis]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"`{name}`", value


# --- Results in each other's place ----------------------------------------------------------------


class Exchange(NamedTuple):
    """Results that an answer returns in another order.

    Args:
        words: the sentence.
        order: for each output of the task, the name of that which stands in its place.
    """

    words: str
    order: tuple[str, ...]

    def undone(self, trials: Sequence[Trial]) -> list[Trial]:
        """Return the trials with each result in its own place."""
        places = [*zip(trials[0].expected.outputs, self.order, strict=True)]
        return [
            replace(trial, actual=Answer({name: trial.actual.outputs[at] for at, name in places}))
            for trial in trials
        ]


def find_exchange(record: Record, trials: Sequence[Trial]) -> Exchange | None:
    """Find out whether an answer returns its results in another order.

    All values tell, or those of one result, or else the shapes.
    """
    names = tuple(record.task.outputs)
    outputs = [OutputComparison(record, trials, name) for name in names]
    if record.task.returns == "texts" or not 2 <= len(names) <= MOST_EXCHANGED or not trials:
        return None
    orders = [
        [*zip(outputs, order, strict=True)]
        for order in itertools.permutations(names)
        if all(_has_shapes_of(*each) for each in zip(outputs, order, strict=True))
    ]
    whole = [order for order in orders if all(_has_values_of(*each) for each in order)]
    in_part = [order for order in orders if _values_tell(order)]
    for found, words in (
        (whole, "{} are returned in each other's place: exchanged, all of them are right."),
        (in_part, "{} are returned in each other's place, as the values of one of them tell."),
        (orders, "By their shapes, {} are returned in each other's place."),
    ):
        if len(found) == 1:
            (order,) = found
            if moved := [f"`{here.output}`" for here, there in order if here.output != there]:
                return Exchange(words.format(listed(moved)), tuple(there for _, there in order))
    return None


def _has_shapes_of(output: OutputComparison, other: str) -> bool:
    return all(pair.others[other].shape == pair.actual.shape for pair in output.all_pairs)


def _has_values_of(output: OutputComparison, other: str) -> bool:
    return all(
        output.same(pair.others[other], pair.actual)
        and pair.others[other].dtype.kind == pair.actual.dtype.kind
        for pair in output.all_pairs
    )


def _values_tell(order: Sequence[tuple[OutputComparison, str]]) -> bool:
    """Decide whether one output holds another's right values, and no right one has moved."""
    moved = [(output, other) for output, other in order if output.output != other]
    held = [
        pair.others[other]
        for output, other in moved
        if _has_values_of(output, other)
        for pair in output.all_pairs
    ]
    bits = sum(BITS.get(values.dtype.kind, 0) * values.size for values in held)
    return bits >= ENOUGH and not any(output.right for output, _ in moved)


# --- Where the numbers stand ----------------------------------------------------------------------


def axes_missing(output: OutputComparison) -> str:
    """Describe an answer to `entropy` that has one number for a case, or one to `additive_scores`
    whose table is transposed, and wrong besides.
    """
    shapes = [(pair.expected.shape, pair.actual.shape) for pair in output.pairs]
    if not output.depth or all(expected == actual for expected, actual in shapes):
        return ""
    found = []
    for first, second in itertools.combinations(output.axes, 2):
        if all(_exchanged(expected, first, second) == actual for expected, actual in shapes):
            found.append(f"has {output.its_axis(second)} and {output.its_axis(first)} exchanged")
    for axis in output.axes:
        if all(_without(expected, axis) == actual for expected, actual in shapes):
            found.append(f"lacks {output.its_axis(axis)}")
    return f"By its shape, `{output.output}` {found[0]}." if len(found) == 1 else ""


def _exchanged(shape: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    lengths = [*shape]
    lengths[first], lengths[second] = lengths[second], lengths[first]
    return tuple(lengths)


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(np.delete(shape, axis).tolist())


def another_order(output: OutputComparison) -> str:
    """Describe an answer to `join_heads` that puts the last head first."""
    if not output.holds("ff"):
        return ""
    moved: set[float] = set()
    for pair in output.pairs:
        if not output.same(np.sort(pair.expected, axis=None), np.sort(pair.actual, axis=None)):
            return ""
        is_wrong = ~output.equal(pair.expected, pair.actual)
        moved |= {*pair.actual[is_wrong].round(4).tolist()} - {0.0, 1.0}
    if len(moved) < 3:  # a few rows of 0 and 1 are no evidence
        return ""
    return f"`{output.output}` holds the right numbers, but not in their places."


def as_given(output: OutputComparison) -> str:
    """Describe an answer to `training_loop` that learns nothing: it returns an input."""
    if not output.pairs or len(output.pairs) < len(output.all_pairs):
        return ""

    def is_given(name: str, pair: Pair) -> bool:
        given = {**pair.case.inputs, **pair.case.parameters}[name]
        return isinstance(given, Tensor) and np.array_equal(given.detach().numpy(), pair.actual)

    for name in [*output.pairs[0].case.inputs, *output.pairs[0].case.parameters]:
        if all(is_given(name, pair) for pair in output.pairs):
            values = {value for pair in output.pairs for value in pair.actual.ravel().tolist()}
            kind = output.pairs[0].actual.dtype.kind
            if BITS.get(kind, 0) * len(values) >= ENOUGH:
                return f"In each case, `{output.output}` is `{name}` as it was given."
    return ""


# --- The right numbers times a factor -------------------------------------------------------------


def times_a_factor(output: OutputComparison) -> str:
    """Describe an answer to `entropy` that is the right one times a factor, such as bits.

    The factor may differ between cases, as a length does.
    """
    if not output.holds("ff"):
        return ""
    factors, distinct = {}, 0
    for number, (_, expected, actual, _) in enumerate(output.pairs):
        if not output.equal(expected, np.zeros_like(expected)).all():
            factors[number] = float((expected * actual).sum() / (expected * expected).sum())
        factor = factors.get(number, 1.0)
        tiny = 0 < abs(factor) < CLOSE  # what is nearly 0 is in proportion to everything
        if tiny or not output.same(factor * expected, actual, abs(factor) * ROUNDED):
            return ""
        distinct += len(np.unique(expected[expected != 0]))
    right = all(math.isclose(factor, 1, abs_tol=CLOSE) for factor in factors.values())
    if right or BITS["f"] * (distinct - 2) < ENOUGH:
        return ""
    if not any(factors.values()):
        return f"`{output.output}` is 0 everywhere."
    if words := _factor_in_words(factors, [pair.case for pair in output.pairs]):
        return f"`{output.output}` is the right one {words}."
    return ""


def off_by_a_product(output: OutputComparison) -> str:
    """Describe a count of parameters that lacks a bias, or some matrices, in every case."""
    if not output.holds("ii"):
        return ""
    off = np.concatenate([(actual - expected).ravel() for _, expected, actual, _ in output.pairs])
    if len(off) < LEAST_COUNTS or not ((off > 0).all() or (off < 0).all()):
        return ""
    numbers = _whole_numbers(output.pairs)
    for many in range(3):
        for names in itertools.combinations_with_replacement(numbers, many):
            times, rest = np.divmod(np.abs(off), np.prod([numbers[name] for name in names], axis=0))
            if not rest.any() and np.ptp(times) == 0 and (times[0] <= MOST_TIMES or not names):
                factors = [str(int(times[0]))] * bool(times[0] > 1 or not names)
                product = " · ".join([*factors, *(f"`{name}`" for name in names)])
                size = "large" if off[0] > 0 else "small"
                return f"`{output.output}` is too {size} by {product} in each case."
    return ""


def _whole_numbers(pairs: Sequence[Pair]) -> dict[str, np.ndarray]:
    """Return the inputs that are whole numbers above 0, one for each number of an output."""
    found: dict[str, np.ndarray] = {}
    for name in pairs[0].case.inputs:
        values = [np.asarray(pair.case.inputs.get(name)) for pair in pairs]
        if all(
            value.dtype.kind == "i" and value.shape in ((), pair.expected.shape)
            for value, pair in zip(values, pairs, strict=True)
        ):
            beside = zip(values, pairs, strict=True)
            each = [np.broadcast_to(value, pair.expected.shape).ravel() for value, pair in beside]
            found[name] = np.concatenate(each)
    return {name: values for name, values in found.items() if (values > 0).all()}


# --- Shares that a softmax made -------------------------------------------------------------------


def softmax_of_scaled_scores(output: OutputComparison) -> str:
    """Describe an answer to `softmax_with_temperature` that used a factor of the temperature.

    If an answer to `scaled_attention` masks after the softmax, its rows are in proportion to such a
    softmax, but have other sums.
    """
    if not output.holds_shares:
        return ""
    factors, bits, sums_are_right = {}, 0, True
    for number, (_, expected, actual, _) in enumerate(output.pairs):
        if any(
            row.any() and not mine[row > 0].any()
            for row, mine in zip(_rows(expected), _rows(actual), strict=True)
        ):
            return ""  # no softmax leaves a row without shares
        told = [  # what is small has few digits
            (row > SMALLEST_SHARE, row, mine)
            for row, mine in zip(_rows(expected), _rows(actual), strict=True)
            if (row > SMALLEST_SHARE).sum() > 1
        ]
        rows = [(row[large] / row[large].sum(), mine[large]) for large, row, mine in told]
        if not any(np.ptp(row) > SMALLEST_SHARE for row, _ in rows):
            continue
        sums_are_right &= all(
            math.isclose(mine[row > 0].sum(), 1, abs_tol=CLOSE) for _, row, mine in told
        )
        right_scores, scores = (
            np.concatenate([np.log(part) - np.log(part).mean() for part in parts])
            for parts in zip(*rows, strict=True)
        )
        if not np.isfinite(scores).all():
            return ""
        factor = float((right_scores * scores).sum() / (right_scores * right_scores).sum())
        scaled = partial(_softmax_of_scaled, factor)
        for row, mine in rows:
            rounding = np.nan_to_num(np.abs(scaled(row + ROUNDED) - scaled(row)), posinf=0.0)
            if not output.same(scaled(row), mine / mine.sum(), rounding):
                return ""
        factors[number] = factor
        bits += BITS["f"] * (len(scores) - len(rows) - 1)
    values = np.array([*factors.values()])
    if bits < ENOUGH or np.allclose(values, 1, rtol=CLOSE, atol=0) or (abs(values) < CLOSE).all():
        return ""
    words = _factor_in_words(factors, [pair.case for pair in output.pairs])
    words = words or "times a factor, which is not the same in all cases"
    if sums_are_right:
        return f"`{output.output}` is the softmax of {OF_WHAT} {words}."
    return (
        f"Where `{output.output}` should not be 0, its rows are in proportion to the softmax of "
        f"{OF_WHAT} {words}. And its rows have other sums than they should."
    )


def _softmax_of_scaled(factor: float, shares: np.ndarray) -> np.ndarray:
    """Return the shares that a softmax makes of the scores of other shares, times a factor."""
    powers = shares**factor
    return powers / powers.sum()


def sums_elsewhere(output: OutputComparison) -> str:
    """Describe an answer to `softmax_with_temperature` that sums to 1 along the wrong axis."""
    if not output.holds_shares:
        return ""
    for axis in output.axes[1:]:
        along, last = ([pair.actual.sum(each) for pair in output.pairs] for each in (axis, -1))
        whole = all(output.same(sums, np.ones_like(sums)) for sums in along)
        broken = sum(not output.same(sums, np.ones_like(sums)) for sums in last)
        if whole and broken >= 2:
            where = output.its_axis(axis)
            return f"`{output.output}` sums to 1 along {where}, and should along its last axis."
    return ""


def _is_shares(values: np.ndarray) -> bool:
    sums = values.sum(-1)
    return bool((values >= 0).all() and (np.isclose(sums, 1, atol=1e-4) | (sums == 0)).all())


def _rows(values: np.ndarray) -> np.ndarray:
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1])  # also if empty


# --- Right in some places -------------------------------------------------------------------------


def one_sided(output: OutputComparison) -> str:
    """Describe an answer to `combined_mask` that is True too often, or too seldom, but not both."""
    if not output.holds("bb"):
        return ""
    more = sum(int((pair.actual & ~pair.expected).sum()) for pair in output.pairs)
    less = sum(int((pair.expected & ~pair.actual).sum()) for pair in output.pairs)
    if max(more, less) < ENOUGH / 3 or min(more, less):
        return ""
    name = output.output
    if more:
        return (
            f"`{name}` is `True` wherever it should be, and in {more} other places too, all cases "
            "together."
        )
    return (
        f"`{name}` is `True` only where it should be, but lacks {less} such places, all cases "
        "together."
    )


def right_in_some_cases(output: OutputComparison) -> str:
    """Describe an answer to `entropy` that is right, or wrong, in only a few cases; name these."""
    pairs, name = output.all_pairs, output.output
    for other in output.record.task.outputs:
        if other != name and all(output.same(pair.others[other], pair.actual) for pair in pairs):
            return ""  # it stands in another's place, and is right where the two are equal
    right = [output.same(pair.expected, pair.actual) for pair in pairs]
    few = sum(right) <= len(right) / 2
    bits = sum(
        evidence_in(pair.expected, output.record.task.tolerance)
        for number, pair in enumerate(pairs)
        if right[number] and (output.is_telling(number) or not few)
    )
    labels = [
        pair.case.label for pair, is_right in zip(pairs, right, strict=True) if is_right == few
    ]
    if bits < ENOUGH / 3 or len(right) < 3 or not few < len(labels) <= MOST_LABELS:
        return ""
    whole = len(pairs) == len(output.record.cases)  # if not, later cases have no returned values
    of_which = "" if whole else f" of the first {len(pairs)}"
    if few:
        return f"`{name}` is right in these cases only{of_which}: {'; '.join(labels)}."
    return f"`{name}` is right in all cases{of_which} but these: {'; '.join(labels)}."


def wrong_at_zeros(output: OutputComparison) -> str:
    """Describe an answer to `masked_encoder` that leaves states at padding, or the reverse of it.

    All that is wrong should be 0; or it is 0, and should not be.
    """
    if not output.holds("ff") or len(output.pairs) < len(output.all_pairs):
        return ""
    triples = [
        (pair.expected, pair.actual, ~output.equal(pair.expected, pair.actual))
        for pair in output.pairs
    ]
    right = sum(
        evidence_in(expected[~wrong], output.record.task.tolerance)
        for expected, _, wrong in triples
    )
    if right < ENOUGH or sum(wrong.sum() for *_, wrong in triples) < 3:
        return ""
    if all((expected[wrong] == 0).all() for expected, _, wrong in triples):
        return f"`{output.output}` is right except at places where it should be exactly 0."
    if all((actual[wrong] == 0).all() for _, actual, wrong in triples):
        return f"`{output.output}` is right except at places where it is 0 and should not be."
    return ""


def evidence_in(values: np.ndarray, tolerance: float) -> float:
    """Return the bits of evidence in getting these values right; decimals 0 and 1 give none."""
    if values.dtype.kind == "f":
        plain = [np.isclose(values, each, rtol=tolerance, atol=tolerance) for each in (0, 1)]
        return BITS["f"] * len(np.unique(values[~np.any(plain, axis=0)]))
    _, counts = np.unique(values, return_counts=True)  # for the number of possible orders
    orders = math.lgamma(values.size + 1) - sum(math.lgamma(count + 1) for count in counts)
    return orders / math.log(2)


def _is_finite(values: np.ndarray) -> bool:
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


# The strongest rules first. Between the two lists, `behaviours` calls the answer again.
RELATIONS: list[Callable[[OutputComparison], str]] = [
    as_given,
    times_a_factor,
    off_by_a_product,
    softmax_of_scaled_scores,
    sums_elsewhere,
]
WEAKER_RELATIONS: list[Callable[[OutputComparison], str]] = [
    another_order,
    one_sided,
    right_in_some_cases,
    wrong_at_zeros,
    axes_missing,
]
