"""Small made-up tasks, with answers to them, on which checks are tested."""

import numpy as np
import torch
from torch import nn

from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Answer, Case, GradientKey, Misconception, Mistake, Record, Task


def task_of(name, outputs, mistakes=(), **more):
    """Return a small task, worth one point unless `more` says otherwise."""
    plain = {"title": name, "points": 1, "difficulty": 1, "minutes": 5, "hints": HINTS}
    return Task(**{**plain, "id": name, "outputs": outputs, "mistakes": [*mistakes], **more})


def answer_of(outputs):
    """Return what a call returns, its outputs given as tensors by name."""
    return Answer({name: value.double().numpy() for name, value in outputs.items()})


HINTS = ["first", "second", "third"]
NUMBERS = torch.tensor([[0.5, 1.5], [2.0, 2.0]])
FACTORS = np.cos([1.0, 2.0, 3.0, 4.0]).reshape(2, 2)  # what `runner.factors` gives
SHARES = np.array([[0.25, 0.75], [0.5, 0.5]])
SHARE_GRADIENT = (FACTORS - (FACTORS * SHARES).sum(-1, keepdims=True)) / [[2.0], [4.0]]
COLUMNS = Misconception("columns-first", "columns come first", "Rows do.")
SHARE = Record(
    task_of(
        "share",
        ["shares"],
        [Mistake("columns", "You divide by the columns.", "Which axis?", COLUMNS.slug)],
        title="Share",
        points=2,
        learns=True,
        invariants={"shares": ["not negative", "rows sum to 1"]},
    ),
    [Case("a small table", {"numbers": NUMBERS, "power": 1.0})],
    [Answer({"shares": SHARES}, {GradientKey("shares", "numbers"): SHARE_GRADIENT})],
    {"columns": [Answer({"shares": (NUMBERS / NUMBERS.sum(0)).double().numpy()})]},
)
SCALE = Record(
    task_of("Scale", ["scaled", "count"], learns=True, answer_type="module"),
    [
        Case(
            "two numbers",
            {"numbers": torch.ones(2)},
            {"width": 2},
            {"factors": torch.tensor([2.0, 3.0])},
        )
    ],
    [
        Answer(
            {"scaled": np.array([2.0, 3.0]), "count": np.array(2)},
            {
                GradientKey("scaled", "numbers"): FACTORS[0] * [2.0, 3.0],
                GradientKey("scaled", "factors"): FACTORS[0],
            },
        )
    ],
    {},
)
SENTENCES = [f"sentence {number}" for number in range(20)]
TRANSLATE = Record(
    task_of(
        "translate",
        ["translations"],
        [Mistake("mark", "They end with a mark.", "Which?")],
        title="Translate",
        points=6,
        returns="texts",
        full_marks_from=0.9,
    ),
    [Case("twenty sentences", {"sentences": SENTENCES})],
    [Answer({"translations": np.array(SENTENCES)})],
    {"mark": [Answer({"translations": np.array([f"{sentence} <eos>" for sentence in SENTENCES])})]},
)


def right(numbers, power):
    numbers = numbers**power
    return numbers / numbers.sum(-1, keepdim=True)


def by_columns(numbers, power):
    return numbers / numbers.sum(0)


class Scale(nn.Module):
    def __init__(self, width, name="factors"):
        super().__init__()
        self.register_parameter(name, nn.Parameter(torch.ones(width)))

    def forward(self, numbers):
        return numbers * next(self.parameters()), torch.tensor(len(numbers))


def with_errors(count, end=""):
    """Return an answer to `TRANSLATE` whose first `count` sentences are wrong.

    The other sentences are right, with `end` added.
    """
    return lambda sentences: [
        "wrong" if number < count else sentence + end for number, sentence in enumerate(sentences)
    ]


def verdict_of(answer, record=SHARE):
    return verdict_on(record, {record.task.id: answer}, Printed())
