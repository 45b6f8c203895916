"""The task “From descriptions to matrices”: right answers and known mistakes."""

import torch

from solutions.specification import IN_A_MATRIX, Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import over_sum
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    other = int(draw.whole(6, 9))
    labels = {4: "four words", 1: "one word only", 2: "two words", other: f"{other} words"}
    return [Case(label, {"length": length}) for length, label in labels.items()]


def _patterns(length, **instead):
    """Return the four patterns, some of them replaced."""
    itself = torch.eye(length)
    before = torch.cat([itself[:1], itself[:-1]])
    ends = over_sum((itself[0] + itself[-1]).repeat(length, 1))
    so_far = over_sum(torch.ones(length, length).tril())
    right = {"itself": itself, "before": before, "ends": ends, "so_far": so_far}
    return tuple((right | instead).values())


def _without_first(length):
    return torch.eye(length).roll(1, 0).tril()


def _ends_as_rows(length):
    rows = torch.eye(length)
    rows[[0, -1]] = 1 / length
    return rows


def entry_by_entry(n):
    itself, before, ends, so_far = (torch.zeros(n, n) for _ in range(4))
    for row in range(n):
        itself[row, row] = 1
        before[row, max(0, row - 1)] = 1
        ends[row, 0] += 0.5
        ends[row, n - 1] += 0.5
        so_far[row, : row + 1] = 1 / (row + 1)
    return itself, before, ends, so_far


def by_positions(length):
    place = torch.arange(length)
    rows, columns = place[:, None], place[None, :]
    ends = ((columns == 0) | (columns == length - 1)).double().expand(length, length)
    so_far = (columns <= rows).double()
    return (
        (rows == columns).double(),
        (columns == (rows - 1).clamp(min=0)).double(),
        ends / ends.sum(1, keepdim=True),
        so_far / so_far.sum(1, keepdim=True),
    )


def by_softmax(length):
    never = float("-inf")
    place = torch.arange(length)
    allowed = [
        place[:, None] == place,
        (place[:, None] - 1).clamp(min=0) == place,
        ((place == 0) | (place == length - 1)).expand(length, length),
        torch.ones(length, length, dtype=torch.bool).tril(),
    ]
    return [torch.zeros(length, length).masked_fill(~cells, never).softmax(-1) for cells in allowed]


def by_rolling(length):
    eye = torch.diag(torch.ones(length))
    before = eye.roll(1, 0)
    before[0] = eye[0]
    ends = torch.ones(length, 1) * (eye[:1] + eye[-1:]) / 2
    return (
        eye,
        before,
        ends,
        torch.ones(length, length).tril() / torch.arange(1, length + 1)[:, None],
    )


exercise = Exercise(
    id="four_patterns",
    title="From descriptions to matrices",
    points=4,
    difficulty=2,
    minutes=15,
    section="01.7",
    outputs=["itself", "before", "ends", "so_far"],
    invariants={
        name: ["not negative", "exact zeros", "rows sum to 1"]
        for name in ("itself", "before", "ends", "so_far")
    },
    cases=cases,
    equivalents={
        "ends, so_far = (rows / rows.sum(1, keepdim=True) for rows in (ends, so_far))": IN_A_MATRIX,
    },
    hints=[
        "Draw each pattern for four words on paper first. The row is the word that looks. What "
        "stands in the row of the third word?",
        "`torch.eye` is the first pattern. The second holds the same rows, each one line lower. "
        "For the other two, mark with 1 what is looked at, then divide each row by its sum.",
        "`before`: the first row of `torch.eye(length)`, and below it all its rows but the last "
        "(`torch.cat`). `so_far`: `.tril()` keeps what lies on and below the diagonal of a matrix "
        "of ones. `ends`: ones in the first and in the last column; with one word they are the "
        "same column.",
    ],
    mistakes={
        "softmax of ones and zeros": WrongAnswer(
            lambda length: _patterns(length, itself=torch.eye(length).softmax(-1)),
            "In `itself`, words that should get nothing get something: a softmax of zeros and "
            "ones leaves every word a share, since `exp(0)` is 1.",
            "The rows of `torch.eye` sum to 1 already. What is there left to do?",
            misconception="low-score-hides",
        ),
        "looks ahead": WrongAnswer(
            lambda length: _patterns(
                length, before=torch.cat([torch.eye(length)[1:], torch.eye(length)[-1:]])
            ),
            "In `before`, a word looks at the one *after* it. The row is the word that looks, "
            "the column is what it looks at.",
            'In which row, and in which column, does "the third looks at the second" stand?',
            misconception="future-open",
        ),
        "first word looks at nothing": WrongAnswer(
            lambda length: _patterns(length, before=_without_first(length)),
            "In `before`, the first word looks at nothing: its row is all 0. Attention has to go "
            "somewhere, and the task says where.",
            "Who does the first word look at, when there is nobody before it?",
            misconception="shares-need-not-sum-to-one",
        ),
        "wraps round": WrongAnswer(
            lambda length: _patterns(length, before=torch.eye(length).roll(1, 0)),
            "In `before`, the first word looks at the last: `roll` makes it do so, and so does "
            "an index of -1, as both go on at the other end.",
            "Which word has nobody before it, and where should it look instead?",
            misconception="future-open",
        ),
        "whole weight for both ends": WrongAnswer(
            lambda length: _patterns(
                length,
                ends=(torch.eye(length)[0] + torch.eye(length)[-1]).repeat(length, 1).clamp(max=1),
            ),
            "In `ends`, the first and the last word get a weight of 1 each. Weights are shares: "
            "those of a row sum to 1.",
            "How much is left for each of two that share alike?",
            misconception="shares-need-not-sum-to-one",
        ),
        "a half twice": WrongAnswer(
            lambda length: _patterns(
                length,
                ends=torch.full((length, length), 0.5)
                * ((torch.arange(length) == 0) | (torch.arange(length) == length - 1)),
            ),
            "In `ends`, a sentence of one word gets only one half: there, first and last are the "
            "same word, which should get everything.",
            "What if you add up the two ends and then divide each row by its sum?",
            misconception="shares-need-not-sum-to-one",
        ),
        "rows for columns": WrongAnswer(
            lambda length: _patterns(length, ends=_ends_as_rows(length)),
            "In `ends`, the first and the last word look at everybody. Asked was the opposite: "
            "everybody looks at them. A stripe from top to bottom is a word that all look at.",
            'Is "looked at" a row or a column?',
            misconception="rows-are-keys",
        ),
        "not shared out": WrongAnswer(
            lambda length: _patterns(length, so_far=torch.ones(length, length).tril()),
            "In `so_far`, every word that is looked at gets a weight of 1. Weights are shares: "
            "those of a row sum to 1.",
            "By what do you divide the row of the third word?",
            misconception="shares-need-not-sum-to-one",
        ),
        "from here on": WrongAnswer(
            lambda length: _patterns(length, so_far=over_sum(torch.ones(length, length).triu())),
            "In `so_far`, each word looks at itself and at what comes *after* it: the triangle is "
            "the upper one.",
            "What can the first word look at, and how many cells of its row are bright?",
            misconception="future-open",
        ),
        "one for all rows": WrongAnswer(
            lambda length: _patterns(length, so_far=torch.ones(length, length).tril() / length),
            "In `so_far`, every share is one over the length of the sentence. The second word "
            "shares between two, however many there are.",
            "How many words can the second word look at?",
            misconception="shares-need-not-sum-to-one",
        ),
    },
    variants=[entry_by_entry, by_positions, by_softmax, by_rolling],
)
