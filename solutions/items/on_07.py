"""Items on notebook 07, attention in practice."""

import math

import torch

from solutions.item import Item, grid, number, word_of
from solutions.items._draws import pick, some

TIRED = ["the", "girl", "was", "tired"]

# Where four queries look: how many words each of them looks at, and all together → the places
KINDS = {
    (1, 4): [[0], [1], [2], [3]],
    (1, 1): [[0], [0], [0], [0]],
    (4, 4): [[0, 1, 2, 3]] * 4,
    (1, 2): [[0], [1], [1], [0]],
    (2, 2): [[0, 1]] * 4,
    (2, 4): [[0, 1], [2, 3], [0, 2], [1, 3]],
}


# --- two-numbers-of-a-map


def _kind(draw):
    row, together = pick(draw, [*KINDS])
    return {"row": row, "together": together, "places": draw.order(4), "noise": draw.whole(1, 5, 4)}


def map_of(kind, places, noise):
    weights = noise.repeat(4, 1) / 100
    for row, targets in zip(weights, KINDS[kind], strict=True):
        row[places[torch.tensor(targets)]] += (1 - row.sum()) / len(targets)
    return weights


def like_it_in_one(which):
    """Return a function that makes a map which agrees with what is asked in one number only."""

    def wrong(row, together, places, noise):
        by_row = [kind for kind in KINDS if kind[0] == row and kind[1] != together]
        by_all = [kind for kind in KINDS if kind[0] != row and kind[1] == together]
        kinds = [*by_row[:1], *by_all[:1], *by_row[1:], *by_all[1:]]
        return map_of(kinds[which], places, noise)

    return wrong


def like_it_in_neither(row, together, places, noise):
    others = [kind for kind in KINDS if kind[0] != row and kind[1] != together]
    return map_of(others[0], places, noise)


# --- words-of-all-queries


def _shared_out(draw):
    words, queries = pick(draw, [2, 3, 4, 5, 6]), pick(draw, [2, 3, 4])
    return {"words": words, "queries": words * queries, "length": words + int(draw.whole(1, 9))}


# --- clipped-gradient


def _gradient(draw):
    a, b, length = pick(draw, [(3, 4, 5), (5, 12, 13), (8, 15, 17), (6, 8, 10), (20, 21, 29)])
    signs = 2 * draw.whole(0, 1, 2) - 1
    return {
        "gradient": torch.tensor(some(draw, [a, b], 2)).float() * signs,
        "length": length,
        "most": pick(draw, [2, 3, 4]),
    }


# --- what-it-depends-on


def _counterfactuals(draw):
    weights = torch.tensor(some(draw, [0.05, 0.08, 0.12, 0.2, 0.56, 0.3, 0.6, 0.45], 4))
    return {
        "weights": (weights / weights.sum()),
        "chances": torch.tensor(
            some(draw, [0.01, 0.05, 0.23, 0.4, 0.57, 0.68, 0.8, 0.86, 0.89], 4)
        ),
    }


ITEMS = [
    Item(
        id="two-numbers-of-a-map",
        section="07.2",
        text="Four queries look at four words: each of them at about {row} (*row words*), all "
        "together at about {together} (*all words*). Which map is that?",
        draw=_kind,
        right=lambda row, together, places, noise: map_of((row, together), places, noise),
        wrong={
            "map-by-one-sign": [like_it_in_one(0), like_it_in_one(1)],
            "opposite": like_it_in_neither,
        },
        result=grid(),
        why="Along a row you see how many words one query looks at, across the rows how many all "
        "of them look at. Both have to fit.",
    ),
    Item(
        id="words-of-all-queries",
        section="07.2",
        text="{queries} queries look at {length} words. Each gives all its weight to one word; "
        "{words} of the words are looked at, each by equally many queries. What is *all words*, "
        "exp(H) of the mean row?",
        draw=_shared_out,
        right=lambda words: words,
        wrong={
            "averages-anywhere": lambda: 1,
            "logarithm": lambda words: math.log(words),
            "row-is-sentence": lambda length: length,
        },
        result=number(1),
        typed=True,
        why="The mean row gives equal shares to the words that anybody looks at, and exp(H) of n "
        "equal shares is n. Each row alone has exp(H) = 1.",
    ),
    Item(
        id="clipped-gradient",
        section="07.2",
        text="A gradient has the two numbers below. It is clipped by its norm, to {most}. What is "
        "the first of them then?",
        draw=_gradient,
        shows={"gradient": grid([], [], 0)},
        right=lambda gradient, length, most: gradient[0] * most / length,
        wrong={
            "clipping-reshapes": lambda gradient, most: gradient[0].clamp(-most, most),
            "length-of-a-vector": lambda gradient, most: gradient[0] * most / gradient.abs().sum(),
            "constant-factor": lambda gradient, length: gradient[0] / length,
        },
        result=number(2),
        typed=True,
        why="The length is the root of the sum of the squares. If it is too long, the whole "
        "gradient is multiplied by one factor; its direction stays.",
    ),
    Item(
        id="what-it-depends-on",
        section="07.4",
        text="A model writes *fatiguée* with probability 0.90. Below: the weight of each source "
        "word in that step, and the probability if this word is exchanged for another. On which "
        "word does *fatiguée* depend most?",
        draw=_counterfactuals,
        shows={"weights": grid(["weight"], TIRED), "chances": grid(["if exchanged"], TIRED)},
        right=lambda chances: chances.argmin(),
        wrong={
            "plausible-is-right": lambda weights: weights.argmax(),
            "opposite": lambda chances: chances.argmax(),
        },
        result=word_of(TIRED),
        why="What a word does for the output shows when it is changed. A weight says where was "
        "read, and the state read there knows its neighbours too.",
    ),
]
