"""Compare returned values with the expected ones, and put it into a verdict.

Faults are looked for in the order in which a person would look: shape, kind of numbers, NaN and
infinity, invariants, values, gradients.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from utils.checks.tasks import Case, GradientKey, Mistake, Reason, Task, Trial

LARGEST_PICTURE = 8  # rows or columns of a matrix that is drawn
GRADIENT_TOLERANCE = 1e-3  # relative to the largest entry, as float32 is compared with float64
WRONG_ELSEWHERE = "`{}` has wrong values here, and in some cases its shape is wrong, too{}."
ALIKE_HERE = ": there, lengths differ that happen to be alike here"
NUMBER_TYPES = {
    "f": "decimal numbers",
    "i": "whole numbers",
    "u": "whole numbers without a sign",
    "c": "complex numbers",
    "b": "booleans",
    "U": "words",
}


@dataclass(frozen=True)
class Evidence:
    """The first wrong output of an answer, for readers who may see the expected values."""

    case: Case
    output: str
    expected: np.ndarray
    actual: np.ndarray


class Comparison(NamedTuple):
    """Two small matrices to be shown side by side, and the first place where they differ."""

    expected: np.ndarray
    actual: np.ndarray
    place: tuple[int, ...]


@dataclass(frozen=True)
class Verdict:
    """The judgement of an answer.

    Args:
        task: the task that was answered.
        reason: `PASSED`, or the first thing that is wrong.
        message: sentence on the reason, without any expected value.
        mistake: the known mistake that the answer makes, if it makes one.
        evidence: the output in which the fault shows.
        where: for an exception, the learner's line and the inputs that raised it.
        share: share of the points that an answer earns, of a kind that may earn a part of them.
        slips: slugs of the misconceptions whose bugs a test misses.
        relation: sentence on how the answer differs from the right one, if no mistake is known.
        right: sentence on the outputs that are right in all cases, if others are not.
        fault: what failed in the diagnosis itself, for maintainers: learners do not see it.
    """

    task: Task
    reason: Reason
    message: str
    mistake: Mistake | None = None
    evidence: Evidence | None = None
    where: str = ""
    share: float | None = None
    slips: Sequence[str] = ()
    relation: str = ""
    right: str = ""
    fault: str = ""

    @property
    def passed(self) -> bool:
        return self.reason == Reason.PASSED

    @property
    def comparison(self) -> Comparison | None:
        """The expected and the actual matrix with the first difference, if they are small."""
        if self.evidence is None or self.evidence.expected.dtype.kind == "U":
            return None
        first = next(differences(self.evidence, self.task.tolerance), None)
        if first is None or self.evidence.expected.ndim == 0:
            return None
        expected, actual = (
            np.atleast_2d(values[first[:-2]]).astype(float)
            for values in (self.evidence.expected, self.evidence.actual)
        )
        if max(expected.shape) > LARGEST_PICTURE or not np.isfinite(actual).all():
            return None
        return Comparison(expected, actual, (0, *first)[-2:])

    @property
    def points(self) -> int:
        if self.passed or self.share is None:
            return self.task.points if self.passed else 0
        return math.floor(round(self.task.points * self.share, 6))  # of 6, 0.15 / 0.9 is 1


def complaints(task: Task, trials: Sequence[Trial]) -> Iterator[tuple[Reason, str, Evidence]]:
    """Yield the first fault of each output in each case, and where it is seen."""
    exchanged: dict[str, bool] = {}  # output of a wrong shape in some case → only in its order
    for output, trial in itertools.product(task.outputs, trials):
        if _wrong_shape(task, output, trial):
            shapes = (each.outputs[output].shape for each in (trial.expected, trial.actual))
            right, wrong = map(sorted, shapes)
            exchanged[output] = exchanged.get(output, True) and right == wrong
    for trial in trials:
        fine = [*task.outputs]  # so far: later questions rest on the earlier ones
        for reason, complaint_about in _QUESTIONS.items():
            for output in [*fine]:
                if message := complaint_about(task, output, trial):
                    fine.remove(output)
                    if reason == Reason.VALUES and output in exchanged:
                        why = ALIKE_HERE if exchanged[output] else ""
                        message = WRONG_ELSEWHERE.format(output, why)
                    values = trial.expected.outputs[output], trial.actual.outputs[output]
                    yield reason, message, Evidence(trial.case, output, *values)


def outputs_alike(task: Task, trials: Sequence[Trial], finite_only: bool = False) -> list[str]:
    """Return the names of the outputs that are as expected in all trials.

    With `finite_only`, trials in which either holds NaN or infinity do not count: the same mistake
    may end in another number there.
    """

    def alike(expected: np.ndarray, actual: np.ndarray) -> bool:
        ignored = finite_only and (is_blown_up(actual) or is_blown_up(expected))
        return ignored or are_close(expected, actual, task.tolerance)

    return [
        name
        for name in task.outputs
        if all(alike(each.expected.outputs[name], each.actual.outputs[name]) for each in trials)
    ]


def listed(names: Sequence[str]) -> str:
    """Join names with commas, and with "and" before the last name."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def is_blown_up(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and not np.isfinite(values).all()


def are_comparable(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and left.dtype.kind == right.dtype.kind


def are_close(left: np.ndarray, right: np.ndarray, tolerance: float) -> bool:
    """Decide whether two arrays are equal within a tolerance, shapes and types included."""
    return are_comparable(left, right) and bool(agree(left, right, tolerance).all())


def agree(left: np.ndarray, right: np.ndarray, tolerance: float) -> np.ndarray:
    """Return a boolean array, True at each entry of `left` that `right` has in the same place."""
    if not are_comparable(left, right):
        return np.zeros(left.shape, dtype=bool)
    if left.dtype.kind != "f":
        return left == right
    if np.isfinite(left).all() and np.isfinite(right).all():  # most often; `isclose` takes longer
        return np.abs(left - right) <= tolerance * (1 + np.abs(right))
    return np.isclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True)


def _wrong_shape(task: Task, output: str, trial: Trial) -> str:
    same = trial.expected.outputs[output].shape == trial.actual.outputs[output].shape
    return "" if same else f"`{output}` has the wrong shape."


def _wrong_type(task: Task, output: str, trial: Trial) -> str:
    right, wrong = (
        NUMBER_TYPES[each.outputs[output].dtype.kind] for each in (trial.expected, trial.actual)
    )
    return "" if right == wrong else f"`{output}` holds {wrong}; it should hold {right}."


def _not_finite(task: Task, output: str, trial: Trial) -> str:
    values = trial.actual.outputs[output]
    if not is_blown_up(values):
        return ""
    what = "NaN (not a number)" if np.isnan(values).any() else "infinity"
    return (
        f"`{output}` holds {what}. A division by 0, a logarithm or a root of a number below 0, a "
        "number that grew too large, or an infinity that was filled in and is still there makes "
        "that."
    )


def _negative(values: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    return "has a negative entry, and can have none." if (values < -tolerance).any() else ""


def _not_shares(values: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    totals, whole = values.sum(-1).ravel(), expected.sum(-1).ravel().round()
    off = np.abs(totals - whole)
    if off.max(initial=0.0) <= 10 * tolerance:
        return ""
    worst = off.argmax()
    return f"has a row that sums to {totals[worst]:.4g}; it should sum to {whole[worst]:.0f}."


def _not_zero(values: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    leaks = np.abs(values[expected == 0])
    if not leaks.any():
        return ""
    return f"holds {leaks.max():.4g} where it should be exactly 0."


# Rules that a task may set for an output: values, expected, tolerance → what is wrong, or "".
INVARIANTS: dict[str, Callable[[np.ndarray, np.ndarray, float], str]] = {
    "not negative": _negative,
    "rows sum to 1": _not_shares,  # or to 0, if the whole row is masked
    "exact zeros": _not_zero,
}


def _broken_invariant(task: Task, output: str, trial: Trial) -> str:
    expected, actual = trial.expected.outputs[output], trial.actual.outputs[output]
    for name in task.invariants.get(output, ()):
        if complaint := INVARIANTS[name](actual, expected, task.tolerance):
            return f"`{output}` {complaint}"
    return ""


def _cut_graph(task: Task, output: str, trial: Trial) -> str:
    missing = [
        key.input
        for key in trial.expected.gradients
        if key.output == output and key not in trial.actual.gradients
    ]
    if not missing:
        return ""
    return (
        f"No gradient flows from `{output}` back to `{missing[0]}`, so a network could not learn "
        "through it. `.detach()`, `.item()`, `float(…)`, `.tolist()`, `.numpy()`, "
        "`torch.tensor(…)` and `torch.no_grad()` cut the path back: use tensor operations "
        "throughout."
    )


def wrong_gradient(trials: Sequence[Trial]) -> GradientKey | None:
    """Find the first gradient that is spoilt, or wrong in more than half of its entries.

    The entries are those of all cases. Right answers may differ in single ones, for example if a
    logarithm meets a 0.
    """
    fits: dict[GradientKey, list[np.ndarray]] = {}
    for trial in trials:
        for key, gradient in trial.expected.gradients.items():
            actual = trial.actual.gradients[key]
            if actual.shape != gradient.shape or is_spoilt(gradient, actual):
                return key
            fits.setdefault(key, []).append(gradient_fits(gradient, actual))
    for key, of_each_case in fits.items():
        entries = np.concatenate(of_each_case)
        if entries.size and entries.mean() < 0.5:
            return key
    return None


def is_spoilt(expected: np.ndarray, actual: np.ndarray) -> bool:
    """Decide whether a gradient holds NaN or infinity where it should not: training ends there."""
    return bool((np.isfinite(expected) & ~np.isfinite(actual)).any())


def gradient_fits(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Compare a gradient entry by entry where it should be finite and not 0: True means right."""
    counts = np.isfinite(expected) & (expected != 0)
    room = GRADIENT_TOLERANCE * max(1.0, np.abs(expected[counts]).max(initial=0.0))
    return np.abs(actual - expected)[counts] <= room


def _wrong_values(task: Task, output: str, trial: Trial) -> str:
    expected, actual = trial.expected.outputs[output], trial.actual.outputs[output]
    if are_close(expected, actual, task.tolerance):
        return ""
    return f"`{output}` has the right shape and the wrong values."


_QUESTIONS: dict[Reason, Callable[[Task, str, Trial], str]] = {
    Reason.SHAPE: _wrong_shape,
    Reason.NUMBERS: _wrong_type,
    Reason.NOT_FINITE: _not_finite,
    Reason.INVARIANT: _broken_invariant,
    Reason.VALUES: _wrong_values,
    Reason.GRADIENT: _cut_graph,
}


def differences(evidence: Evidence, tolerance: float) -> Iterator[tuple[int, ...]]:
    """Yield the index of each entry that differs, in reading order; nothing if shapes differ."""
    expected, actual = evidence.expected, evidence.actual
    if are_comparable(expected, actual):
        wrong = ~agree(expected, actual, tolerance)
        yield from (tuple(map(int, index)) for index in np.argwhere(wrong))
