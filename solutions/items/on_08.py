"""Items on notebook 08, from attention to the Transformer."""

import torch

from solutions.item import Item, code, curves, grid
from solutions.items._draws import pick, some

TAUS = [0.25 + 0.25 * step for step in range(16)]
WORDS = ["pen", "cup", "hat", "key", "box", "map", "bell"]


# --- layer-norm


def normal(x, axes):
    spread = x.std(axes, correction=0, keepdim=True).clamp(min=0.01)
    return (x - x.mean(axes, keepdim=True)) / spread


def _two_words(draw):
    while True:
        x = draw.whole(0, 9, 2, 3).float()
        if (x.std(-1) > 0.5).all() and (x[0] != x[1]).all():
            return {"x": x}


# --- who-hears-of-it


def _changed(draw):
    length = int(draw.whole(5, 9))
    return {"length": length, "place": int(draw.whole(3, length - 2))}


def _from_to(first, last):
    return f"words {first} to {last}"


# --- tokens-ahead


def _names(draw):
    logits, tokens = pick(draw, ["logits", "scores", "out"]), pick(draw, ["tokens", "ids", "text"])
    return {"logits": logits, "tokens": tokens, "ahead": int(draw.whole(1, 3))}


def one_line(logits, tokens):
    return f"loss = cross_entropy({logits}.flatten(0, 1), {tokens}.flatten())"


def ahead_by(logits, tokens, ahead):
    return one_line(f"{logits}[:, :-{ahead}]", f"{tokens}[:, {ahead}:]")


# --- likeliest-token


def share_over(logits, change):
    rows = [change(logits, tau) for tau in TAUS]
    return torch.stack([row.max() for row in rows])


# --- two-heads-that-copy


def _said_twice(draw):
    words = some(draw, WORDS, pick(draw, [3, 4]))
    return {
        "said": " ".join(words * 2),
        "words": words * 2,
        "job": pick(draw, ["looks one word back", "copies"]),
        "most": pick(draw, [0.7, 0.8, 0.9]),
    }


def looks(words, job, most, further=0):
    """Return the map of a head; words that find nothing look at the first one."""
    count, half = len(words), len(words) // 2
    weights = torch.zeros(count, count)
    for row in range(count):
        target = row - 1 if job != "copies" else row - half + 1 if row >= half else 0
        weights[row, max(target - further, 0)] += most
        weights[row, : row + 1] += (1 - most) / (row + 1)
    return weights


def _labelled(words, weights):
    return {"words": words, "weights": weights}


def shown_map(labelled):
    return grid(labelled["words"], labelled["words"], 1)(labelled["weights"])


ITEMS = [
    Item(
        id="layer-norm",
        section="08.2",
        text="Two words (rows) with three features each. What does a layer norm make of them, "
        "before its learned scale and shift?",
        draw=_two_words,
        shows={"x": grid([], [], 0)},
        right=lambda x: normal(x, -1),
        wrong={
            "averages-anywhere": [lambda x: normal(x, 0), lambda x: normal(x, (0, 1))],
            "variance-is-spread": lambda x: normal(x, -1) / x.std(-1, correction=0, keepdim=True),
        },
        result=grid([], [], 1),
        why="Each word's own features are shifted to mean 0 and divided by their own spread; the "
        "other word plays no part.",
    ),
    Item(
        id="who-hears-of-it",
        section="08.3",
        text="A stack of two blocks under a causal mask reads {length} words. Word {place} is "
        "exchanged. Whose outputs may change?",
        draw=_changed,
        right=lambda length, place: _from_to(place, length),
        wrong={
            "future-open": lambda length: _from_to(1, length),
            "opposite": lambda place: _from_to(1, place),
            "off-by-one": lambda length, place: _from_to(place + 1, length),
        },
        why="In each block a word hears of itself and of what stands before it. So the news goes "
        "forward only, and starts with the changed word itself.",
    ),
    Item(
        id="tokens-ahead",
        section="08.4",
        text="Position by position, a causal model shall predict the token {ahead} further on. "
        "Which line makes its loss? (`{logits}` are (batch, len, vocab), `{tokens}` (batch, len).)",
        draw=_names,
        right=ahead_by,
        wrong={
            "opposite": lambda logits, tokens, ahead: one_line(
                f"{logits}[:, {ahead}:]", f"{tokens}[:, :-{ahead}]"
            ),
            "off-by-one": lambda logits, tokens, ahead: ahead_by(logits, tokens, ahead + 1),
            "wrong-end": lambda logits, tokens, ahead: one_line(
                f"{logits}[:, :-{ahead}]", f"{tokens}[:, :-{ahead}]"
            ),
        },
        result=code,
        why="The last positions have no such token, so they are cut off the logits; the first "
        "tokens are predicted by nobody, so they are cut off the targets.",
    ),
    Item(
        id="likeliest-token",
        section="08.4",
        text="Four tokens have the logits below. How does the probability of the likeliest depend "
        "on the temperature?",
        draw=lambda draw: {"logits": torch.tensor(some(draw, [-2, -1, 0, 1, 2, 3], 4)).float()},
        shows={"logits": grid(["logits"], [], 0)},
        right=lambda logits: share_over(logits, lambda row, tau: (row / tau).softmax(-1)),
        wrong={
            "temperature-upside-down": lambda logits: share_over(
                logits, lambda row, tau: (row * tau).softmax(-1)
            ),
            "temperature-effect": lambda logits: share_over(logits, lambda row, _: row.softmax(-1)),
            "shares-need-not-sum-to-one": lambda logits: share_over(
                logits, lambda row, tau: row.softmax(-1) / tau
            ),
        },
        result=curves(TAUS, "temperature", "probability"),
        why="Logits are divided by the temperature: cold, the likeliest takes nearly all; hot, all "
        "four come close to equal shares, and no closer to 0.",
    ),
    Item(
        id="two-heads-that-copy",
        section="08.5",
        text="A text is said twice. One head looks one word back, another copies (and rests on the "
        "first word while there is nothing to copy). Which map belongs to the head that {job}?",
        draw=_said_twice,
        right=lambda words, job, most: _labelled(words, looks(words, job, most)),
        wrong={
            "heads-as-one": lambda words, job, most: _labelled(
                words, looks(words, "back" if job == "copies" else "copies", most)
            ),
            "reads-by-columns": lambda words, job, most: _labelled(
                words, looks(words, job, most).T
            ),
            "off-by-one": lambda words, job, most: _labelled(
                words, looks(words, job, most, further=1)
            ),
        },
        result=shown_map,
        why="Rows look, columns are looked at. One head looks at the word before; the other looks "
        "for what came after the earlier occurrence of its word.",
    ),
]
