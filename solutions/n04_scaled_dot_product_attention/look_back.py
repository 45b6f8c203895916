"""The stub “the causal mask” of a notebook: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    return [Case(f"{length} words", {"length": length}) for length in (6, 1, 4)]


def from_a_triangle(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def in_loops(length):
    return torch.tensor([[j <= i for j in range(length)] for i in range(length)])


exercise = YourTurn(
    id="look_back",
    title="The causal mask",
    section="04.4",
    outputs=["mask"],
    cases=cases,
    mistakes={
        "strictly before": WrongAnswer(
            lambda length: torch.ones(length, length, dtype=torch.bool).tril(-1),
            "In your mask no word may look at itself, and the first row is empty. Causal means "
            "*not later*: itself and everything before it.",
            "What could the very first word look at, in your mask?",
            misconception="off-by-one",
        ),
        "one step ahead": WrongAnswer(
            lambda length: torch.ones(length, length, dtype=torch.bool).tril(1),
            "Your mask opens one place too many: each word sees the next one, which it may have to "
            "predict.",
            "For which keys j is j ≤ i?",
            misconception="off-by-one",
        ),
        "the future": WrongAnswer(
            lambda length: torch.ones(length, length, dtype=torch.bool).triu(),
            "Your mask opens the future and closes the past: the triangle lies the wrong way, or "
            "rows and columns have changed places.",
            "Rows are queries, columns are keys. What may the first row see?",
            misconception="future-open",
        ),
        "True is hidden": WrongAnswer(
            lambda length: torch.ones(length, length, dtype=torch.bool).triu(1),
            "Your table says `True` where a word may *not* be looked at. In this course `True` "
            "means *may be attended to*.",
            "What stands at [0, 0], where the first word looks at itself?",
            misconception="mask-upside-down",
        ),
        "numbers": WrongAnswer(
            lambda length: torch.ones(length, length).tril(),
            "Your table holds numbers, 0 and 1. A mask of this course holds booleans.",
            "Which comparison gives `True` and `False` by itself?",
            misconception="mask-as-number",
        ),
    },
    variants=[from_a_triangle, in_loops],
)
