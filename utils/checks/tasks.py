"""The public parts of an exercise: texts for learners, and the inputs on which answers are tried.

They are plain data, which can be stored and sent between processes. The code of solutions and of
wrong answers is not among them: it stays in `solutions/`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import numpy as np


@dataclass(frozen=True)
class Misconception:
    """A false belief of learners, which may show in several tasks.

    Args:
        slug: short name, in kebab-case.
        belief: clause that completes "You seem to believe that ..." and "23 of 60 believe that
            ...", without a full stop.
        advice: a sentence or two on what is true instead, without the name of a task.
    """

    slug: str
    belief: str
    advice: str


@dataclass(frozen=True)
class Mistake:
    """A known mistake in answers to a task, in words for the learner.

    Args:
        name: a few words, unique within the task.
        explanation: sentences on what the answer does, and why the task asks for something else.
        hint: a question or a nudge that leads out of the mistake.
        misconception: slug of the `Misconception` behind the mistake.
    """

    name: str
    explanation: str
    hint: str
    misconception: str = ""


@dataclass(frozen=True, kw_only=True)
class CallSpec:
    """The part of a task that is needed to call an answer; a grader's worker gets no more of it.

    Args:
        id: name that the learner defines, unique in the course.
        outputs: names of the returned values, in order.
        answer_type: type of the definition: a function, a function that asks a network which the
            notebook has trained, one that trains a network itself, a `torch.nn.Module`, a
            dictionary of choices, or a test of a function. Only `kinds.kind_of` asks for it: all
            that depends on it is a method or an attribute of the kind.
        choices: for a dictionary of choices: key → its options.
        returns: type of each output: a tensor, or a list of texts.
        learns: whether a network learns through the answer, so that its gradients count.
        seconds: time limit of a cell that belongs to the task, and of the answer's calls in all
            cases together.
        again: whether a wrong answer is called again, with other inputs, to find out what is wrong;
            False if calls take long.
    """

    id: str
    outputs: Sequence[str]
    answer_type: Literal[
        "function", "asks network", "trains network", "module", "choices", "test"
    ] = "function"
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    returns: Literal["tensors", "texts"] = "tensors"
    learns: bool = False
    seconds: float = 10.0  # right answers need a few milliseconds, unless they train
    again: bool = True


@dataclass(frozen=True, kw_only=True)
class Task(CallSpec):
    """One exercise: how to call an answer to it, what a learner reads, and how it is judged.

    Args:
        title: a few words.
        points: points for a right answer; only with `full_marks_from` or in a test, an answer can
            earn a part of them.
        difficulty: 1 to 3.
        minutes: working time of somebody who has read the notebook.
        section: notebook and section of the course that explain the task: "01.6".
        hints: three hints: a question, a nudge, most of the answer.
        mistakes: known mistakes, which feedback can name.
        invariants: output → names of the rules that it must obey, from `compare.INVARIANTS`.
        tolerance: absolute and relative tolerance of numbers.
        full_marks_from: share of correct entries that earns all points; a smaller share earns a
            part of them. None if every entry has to be correct.
        shortcuts: calls that would do the task's work; instructors are told of their use.
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
        """Format the line below a heading: points, difficulty, minutes, whether gradients count."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        stars = "★" * self.difficulty + "☆" * (3 - self.difficulty)
        learns = " · a network learns through it" if self.learns else ""
        return f"{points} · {stars} · {self.minutes} minutes{learns}"


@dataclass(frozen=True)
class Case:
    """The inputs of one call.

    Args:
        label: words for the learner on what is special about the case.
        inputs: arguments, passed by position: tensors, numbers, strings, or lists of those.
        build: for a module, arguments of its constructor, by name.
        parameters: for a module, parameter → tensor that is copied into it.
        then: part of the case, "inputs" or "parameters" → what is another in it for a last call of
            the same function or module, after calls with the case itself. Its values count.
    """

    label: str
    inputs: Mapping[str, Any] = field(default_factory=dict)
    build: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    then: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def last(self) -> "Case":
        """The case of the last call."""
        parts = {part: {**getattr(self, part), **other} for part, other in self.then.items()}
        return replace(self, **parts, then={})

    @property
    def is_built(self) -> bool:
        """Whether a module is built before it is called, as opposed to a function."""
        return bool(self.build or self.parameters)


class GradientKey(NamedTuple):
    """The name of a gradient: that of an output with respect to an input or a parameter."""

    output: str
    input: str


@dataclass(frozen=True)
class Answer:
    """The values that one call of a learner's definition returned, as data.

    Args:
        outputs: output → its values (floats as float64).
        gradients: gradient of each output (its entries weighted by `runner.factors` and summed)
            with respect to each input and parameter on which it depends.
    """

    outputs: Mapping[str, np.ndarray]
    gradients: Mapping[GradientKey, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """One call of an answer: its inputs, the values that are right, and those that it returned."""

    case: Case
    expected: Answer
    actual: Answer


class Twin(NamedTuple):
    """Other values for a part of a case, to see whether an answer keeps what it was given before.

    Args:
        number: number of the case.
        then: what is another in it (`Case.then`); it has the same shapes.
        outputs: the right values for the last call, which are others than those for the case.
    """

    number: int
    then: Mapping[str, Mapping[str, Any]]
    outputs: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Record:
    """A task with its cases, and the values that the solution and each mistake return for them.

    Args:
        moves: name of a change of the inputs → outputs of the solution that return other values
            after it (`diagnosis.measure_moves`): only on these changes may an answer depend.
        steps: what right answers compute on the way, in each case: tensors as `trace.described`,
            (steps, `trace.NUMBERS`).
        common: the steps that most right answers have in common, in each case.
        twins: other values for the inputs and parameters of some cases.
        pairs: places of two mistakes that an answer can make at once (`diagnosis.two_mistakes`).
        sketches: what such answers return, in each case: (pairs, outputs, `NUMBERS`).
    """

    task: Task
    cases: Sequence[Case]
    expected: Sequence[Answer]
    mistaken: Mapping[str, Sequence[Answer]]
    moves: Mapping[str, Sequence[str]] = field(default_factory=dict)
    steps: Sequence[np.ndarray] = ()
    common: Sequence[np.ndarray] = ()
    twins: Sequence[Twin] = ()
    pairs: Sequence[tuple[int, int]] = ()
    sketches: Sequence[np.ndarray] = ()

    def trials(self, answers: Sequence[Answer]) -> list[Trial]:
        """Return a trial for each answer, in the order of the cases; later cases may have none."""
        return [Trial(*each) for each in zip(self.cases, self.expected, answers, strict=False)]

    def beside(self, mistake: Mistake, trials: Sequence[Trial]) -> list[Trial]:
        """Return the same trials with a known mistake's values in place of the right ones."""
        known = self.mistaken[mistake.name]
        return [
            replace(trial, expected=theirs) for trial, theirs in zip(trials, known, strict=False)
        ]


class Doubt(StrEnum):
    """What is odd in how an answer uses its network: for a person to look at, as no score changes.

    A member's value completes "`task` …".
    """

    SMALL = "rests on a network with very few parameters"
    FAILS = "could not be tried without what its network has learned"
    APART = "changes where its network returns the same as before"
    ELSEWHERE = "does not ask its network about each of the inputs"
    UNTAUGHT = "is the same with the parameters that its network began with"


_RUN, _JUDGE, _GRADER = "run", "judge", "grader"


class Reason(StrEnum):
    """The first thing that is wrong with an answer, or `PASSED`.

    Tables and files hold a member's value. It also has `words`, for people, and `found_by`: whether
    a kind of answers finds this reason where it runs or where it judges one, or the grader does.
    """

    words: str
    found_by: str

    def __new__(cls, value: str, words: str, found_by: str) -> "Reason":
        reason = str.__new__(cls, value)
        reason._value_, reason.words, reason.found_by = value, words, found_by
        return reason

    # There is no answer to compare.
    NOT_DEFINED = "not defined", "not there", _RUN
    NOTHING = "nothing", "not written yet", _RUN
    WRONG_TYPE = "wrong-type", "not the kind of object that was asked for", _RUN
    PARAMETERS = "parameters", "a parameter is missing or has the wrong shape", _RUN
    ERROR = "error", "an exception", _RUN
    TIME = "time", "does not end", _RUN
    TYPE = "type", "the wrong type is returned", _RUN
    DEVICE = "device", "on the wrong device", _RUN
    CHOICE = "choice", "none of the choices", _RUN
    IN_PLACE = "in-place", "an input is changed", _RUN
    SEED = "seed", "the random seed is set", _RUN
    CALLS = "calls", "a test calls what it tests too often, or with too much", _RUN
    NO_NETWORK = "no network", "the answer does not come from a network", _RUN

    # The answer is not the expected one.
    SHAPE = "shape", "wrong shape", _JUDGE
    NUMBERS = "kind of numbers", "wrong kind of numbers", _JUDGE
    NOT_FINITE = "not finite", "NaN or infinity", _JUDGE
    INVARIANT = "invariant", "a rule is broken", _JUDGE
    GRADIENT = "gradient", "no gradient, or a wrong one", _JUDGE
    VALUES = "values", "wrong values", _JUDGE
    KEPT = "kept", "keeps something from call to call", _JUDGE
    BLAMES = "blames", "a test blames the right implementation", _JUDGE
    SLIPS = "slips", "bugs slip through a test", _JUDGE
    PASSED = "passed", "passed", _JUDGE

    # The worker has died, or its reply cannot be read.
    DONE = "done", "ends the process", _GRADER
    MEMORY = "memory", "too much memory", _GRADER
    WIRE = "wire", "no readable answer", _GRADER

    @property
    def from_worker(self) -> bool:
        """Decide whether a worker may report this reason; its parent finds all other reasons."""
        return self.found_by == _RUN
