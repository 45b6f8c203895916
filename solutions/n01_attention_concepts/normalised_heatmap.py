"""The task “The heatmap that was normalised”: right answers and known mistakes."""

import torch

from solutions.cases import far_down, thousands
from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import over_sum
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def off_balance(scores, step=1):
        """Shift rows whose sum is nearly 0: nobody should divide by noise."""
        return scores + step * (scores.sum(-1, keepdim=True).abs() < step / 2)

    large = off_balance(thousands(draw, 2, 3), 1000)
    return [
        Case("two queries, three keys", {"scores": off_balance(draw.numbers(2, 3))}),
        Case("four queries, three keys", {"scores": off_balance(draw.numbers(4, 3))}),
        Case("one query", {"scores": off_balance(draw.numbers(1, 4))}),
        Case("one key only", {"scores": off_balance(draw.numbers(3, 1))}),
        Case("scores in the thousands, and far lower", {"scores": far_down(large)}),
        Case("float64", {"scores": off_balance(draw.numbers(3, 5).double())}),
        Case("scores that are a transposed view", {"scores": off_balance(draw.numbers(4, 2).T)}),
    ]


def both_lines_mended(scores):
    weights = scores.softmax(dim=1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights


def by_the_formula(scores):
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def turned_twice(scores):
    return scores.T.softmax(0).T


def row_by_row(scores):
    return torch.stack([torch.softmax(row.double(), 0) for row in scores])


exercise = Exercise(
    id="normalised_heatmap",
    title="The heatmap that was normalised",
    points=3,
    difficulty=2,
    minutes=5,
    section="01.8",
    outputs=["weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "weights = scores.softmax(dim=1)": IN_A_MATRIX,
    },
    hints=[
        "Take one query alone, one row of scores. What weights does the function give, whatever "
        "the scores are?",
        "Follow one number through both lines. After the first, which entries sum to 1? What "
        "does the second line hide?",
        "The softmax of the first line runs along the axis of the queries. Once it runs along the "
        "axis of the keys, look again at what the second line still does.",
    ],
    mistakes={
        "the bug as it was": WrongAnswer(
            lambda scores: over_sum(scores.softmax(0)),
            "The bug is still there. Dividing each row by its sum hides it: what is divided came "
            "from a softmax down the columns, where each query's numbers were weighed against "
            "those of other queries.",
            "Add 7 to all scores of one row. Should its weights change? Do they?",
            misconception="divide-again",
        ),
        "second line taken out": WrongAnswer(
            lambda scores: scores.softmax(0),
            "Your function no longer hides the bug, and still has it: the columns sum to 1, not "
            "the rows.",
            "Which line decides along which axis words compete?",
            misconception="softmax-over-queries",
        ),
        "normalised without exp": WrongAnswer(
            lambda scores: over_sum(scores),
            "You divide the scores by their sum. Scores can be negative, so the result is no "
            "share; and nothing turns differences into ratios.",
            "What makes any number positive, and keeps the order?",
            misconception="scores-as-weights",
        ),
        "largest is 1": WrongAnswer(
            lambda scores: scores.softmax(-1) / scores.softmax(-1).amax(-1, keepdim=True),
            "The brightest cell of each of your rows is 1, as if the row were divided by its "
            "largest weight. That looks well, but any other share is too much then.",
            "What has to be true of shares?",
            misconception="shares-need-not-sum-to-one",
        ),
        "softmax twice": WrongAnswer(
            lambda scores: scores.softmax(-1).softmax(-1),
            'The second softmax "normalises" what sums to 1 already, and flattens it.',
            "By how much can two numbers between 0 and 1 differ, and what does exp make of it?",
            misconception="softmax-twice",
        ),
        "columns, then rows again": WrongAnswer(
            lambda scores: scores.softmax(0).softmax(-1),
            "You took a softmax down the columns and a second one along the rows. The second "
            "cannot bring back what the first has mixed.",
            "How many softmaxes does attention have?",
            misconception="softmax-twice",
        ),
        "axis of the whole table": WrongAnswer(
            lambda scores: scores.flatten().softmax(0).reshape(scores.shape),
            "Your softmax runs over the whole table, so that all entries together sum to 1. Each "
            "query has a whole of its own to share out.",
            "Do two target words compete for attention?",
            misconception="softmax-over-queries",
        ),
    },
    variants=[both_lines_mended, by_the_formula, turned_twice, row_by_row],
)
