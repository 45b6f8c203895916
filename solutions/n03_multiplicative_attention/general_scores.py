"""General."""

import math

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.parts import reshaped, unit
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, change=lambda one: one):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W": draw.numbers(query_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(one) for name, one in inputs.items()})

    return [
        case("one sentence, keys wider than the query", 1, 2, 3, 2, 4),
        case("a batch of two, queries wider than the keys", 2, 3, 4, 6, 5),
        case("one width for both", 2, 4, 3, 5, 5),
        case("one query", 3, 1, 4, 2, 5),
        case("one key only", 2, 4, 1, 3, 2),
        case("keys twice as wide, as from an encoder that reads both ways", 3, 2, 5, 4, 8),
        case("transposed views", 2, 5, 3, 4, 6, as_view),
        case("float64", 2, 3, 5, 2, 4, torch.Tensor.double),
    ]


# --- Right answers in other styles ----------------------------------------------------------------


def with_einsum(query, keys, W):
    return torch.einsum("btq,qk,bsk->bts", query, W, keys)


def query_projected(s, h, W):
    return (s @ W) @ h.mT


def with_linear(query, keys, W):
    return torch.bmm(query, F.linear(keys, W).transpose(-1, -2))


def with_a_layer(query, keys, W):
    rows = []
    for some, others in zip(query, keys, strict=True):
        projected = torch.stack([W @ key for key in others])
        rows.append(torch.stack([projected @ one for one in some]))
    return torch.stack(rows)


def in_float64(query, keys, W):
    projected = (keys.double()[:, :, None] * W.double()).sum(-1)
    return (query.double()[:, :, None] * projected[:, None]).sum(-1)


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="general_scores",
    title="General",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["scores"],
    cases=cases,
    hints=[
        "$W h$ for one key is a vector. How wide is it, and with what is it multiplied then?",
        "Keys stand in rows here, not in columns. For one row `h` the product `W @ h` is the same "
        "as `h @ …`: of what?",
        "First `keys @ W.T`, of shape (batch, src_len, query_dim). With these in place of the "
        "keys it is the dot product of task 1.",
    ],
    misconceptions=[
        Misconception(
            "W reshaped",
            lambda query, keys, W: query @ (keys @ W.reshape(W.shape[1], W.shape[0])).mT,
            "You made `W` fit with `reshape` or `view`. That reads its numbers in another order; "
            "what fits and keeps the order is the transpose.",
            "Where does the number in row 0, column 1 of `W` stand after each of the two?",
            kind="shape-is-enough",
        ),
        Misconception(
            "keys reshaped",
            lambda query, keys, W: query @ reshaped(keys @ W.T),
            "The projected keys are right, and then they were brought to (batch, query_dim, "
            "src_len) by `reshape` or `view`. The numbers are in the wrong places now.",
            "Which operation swaps two axes, and which only counts through the numbers anew?",
            kind="shape-is-enough",
        ),
        Misconception(
            "a tanh too much",
            lambda query, keys, W: query @ (keys @ W.T).tanh().mT,
            "Your projected keys go through a `tanh`. That belongs to the additive score; "
            "*general* is a product, and nothing else.",
            "What is the score of a query with a key that is twice as long?",
            kind="scores-alike",
        ),
        Misconception(
            "scaled",
            lambda query, keys, W: query @ (keys @ W.T).mT / math.sqrt(query.shape[-1]),
            "You divide by the root of the width. That comes in notebook 04; *general* has no "
            "such factor. (Its `W` could learn it.)",
            "Which operations stand in the formula s · (W h)?",
            kind="scale-everywhere",
        ),
        Misconception(
            "angle without length",
            lambda query, keys, W: unit(query) @ unit(keys @ W.T).mT,
            "You compare directions only: both sides were brought to length 1. In a dot product "
            "their lengths count.",
            "What should happen to the scores if `W` is doubled?",
            kind="dot-is-cosine",
        ),
        Misconception(
            "weights for scores",
            lambda query, keys, W: (query @ (keys @ W.T).mT).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Can a score be negative?",
            kind="scores-as-weights",
        ),
        Misconception(
            "keys as rows",
            lambda query, keys, W: keys @ (query @ W).mT,
            "Your table has a row for each key. Rows belong to queries, columns to keys.",
            "Which of the two factors gives a matrix product its rows?",
            kind="rows-are-keys",
        ),
    ],
    variants=[with_einsum, query_projected, with_linear, with_a_layer, in_float64],
)
