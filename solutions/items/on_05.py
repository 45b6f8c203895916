"""Items on notebook 05, multi-head attention."""

import math

import torch

from solutions.item import Item, code, curves, grid, number, word_of
from solutions.items._draws import pick, some, twentieths

CARDS = ["cat", "dog", "mat", "bird"]
PLACES = [*range(40)]


# --- split-into-heads


def _split(draw):
    while True:
        words, heads, width = int(draw.whole(3, 5)), int(draw.whole(2, 3)), int(draw.whole(2, 4))
        head, word = int(draw.whole(0, heads - 1)), int(draw.whole(0, words - 1))
        if head != word:
            break
    turned = bool(draw.whole(0, 1))
    ending = f"view({words}, {heads}, {width}).transpose(0, 1)"
    lines = f"""
x = torch.arange({words * heads * width}).view({words}, {heads * width})
split = x.{ending if turned else f"view({heads}, {words}, {width})"}
split[{head}, {word}]"""
    sizes = {"words": words, "heads": heads, "width": width, "head": head, "word": word}
    return {"lines": lines, "turned": turned} | sizes


def cut(words, heads, width, turned):
    x = torch.arange(words * heads * width)
    return x.view(words, heads, width).transpose(0, 1) if turned else x.view(heads, words, width)


def exchanged(words, heads, width, head, word, turned):
    table = cut(words, heads, width, turned).flatten(0, 1)
    return table[(word * words + head) % len(table)]


def every_other(words, heads, width, head, word):
    return torch.arange(words * heads * width).view(words, -1)[word, head::heads]


# --- numbers-in-a-layer


def _layer(draw):
    heads, width = pick(draw, [4, 8]), pick(draw, [4, 8, 16])
    sharing = pick(draw, [1, 2, heads // 2])
    return {"heads": heads, "width": heads * width, "kv_heads": sharing}


def layer(heads, width, kv_heads):
    return 2 * width**2 + 2 * width * (width // heads) * kv_heads


# --- shuffled-words


def _shuffled(draw):
    x = draw.whole(-2, 2, 3, 2).float()
    order = pick(draw, [[2, 1, 0], [1, 0, 2], [0, 2, 1], [1, 2, 0], [2, 0, 1]])
    names = some(draw, ["cat", "dog", "bird", "girl"], 2)
    words = [names[0], "sees", names[1]]
    return {
        "x": x,
        "order": order,
        "old": _named(attend(x), words),
        "words": words,
        "now": " ".join(words[place] for place in order),
        "before": " ".join(words),
    }


def _named(values, words):
    return {"values": values, "words": words}


def shown_by_word(named):
    return grid(named["words"], ["1", "2"], 1)(named["values"])


def attend(x):
    return (x @ x.T / math.sqrt(2)).softmax(-1) @ x


def reordered(order, words):
    return [words[place] for place in order]


def with_clocks(x):
    places = torch.arange(len(x)).float()
    return x + torch.stack([places.sin(), places.cos()], 1)


# --- similar-codes


def codes(width=16):
    angles = torch.tensor(PLACES)[:, None] / 10_000 ** (torch.arange(0, width, 2) / width)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


# --- bright-cell


def _weights_and_lengths(draw):
    while True:
        rows = [some(draw, [0.2, 0.5, 1, 2, 3, 4, 5], 4) for _ in ("keys", "values")]
        weights, lengths = twentieths(draw, 4, most=11), torch.tensor(rows)
        winners = {*(weights * lengths).argmax(-1).tolist(), int(weights.argmax())}
        if len(winners | {int(lengths[1].argmax())}) == 4:
            return {"weights": weights, "lengths": lengths}


ITEMS = [
    Item(
        id="scale-of-a-head",
        section="05.2",
        text="A layer of width {width} has {heads} heads, in the usual design. By which number are "
        "the scores of each head divided?",
        draw=lambda draw: {
            "heads": (heads := pick(draw, [2, 3, 4, 5, 8])),
            "width": heads * pick(draw, [4, 9, 16, 25, 36, 64, 100]),
        },
        right=lambda heads, width: math.sqrt(width // heads),
        wrong={
            "wrong-width": lambda width: math.sqrt(width),
            "scale-by-width": lambda heads, width: width // heads,
            "no-scale": lambda: 1,
        },
        result=number(1),
        typed=True,
        why="A dot product in a head adds up width / heads terms, and the root of their number is "
        "the scale.",
    ),
    Item(
        id="split-into-heads",
        section="05.3",
        text="`x` holds words (rows) with their features. What does the last line give?",
        draw=_split,
        shows={"lines": code},
        right=lambda words, heads, width, turned, head, word: cut(words, heads, width, turned)[
            head, word
        ],
        wrong={
            "shape-is-enough": lambda words, heads, width, turned, head, word: cut(
                words, heads, width, not turned
            )[head, word],
            "axes-anywhere": exchanged,
            "parts-in-any-order": every_other,
        },
        result=grid([], [], 0),
        why="`view` counts through the numbers in their order and fills row after row; only "
        "`transpose` swaps two axes.",
    ),
    Item(
        id="numbers-in-a-layer",
        section="05.5",
        text="Multi-head attention of width {width} has {heads} heads and {kv_heads} KV heads, and "
        "no biases. How many parameters are that?",
        draw=_layer,
        right=layer,
        wrong={
            "heads-share-the-width": lambda heads, width, kv_heads: (
                heads * layer(heads, width, kv_heads)
            ),
            "half-is-enough": lambda heads, width, kv_heads: (
                3 * width**2 + width * (width // heads) * kv_heads
            ),
            "projection-left-out": lambda heads, width, kv_heads: (
                layer(heads, width, kv_heads) - width**2
            ),
        },
        result=number(0),
        why="All heads together make queries as wide as the layer, and the output mixes them: two "
        "square matrices. Keys and values are as wide as the KV heads together.",
    ),
    Item(
        id="shuffled-words",
        section="05.9",
        text="Self-attention without mask and positions has read *{before}*; below are its "
        "outputs. Now it reads *{now}*. What comes out, in the new order?",
        draw=_shuffled,
        shows={"old": shown_by_word},
        right=lambda x, order, words: _named(attend(x[order]), reordered(order, words)),
        wrong={
            "row-is-word": lambda x, order, words: _named(attend(x), reordered(order, words)),
            "attention-sees-order": lambda x, order, words: _named(
                attend(with_clocks(x[order])), reordered(order, words)
            ),
            "averages-anywhere": lambda x, order, words: _named(
                attend(x).mean(0).expand(3, 2), reordered(order, words)
            ),
        },
        result=shown_by_word,
        why="Attention compares contents and adds up, wherever the words stand: each word keeps "
        "its output and takes it along.",
    ),
    Item(
        id="similar-codes",
        section="05.10",
        text="The sinusoidal code of place {place} is compared, by dot products, with those of "
        "the places 0 to 39. What comes out?",
        draw=lambda draw: {"place": pick(draw, [6, 8, 10, 12, 27, 29, 31, 33])},
        right=lambda place: codes() @ codes()[place],
        wrong={
            "places-begin-at-zero": lambda: codes() @ codes()[0],
            "wrong-end": lambda place: codes() @ codes()[39 - place],
            "clocks": lambda place: 8 * (torch.tensor(PLACES) - place).cos(),
        },
        result=curves(PLACES, "place", "dot product"),
        why="Only the distance counts: the curve is highest at the place itself and falls alike "
        "on both sides, the slow clocks keeping it from coming back.",
    ),
    Item(
        id="bright-cell",
        section="05.8",
        text="One row of weights, and how long the key and the value of each word are. Which word "
        "adds the longest vector to the context?",
        draw=_weights_and_lengths,
        shows={"weights": grid(["weight"], CARDS), "lengths": grid(["key", "value"], CARDS, 1)},
        right=lambda weights, lengths: (weights * lengths[1]).argmax(),
        wrong={
            "plausible-is-right": lambda weights: weights.argmax(),
            "keys-handed-out": lambda weights, lengths: (weights * lengths[0]).argmax(),
            "input-unused": lambda lengths: lengths[1].argmax(),
        },
        result=word_of(CARDS),
        why="A word adds its weight times its value. A map shows the first factor only.",
    ),
]
