"""Items on notebook 02, additive attention."""

import torch

from solutions.item import Item, curves, grid, number
from solutions.items._draws import pick, some, twentieths

SENTENCES = [
    ["le", "chat", "dort"],
    ["la", "vache", "mange"],
    ["nos", "oiseaux", "dansent"],
    ["mon", "frère", "arrive"],
    ["une", "fille", "chante"],
    ["ce", "garçon", "attend"],
]
STRAYS = ["chien", "roi", "voisin", "soldat", "peintre"]
SAID = [-4 + 0.25 * step for step in range(33)]  # what a key may say to a question


# --- additive-score


def _sure_answers(draw):
    while True:
        added, said, points = (draw.whole(-6, 6, 3), draw.whole(-6, 6, 3), draw.whole(1, 5, 3))
        sums = added + said
        if (sums.abs() >= 4).all() and len({*sums.sign().tolist()}) == 2:
            return {"table": torch.stack([added, said, points])}


def answered_apart(table):
    return (table[2] * (table[0].sign() + table[1].sign())).sum()


# --- what-the-tanh-is-for


def _judge(draw):
    low, high = some(draw, [-3, -2, -1, 1, 2, 3], 2)
    return {"said": draw.whole(-3, 3, 3), "added": torch.tensor([low, high]), "points": 3}


def _map(scores):
    return scores.float().softmax(-1)


# --- late-mask


def _late_mask(draw):
    weights = twentieths(draw, 4)
    words = pick(draw, [2, 3])
    mask = [place < words for place in range(4)]
    lines = f"""
weights = torch.tensor({[round(weight, 2) for weight in weights.tolist()]})  # after the softmax
mask = torch.tensor({mask})  # True: a word
weights = weights.masked_fill(~mask, 0)"""
    return {"lines": lines, "weights": weights, "mask": torch.tensor(mask)}


# --- teacher-forcing


def _told(draw):
    sentence, stray = pick(draw, SENTENCES), pick(draw, STRAYS)
    before, right, after = sentence
    return {"before": before, "right": right, "after": after, "stray": stray}


ITEMS = [
    Item(
        id="teacher-forcing",
        section="02.1",
        text="In training the right sentence is *{before} {right} {after}*. As the second word the "
        "decoder finds *{stray}* likeliest. Which word is it given, under teacher forcing, before "
        "it writes the third?",
        draw=_told,
        right=lambda right: right,
        wrong={
            "teacher-forcing": lambda stray: stray,
            "future-open": lambda after: after,
            "stale-value": lambda before: before,
        },
        result=lambda word: f"*{word}*",
        why="Under teacher forcing the decoder reads the right word before, as if it had written "
        "it itself.",
    ),
    Item(
        id="additive-score",
        section="02.3",
        text="An additive score asks three questions. To each, the state adds a number, and the "
        "key says one. What is the score? (Take tanh as 1 from 4 on, and as −1 from −4 down.)",
        draw=_sure_answers,
        shows={"table": grid(["state adds", "key says", "points"], ["1", "2", "3"], 0)},
        right=lambda table: (table[2] * (table[0] + table[1]).sign()).sum(),
        wrong={
            "nonlinearity-left-out": lambda table: (table[2] * (table[0] + table[1])).sum(),
            "projection-left-out": lambda table: (table[0] + table[1]).sign().sum(),
            "steps-in-any-order": answered_apart,
        },
        result=number(0),
        typed=True,
        why="Add state and key, take the tanh of each sum, and count each answer with its points.",
    ),
    Item(
        id="threshold-of-a-state",
        section="02.4",
        text="To one question, a state adds {added}. How does the answer depend on what the key "
        "says?",
        draw=lambda draw: {"added": pick(draw, [-3, -2.5, -2, -1.5, 1.5, 2, 2.5, 3])},
        right=lambda added: (torch.tensor(SAID) + added).tanh(),
        wrong={
            "constant-factor": lambda added: (torch.tensor(SAID) - added).tanh(),
            "scores-alike": lambda added: (torch.tensor(SAID) * added).tanh(),
            "nonlinearity-left-out": lambda added: torch.tensor(SAID) + added,
        },
        result=curves(SAID, "the key says", "answer"),
        why="The answer is tanh(state + key): the state moves the curve, and it crosses 0 where "
        "the key says minus what the state adds.",
    ),
    Item(
        id="what-the-tanh-is-for",
        section="02.4",
        text="An additive score asks one question, which counts {points} points. Below: what three "
        "keys say to it, and what two states add. Which map comes out if the tanh is left out?",
        draw=_judge,
        shows={
            "said": grid(["keys say"], ["the", "cat", "sat"], 0),
            "added": grid(["states add"], ["le", "chat"], 0),
        },
        right=lambda said, added, points: _map(points * (added[:, None] + said)),
        wrong={
            "nonlinearity-left-out": lambda said, added, points: _map(
                points * (added[:, None] + said).float().tanh()
            ),
            "scores-alike": lambda said, added: _map(added[:, None] * said),
            "softmax-over-queries": lambda said, added: (added[:, None] + said).float().softmax(0),
        },
        result=grid(["le", "chat"], ["the", "cat", "sat"]),
        why="Without the tanh a state adds the same to all scores of its row, and a softmax sees "
        "only how the scores of a row differ: all rows come out equal.",
    ),
    Item(
        id="late-mask",
        section="02.6",
        text="What is the sum of these weights in the end? (Two decimals.)",
        draw=_late_mask,
        shows={"lines": lambda lines: {"code": lines.strip()}},
        right=lambda weights, mask: weights[mask].sum(),
        wrong={
            "mask-after-softmax": lambda: 1,
            "mask-upside-down": lambda weights, mask: weights[~mask].sum(),
        },
        result=number(2),
        typed=True,
        why="After the softmax the hidden places have taken their share already, and the words do "
        "not get it back.",
    ),
    Item(
        id="share-of-padding",
        section="02.6",
        text="A sentence of {words} words is filled up to {row} places, and nobody masks the "
        "padding. An untrained judge gives all places the same score. Which share of the "
        "attention goes to padding?",
        draw=lambda draw: {
            "words": (words := int(draw.whole(4, 18))),
            "row": words + int(draw.whole(3, 15)),
        },
        right=lambda words, row: 1 - words / row,
        wrong={
            "padding-is-harmless": lambda: 0,
            "sum-and-mean": lambda row: 1 / row,
            "opposite": lambda words, row: words / row,
        },
        result=number(2),
        why="Each place gets an equal share, words and padding alike, so padding gets as much as "
        "it has places.",
    ),
]
