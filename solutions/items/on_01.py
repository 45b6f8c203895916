"""Items on notebook 01, attention concepts."""

import torch

from solutions.item import Item, grid, number, word_of
from solutions.items._draws import pick, some, twentieths

NOUNS = ["cat", "mat", "dog", "bird"]
SELF = ["the", "dog", "saw", "birds"]


# --- ratio-of-weights


def _two_scores(draw):
    low = int(draw.whole(2, 7))
    return {"first": low + int(draw.whole(1, 3)), "second": low}


# --- context-by-hand


def _weights_keys_values(draw):
    return {"weights": twentieths(draw, 3), "vectors": draw.whole(-3, 6, 3, 4).float()}


# --- which-key-wins


def _query_and_keys(draw):
    while True:
        query, keys = draw.whole(1, 3, 2), draw.whole(-4, 6, 4, 2)
        best, second = (keys @ query).topk(2).values.tolist()
        if best > second:
            return {"query": query, "keys": keys}


def by_direction(query, keys):
    return (keys @ query / keys.float().norm(dim=-1).clamp(min=0.1)).argmax()


# --- all-queries-at-once


def by_division(scores):
    return scores / scores.sum(-1, keepdim=True)


# --- temperature-of-a-row


def _row_and_temperature(draw):
    scores = torch.tensor(some(draw, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0], 4))
    return {"scores": scores, "weights": scores.softmax(-1), "tau": pick(draw, [0.25, 0.5, 2, 3])}


# --- who-looks-at-whom


def _map_and_pair(draw):
    row, column = some(draw, range(4), 2)
    return {
        "weights": twentieths(draw, 4, 4),
        "one": SELF[row],
        "other": SELF[column],
        "row": row,
        "column": column,
    }


ITEMS = [
    Item(
        id="ratio-of-weights",
        section="01.3",
        text="For one query, *cat* scores {first} and *mat* {second}. How many times the weight "
        "of *mat* does *cat* get? (exp(1) ≈ 2.7, exp(2) ≈ 7.4, exp(3) ≈ 20.1; one decimal.)",
        draw=_two_scores,
        right=lambda first, second: round(2.718281828 ** (first - second), 1),
        wrong={
            "scores-as-weights": lambda first, second: first / second,
            "logarithm": lambda first, second: first - second,
        },
        result=number(1),
        typed=True,
        why="The softmax turns differences of scores into ratios of weights: exp of the "
        "difference, whatever the other scores are.",
    ),
    Item(
        id="context-by-hand",
        section="01.3",
        text="One query has these weights for three words, each with a key and a value of two "
        "numbers. What is its context?",
        draw=_weights_keys_values,
        shows={
            "weights": grid(["weight"], ["cat", "sat", "mat"]),
            "vectors": grid(["cat", "sat", "mat"], ["key", "key", "value", "value"], 0),
        },
        right=lambda weights, vectors: weights @ vectors[:, 2:],
        wrong={
            "keys-handed-out": [
                lambda weights, vectors: weights @ vectors[:, :2],
                lambda weights, vectors: vectors[weights.argmax(), :2],
            ],
            "hard-choice": lambda weights, vectors: vectors[weights.argmax(), 2:],
        },
        result=grid(),
        why="The context is the sum of the values, each times its weight. Keys decide the "
        "weights, and are not handed out.",
    ),
    Item(
        id="which-key-wins",
        section="01.3",
        text="A query and four keys, compared by their dot products. Which word gets the largest "
        "weight?",
        draw=_query_and_keys,
        shows={"query": grid(["query"], [], 0), "keys": grid(NOUNS, [], 0)},
        right=lambda query, keys: (keys @ query).argmax(),
        wrong={
            "dot-is-cosine": by_direction,
            "input-unused": lambda keys: keys.float().norm(dim=-1).argmax(),
        },
        result=word_of(NOUNS),
        why="A dot product counts direction and length: multiply number by number, add up, and "
        "the largest sum gets the largest weight.",
    ),
    Item(
        id="all-queries-at-once",
        section="01.4",
        text="Two queries (rows) score three keys (columns). Which are the weights?",
        draw=lambda draw: {"scores": draw.whole(1, 5, 2, 3).float()},
        shows={"scores": grid(["le", "chat"], ["the", "cat", "sat"], 0)},
        right=lambda scores: scores.softmax(-1),
        wrong={
            "softmax-over-queries": lambda scores: scores.softmax(0),
            "scores-as-weights": by_division,
            "softmax-twice": lambda scores: scores.softmax(-1).softmax(-1),
        },
        result=grid(["le", "chat"], ["the", "cat", "sat"]),
        why="Each row goes through a softmax of its own: it sums to 1, and a score higher by 1 "
        "makes 2.7 times the weight.",
    ),
    Item(
        id="temperature-of-a-row",
        section="01.5",
        text="These are the weights of a query at temperature 1. Which are they at temperature "
        "{tau}?",
        draw=_row_and_temperature,
        shows={"weights": grid([], NOUNS)},
        right=lambda scores, tau: (scores / tau).softmax(-1),
        wrong={
            "temperature-upside-down": lambda scores, tau: (scores * tau).softmax(-1),
            "temperature-effect": lambda scores: scores.softmax(-1),
            "softmax-twice": lambda weights, tau: (weights / tau).softmax(-1),
        },
        result=grid([], NOUNS),
        why="Scores are divided by the temperature before the softmax: above 1 the shares come "
        "closer together, below 1 the best key takes more.",
    ),
    Item(
        id="who-looks-at-whom",
        section="01.8",
        text="A sentence looks at itself. How much of its attention does *{one}* give to "
        "*{other}*?",
        draw=_map_and_pair,
        shows={"weights": grid(SELF, SELF)},
        right=lambda weights, row, column: weights[row, column],
        wrong={
            "reads-by-columns": lambda weights, row, column: weights[column, row],
            "largest-of-a-row": lambda weights, row: weights[row].max(),
            "averages-anywhere": lambda weights, row, column: (
                (weights[row, column] + weights[column, row]) / 2
            ),
        },
        result=number(2),
        why="The row of a word says where it looks, the column who looks at it. Find the row of "
        "the one that looks, then the column of the other.",
    ),
]
