"""Tests that learners write: each has to reject ("blame") broken implementations, and only these.

In no round must a test reject a right implementation; in every round it has to reject a broken one.
If it lets the same bugs slip through as a known weak test, the verdict names the weak test.
"""

import contextlib
import itertools
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from utils.checks import bank, implementations
from utils.checks.compare import Verdict
from utils.checks.diagnosis.behaviours import RerunCases
from utils.checks.kinds.referee import LONGEST_MESSAGE, Decision, Proxy, Referee
from utils.checks.kinds.values import Values
from utils.checks.limits import OutOfTime
from utils.checks.runner import OUR_SEED, AnswerError, Rerun, in_a_line, line_of, with_article
from utils.checks.tasks import Answer, CallSpec, Case, Mistake, Reason, Record, Trial

TOLERANT = 1e-4  # difference that counts as rounding where it is asked what a tolerance would do
BLAMED = {
    "blamed": "Your test blames the right implementation, and so it earns nothing.",
    "blamed by chance": "Your test blames the right implementation now and then, and so it earns "
    "nothing. It depends on chance: fix the inputs, with `torch.manual_seed(0)` for example.",
    "blamed for its rounding": "Your test accepts one right implementation and blames another, "
    "which differs in its last digits only, and so it earns nothing.",
}
SHOWN = (
    "With your inputs, all that slips through returns other numbers than the right one: your "
    "asserts do not look there, or their tolerance is too wide."
)
SHOWN_BESIDE = (
    "Of those that slip through, {} can be seen with your inputs, by other numbers than the right "
    "ones: your asserts do not look there, or their tolerance is too wide."
)
NOT_SHOWN = (
    "With your inputs, all that slips through returns what the right one returns, so that no "
    "`assert` could tell: it takes other inputs."
)
SHOWN_IN_PART = (
    "With your inputs, some of what slips through returns what the right one returns: that takes "
    "other inputs. The rest returns other numbers: your asserts do not look there, or their "
    "tolerance is too wide."
)
EXACT = (
    "With a tolerance, your test would accept the right implementation: ask that the largest "
    "`(a - b).abs()` is below 1e-5, or, of two tensors of one type, `torch.allclose(…, atol=1e-5)`."
)
NONE_PASSES = (
    "None of our implementations passes it, right or broken: what it expects is wrong itself. Work "
    "a small case out once more, step by step of the formula."
)


class LearnersTest(Values):
    """Tests of a function, run on one implementation after another.

    Args:
        spec: the task, or the specification of the calls.
        referee: function that returns the referee of a case; by default, one in this process.
    """

    is_refereed = True
    without_steps = "is a test: what happens in it differs with each function that it is tried on."
    is_related = False
    mistake_comes_first = False

    def __init__(self, spec: CallSpec, referee: Callable[[Case], Referee] | None = None):
        super().__init__(spec)
        self._referee = referee or (lambda case: Referee(spec.id, case))

    # --- Run --------------------------------------------------------------------------------------

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        for case in cases:
            yield decisions(self.spec, definition, self._referee(case))

    def rerun(self, definition: Any) -> Rerun:
        return TolerantRerun(self.spec, definition, self.spec.seconds)

    # --- Judge ------------------------------------------------------------------------------------

    def judge(
        self, record: Record, trials: Sequence[Trial], error: AnswerError | None = None
    ) -> Verdict:
        task = record.task
        if error:
            return Verdict(task, error.reason, error.message, where=error.where)
        (mine,) = map(Outcome, trials)
        mistake = _weak_test(record, mine)
        if mine.treatment != "accepted":
            message, where = map(str, mine.messages[mine.blames & ~mine.broken][0])
            if message.startswith("AssertionError"):
                words = message.removeprefix("AssertionError").removeprefix(": ")
                blamed = BLAMED[mine.treatment]
                message = f"{blamed} It says: {words}" if words else blamed
            else:
                message = f"With the right implementation your test ends early: {message}"
                mistake = None
            return Verdict(task, Reason.BLAMES, message, mistake, where=where)
        slips, count = mine.names(mine.slips), int(mine.broken.sum())
        caught = count - len(slips)
        of = "all" if caught == count else f"{caught} of" if caught else "none of"
        message = (
            f"Your test accepts the right implementation and catches {of} {count} broken ones."
            + _laws(task.id, {*mine.lineup} - {*slips})
        )
        if not slips:
            return Verdict(task, Reason.PASSED, message)
        if (mine.slips & mine.blames.any(0)).any():
            message += " Whom it catches depends on chance: fix the inputs, and all runs are alike."
        return Verdict(task, Reason.SLIPS, message, mistake, share=caught / count, slips=slips)

    # --- Explain ----------------------------------------------------------------------------------

    def explain(
        self,
        record: Record,
        trials: Sequence[Trial],
        verdict: Verdict,
        rerun: RerunCases | None,
        *_: Any,
    ) -> Verdict:
        """Add whether a test is exact to the last digit, or what its inputs show of what slips."""
        if not trials:
            return verdict
        (mine,) = map(Outcome, trials)
        blames_all_right = verdict.reason == Reason.BLAMES and mine.blames[:, ~mine.broken].all()
        if blames_all_right and mine.asserts_fail and rerun:
            (tolerant,) = rerun(record.cases, OUR_SEED)
            if not tolerant:  # whether its tolerance alone is wrong is not known then
                return replace(verdict, mistake=None)
            if not tolerant["blames"][:, ~mine.broken].any():
                return replace(verdict, mistake=_exact_test(record), relation=EXACT)
        if verdict.mistake:
            return replace(verdict, relation=_beside(record, mine, verdict.mistake))
        accepted, seen = mine.names(~mine.blames.any(0)), mine.shown[mine.slips]
        relation = ""
        if verdict.reason == Reason.SLIPS:
            relation = SHOWN if seen.all() else SHOWN_IN_PART if seen.any() else NOT_SHOWN
        elif blames_all_right and len(accepted) == 1:
            belief = bank.misconceptions()[accepted[0]].belief
            relation = f"It accepts only the implementation by somebody who believes that {belief}."
        elif blames_all_right and not accepted and mine.asserts_fail:
            relation = NONE_PASSES
        return replace(verdict, relation=relation)


def decisions(spec: CallSpec, test: Callable, referee: Referee) -> Answer:
    """Run a learner's test on each implementation in turn, and return which ones it rejects."""
    for seed in referee.seeds:
        referee.decided(referee.decide(partial(_decision, spec, test, referee, seed)))
    return referee.answer


def _decision(spec: CallSpec, test: Callable, referee: Referee, seed: int) -> Decision:
    """Run a learner's test on the implementation whose turn it is."""
    under_test = spec.id.removeprefix("test_")
    proxy = Proxy(referee)
    returned, decision = None, Decision(False)
    try:
        with fixed_seeds(seed):
            returned = test(proxy)
    except (OutOfTime, KeyboardInterrupt):
        raise
    except BaseException as error:  # whatever ends a test early makes it fail, as in pytest
        words = in_a_line(error), line_of(error).strip()
        decision = Decision(True, *(text[:LONGEST_MESSAGE] for text in words))
    if proxy.refused:
        raise AnswerError(Reason.CALLS, f"`{under_test}` {proxy.refused}.")
    if not (proxy.calls or decision.blames):
        raise AnswerError(
            Reason.NOTHING,
            f"`{spec.id}` never calls `{under_test}`. Write your test where the `...` stands: "
            "make inputs, call it, and `assert` what has to be true of the results.",
        )
    if returned is not None:
        raise AnswerError(
            Reason.TYPE,
            f"`{spec.id}` returns {with_article(returned)}, and nobody looks at it. A test "
            "returns nothing: write `assert` in front of what has to be true.",
        )
    return decision


@contextlib.contextmanager
def fixed_seeds(seed: int) -> Iterator[None]:
    """Seed Python, NumPy and torch for a test; restore all but torch, as `collect` does that."""
    of_python, of_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)  # noqa: NPY002


class TolerantRerun(Rerun):
    """A function that runs a test again, in which comparisons let rounding pass."""

    def outputs(self, case: Case) -> Mapping[str, np.ndarray]:
        with Tolerant():
            return decisions(self.spec, self.definition, Referee(self.spec.id, case)).outputs


class Tolerant(TorchFunctionMode):
    """A mode in which every comparison of decimals lets rounding pass."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "").strip("_")
        if name in ("eq", "ne", "equal", "isclose", "allclose") and len(args) > 1:
            left, right = (torch.as_tensor(each).double() for each in args[:2])
            if name in ("equal", "allclose") and left.shape != right.shape:
                return False
            close = torch.isclose(left, right, TOLERANT, TOLERANT, equal_nan=True)
            if name in ("equal", "allclose"):
                return bool(close.all())
            return ~close if name == "ne" else close
        return function(*args, **kwargs or {})


class Outcome:
    """What a test does with each implementation of a lineup, in several rounds.

    Attributes:
        lineup: names of the implementations.
        broken: (implementations), True at those that have a bug.
        blames: (rounds, implementations), True where the test rejects one.
        slips: (implementations), True at broken ones that are not rejected in every round.
        shown: (implementations), True at those that returned other values than the right one.
    """

    def __init__(self, trial: Trial):
        self.lineup = trial.case.inputs["lineup"]
        self.broken = trial.expected.outputs["blames"].all(0)
        self.blames = trial.actual.outputs["blames"]
        self.slips = self.broken & ~self.blames.all(0)
        self.shown = trial.actual.outputs["shown"].any(0)
        self._trial = trial

    @property
    def messages(self) -> np.ndarray:
        """Exceptions that made the test fail and their lines, (rounds, implementations, 2)."""
        return self._trial.actual.outputs["messages"]

    @property
    def asserts_fail(self) -> bool:
        """Whether it is always an `assert` that rejects an implementation."""
        return all(str(m).startswith("AssertionError") for m, _ in self.messages[self.blames])

    @cached_property
    def treatment(self) -> str:
        """How right implementations are treated: "accepted", or a key of `BLAMED`."""
        of_right = self.blames[:, ~self.broken]
        if not of_right.any():
            return "accepted"
        if of_right.all():
            return "blamed"
        alike = (of_right.any(1) == of_right.all(1)).all()  # all or none in each round
        return "blamed by chance" if alike else "blamed for its rounding"

    def names(self, which: np.ndarray) -> list[str]:
        """Return the names of the implementations at which `which` is True."""
        return [*itertools.compress(self.lineup, which)]


def _weak_tests(record: Record) -> Iterator[tuple[Mistake, Outcome]]:
    for mistake in record.task.mistakes:
        (trial,) = record.trials(record.mistaken[mistake.name])
        yield mistake, Outcome(trial)


def _weak_test(record: Record, mine: Outcome) -> Mistake | None:
    """Find the known weak test that explains most of the bugs that a learner's test misses.

    It has to explain half of them at least: else there is more to look at than one gap. The
    learner's test has to miss all bugs that the weak test misses, some only if that does, and to
    treat the right implementations in the same way. Of each of these bugs, the inputs of both
    tests have to show it, so that the asserts are weak, or the inputs of neither. Of two tests that
    accept every implementation, it is enough that the inputs of both show some bug.
    """
    best, most = None, (-1, False)
    for mistake, weak in _weak_tests(record):
        shown = [each.shown[weak.slips] for each in (weak, mine)]
        same_shown = np.array_equal(*shown)
        misses_all = np.array_equal(weak.slips, weak.broken)
        alike = same_shown or (misses_all and all(map(np.any, shown)))
        fits = weak.treatment == mine.treatment and not (weak.slips & ~mine.slips).any()
        fits = fits and 2 * weak.slips.sum() >= mine.slips.sum()
        if fits and alike and (weak.slips.sum(), same_shown) > most:
            best, most = mistake, (weak.slips.sum(), same_shown)
    return best


def _beside(record: Record, mine: Outcome, mistake: Mistake) -> str:
    """State that a test's inputs show what it misses beside a known gap; "" if one does not."""
    (trial,) = record.trials(record.mistaken[mistake.name])
    others = mine.slips & ~Outcome(trial).slips
    seen = mine.treatment == "accepted" and others.any() and mine.shown[others].all()
    return SHOWN_BESIDE.format((mine.slips & mine.shown).sum()) if seen else ""


def _exact_test(record: Record) -> Mistake | None:
    """Return the known weak test that blames a right implementation for its last digits."""
    exact = (
        mistake
        for mistake, weak in _weak_tests(record)
        if weak.treatment == "blamed for its rounding"
    )
    return next(exact, None)


def _laws(task_id: str, caught: Collection[str]) -> str:
    """Name the laws that are broken by the implementations that a test catches."""
    laws = implementations.of(task_id).laws
    broken = dict.fromkeys(law for slug, law in laws.items() if slug in caught)
    return f" What it catches breaks these laws: {'; '.join(broken)}." if broken else ""
