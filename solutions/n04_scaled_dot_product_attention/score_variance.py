"""The task “The variance experiment”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, queries, keys, widths):
        return Case(label, {"queries": queries, "keys": keys, "widths": widths})

    def signs(*shape):
        return (2 * draw.whole(0, 1, *shape) - 1).float()

    return [
        case("three widths", draw.numbers(8, 4), draw.numbers(8, 4), [1, 2, 4]),
        case("one width, not the largest", draw.numbers(9, 5), draw.numbers(9, 5), [2]),
        case("widths in another order", draw.numbers(7, 6), draw.numbers(7, 6), [6, 3, 5]),
        case("scores whose mean is not 0", draw.numbers(6, 4).abs(), draw.numbers(6, 4).abs(), [3]),
        case("coins, +1 and −1", signs(12, 8), signs(12, 8), [2, 8]),
        case("two pairs only", draw.numbers(2, 3), draw.numbers(2, 3), [1, 3]),
        case("float64", draw.numbers(5, 4).double(), draw.numbers(5, 4).double(), [2, 4]),
        case("queries that are a transposed view", draw.numbers(4, 6).T, draw.numbers(6, 4), [3]),
    ]


def _scores(queries, keys, width):
    return (queries[:, :width] * keys[:, :width]).sum(-1)


def _variance(scores):
    return scores.var(correction=0)


def _measured(
    scores=_scores,
    variance=_variance,
    scaled=lambda variance, scores, width: variance(scores / width**0.5),
):
    """Return an answer with some parts replaced."""

    def table(queries, keys, widths):
        rows = [(scores(queries, keys, width), width) for width in widths]
        plain = torch.stack([variance(row) for row, _ in rows])
        return plain, torch.stack([scaled(variance, row, width) for row, width in rows])

    return table


def all_widths_at_once(queries, keys, widths):
    running = (queries * keys).cumsum(-1)[:, [width - 1 for width in widths]]  # (pairs, widths)
    plain = (running - running.mean(0)).square().mean(0)
    return plain, plain / torch.tensor(widths)


def by_moments(q, k, widths):
    variances = []
    for d in widths:
        e = torch.einsum("nd,nd->n", q[:, :d], k[:, :d]).double()
        variances.append((e**2).mean() - e.mean() ** 2)
    plain = torch.stack(variances)
    return plain, plain / torch.tensor(widths)


def in_loops(queries, keys, widths):
    plain, scaled = [], []
    for width in widths:
        scores = torch.stack(
            [query[:width].dot(key[:width]) for query, key in zip(queries, keys, strict=True)]
        )
        plain.append(scores.var(unbiased=False))
        scaled.append((scores * width**-0.5).std(unbiased=False) ** 2)
    return [torch.stack(plain), torch.stack(scaled)]


def diagonal(queries, keys, widths):
    def variance(scores):
        return torch.var(scores, dim=0, correction=0)

    scores = [(queries[:, :d] @ keys[:, :d].T).diagonal() for d in widths]
    return (
        torch.stack([variance(row) for row in scores]),
        torch.stack([variance(row) / d for row, d in zip(scores, widths, strict=True)]),
    )


exercise = Exercise(
    id="score_variance",
    title="The variance experiment",
    points=3,
    difficulty=2,
    minutes=10,
    section="04.1",
    outputs=["plain", "scaled"],
    cases=cases,
    equivalents={
        "scores = (queries[:, :width] * keys[:, :width]).sum(1)": "a matrix: axis 1 is the last",
    },
    hints=[
        "How many scores are there for one width? Each row of `queries` has one partner.",
        "For each width: cut both tensors to their first columns, multiply entry by entry, add "
        "up along the rows. What is left is one score a pair; of those you want the variance.",
        "`.var(correction=0)` divides by the number of scores. Take it once of the scores, once "
        "of the scores divided by the root of that width; collect both in lists, and turn the "
        "lists into tensors with `torch.stack`.",
    ],
    mistakes={
        "divided by one less": WrongAnswer(
            _measured(variance=lambda scores: scores.var()),
            "Your sums of squares are divided by the number of pairs *less one*, as `.var()` "
            "does unless told otherwise. Here they are divided by the number itself.",
            "Which argument of `.var` says what is taken off the number?",
            misconception="constant-factor",
        ),
        "spread for variance": WrongAnswer(
            _measured(variance=lambda scores: scores.std(correction=0)),
            "You return the spread (standard deviation), which is the root of the variance.",
            "Does the spread of the scores grow with d or with the root of d?",
            misconception="variance-is-spread",
        ),
        "distance from 0": WrongAnswer(
            _measured(variance=lambda scores: scores.square().mean()),
            "You take the mean of the squares. That is the variance only where the mean of the "
            "scores is 0, as with the coins of section 1. Measured numbers are not so kind.",
            "From which number are the distances taken in a variance?",
            misconception="variance-is-spread",
        ),
        "every query with every key": WrongAnswer(
            _measured(scores=lambda q, k, width: q[:, :width] @ k[:, :width].T),
            "You score every query against every key. The rows come in pairs here: row 3 of "
            "`queries` meets row 3 of `keys` and no other.",
            "How many scores do 8 pairs make?",
            misconception="another-task",
        ),
        "terms for scores": WrongAnswer(
            _measured(scores=lambda q, k, width: q[:, :width] * k[:, :width]),
            "You take the variance of the single terms $q_i k_i$. A score is their *sum*, and it "
            "is the sum that spreads out as the width grows.",
            "What does a dot product do after multiplying?",
            misconception="another-task",
        ),
        "the last numbers": WrongAnswer(
            _measured(scores=lambda q, k, width: (q[:, -width:] * k[:, -width:]).sum(-1)),
            "You use the last numbers of every vector. The task asks for the first.",
            "What does `[:, :2]` keep, and what does `[:, -2:]`?",
            misconception="wrong-end",
        ),
        "whole vectors": WrongAnswer(
            _measured(scores=lambda q, k, width: (q * k).sum(-1)),
            "Your scores use the whole vectors at every width, so `plain` is the same number over "
            "and over.",
            "How do you take the first three columns of a matrix?",
            misconception="input-unused",
        ),
        "variance divided by the root": WrongAnswer(
            _measured(scaled=lambda variance, scores, width: variance(scores) / width**0.5),
            "`scaled` is the plain variance divided by √d. But it is the *scores* that are "
            "divided; the variance measures squares, so it shrinks by more than that.",
            "If all scores are halved, what happens to their variance?",
            misconception="variance-is-spread",
        ),
        "divided by d": WrongAnswer(
            _measured(scaled=lambda variance, scores, width: variance(scores / width)),
            "For `scaled` you divide the scores by d. Then their variance falls as 1/d, and wide "
            "vectors can no longer choose. Attention divides by the root.",
            "Which divisor brings a spread of √d back to 1?",
            misconception="scale-by-width",
        ),
        "multiplied by the root": WrongAnswer(
            _measured(scaled=lambda variance, scores, width: variance(scores * width**0.5)),
            "For `scaled` you multiply the scores by √d, so their variance grows even faster.",
            "Should the scale make wide vectors' scores larger or smaller?",
            misconception="no-scale",
        ),
        "root of the whole width": WrongAnswer(
            lambda queries, keys, widths: _measured(
                scaled=lambda variance, scores, width: variance(scores / queries.shape[-1] ** 0.5)
            )(queries, keys, widths),
            "For `scaled` you scale by the vectors' whole width, whatever part of them the score "
            "used. The scale belongs to the number of terms that were added up.",
            "How many terms has the score at width 2?",
            misconception="wrong-width",
        ),
    },
    variants=[all_widths_at_once, by_moments, in_loops, diagonal],
)
