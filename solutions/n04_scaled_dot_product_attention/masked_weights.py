"""The stub “masked weights” of a notebook: right answers and known mistakes."""

import math

import torch

from solutions.cases import doubled, one_silent, random_mask
from solutions.specification import IN_A_MATRIX, Draw, WrongAnswer, YourTurn
from solutions.wrong_pieces import unit, zero_is_hidden
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, tgt_len, src_len, dim, **reach):
        return Case(
            label,
            {
                "queries": draw.numbers(tgt_len, dim, **reach),
                "keys": draw.numbers(src_len, dim, **reach),
                "mask": random_mask(draw, tgt_len, src_len),
            },
        )

    silent = case("as many queries as keys, one of them 0", 4, 4, 3)
    silent.inputs["keys"] = one_silent(silent.inputs["keys"])
    silent.inputs["mask"][0, 0] = True
    large = doubled(case("", 3, 4, 4, reach=20).inputs)
    large["keys"] -= 50_000.0  # scores far above 0 and far below it
    return [
        case("three queries, five keys", 3, 5, 4),
        case("one query", 1, 4, 6),
        silent,
        Case("large scores, and far lower", large),
    ]


def weights_of(scale=lambda keys: math.sqrt(keys.shape[-1]), hidden=-math.inf, dim=-1):
    def weigh(queries, keys, mask):
        scores = queries @ keys.T / scale(keys)
        return scores.masked_fill(~mask, hidden).softmax(dim)

    return weigh


def with_where(queries, keys, mask):
    scores = torch.einsum("td,sd->ts", queries, keys) * keys.size(1) ** -0.5
    return torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1)


def by_hand(queries, keys, mask):
    scores = (queries[:, None] * keys).sum(-1) / keys.shape[1] ** 0.5
    scores = scores.masked_fill(~mask, -math.inf)
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True)


def late(queries, keys, mask):
    return weights_of()(queries, keys, torch.ones_like(mask)) * mask


exercise = YourTurn(
    id="masked_weights",
    title="Scale, mask, softmax",
    section="04.4",
    outputs=["weights"],
    cases=cases,
    equivalents={
        "return scores.masked_fill(~mask, -math.inf).softmax(1)": IN_A_MATRIX,
        "scores = queries @ keys.T / math.sqrt(keys.shape[1])": IN_A_MATRIX,
    },
    invariants={"weights": ["not negative", "rows sum to 1"]},
    mistakes={
        "no scale": WrongAnswer(
            weights_of(scale=lambda keys: 1),
            "Your scores are the plain dot products: the scale is missing.",
            "By what does one divide the scores of vectors of width d?",
            misconception="no-scale",
        ),
        "divided by d": WrongAnswer(
            weights_of(scale=lambda keys: keys.shape[-1]),
            "You divide the scores by the width, not by its root.",
            "The *variance* of a dot product is d. What is its spread?",
            misconception="scale-by-width",
        ),
        "root of the number of keys": WrongAnswer(
            weights_of(scale=lambda keys: math.sqrt(len(keys))),
            "Under your root stands the number of keys. Scores grow with the number of *terms* in "
            "a dot product, which is the width of a key.",
            "Over which axis does the dot product add up?",
            misconception="wrong-width",
        ),
        "mask after the softmax": WrongAnswer(
            late,
            "You mask too late, after the softmax perhaps: hidden keys count in its sum. What "
            "they took of a row is gone, and the row sums to less than 1.",
            "Between which two steps does the mask act?",
            misconception="mask-after-softmax",
        ),
        "True is hidden": WrongAnswer(
            lambda queries, keys, mask: weights_of()(queries, keys, ~mask),
            "You close the cells that are `True`. In this course `True` means *may be attended "
            "to*; `~mask` turns a mask round.",
            "Which cells should `masked_fill` fill?",
            misconception="mask-upside-down",
        ),
        "hidden scores of 0": WrongAnswer(
            weights_of(hidden=0.0),
            "You set hidden *scores* to 0, or close to it. But 0 is a score like any other, and "
            "`exp(0)` is 1.",
            "Which score does `exp` turn into 0?",
            misconception="low-score-hides",
        ),
        "0 is hidden": WrongAnswer(
            lambda queries, keys, mask: zero_is_hidden(
                queries @ keys.T / math.sqrt(keys.shape[-1]), mask
            ),
            "A key that is open and has a score of exactly 0 gets nothing from you, as if it were "
            "hidden. A score of 0 is a score like any other.",
            "By what can a hidden key be told from one whose score happens to be 0?",
            misconception="low-score-hides",
        ),
        "softmax over the queries": WrongAnswer(
            lambda queries, keys, mask: weights_of(hidden=-1e9, dim=0)(queries, keys, mask),
            "Your columns sum to 1, not your rows: the softmax ran over the queries.",
            "Which axis of (tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "mask ignored": WrongAnswer(
            lambda queries, keys, mask: weights_of()(queries, keys, torch.ones_like(mask)),
            "The mask changes nothing in your weights: hidden keys get a share.",
            "Where does your mask go in, and what becomes of the result?",
            misconception="padding-is-harmless",
        ),
        "directions only": WrongAnswer(
            lambda queries, keys, mask: weights_of()(unit(queries), unit(keys), mask),
            "Only the directions of queries and keys count, as if all were brought to length 1 "
            "first. A dot product also asks how long they are.",
            "What happens to your scores when a query becomes twice as long?",
            misconception="dot-is-cosine",
        ),
    },
    variants=[with_where, by_hand],
)
