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


def _mask(diagonal=0, rows=lambda length: length, finish=lambda mask: mask):
    """Return the right function with some parts replaced."""

    def answer(length):
        mask = torch.ones(length, length, dtype=torch.bool).tril(diagonal)
        mask[rows(length) :] = False
        return finish(mask)

    return answer


exercise = YourTurn(
    id="look_back",
    title="The causal mask",
    section="04.4",
    outputs=["mask"],
    cases=cases,
    mistakes={
        "strictly before": WrongAnswer(
            _mask(-1),
            "In your mask no word may look at itself, and the first row is empty. Causal means "
            "*not later*: itself and everything before it.",
            "What could the very first word look at, in your mask?",
            misconception="off-by-one",
        ),
        "one step ahead": WrongAnswer(
            _mask(1),
            "Your mask opens one place too many: each word sees the next one, which it may have to "
            "predict.",
            "For which keys j is j ≤ i?",
            misconception="off-by-one",
        ),
        "the future": WrongAnswer(
            _mask(finish=lambda mask: mask.T),
            "Your mask opens the future and closes the past: the triangle lies the wrong way, or "
            "rows and columns have changed places.",
            "Rows are queries, columns are keys. What may the first row see?",
            misconception="future-open",
        ),
        "True is hidden": WrongAnswer(
            _mask(finish=lambda mask: ~mask),
            "Your table says `True` where a word may *not* be looked at. In this course `True` "
            "means *may be attended to*.",
            "What stands at [0, 0], where the first word looks at itself?",
            misconception="mask-upside-down",
        ),
        "numbers": WrongAnswer(
            _mask(finish=lambda mask: mask.float()),
            "Your table holds numbers, 0 and 1. A mask of this course holds booleans.",
            "Which comparison gives `True` and `False` by itself?",
            misconception="mask-as-number",
        ),
        "last row closed": WrongAnswer(
            _mask(rows=lambda length: length - 1),
            "The last row of your mask is closed: the last word sees nothing, not even itself.",
            "Which is the last number of `range(n)`?",
            misconception="off-by-one",
        ),
    },
    variants=[from_a_triangle, in_loops],
)
