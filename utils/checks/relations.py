"""How a wrong answer is related to the right one, for mistakes that nobody wrote down.

A relation is a small function of one output over all cases, which returns a sentence, or "" where
it does not hold. What it says was verified in every case in which it can be seen, in so many numbers
that chance is excluded. They are tried after a wrong answer that is no known mistake, the
strongest first, and the first that holds is told.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from torch import Tensor

from utils.checks.judging import Verdict, judge
from utils.checks.reasons import Reason
from utils.checks.tasks import Answer, Case, Record

LOOSE = 10  # times the task's tolerance: a relation is well within it, or does not hold
BITS = {"f": 10, "i": 2, "u": 2, "b": 1}  # that an entry is worth as evidence, at least
ENOUGH = 30  # bits: a thousand relations may be tried
SMALLEST_SHARE = 1e-3  # recorded numbers have six decimals: smaller shares have too few digits left
FEW_CASES = 3  # that are named in a sentence
COMPARED = {Reason.SHAPE, Reason.NUMBERS, Reason.INVARIANT, Reason.VALUES, Reason.NOT_FINITE}


def diagnose(record: Record, answers: Sequence[Answer]) -> Verdict:
    """The verdict on one answer for each case, with a relation where no known mistake is named."""
    verdict = judge(record, answers)
    task = record.task
    if verdict.mistake or verdict.reason not in COMPARED or task.full_marks_from is not None:
        return verdict
    if task.kind == "choices" or task.returns == "texts":
        return verdict
    with np.errstate(all="ignore"):
        return replace(verdict, relation=of_values(record, answers))


def of_values(record: Record, answers: Sequence[Answer]) -> str:
    """The strongest relation of an answer's values to the right ones; "" if there is none."""
    seen = [Seen(record, answers, output) for output in record.task.outputs]
    wrong = [one for one in seen if not one.right]
    told = (relation(one) for relation in RELATIONS for one in wrong)
    return next(filter(None, told), "")


@dataclass(frozen=True)
class Seen:
    """One output, as it should be and as it is.

    Args:
        record: what was asked and expected.
        answers: one for each case.
        output: its name.
    """

    record: Record
    answers: Sequence[Answer]
    output: str

    @cached_property
    def pairs(self) -> list[tuple[Case, np.ndarray, np.ndarray]]:
        """Case, expected and found; without the cases that blew up, whose numbers say nothing."""
        triples = [
            (case, should.outputs[self.output], is_.outputs[self.output])
            for case, should, is_ in zip(
                self.record.cases, self.record.expected, self.answers, strict=True
            )
        ]
        return [one for one in triples if _finite(one[2]) or not _finite(one[1])]

    @cached_property
    def right(self) -> bool:
        """Whether it is right in all cases."""
        return all(self.same(should, is_) for _, should, is_ in self.pairs)

    @cached_property
    def depth(self) -> int:
        """The number of axes that the output has in every case."""
        return min((should.ndim for _, should, _ in self.pairs), default=0)

    @cached_property
    def alike(self) -> bool:
        """Whether shapes and kinds of numbers are right, so that entries can be compared."""
        return all(
            should.shape == is_.shape and should.dtype.kind == is_.dtype.kind
            for _, should, is_ in self.pairs
        )

    @cached_property
    def numbers(self) -> bool:
        """Whether it can be calculated with."""
        return all(one.dtype.kind in "fiu" for _, *both in self.pairs for one in both)

    def same(self, left: np.ndarray, right: np.ndarray) -> bool:
        """Whether two arrays are equal, but for rounding."""
        return left.shape == right.shape and bool(self.equal(left, right).all())

    def equal(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Which entries are equal, but for rounding."""
        room = LOOSE * self.record.task.tolerance
        return np.isclose(left, right, rtol=room, atol=room, equal_nan=True)

    def holds(self, of_expected: Callable, of_found: Callable = lambda found: found) -> bool:
        """Whether two functions, of the expected values and of the found, agree in all cases.

        Entries that are right anyway are no evidence.
        """
        bits = 0
        for _, should, is_ in self.pairs:
            try:
                left, right = np.asarray(of_expected(should)), np.asarray(of_found(is_))
            except (ValueError, IndexError, TypeError):  # too few axes for it
                return False
            if not self.same(left, right):
                return False
            if should.shape != is_.shape:
                bits += BITS[should.dtype.kind] * min(left.size, should.size)
            else:
                bits += BITS[should.dtype.kind] * int((~self.equal(should, is_)).sum())
        return bits >= ENOUGH


def _finite(values: np.ndarray) -> bool:
    return values.dtype.kind != "f" or bool(np.isfinite(values).all())


# --- The words ------------------------------------------------------------------------------------


def _axis(axis: int, depth: int) -> str:
    """An axis, counted from the end, in words."""
    if depth == 1:
        return "its only axis"
    names = {-1: "its last axis", -depth: "its first axis", -2: "its last axis but one"}
    return names.get(axis, f"its axis {depth + axis}")


# --- Other places ---------------------------------------------------------------------------------


def _another_output(seen: Seen) -> str:
    for other in seen.record.task.outputs:
        if other == seen.output:
            continue
        instead = [should.outputs[other] for should in seen.record.expected]
        other_seen = Seen(seen.record, [Answer({seen.output: one}) for one in instead], seen.output)
        if other_seen.right:  # they are the same in all cases
            continue
        if _all_as(seen, instead):
            return f"What you return as `{seen.output}` is what `{other}` should be."
    return ""


def _all_as(seen: Seen, values: Sequence[np.ndarray]) -> bool:
    """Whether the answer is that in all cases."""
    found = [answer.outputs[seen.output] for answer in seen.answers]
    bits = sum(BITS[is_.dtype.kind] * is_.size for is_ in found)
    return bits >= ENOUGH and all(map(seen.same, found, values))


def _an_input(seen: Seen) -> str:
    names = set.intersection(*(set(case.inputs) for case in seen.record.cases))
    for name in seen.record.cases[0].inputs:
        values = [case.inputs[name] for case in seen.record.cases if name in names]
        if values and all(isinstance(one, Tensor) for one in values):
            if _all_as(seen, [one.detach().numpy() for one in values]):
                return f"`{seen.output}` is your input `{name}`, unchanged."
    return ""


def _axes_exchanged(seen: Seen) -> str:
    depth = seen.depth
    for order in itertools.permutations(range(-depth, 0)):
        moved = [axis for axis, place in zip(order, range(-depth, 0), strict=True) if axis != place]
        if not moved:
            continue
        if seen.holds(lambda should, order=order: np.transpose(should, order)):
            if len(moved) == 2 and depth == 2:
                return f"Your `{seen.output}` is right, but transposed: rows are columns."
            if len(moved) == 2:
                first, second = (_axis(axis, depth) for axis in sorted(moved))
                return (
                    f"Your `{seen.output}` holds the right numbers, but {first} and {second} are "
                    "exchanged."
                )
            places = ", ".join(str(depth + axis) for axis in order)
            return (
                f"Your `{seen.output}` holds the right numbers, but its axes are in another "
                f"order: {places} in place of {', '.join(map(str, range(depth)))}."
            )
    return ""


RELATIONS: list[Callable[[Seen], str]] = [_another_output, _an_input, _axes_exchanged]
