"""Dot."""

import math

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.parts import reshaped, unit
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, change=lambda one: one):
        query, keys = draw.numbers(batch, tgt_len, dim), draw.numbers(batch, src_len, dim)
        return Case(label, {"query": change(query), "keys": change(keys)})

    return [
        case("one sentence, two queries, three keys", 1, 2, 3, 2),
        case("a batch of two", 2, 3, 4, 5),
        case("as many queries as sentences", 3, 3, 2, 4),
        case("one query", 3, 1, 5, 2),
        case("one key only", 2, 4, 1, 3),
        case("transposed views", 2, 5, 3, 4, as_view),
        case("float64", 4, 2, 3, 5, torch.Tensor.double),
    ]


# --- Right answers in other styles ----------------------------------------------------------------


def with_einsum(q, k):
    return torch.einsum("btd,bsd->bts", q, k)


def with_bmm(query, keys):
    return torch.bmm(query, keys.transpose(1, 2))


def by_broadcasting(query, keys):
    return (query.unsqueeze(2) * keys.unsqueeze(1)).sum(-1)


def sentence_by_sentence(query, keys):
    return torch.stack([F.linear(some, others) for some, others in zip(query, keys, strict=True)])


def in_loops(query, keys):
    return torch.stack(
        [
            torch.stack([torch.stack([s.dot(h) for h in others]) for s in some])
            for some, others in zip(query, keys, strict=True)
        ]
    )


def in_float64(query, keys):
    return query.double() @ keys.double().permute(0, 2, 1)


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="dot_scores",
    title="Dot",
    points=1,
    difficulty=1,
    minutes=5,
    outputs=["scores"],
    cases=cases,
    hints=[
        "What has to stand in row t and column j, in words?",
        "All dot products of a sentence are one matrix product: (tgt_len, dim) times "
        "(dim, src_len). Which of the two has to be turned on its side?",
        "`@` works sentence by sentence where the batch stands in front. Turn the last two axes "
        "of the keys with `.mT`, or `.transpose(1, 2)`: `.T` would turn all three.",
    ],
    misconceptions=[
        Misconception(
            "reshaped",
            lambda query, keys: query @ reshaped(keys),
            "Your keys were brought to (batch, dim, src_len) by `reshape` or `view`. The shape is "
            "right, and the numbers are in the wrong places: each column is a mixture of words.",
            "What does `torch.arange(6).view(2, 3).view(3, 2)` look like, and what the transpose?",
            kind="shape-is-enough",
        ),
        Misconception(
            "scaled",
            lambda query, keys: query @ keys.mT / math.sqrt(keys.shape[-1]),
            "You divide by the root of the width. That comes in notebook 04; *dot* has no such "
            "factor.",
            "By hand: which score has (2, -1) with (3, 1)?",
            kind="scale-everywhere",
        ),
        Misconception(
            "angle without length",
            lambda query, keys: unit(query) @ unit(keys).mT,
            "You compare directions only: the vectors were brought to length 1. In a dot product "
            "their lengths count.",
            "What should happen to the scores of a query that is twice as long?",
            kind="dot-is-cosine",
        ),
        Misconception(
            "mean for sum",
            lambda query, keys: query @ keys.mT / keys.shape[-1],
            "Your scores are too small by a factor, the width: you took the mean of the products "
            "where a dot product has their sum.",
            "By hand: which score has (2, -1) with (3, 1)?",
            kind="sum-and-mean",
        ),
        Misconception(
            "weights for scores",
            lambda query, keys: (query @ keys.mT).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Can a score be negative?",
            kind="scores-as-weights",
        ),
        Misconception(
            "keys as rows",
            lambda query, keys: keys @ query.mT,
            "Your table has a row for each key. Rows belong to queries, columns to keys.",
            "Which of the two factors gives a matrix product its rows?",
            kind="rows-are-keys",
        ),
        Misconception(
            "first sentence for all",
            lambda query, keys: query @ keys[0].T,
            "All your queries are compared with the keys of the first sentence. Each sentence of "
            "the batch has keys of its own.",
            "How many axes has the tensor with which you multiply?",
            kind="one-for-all",
        ),
    ],
    variants=[with_einsum, with_bmm, by_broadcasting, sentence_by_sentence, in_loops, in_float64],
)
