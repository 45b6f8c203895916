"""Specify exercises: the task, cases drawn from a seed, and known wrong and right answers."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from solutions.misconceptions import MISCONCEPTIONS
from solutions.two_at_once import pairs
from utils.checks import implementations
from utils.checks.compare import are_close
from utils.checks.diagnosis import measure_moves
from utils.checks.diagnosis.behaviours import CLEARLY
from utils.checks.diagnosis.kept import case_of
from utils.checks.diagnosis.two_mistakes import alike, sketches
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed, isolated_side_effects
from utils.checks.runner import Rerun, in_double, in_plain, traced
from utils.checks.tasks import Answer, CallSpec, Case, Mistake, Record, Task, Twin
from utils.checks.trace import distinct, is_among

PUBLIC_SEED = 2014  # seed of the cases that learners have; a grader draws its own
OTHER_DRAWS = 3  # from which values are taken for a second call of an answer
ROUNDS = 3  # passes of a learner's test over all implementations, each under its own random seed
DIGITS = 6  # decimals of recorded numbers: coarser than rounding errors, finer than any tolerance

# Reasons why a change to a solution is not a fault (see `Exercise.equivalents`)
IN_A_MATRIX = "in a matrix axis 1 is the last"
FAR_APART = "what a trained network chooses among lies farther apart"
WHOLE = "no whole number lies so near to 0"
A_DISTANCE = "a distance has no sign"


class Draw:
    """A source of random inputs that are the same on every machine for the same seed.

    It draws only integers, because numbers from `torch.randn` differ in their last bits between
    processors. Decimals are integers divided by 100, which also read well in feedback.
    """

    def __init__(self, seed: int):
        self._generator = torch.Generator().manual_seed(seed)

    def whole(self, low: int, high: int, *shape: int) -> Tensor:
        """Draw integers from `low` to `high`, both inclusive."""
        return torch.randint(low, high + 1, shape, generator=self._generator)

    def numbers(self, *shape: int, reach: float = 3.0) -> Tensor:
        """Draw numbers with two decimals between -`reach` and `reach`."""
        most = round(100 * reach)
        return self.whole(-most, most, *shape) / 100

    def order(self, count: int) -> Tensor:
        """Draw the integers from 0 to `count` - 1 in random order."""
        return torch.randperm(count, generator=self._generator)

    def shares(self, *shape: int) -> Tensor:
        """Draw rows of positive numbers that sum to 1 and are distinct within a row."""
        rows = torch.Size(shape[:-1]).numel()
        parts = torch.stack([self.order(50)[: shape[-1]] + 1 for _ in range(rows)])
        return (parts / parts.sum(-1, keepdim=True)).reshape(shape)


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer that learners really give.

    Args:
        gives: the wrong function, module or dictionary.
        explanation: sentences on what it does, and why the task asks for something else.
        hint: a question or a nudge that leads out of the mistake.
        misconception: slug of the belief behind it, from `solutions.misconceptions`.
        also: a few words that describe it → another definition with the same mistake, which
            returns other values than `gives`.
        name: its key among the mistakes of its task; `Exercise` fills it in.
    """

    gives: Any
    explanation: str
    hint: str
    misconception: str
    also: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def spellings(self) -> list["WrongAnswer"]:
        """Return this wrong answer, and a wrong answer for each definition in `also`."""
        named = {f"{self.name}, {words}": gives for words, gives in self.also.items()}
        named = {self.name: self.gives} | named
        return [replace(self, name=name, gives=gives, also={}) for name, gives in named.items()]


class Exercise:
    """A task, the cases on which answers to it are tried, and known wrong and right answers.

    Args:
        cases: function that draws the cases; their number and labels are the same for every seed.
        mistakes: a few words that name the mistake → the wrong answer; at least four.
        equivalents: changed line of a mutant → the reason why this mutant is right, that is, why it
            returns the same values as the solution. The self-test lets such mutants pass.
        gold: function that returns the right values. It is needed only if the solution's own values
            may be wrong, as those of a trained model.
        variants: at least three right answers in other styles; for a task of choices,
            functions that return the learner's dictionary.
        facts: the other arguments of `Task`.

    Raises:
        ValueError: mistakes, variants, hints or the section are missing, or a misconception is
            unknown.
    """

    LEAST_MISTAKES, LEAST_VARIANTS, HINTS = 4, 3, 3

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

    def _refuse_too_little(self, mistakes, variants, id, hints, section="", **_) -> None:
        parts = (
            (len(mistakes) >= self.LEAST_MISTAKES, f"{self.LEAST_MISTAKES} mistakes or more"),
            (
                len(variants) >= self.LEAST_VARIANTS,
                f"{self.LEAST_VARIANTS} right answers in other styles or more",
            ),
            (len(hints) == self.HINTS, "three hints: a question, a nudge, most of the answer"),
            (section, 'a section of the course that explains it, such as `section="01.6"`'),
        )
        if missing := [needed for enough, needed in parts if not enough]:
            raise ValueError(f"`{id}` needs {'; '.join(missing)}.")
        for name, mistake in mistakes.items():
            if mistake.misconception not in MISCONCEPTIONS:
                raise ValueError(
                    f"`{id}`, {name}: there is no misconception "
                    f"`{mistake.misconception}`. Choose one from "
                    "solutions/misconceptions.py, or add it there."
                )

    def record(
        self,
        solution: Any,
        seed: int = PUBLIC_SEED,
        others: Callable[[], Sequence[Any]] = tuple,
    ) -> Record:
        """Draw cases from a seed, and record what the solution and each mistake return for them.

        Args:
            solution: our answer.
            seed: for the draw.
            others: function that returns further right answers, for what they compute on the way.
        """
        cases = self.cases(Draw(seed))
        mistaken = self._mistaken(cases)
        expected = self._returned(self.gold or solution, cases)
        record = Record(self.task, cases, expected, mistaken)
        if seed != PUBLIC_SEED or not kind_of(self.task).is_related:
            return record
        record = self._with_pairs(record)
        if not self.task.again:
            return record
        moves = measure_moves(record, Rerun(self.task, solution, self.task.seconds))
        if not moves:
            raise ValueError(
                f"`{self.task.id}`: no probe of the solution ended, perhaps for want of memory or "
                "time. Close other programs, and build again."
            )
        all_right = [solution, *self.variants, *others()]
        steps, twins = self._steps(all_right, cases), self._twins(all_right, record)
        all_steps, common = zip(*steps, strict=True)
        return replace(record, moves=moves, steps=all_steps, common=common, twins=[*twins])

    def _twins(self, all_right: Sequence[Any], record: Record) -> Iterator[Twin]:
        """Yield a twin for each input, for each that is left out, and for all parameters.

        The other values stand in the same case of another draw, or in another case of this one, and
        all right answers agree on what has to be returned then.
        """
        seeds = range(PUBLIC_SEED, PUBLIC_SEED + OTHER_DRAWS + 1)
        ours, *drawn = [[*map(in_plain, self.cases(Draw(seed)))] for seed in seeds]
        found = set()
        for number, case in enumerate(ours):
            for kind, then in _others(case, [*(cases[number] for cases in drawn), *ours]):
                if kind not in found and (twin := self._twin(all_right, record, number, then)):
                    found.add(kind)
                    yield twin

    def _twin(
        self, all_right: Sequence[Any], record: Record, number: int, then: Mapping
    ) -> Twin | None:
        """Return a twin, if other outputs are right with it, and all right answers return them."""
        case, before = case_of(record, number, then), record.expected[number].outputs
        in_full = self._outputs(all_right[0], in_double(case.last))
        after = {name: _rounded(values) for name, values in in_full.items()}
        moved = after and any(
            not are_close(before[name], after[name], CLEARLY * self.task.tolerance)
            for name in before
        )
        if not moved or not all(_comparable(before[name], after[name]) for name in before):
            return None
        for right in all_right:
            theirs = self._outputs(right, case)
            if not theirs or not all(
                are_close(after[name], theirs[name], self.task.tolerance) for name in after
            ):
                return None
        return Twin(number, then, after)

    def _outputs(self, right: Any, case: Case) -> Mapping[str, np.ndarray]:
        """Return the outputs of a right answer in a case; none if it fails."""
        return Rerun(self.task, right, self.task.seconds)([case])[0] or {}

    def _with_pairs(self, record: Record) -> Record:
        """Add what answers return that make two of the mistakes, unless one or none explains it."""
        every = [record.expected, *record.mistaken.values()]
        found = np.stack([[self._sketches(answer) for answer in each] for each in every])
        names, kept = [], []  # (answers, cases, outputs, numbers)
        for one, other, both in pairs([mistake.gives for mistake in self.mistakes]):
            try:
                both_given = self._returned(both, record.cases)
            except Exception:  # the two do not fit together
                continue
            new = np.stack([self._sketches(answer) for answer in both_given])
            if not alike(new, found).all(-1).any():
                names.append((one, other))
                kept.append(new)
        by_case = np.stack(kept, 1).astype(np.float32) if kept else ()
        return replace(record, pairs=names, sketches=by_case)

    def _sketches(self, answer: Answer) -> np.ndarray:
        return sketches([answer.outputs[name] for name in self.task.outputs])

    def _steps(
        self, all_right: Sequence[Any], cases: Sequence[Case]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield what right answers compute on the way in each case, and what most of them do."""
        with isolated_side_effects(Printed()):
            for case in map(in_double, cases):
                found = [traced(self.task, right, case).results() for right in all_right]
                steps = distinct(np.vstack(found))
                counts = [sum(is_among(step, each) for each in found) for step in steps]
                most = 2 * np.array(counts, dtype=int) > len(found)
                yield steps.astype(np.float32), steps[most].astype(np.float32)

    def _mistaken(self, cases: Sequence[Case]) -> dict[str, list[Answer]]:
        return {mistake.name: self._returned(mistake.gives, cases) for mistake in self.mistakes}

    def _returned(self, given: Any, cases: Sequence[Case]) -> list[Answer]:
        """Return a definition's values in float64, rounded so that all processors agree."""
        return [
            Answer(
                {name: _rounded(answer.outputs[name]) for name in self.task.outputs},
                {pair: _rounded(gradient) for pair, gradient in answer.gradients.items()},
            )
            for answer in kind_of(self.task).of_ours.run(given, map(in_double, cases), Printed())
        ]


class YourTurn(Exercise):
    """A stub in a notebook of the course: a few lines, checked on the spot, which earn no points.

    Its solution stands in the fold below the stub, so it needs no hints.

    Args:
        mistakes: at least three.
        variants: at least two right answers in other styles.
        facts: the other arguments of `Exercise` and `Task`.
    """

    LEAST_MISTAKES, LEAST_VARIANTS, HINTS = 3, 2, 0

    def __init__(self, **facts: Any):
        super().__init__(points=0, difficulty=1, minutes=0, hints=[], **facts)


class LightTask(Exercise):
    """A small exercise without a catalogue: it is checked by value, and feedback names symptoms.

    Its file is all that there is to write: the build makes the notebooks' cells from it.

    Args:
        solution: the function that learners are to write; they get its head, and its docstring.
        text: the task, in Markdown.
        cases: as for `Exercise`.
        facts: the arguments in `NEEDED` and, perhaps, others of `Task`.

    Raises:
        ValueError: something is missing or does not work; the message lists all that is wrong.
    """

    LEAST_MISTAKES, LEAST_VARIANTS, HINTS = 0, 0, 0
    NEEDED = ("title", "points", "difficulty", "minutes", "section", "outputs")

    def __init__(
        self, solution: Callable, text: str, *, cases: Callable[[Draw], list[Case]], **facts: Any
    ):
        self.solution, self.text = solution, text
        own = {"id": solution.__name__, "hints": [], **facts}
        if complaints := [*self._complaints(cases, own)]:
            lines = "\n".join(f"- {complaint}" for complaint in complaints)
            raise ValueError(f"The light task `{solution.__name__}` cannot be used yet:\n{lines}")
        super().__init__(cases=cases, mistakes={}, variants=[], **own)

    def _complaints(self, cases: Callable, facts: Mapping[str, Any]) -> Iterator[str]:
        known = [field.name for field in fields(Task)]
        yield from (f"`{name}` is missing." for name in self.NEEDED if name not in facts)
        yield from (f"There is no argument `{name}`." for name in facts if name not in known)
        if not self.text.strip():
            yield "The text is empty."
        if not self.solution.__doc__:
            yield "The solution has no docstring, which tells learners the shapes."
        for name, most in {"points": 20, "difficulty": 3, "minutes": 60}.items():
            if facts.get(name, 1) not in range(1, most + 1):
                yield f"`{name}` is {facts[name]!r}, not a whole number from 1 to {most}."
        if not re.fullmatch(r"\d\d\.\d+", str(facts.get("section", "01.1"))):
            yield f"`section` is {facts['section']!r}, not a notebook and a section as in '01.6'."
        try:
            drawn = [cases(Draw(seed)) for seed in (0, 1)]
        except Exception as error:
            yield f"The cases cannot be drawn. {type(error).__name__}: {error}"
            return
        labels = [[case.label for case in each] for each in drawn]
        if not labels[0] or labels[0] != labels[1]:
            yield "Each seed has to draw the same labels, one or more."
        elif repr(drawn[0]) == repr(drawn[1]):
            yield "The cases are the same for each seed: a grader needs others. Use `draw`."
        given = {each.name: facts[each.name] for each in fields(CallSpec) if each.name in facts}
        spec = CallSpec(**{"outputs": ["result"]} | given)
        for case in drawn[0]:
            try:
                kind_of(spec).run(self.solution, [case], Printed())
            except Exception as error:
                yield f"The solution fails for {case.label!r}. {type(error).__name__}: {error}"


class CatchTheBug(Exercise):
    """An exercise that asks for a test: it accepts right implementations and rejects broken ones.

    The modules in `utils/checks/implementations/` define these implementations and state which of
    them are broken. The self-test makes no mutants of the solution, because a test with other
    inputs is usually as good.

    Args:
        id: `test_…`; the implementations are in the module `buggy_…`.
        mistakes: at least four weak tests, each of which misses a different set of bugs.
        variants: at least three good tests in other styles.
        facts: the other arguments of `Task`.

    Raises:
        ValueError: mistakes, variants, hints or the section are missing, or a misconception is
            unknown.
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
            outputs=["blames", "shown"],
            cases=self._draw_cases,
            mistakes=mistakes,
            variants=variants,
            **facts,
        )

    def _draw_cases(self, draw: Draw) -> list[Case]:
        seeds = draw.whole(0, 2**31 - 1, ROUNDS).tolist()
        order = int(draw.whole(0, 2**31 - 1))  # seed of a grader's shuffle, secret from workers
        names = [*self.implementations.implementations]
        inputs = {"lineup": names, "seeds": seeds, "order": order}
        return [Case("all implementations, in several rounds", inputs)]

    def record(
        self,
        solution: Any,
        seed: int = PUBLIC_SEED,
        others: Callable[[], Sequence[Any]] = tuple,
    ) -> Record:
        cases = self.cases(Draw(seed))
        broken = [
            name in self.implementations.broken for name in self.implementations.implementations
        ]
        expected = [Answer(dict.fromkeys(self.task.outputs, np.array([broken] * ROUNDS)))]
        return Record(self.task, cases, expected, self._mistaken(cases))


def _others(case: Case, donors: Sequence[Case]) -> Iterator[tuple[Any, Mapping]]:
    """Yield other values for a case from donors, of the same shapes, and what they stand for."""
    for donor in donors:
        for name, value in donor.inputs.items():
            if name in case.inputs and _can_replace(case.inputs[name], value):
                yield (name, value is None), {"inputs": {name: value}}
        if case.parameters.keys() == donor.parameters.keys() and all(
            _can_replace(own, donor.parameters[name]) for name, own in case.parameters.items()
        ):
            yield "parameters", {"parameters": donor.parameters}


def _can_replace(own: Any, other: Any) -> bool:
    if isinstance(own, Tensor) and isinstance(other, Tensor):
        return (own.shape, own.dtype) == (other.shape, other.dtype)
    return type(own) is type(other) or other is None


def _comparable(before: np.ndarray, after: np.ndarray) -> bool:
    return before.shape == after.shape and (after.dtype.kind != "f" or np.isfinite(after).all())


def _rounded(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind != "f":
        return values
    rounded = values.round(DIGITS) + 0.0  # turns -0.0 into 0.0
    small = (rounded == 0) & (np.abs(values) > 1e-30)  # must not become an exact 0
    return np.where(small, np.copysign(10.0**-DIGITS, values), rounded)
