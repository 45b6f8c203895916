"""How an exercise is specified: the task, its cases from a seed, known wrong and right answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from solutions.misconceptions import MISCONCEPTIONS
from utils.checks import implementations
from utils.checks.diagnosis import measure_moves
from utils.checks.runner import Printed, Rerun, run_cases
from utils.checks.tasks import Answer, Case, Mistake, Record, Task

PUBLIC_SEED = 2014  # of the cases that learners have; a grader draws its own
ROUNDS = 3  # in which a learner's test meets a lineup, each with its own random seed
DIGITS = 6  # of recorded numbers: coarser than rounding errors, finer than any tolerance

# Why a change to a solution is not a fault (see `Exercise.equivalents`)
NO_ORDER = "sums, products and conditions have no order"
IN_A_MATRIX = "in a matrix axis 1 is the last"
FAR_APART = "what a trained network chooses among lies farther apart"
WHOLE = "no whole number lies so near to 0"
A_DISTANCE = "a distance has no sign"


class Draw:
    """Random inputs from a seed, the same on every machine.

    Only integers are drawn: what `torch.randn` returns differs in its last bits between
    processors. Numbers with two decimals also read well in feedback.
    """

    def __init__(self, seed: int):
        self._generator = torch.Generator().manual_seed(seed)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Integers from `low` to `high`, inclusive."""
        return torch.randint(low, high + 1, shape, generator=self._generator)

    def numbers(self, *shape: int, reach: float = 3.0) -> Tensor:
        """Numbers with two decimals between -`reach` and `reach`."""
        most = round(100 * reach)
        return self.whole(-most, most, *shape) / 100

    def order(self, count: int) -> Tensor:
        """The integers from 0 to `count` - 1 in random order."""
        return torch.randperm(count, generator=self._generator)

    def shares(self, *shape: int) -> Tensor:
        """Rows that sum to 1, no two entries of a row equal."""
        rows = torch.Size(shape[:-1]).numel()
        parts = torch.stack([self.order(50)[: shape[-1]] + 1 for _ in range(rows)])
        return (parts / parts.sum(-1, keepdim=True)).reshape(shape)


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that learners really give.

    Args:
        name: a few words, unique within the task.
        gives: the wrong function, module or dictionary.
        explanation: what it does, and why that is not what was asked.
        hint: a question or a nudge that leads out of it.
        misconception: the slug of the belief behind it, from `solutions.misconceptions`.
        also: what the same slip gives where it is written otherwise: a few words → what it gives.
    """

    name: str
    gives: Any
    explanation: str
    hint: str
    misconception: str
    also: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spellings(self) -> list["WrongAnswer"]:
        """This one, and a misconception for each other way to write it."""
        others = {f"{self.name}, {words}": gives for words, gives in self.also.items()}
        every = {self.name: self.gives} | others
        return [replace(self, name=name, gives=gives, also={}) for name, gives in every.items()]


class Exercise:
    """A task, the cases that it is tried on, and its misconceptions.

    Args:
        cases: draws the cases, of the same kinds for every seed.
        mistakes: at least four.
        equivalents: mutants of the solution that are not faults: the changed line → why it gives
            the same. The self-test lists them.
        gold: gives the right answers where the solution's own may be wrong, as those of a trained
            model may be.
        variants: at least three right answers in other styles; of a task of choices,
            functions that return what the learner would write.
        facts: what `Task` takes.

    Raises:
        ValueError: there is too little of something, or an unknown misconception.
    """

    def __init__(
        self,
        *,
        cases: Callable[[Draw], list[Case]],
        mistakes: Sequence[WrongAnswer],
        equivalents: Mapping[str, str] = MappingProxyType({}),
        gold: Callable | None = None,
        variants: Sequence[Callable],
        **facts: Any,
    ):
        self._refuse_too_little(mistakes, variants, **facts)
        mistakes = [spelt for one in mistakes for spelt in one.spellings]
        told = [Mistake(one.name, one.explanation, one.hint, one.misconception) for one in mistakes]
        self.task = Task(mistakes=told, **facts)
        self.cases = cases
        self.mistakes = mistakes
        self.equivalents = equivalents
        self.gold = gold
        self.variants = variants

    @staticmethod
    def _refuse_too_little(mistakes, variants, id, hints, **_) -> None:
        for enough, needed in (
            (len(mistakes) >= 4, "four misconceptions or more"),
            (len(variants) >= 3, "three right answers in other styles or more"),
            (len(hints) == 3, "three hints: a question, a nudge, most of the answer"),
        ):
            if not enough:
                raise ValueError(f"`{id}` needs {needed}.")
        for one in mistakes:
            if one.misconception not in MISCONCEPTIONS:
                raise ValueError(
                    f"`{id}`, {one.name}: there is no misconception "
                    f"`{one.misconception}`. Choose one from "
                    "solutions/misconceptions.py, or add it there."
                )

    def record(self, solution: Any, seed: int = PUBLIC_SEED) -> Record:
        """The cases of a seed with what the solution and every misconception return for them."""
        cases = self.cases(Draw(seed))
        mistaken = {one.name: self._returned(one.gives, cases) for one in self.mistakes}
        expected = self._returned(self.gold or solution, cases)
        record = Record(self.task, cases, expected, mistaken)
        if self.task.answer_type == "choices" or self.task.full_marks_from or not self.task.again:
            return record
        return replace(
            record, moves=measure_moves(record, Rerun(self.task, solution, self.task.seconds))
        )

    def _returned(self, given: Any, cases: Sequence[Case]) -> list[Answer]:
        """Computed in float64 and rounded, so that every processor gives the same numbers."""
        precise = [
            replace(
                case,
                inputs={name: _double(value) for name, value in case.inputs.items()},
                parameters={name: _double(value) for name, value in case.parameters.items()},
            )
            for case in cases
        ]
        return [
            Answer(
                {name: _rounded(one.outputs[name]) for name in self.task.outputs},
                {pair: _rounded(flow) for pair, flow in one.gradients.items()},
            )
            for one in run_cases(self.task, given, precise, Printed())
        ]


class CatchTheBug(Exercise):
    """An exercise whose answer is a test: it accepts what is right, and catches what has a bug.

    Its lineup stands in `utils/checks/lineups/`. Nothing is known of the solution but that it is
    right, so what a test has to blame comes from the lineup. Small faults are not injected into the
    solution: a test with other inputs is most often as good.

    Args:
        id: the name of the lineup's module behind `test_`.
        mistakes: weak tests, at least four, no two of which let the same bugs slip through.
        variants: at least three good tests in other styles.
        facts: what `Task` takes.

    Raises:
        ValueError: there is too little of something, or an unknown misconception.
    """

    def __init__(
        self,
        *,
        id: str,
        mistakes: Sequence[WrongAnswer],
        variants: Sequence[Callable],
        **facts: Any,
    ):
        self.lineup = implementations.of(id)
        for slug in self.lineup.broken:
            if slug not in MISCONCEPTIONS:
                raise ValueError(
                    f"`{id}`: there is no misconception `{slug}` for an implementation."
                )
        super().__init__(
            id=id,
            answer_type="test",
            outputs=["blames"],
            cases=self._lined_up,
            mistakes=mistakes,
            variants=variants,
            **facts,
        )

    def _lined_up(self, draw: Draw) -> list[Case]:
        seeds = draw.whole(0, 2**31 - 1, ROUNDS).tolist()
        order = int(draw.whole(0, 2**31 - 1))  # for a grader: no worker is told
        names = [*self.lineup.implementations]
        inputs = {"lineup": names, "seeds": seeds, "order": order}
        return [Case("all implementations, in several rounds", inputs)]

    def record(self, solution: Any, seed: int = PUBLIC_SEED) -> Record:
        cases = self.cases(Draw(seed))
        broken = [name in self.lineup.broken for name in self.lineup.implementations]
        expected = [Answer({"blames": np.array([broken] * ROUNDS)})]
        mistaken = {one.name: self._returned(one.gives, cases) for one in self.mistakes}
        return Record(self.task, cases, expected, mistaken)


def _double(value: Any) -> Any:
    floats = isinstance(value, Tensor) and value.is_floating_point()
    return value.double() if floats else value


def _rounded(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        return values
    rounded = values.round(DIGITS) + 0.0  # no -0.0
    small = (rounded == 0) & (np.abs(values) > 1e-30)  # must not be taken for an exact 0
    return np.where(small, np.copysign(10.0**-DIGITS, values), rounded)
