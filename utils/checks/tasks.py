"""What an exercise is: the part that learners may see, and the inputs that it is tried on.

A `Task` is plain data, so it can be stored as JSON and sent between processes. How an exercise is
solved, and how people get it wrong, is no part of it: that stays in `solutions/`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np


@dataclass(frozen=True)
class Kind:
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
    """A misunderstanding, as the learner is told of it.

    Args:
        name: a few words, one of its kind within the task.
        explanation: what the answer does, and why that is not what was asked.
        hint: a question or a nudge that leads out of it.
        kind: the slug of the `Kind` behind it.
    """

    name: str
    explanation: str
    hint: str
    kind: str = ""


@dataclass(frozen=True)
class Task:
    """One exercise.

    Args:
        id: the name that the learner defines; no other task of the course has it.
        title: a few words.
        points: all or none, unless `full_marks_from` says otherwise.
        difficulty: 1 to 3.
        minutes: for somebody who has read the notebook.
        outputs: a name for each thing that is returned, in order.
        hints: a question, a nudge, most of the answer.
        mistakes: those that can be named.
        kind: the learner writes a function, a `torch.nn.Module`, or a dictionary of choices.
        invariants: output → names of what must hold for it, from `judging.INVARIANTS`.
        choices: for a dictionary of choices: its keys, and what can be chosen.
        tolerance: absolute and relative.
        returns: what each output is: a tensor, or a list of texts.
        full_marks_from: the share of right entries that earns all points; a smaller share earns
            part of them. None where every entry has to be right.
        seconds: how long a cell that belongs to it may run, and its answers to all cases.
        shortcuts: calls that would do the task's work. Graders are told of them.
    """

    id: str
    title: str
    points: int
    difficulty: int
    minutes: int
    outputs: Sequence[str]
    hints: Sequence[str]
    mistakes: Sequence[Mistake]
    kind: Literal["function", "module", "choices"] = "function"
    invariants: Mapping[str, Sequence[str]] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tolerance: float = 1e-5
    returns: Literal["tensors", "texts"] = "tensors"
    full_marks_from: float | None = None
    seconds: float = 10.0  # right answers need a few milliseconds, where nothing is trained
    shortcuts: Sequence[str] = field(default_factory=list)

    @property
    def facts(self) -> str:
        """Points, difficulty and minutes, as they stand above the exercise."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        stars = "★" * self.difficulty + "☆" * (3 - self.difficulty)
        return f"{points} · {stars} · {self.minutes} minutes"


@dataclass(frozen=True)
class Case:
    """Inputs for one call.

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


@dataclass(frozen=True)
class Answer:
    """What one call returned, as data.

    Args:
        outputs: output → its numbers (floats as float64).
        gradients: "output ← input" → the gradient that flows back, of the output's entries added
            up with the factors of `calling.factors`.
    """

    outputs: Mapping[str, np.ndarray]
    gradients: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """A task with its cases, and what is returned for them: rightly, and by each mistake."""

    task: Task
    cases: Sequence[Case]
    expected: Sequence[Answer]
    mistaken: Mapping[str, Sequence[Answer]]
