"""The plain data of an exercise: what learners may see of it, and the inputs that it is tried on.

All of it is plain data, so it can be stored and sent between processes. How an exercise is solved,
and how people get it wrong, is no part of it: that stays in `solutions/`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Misconception:
    """A misconception that several tasks can show.

    Args:
        slug: a short name, in kebab-case.
        belief: what the learner takes to be true; completes "You seem to believe that ..." and
            "23 of 60 believe that ...", with no full stop.
        advice: what is the case, in a sentence or two. It names no task; a task says more.
    """

    slug: str
    belief: str
    advice: str


@dataclass(frozen=True)
class Mistake:
    """A mistake that a wrong answer makes, in words for the learner.

    Args:
        name: a few words, unique within the task.
        explanation: what the answer does, and why that is not what was asked.
        hint: a question or a nudge that leads out of it.
        misconception: the slug of the `Misconception` behind it.
    """

    name: str
    explanation: str
    hint: str
    misconception: str = ""


@dataclass(frozen=True, kw_only=True)
class CallSpec:
    """The part of a task that it takes to call an answer: all that a worker is sent of it.

    Args:
        id: the name that the learner defines; no other task of the course has it.
        outputs: a name for each thing that is returned, in order.
        answer_type: what the learner writes: a function, a `torch.nn.Module`, a dictionary of
            choices, or a test of a function (see `catch_the_bug`).
        choices: for a dictionary of choices: its keys, and what can be chosen.
        returns: what each output is: a tensor, or a list of texts.
        learns: whether a network learns through it, so that its gradients count.
        seconds: how long a cell that belongs to it may run, and its answers to all cases.
        again: whether a wrong answer is called again, with other inputs, to find out what is wrong;
            not where a call takes long.
    """

    id: str
    outputs: Sequence[str]
    answer_type: Literal["function", "module", "choices", "test"] = "function"
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    returns: Literal["tensors", "texts"] = "tensors"
    learns: bool = False
    seconds: float = 10.0  # right answers need a few milliseconds, where nothing is trained
    again: bool = True


@dataclass(frozen=True, kw_only=True)
class Task(CallSpec):
    """One exercise: how to call an answer to it, what a learner reads, and how it is judged.

    Args:
        title: a few words.
        points: all or none, unless `full_marks_from` says otherwise, or it is a test.
        difficulty: 1 to 3.
        minutes: for somebody who has read the notebook.
        section: where in the course it is explained, notebook and section: "01.6".
        hints: a question, a nudge, most of the answer.
        mistakes: those that can be named.
        invariants: output → names of what must hold for it, from `compare.INVARIANTS`.
        tolerance: absolute and relative.
        full_marks_from: the share of correct entries that earns all points; a smaller share earns
            part of them. None where every entry has to be correct.
        shortcuts: calls that would do the task's work. Instructors are told of them.
    """

    title: str
    points: int
    difficulty: int
    minutes: int
    hints: Sequence[str]
    mistakes: Sequence[Mistake]
    invariants: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tolerance: float = 1e-5
    full_marks_from: float | None = None
    section: str = ""
    shortcuts: Sequence[str] = field(default_factory=list)

    @property
    def facts(self) -> str:
        """Format the line above the exercise: points, difficulty, minutes, if gradients count."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        stars = "★" * self.difficulty + "☆" * (3 - self.difficulty)
        learns = " · a network learns through it" if self.learns else ""
        return f"{points} · {stars} · {self.minutes} minutes{learns}"


@dataclass(frozen=True)
class Case:
    """The inputs of one call.

    Args:
        label: what is special about it, in words for the learner.
        inputs: passed by position, in this order; tensors, numbers, strings, lists of those.
        build: for a module, what its constructor gets, by name.
        parameters: for a module, tensors by the name of the parameter that they are copied into.
    """

    label: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    build: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


class GradientKey(NamedTuple):
    """The name of a gradient: of an output, with respect to an input or parameter."""

    output: str
    input: str


@dataclass(frozen=True)
class Answer:
    """The result of one call, as data.

    Args:
        outputs: output → its values (floats as float64).
        gradients: of each output, its entries weighted by `runner.factors` and summed, with
            respect to each input and parameter that it depends on.
    """

    outputs: Mapping[str, np.ndarray]
    gradients: Mapping[GradientKey, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """A task with its cases, and what the solution and each mistake return for them.

    Args:
        moves: what an answer may depend on, from `diagnosis.measure_moves`: name of a change of the
            inputs → the outputs of the solution that it moves.
    """

    task: Task
    cases: Sequence[Case]
    expected: Sequence[Answer]
    mistaken: Mapping[str, Sequence[Answer]]
    moves: Mapping[str, Sequence[str]] = field(default_factory=dict)


_RUNNER, _COMPARE, _GRADER = "runner", "compare", "grader"


class Reason(StrEnum):
    """The first thing that is wrong with an answer, or `PASSED`.

    Its value is what tables and files hold. Each member also has `words`, for people, and
    `found_by`: the module of the checks that finds it, or the grader.
    """

    words: str
    found_by: str

    def __new__(cls, value: str, words: str, found_by: str) -> "Reason":
        reason = str.__new__(cls, value)
        reason._value_, reason.words, reason.found_by = value, words, found_by
        return reason

    # There is no answer to compare.
    NOT_DEFINED = "not defined", "not there", _RUNNER
    NOTHING = "nothing", "not written yet", _RUNNER
    WRONG_TYPE = "wrong-type", "not the kind of object that was asked for", _RUNNER
    PARAMETERS = "parameters", "a parameter is missing or has the wrong shape", _RUNNER
    ERROR = "error", "an exception", _RUNNER
    TIME = "time", "does not end", _RUNNER
    TYPE = "type", "the wrong type is returned", _RUNNER
    DEVICE = "device", "on the wrong device", _RUNNER
    CHOICE = "choice", "none of the choices", _RUNNER
    IN_PLACE = "in-place", "an input is changed", _RUNNER
    SEED = "seed", "the random seed is set", _RUNNER
    CALLS = "calls", "a test calls what it tests too often, or with too much", _RUNNER

    # The answer is not the expected one.
    SHAPE = "shape", "wrong shape", _COMPARE
    NUMBERS = "kind of numbers", "wrong kind of numbers", _COMPARE
    NOT_FINITE = "not finite", "NaN or infinity", _COMPARE
    INVARIANT = "invariant", "a rule is broken", _COMPARE
    GRADIENT = "gradient", "no gradient, or a wrong one", _COMPARE
    VALUES = "values", "wrong values", _COMPARE
    BLAMES = "blames", "a test blames the right implementation", _COMPARE
    SLIPS = "slips", "bugs slip through a test", _COMPARE
    PASSED = "passed", "passed", _COMPARE

    # The worker that was to answer is gone, or cannot be understood.
    DONE = "done", "ends the process", _GRADER
    MEMORY = "memory", "too much memory", _GRADER
    WIRE = "wire", "no readable answer", _GRADER

    @property
    def from_worker(self) -> bool:
        """Decide whether a worker may report it: the others are for its parent to find."""
        return self.found_by == _RUNNER
