"""Compare returned values with the expected ones, and give a verdict. No learner's code runs here.

Faults are looked for in the order in which a person would look: shape, kind of numbers, NaN and
infinity, invariants, values, gradients. Cases go from the plain to the odd, and the verdict is the
first fault of the first case that fails. If a known mistake returns the same values as the answer,
the verdict also names the mistake.

A learner's test has to accept (not "blame") right implementations, and reject each with a bug.

A task with `full_marks_from` asks for a trained model, which never gets every entry right: the
share of correct entries decides, and an answer makes a known mistake if it has most of the wrong
entries of that mistake.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from utils.checks import implementations
from utils.checks.runner import AnswerError
from utils.checks.tasks import Answer, Case, GradientKey, Mistake, Reason, Record, Task

LARGEST_PICTURE = 8  # rows or columns of a matrix that is drawn
MOST = 0.75  # share of a mistake's wrong entries above which a model is said to make the mistake
ENOUGH_CASES = 3  # cases before an exception in which a mistake has to show, or half of all
GRADIENT_TOLERANCE = 1e-3  # relative to the largest entry, as float32 is compared with float64
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
        share: share of correct entries, if the task has `full_marks_from`; of a test, share of the
            bugs that it catches.
        slips: slugs of the misconceptions whose bugs a test misses.
        relation: sentence on how the answer differs from the right one, if no mistake is known.
        right: sentence on the outputs that are right in all cases, if others are not.
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
        earned = self.task.points * self.share / (self.task.full_marks_from or 1)
        return math.floor(round(earned, 6))  # 6 * 0.15 / 0.9 is 1, and not 0.999…


def judge(record: Record, answers: Sequence[Answer], error: AnswerError | None = None) -> Verdict:
    """Return the verdict on an answer, from the values that it returned in the cases.

    Args:
        record: the task, its cases and the expected values.
        answers: returned values, in the order of the cases.
        error: the reason why later cases have no returned values, if they have none. If hardly a
            case has any, no mistake is named, since several mistakes look alike in the first cases.
    """
    task, share, seen_enough = record.task, None, True
    if error:
        known = _mistake(record, answers) if len(answers) == len(record.cases) else None
        failed = Verdict(task, error.reason, error.message, known, where=error.where)
        if not answers or task.full_marks_from is not None:
            return failed
        seen_enough = len(answers) >= min(ENOUGH_CASES, len(record.cases) / 2)
        record = first_cases(record, len(answers))
    if task.answer_type == "test":
        return _judge_test(record, *answers)
    if task.full_marks_from is not None:
        share = _share(record.expected, answers, task.tolerance)
        if share >= task.full_marks_from:
            return Verdict(task, Reason.PASSED, f"{_percent(share)} are right.", share=share)
    complaints = _complaints(record, answers)
    if first := next(complaints, None):
        mistake = _mistake(record, answers) if seen_enough else None
        explained = _outputs_apart(record, answers)[:1] if mistake else task.outputs
        chain = itertools.chain([first], complaints)
        reason, message, evidence = next((c for c in chain if c[2].output in explained), first)
        if reason == Reason.VALUES and share is not None:
            message = (
                f"{_percent(share)} are right; {_percent(task.full_marks_from)} earn all points."
            )
        right = "" if error else _what_is_right(record, answers)
        right = right or _what_is_unexplained(record, answers, mistake)
        return Verdict(task, reason, message, mistake, evidence, "", share, right=right)
    if error:
        return failed
    wrong = _wrong_gradient(record.expected, answers)
    if wrong:
        message = (
            f"The values are right, but the gradient from `{wrong.output}` back to "
            f"`{wrong.input}` is wrong, so a network would learn the wrong thing. Is part of the "
            "path cut, perhaps by `.detach()`?"
        )
        return Verdict(task, Reason.GRADIENT, message)
    count = len(record.cases)
    right = "Every choice is" if task.answer_type == "choices" else f"All {count} cases are"
    return Verdict(task, Reason.PASSED, f"{right} right.")


def _complaints(
    record: Record, answers: Sequence[Answer]
) -> Iterator[tuple[Reason, str, Evidence]]:
    """Yield the first fault of each output in each case, and where it is seen."""
    for case, expected, answer in zip(record.cases, record.expected, answers, strict=True):
        fine = [*record.task.outputs]  # so far: later questions rest on the earlier ones
        for reason, complaint_about in _QUESTIONS.items():
            for output in [*fine]:
                if message := complaint_about(record.task, output, expected, answer):
                    fine.remove(output)
                    values = expected.outputs[output], answer.outputs[output]
                    yield reason, message, Evidence(case, output, *values)


def _outputs_apart(record: Record, answers: Sequence[Answer]) -> list[str]:
    """Return the outputs that are wrong in some case; a known mistake explains the first."""
    right = _alike(record.task, record.expected, answers)
    return [output for output in record.task.outputs if output not in right]


def first_cases(record: Record, count: int) -> Record:
    """Return a copy of a record with only its first `count` cases."""
    mistaken = {name: of_each[:count] for name, of_each in record.mistaken.items()}
    return replace(
        record, cases=record.cases[:count], expected=record.expected[:count], mistaken=mistaken
    )


def _judge_test(record: Record, answer: Answer) -> Verdict:
    """Return the verdict on a learner's test, from the implementations that it rejects ("blames").

    In no round must it reject a right implementation; in every round it has to reject a broken one.
    """
    task, mistake, blames = record.task, _weak_test(record, answer), answer.outputs["blames"]
    broken = _broken(record)
    treatment = _treatment_of(blames[:, ~broken])
    if treatment != "accepted":
        message, where = map(str, answer.outputs["messages"][blames & ~broken][0])
        if message.startswith("AssertionError"):
            words = message.removeprefix("AssertionError").removeprefix(": ")
            message = f"{_BLAMED[treatment]} It says: {words}" if words else _BLAMED[treatment]
        else:
            message = f"With the right implementation your test ends early: {message}"
            mistake = None
        return Verdict(task, Reason.BLAMES, message, mistake, where=where)
    (case,), missed = record.cases, broken & ~blames.all(0)
    slips = [name for name, slip in zip(case.inputs["lineup"], missed, strict=True) if slip]
    count, caught = int(broken.sum()), int(broken.sum()) - len(slips)
    how_many = f"{'all' if caught == count else f'{caught} of' if caught else 'none of'} {count}"
    message = f"Your test accepts the right implementation and catches {how_many} broken ones."
    message += _laws(task.id, set(case.inputs["lineup"]) - {*slips})
    if not slips:
        return Verdict(task, Reason.PASSED, message)
    if (missed & blames.any(0)).any():
        message += " Whom it catches depends on chance: fix the inputs, and all runs are alike."
    return Verdict(task, Reason.SLIPS, message, mistake, share=caught / count, slips=slips)


def _laws(task_id: str, caught: Collection[str]) -> str:
    """Name the laws that are broken by the implementations that a test catches."""
    laws = implementations.of(task_id).laws
    broken = dict.fromkeys(law for slug, law in laws.items() if slug in caught)
    return f" What it catches breaks these laws: {'; '.join(broken)}." if broken else ""


_BLAMED = {
    "blamed": "Your test blames the right implementation, and so it earns nothing.",
    "blamed by chance": "Your test blames the right implementation now and then, and so it earns "
    "nothing. It depends on chance: fix the inputs, with `torch.manual_seed(0)` for example.",
    "blamed for its rounding": "Your test accepts one right implementation and blames another, "
    "which differs in its last digits only, and so it earns nothing.",
}


def _broken(record: Record) -> np.ndarray:
    """Return a boolean array, True at implementations that have a bug."""
    return record.expected[0].outputs["blames"].all(0)


def _treatment_of(blames: np.ndarray) -> str:
    """Classify how a test treats right implementations, by `blames` (rounds, implementations)."""
    if not blames.any():
        return "accepted"
    if blames.all():
        return "blamed"
    alike = (blames.any(1) == blames.all(1)).all()  # all or none in each round
    return "blamed by chance" if alike else "blamed for its rounding"


def _weak_test(record: Record, answer: Answer) -> Mistake | None:
    """Find the known weak test that explains most of the bugs that a learner's test misses.

    The learner's test has to miss all bugs that the weak test misses, and to treat the right
    implementations in the same way. Of each of these bugs, the inputs of both tests have to show
    it, so that the asserts are weak, or the inputs of neither. Of two tests that accept every
    implementation, it is enough that the inputs of both show some bug.
    """
    broken, mine = _broken(record), answer.outputs["blames"]
    slips = broken & ~mine.all(0)
    best, most = None, (-1, False)
    for mistake in record.task.mistakes:
        (theirs,) = record.mistaken[mistake.name]
        known = broken & ~theirs.outputs["blames"].all(0)
        shown = [each.outputs["shown"].any(0)[known] for each in (theirs, answer)]
        treatments = [
            _treatment_of(blames[:, ~broken]) for blames in (theirs.outputs["blames"], mine)
        ]
        same_shown = np.array_equal(*shown)
        alike = same_shown or (np.array_equal(known, broken) and all(map(np.any, shown)))
        fits = treatments[0] == treatments[1] and alike and not (known & ~slips).any()
        if fits and (known.sum(), same_shown) > most:
            best, most = mistake, (known.sum(), same_shown)
    return best


def _holds_counts(record: Record) -> bool:
    values = [array for known in record.expected for array in known.outputs.values()]
    return all(array.dtype.kind == "i" for array in values)


def exact_test(record: Record) -> Mistake | None:
    """Return the known weak test that blames a right implementation for its last digits."""
    for mistake in record.task.mistakes:
        blames = record.mistaken[mistake.name][0].outputs["blames"]
        if _treatment_of(blames[:, ~_broken(record)]) == "blamed for its rounding":
            return mistake
    return None


def _mistake(record: Record, answers: Sequence[Answer]) -> Mistake | None:
    """Find the known mistake that returns the same values as the answer in its first wrong output.

    Only one output is compared, because learners who make two mistakes are told of one at a time.
    But outputs that the answer gets right have to be right with the mistake too, and where all are
    counts, in which two mistakes often add up to a third, all outputs have to be the mistake's.
    Nor may the rest speak against it twice: in an output that the mistake leaves right, and in one
    that it makes wrong otherwise.
    Cases with NaN or infinity are ignored if a mistake explains all other cases.
    """
    tolerance = record.task.tolerance
    if record.task.full_marks_from is not None:
        explained = {
            _share(record.mistaken[mistake.name], answers, tolerance): mistake
            for mistake in reversed(record.task.mistakes)
            if _share_of_a_mistake(record, mistake, answers) > MOST
        }
        return explained[max(explained)] if explained else None

    right = _alike(record.task, record.expected, answers)
    wrong = _outputs_apart(record, answers)
    for finite_only in (False, True):
        if not wrong or wrong[0] in _alike(record.task, record.expected, answers, finite_only):
            continue
        explained = {}
        for mistake in record.task.mistakes:
            alike = _alike(record.task, record.mistaken[mistake.name], answers, finite_only)
            counts = wrong if _holds_counts(record) else wrong[:1]
            spared = {*_alike(record.task, record.mistaken[mistake.name], record.expected)}
            unexplained = {*wrong} - {*alike}
            contradicted = unexplained & spared and unexplained - spared
            if {*counts, *right} <= {*alike} and not contradicted:
                explained[mistake] = len(alike)
        best = [known for known, count in explained.items() if count == max(explained.values())]
        if best:
            return best[0] if len(best) == 1 else None
    return None


def makes_exactly(record: Record, answers: Sequence[Answer], mistake: Mistake | None) -> bool:
    """Decide whether a known mistake explains all outputs of an answer."""
    if not mistake:
        return False
    known = record.mistaken[mistake.name][: len(answers)]
    return _alike(record.task, known, answers, finite_only=True) == [*record.task.outputs]


def _alike(
    task: Task, known: Sequence[Answer], answers: Sequence[Answer], finite_only: bool = False
) -> list[str]:
    """Return the names of the outputs that equal the known ones in all cases.

    With `finite_only`, cases where an output holds NaN or infinity do not count.
    """

    def same(theirs: np.ndarray, mine: np.ndarray) -> bool:
        ignored = finite_only and _blown_up(mine)
        return ignored or are_close(theirs, mine, task.tolerance)

    return [
        name
        for name in task.outputs
        if all(
            same(theirs.outputs[name], mine.outputs[name])
            for theirs, mine in zip(known, answers, strict=True)
        )
    ]


def _what_is_right(record: Record, answers: Sequence[Answer]) -> str:
    """State which outputs are right in all cases, if others are not; else return ""."""
    task = record.task
    right = [f"`{name}`" for name in _alike(task, record.expected, answers)]
    others = [f"`{name}`" for name in task.outputs if f"`{name}`" not in right]
    if task.answer_type == "choices" or not right or not others:
        return ""
    are, differ = ("is" if len(right) == 1 else "are", "differs" if len(others) == 1 else "differ")
    return f"{listed(right)} {are} right, only {listed(others)} {differ}."


def _what_is_unexplained(record: Record, answers: Sequence[Answer], mistake: Mistake | None) -> str:
    """State which outputs are wrong otherwise than by the mistake that is named; "" if none is."""
    if not mistake or record.task.full_marks_from is not None:
        return ""
    known = _alike(record.task, record.mistaken[mistake.name], answers, finite_only=True)
    others = [name for name in _outputs_apart(record, answers) if name not in known]
    if not others:
        return ""
    named, are = listed([f"`{name}`" for name in others]), "is" if len(others) == 1 else "are"
    return f"{named} {are} wrong, too: look there if that stays so."


def listed(names: Sequence[str]) -> str:
    """Join names with commas, and with "and" before the last name."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _blown_up(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and not np.isfinite(values).all()


def are_comparable(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and left.dtype.kind == right.dtype.kind


def are_close(left: np.ndarray, right: np.ndarray, tolerance: float) -> bool:
    """Decide whether two arrays are equal within a tolerance, shapes and types included."""
    return are_comparable(left, right) and bool(_agree(left, right, tolerance).all())


def _share(expected: Sequence[Answer], answers: Sequence[Answer], tolerance: float) -> float:
    """Return the share of entries that have the expected values, over all cases and outputs."""
    right = total = 0
    for known, answer in zip(expected, answers, strict=True):
        for name, values in known.outputs.items():
            total += values.size
            right += int(_agree(values, answer.outputs[name], tolerance).sum())
    return right / total


def _share_of_a_mistake(record: Record, mistake: Mistake, answers: Sequence[Answer]) -> float:
    """Return the share of a mistake's wrong entries that the answer has too.

    Entries that the mistake gets right do not count, because by chance an untrained model often has
    more entries in common with some mistake than with the right answer.
    """
    tolerance, alike, apart = record.task.tolerance, 0, 0
    theirs = record.mistaken[mistake.name]
    for expected, actual, wrong in zip(record.expected, answers, theirs, strict=True):
        for name, values in wrong.outputs.items():
            differs = ~_agree(values, expected.outputs[name], tolerance)
            apart += int(differs.sum())
            alike += int((differs & _agree(values, actual.outputs[name], tolerance)).sum())
    return alike / apart if apart else 0.0


def _agree(left: np.ndarray, right: np.ndarray, tolerance: float) -> np.ndarray:
    """Return a boolean array, True at each entry of `left` that `right` has in the same place."""
    if not are_comparable(left, right):
        return np.zeros(left.shape, dtype=bool)
    if left.dtype.kind != "f":
        return left == right
    if np.isfinite(left).all() and np.isfinite(right).all():  # most often; `isclose` takes longer
        return np.abs(left - right) <= tolerance * (1 + np.abs(right))
    return np.isclose(left, right, rtol=tolerance, atol=tolerance, equal_nan=True)


def _percent(share: float) -> str:
    """Format a share as a percentage, rounded down: 89.99 % must not look like 90 %."""
    return f"{math.floor(round(1000 * share, 6)) / 10:g} %"


def _wrong_shape(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    same = expected.outputs[output].shape == actual.outputs[output].shape
    return "" if same else f"`{output}` has the wrong shape."


def _wrong_type(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    right, wrong = (NUMBER_TYPES[each.outputs[output].dtype.kind] for each in (expected, actual))
    return "" if right == wrong else f"`{output}` holds {wrong}; it should hold {right}."


def _not_finite(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    values = actual.outputs[output]
    if not _blown_up(values):
        return ""
    what = "NaN (not a number)" if np.isnan(values).any() else "infinity"
    return (
        f"`{output}` holds {what}. A division by 0, a logarithm or a root of a number below 0, a "
        "number that grew too large, or an infinity that was filled in and is still there makes "
        "that."
    )


def _negative(values: np.ndarray, expected: np.ndarray, tolerance: float) -> str:
    return "has a negative entry; a share is 0 or more." if (values < -tolerance).any() else ""


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


def _broken_invariant(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    for name in task.invariants.get(output, ()):
        values = actual.outputs[output]
        if complaint := INVARIANTS[name](values, expected.outputs[output], task.tolerance):
            return f"`{output}` {complaint}"
    return ""


def _cut_graph(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    missing = [
        key.input
        for key in expected.gradients
        if key.output == output and key not in actual.gradients
    ]
    if not missing:
        return ""
    return (
        f"No gradient flows from `{output}` back to `{missing[0]}`, so a network could not learn "
        "through it. `.detach()`, `.item()`, `.tolist()`, `.numpy()`, `torch.tensor(…)` "
        "and `torch.no_grad()` cut the path back: use tensor operations throughout."
    )


def _wrong_gradient(expected: Sequence[Answer], answers: Sequence[Answer]) -> GradientKey | None:
    """Find the first gradient that is wrong in more than half of its entries, over all cases.

    Right answers may differ in single entries, for example if a logarithm meets a 0.
    """
    fits: dict[GradientKey, list[np.ndarray]] = {}
    for right, answer in zip(expected, answers, strict=True):
        for key, gradient in right.gradients.items():
            actual = answer.gradients[key]
            if actual.shape != gradient.shape:
                return key
            fits.setdefault(key, []).append(gradient_fits(gradient, actual))
    for key, of_each_case in fits.items():
        entries = np.concatenate(of_each_case)
        if entries.size and entries.mean() < 0.5:
            return key
    return None


def gradient_fits(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Compare a gradient entry by entry where it should be finite and not 0: True means right."""
    counts = np.isfinite(expected) & (expected != 0)
    room = GRADIENT_TOLERANCE * max(1.0, np.abs(expected[counts]).max(initial=0.0))
    return np.abs(actual - expected)[counts] <= room


def _wrong_values(task: Task, output: str, expected: Answer, actual: Answer) -> str:
    if are_close(expected.outputs[output], actual.outputs[output], task.tolerance):
        return ""
    if task.answer_type == "choices":
        return f"`{task.id}[{output!r}]` is not right."
    return f"`{output}` has the right shape and the wrong values."


_QUESTIONS: dict[Reason, Callable[[Task, str, Answer, Answer], str]] = {
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
        wrong = ~_agree(expected, actual, tolerance)
        yield from (tuple(map(int, index)) for index in np.argwhere(wrong))
