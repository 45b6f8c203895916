"""Specifications of exercises: a task, its cases from a seed, known wrong and right answers."""

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
ROUNDS = 3  # in which a learner's test meets the implementations, each with its own random seed
DIGITS = 6  # of recorded numbers: coarser than rounding errors, finer than any tolerance

# Why a change to a solution is not a fault (see `Exercise.equivalents`)
IN_A_MATRIX = "in a matrix axis 1 is the last"
FAR_APART = "what a trained network chooses among lies farther apart"
WHOLE = "no whole number lies so near to 0"
A_DISTANCE = "a distance has no sign"


class Draw:
    """A source of random inputs, the same on every machine for the same seed.

    Only integers are drawn: what `torch.randn` returns differs in its last bits between
    processors. Numbers with two decimals also read well in feedback.
    """

    def __init__(self, seed: int):
        self._generator = torch.Generator().manual_seed(seed)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Draw integers from `low` to `high`, inclusive."""
        return torch.randint(low, high + 1, shape, generator=self._generator)

    def numbers(self, *shape: int, reach: float = 3.0) -> Tensor:
        """Draw numbers with two decimals between -`reach` and `reach`."""
        most = round(100 * reach)
        return self.whole(-most, most, *shape) / 100

    def order(self, count: int) -> Tensor:
        """Draw the integers from 0 to `count` - 1 in random order."""
        return torch.randperm(count, generator=self._generator)

    def shares(self, *shape: int) -> Tensor:
        """Draw rows that sum to 1, no two entries of a row equal."""
        rows = torch.Size(shape[:-1]).numel()
        parts = torch.stack([self.order(50)[: shape[-1]] + 1 for _ in range(rows)])
        return (parts / parts.sum(-1, keepdim=True)).reshape(shape)


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that learners really give.

    Args:
        gives: the wrong function, module or dictionary.
        explanation: what it does, and why that is not what was asked.
        hint: a question or a nudge that leads out of it.
        misconception: the slug of the belief behind it, from `solutions.misconceptions`.
        also: other ways to write it that give something else: a few words → what they give.
        name: its key among the mistakes of its task, filled in by `Exercise`.
    """

    gives: Any
    explanation: str
    hint: str
    misconception: str
    also: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def spellings(self) -> list["WrongAnswer"]:
        """Return this wrong answer, and one for each other way to write it."""
        named = {f"{self.name}, {words}": gives for words, gives in self.also.items()}
        named = {self.name: self.gives} | named
        return [replace(self, name=name, gives=gives, also={}) for name, gives in named.items()]


class Exercise:
    """A task, the cases that it is tried on, and known wrong and right answers.

    Args:
        cases: draws the cases; for every seed the same number, with the same labels.
        mistakes: a few words that name what is wrong → the wrong answer; at least four.
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
        mistakes: Mapping[str, WrongAnswer],
        equivalents: Mapping[str, str] = MappingProxyType({}),
        gold: Callable | None = None,
        variants: Sequence[Callable],
        **facts: Any,
    ):
        self._refuse_too_little(mistakes, variants, **facts)
        named = [replace(mistake, name=name) for name, mistake in mistakes.items()]
        self.mistakes = [spelling for mistake in named for spelling in mistake.spellings]
        for_learners = [
            Mistake(mistake.name, mistake.explanation, mistake.hint, mistake.misconception)
            for mistake in self.mistakes
        ]
        self.task = Task(mistakes=for_learners, **facts)
        self.cases = cases
        self.equivalents = equivalents
        self.gold = gold
        self.variants = variants

    @staticmethod
    def _refuse_too_little(mistakes, variants, id, hints, section="", **_) -> None:
        for enough, needed in (
            (len(mistakes) >= 4, "four mistakes or more"),
            (len(variants) >= 3, "three right answers in other styles or more"),
            (len(hints) == 3, "three hints: a question, a nudge, most of the answer"),
            (section, 'a section of the course that explains it, such as `section="01.6"`'),
        ):
            if not enough:
                raise ValueError(f"`{id}` needs {needed}.")
        for name, mistake in mistakes.items():
            if mistake.misconception not in MISCONCEPTIONS:
                raise ValueError(
                    f"`{id}`, {name}: there is no misconception "
                    f"`{mistake.misconception}`. Choose one from "
                    "solutions/misconceptions.py, or add it there."
                )

    def record(self, solution: Any, seed: int = PUBLIC_SEED) -> Record:
        """Return the cases of a seed with what the solution and every mistake give for them."""
        cases = self.cases(Draw(seed))
        mistaken = self._mistaken(cases)
        expected = self._returned(self.gold or solution, cases)
        record = Record(self.task, cases, expected, mistaken)
        if self.task.answer_type == "choices" or self.task.full_marks_from or not self.task.again:
            return record
        return replace(
            record, moves=measure_moves(record, Rerun(self.task, solution, self.task.seconds))
        )

    def _mistaken(self, cases: Sequence[Case]) -> dict[str, list[Answer]]:
        return {mistake.name: self._returned(mistake.gives, cases) for mistake in self.mistakes}

    def _returned(self, given: Any, cases: Sequence[Case]) -> list[Answer]:
        """Return answers computed in float64 and rounded: the same numbers on every processor."""
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
                {name: _rounded(answer.outputs[name]) for name in self.task.outputs},
                {pair: _rounded(gradient) for pair, gradient in answer.gradients.items()},
            )
            for answer in run_cases(self.task, given, precise, Printed())
        ]


class CatchTheBug(Exercise):
    """An exercise whose answer is a test: it accepts what is right, and catches what has a bug.

    The implementations that it is tried on stand in `utils/checks/implementations/`, and the
    expected verdicts come from there. Small faults are not injected into the solution: a test with
    other inputs is most often as good.

    Args:
        id: `test_` and the name of the module of implementations.
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
        mistakes: Mapping[str, WrongAnswer],
        variants: Sequence[Callable],
        **facts: Any,
    ):
        self.implementations = implementations.of(id)
        for slug in self.implementations.broken:
            if slug not in MISCONCEPTIONS:
                raise ValueError(
                    f"`{id}`: there is no misconception `{slug}` for an implementation."
                )
        super().__init__(
            id=id,
            answer_type="test",
            outputs=["blames"],
            cases=self._draw_cases,
            mistakes=mistakes,
            variants=variants,
            **facts,
        )

    def _draw_cases(self, draw: Draw) -> list[Case]:
        seeds = draw.whole(0, 2**31 - 1, ROUNDS).tolist()
        order = int(draw.whole(0, 2**31 - 1))  # for a grader: no worker is told
        names = [*self.implementations.implementations]
        inputs = {"lineup": names, "seeds": seeds, "order": order}
        return [Case("all implementations, in several rounds", inputs)]

    def record(self, solution: Any, seed: int = PUBLIC_SEED) -> Record:
        cases = self.cases(Draw(seed))
        broken = [
            name in self.implementations.broken for name in self.implementations.implementations
        ]
        expected = [Answer({"blames": np.array([broken] * ROUNDS)})]
        return Record(self.task, cases, expected, self._mistaken(cases))


def _double(value: Any) -> Any:
    floats = isinstance(value, Tensor) and value.is_floating_point()
    return value.double() if floats else value


def _rounded(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        return values
    rounded = values.round(DIGITS) + 0.0  # no -0.0
    small = (rounded == 0) & (np.abs(values) > 1e-30)  # must not be taken for an exact 0
    return np.where(small, np.copysign(10.0**-DIGITS, values), rounded)
