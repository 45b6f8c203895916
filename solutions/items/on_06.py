"""Items on notebook 06, translate with attention."""

import math

import torch

from solutions.item import Item, grid, number
from solutions.items._draws import pick, some, twentieths

SENTENCES = [
    "le chat dort",
    "nos vaches dansent",
    "la fille était fatiguée",
    "mon oncle attend ici",
    "un garçon heureux chante",
    "les chiens mangent",
    "ma sœur arrive demain",
    "ce peintre travaille",
]
FIRSTS, SECONDS = ["un", "le", "ce"], ["chat", "chien", "roi"]


# --- what-to-write


def _target(draw):
    words = pick(draw, SENTENCES).split()
    padding = ["<pad>"] * int(draw.whole(2, 3))
    return {
        "target": ["<sos>", *words, "<eos>", *padding],
        "count": len(words) + 1,
        "row": " ".join(["<sos>", *words, "<eos>", *padding]),
        "reads": " ".join(["<sos>", *words]),
    }


def _in_code(words):
    return f"`{' '.join(words)}`"


# --- loss-of-a-batch


def _losses(draw):
    most = pick(draw, [10, 60])  # of padding
    lengths = torch.tensor(some(draw, [2, 3, 4, 5], 2))
    words = torch.arange(5) < lengths[:, None]
    losses = torch.where(words, draw.whole(5, 40, 2, 5), draw.whole(1, most, 2, 5)) / 10
    return {"losses": losses, "words": words}


def mean_of_means(losses, words):
    return ((losses * words).sum(-1) / words.sum(-1)).mean()


# --- likeliest-sentence


def _two_steps(draw):
    while True:
        table = torch.cat([twentieths(draw, 3)[:, None], twentieths(draw, 3, 3)], 1)
        best, next_best = products(table).flatten().topk(2).values.tolist()
        if best > next_best + 0.02 and int(products(table).argmax()) != greedy(table):
            return {"table": table}


def products(table):
    return table[:, :1] * table[:, 1:]


def _sentence(place):
    return f"*{FIRSTS[int(place) // 3]} {SECONDS[int(place) % 3]}*"


def greedy(table):
    first = int(table[:, 0].argmax())
    return 3 * first + int(table[first, 1:].argmax())


# --- perplexity


def _halvings(draw):
    while True:
        powers = draw.whole(1, 6, pick(draw, [3, 4])).tolist()
        if sum(powers) % len(powers) == 0 and len({*powers}) > 1:
            return {"powers": powers, "shares": ", ".join(f"1/{2**power}" for power in powers)}


# --- exact-match


def _counts(draw):
    words = torch.tensor([pick(draw, [4, 5, 6, 8, 10]) for _ in range(5)])
    missing = torch.tensor(some(draw, [0, 0, 1, 1, 2, 3, 0], 5))
    return {"counts": torch.stack([words - missing, words]).float()}


ITEMS = [
    Item(
        id="what-to-write",
        section="06.4",
        text="A target in a batch is `{row}`. In training the decoder reads `{reads}`. What is it "
        "to write, step by step?",
        draw=_target,
        right=lambda target, count: _in_code(target[1 : 1 + count]),
        wrong={
            "off-by-one": [
                lambda target, count: _in_code(target[:count]),
                lambda target, count: _in_code(target[2 : 2 + count]),
            ],
            "marks-are-words": lambda target, count: _in_code([*target[1:count], "<pad>"]),
        },
        why="At each step it writes the word after the one that it reads; after the last word "
        "comes `<eos>`. Without the shift it would learn to copy.",
    ),
    Item(
        id="loss-of-a-batch",
        section="06.4",
        text="The losses of two sentences (rows) at five steps, and where there is a word or "
        "`<eos>` (1), where padding (0). What is the mean loss of the batch?",
        draw=_losses,
        shows={"losses": grid([], [], 1), "words": grid([], [], 0)},
        right=lambda losses, words: losses[words].mean(),
        wrong={
            "padding-in-loss": lambda losses: losses.mean(),
            "padding-is-harmless": lambda losses, words: (losses * words).mean(),
            "averages-anywhere": mean_of_means,
        },
        result=number(2),
        why="Padding counts neither in the sum nor in the number it is divided by, and every "
        "word counts alike, in a long sentence as in a short one.",
    ),
    Item(
        id="exact-match",
        section="06.5",
        text="Five translations, with the number of words that are right and of all words. How "
        "large is the exact match, in %?",
        draw=_counts,
        shows={"counts": grid(["right", "all"], [], 0)},
        right=lambda counts: 100 * (counts[0] == counts[1]).float().mean(),
        wrong={
            "averages-anywhere": lambda counts: 100 * (counts[0] / counts[1]).mean(),
            "sum-and-mean": lambda counts: 100 * counts[0].sum() / counts[1].sum(),
            "half-is-enough": lambda counts: 100 * (counts[0] >= counts[1] / 2).float().mean(),
        },
        result=number(1),
        typed=True,
        why="The exact match is the share of sentences that are right in every word. A single "
        "wrong word counts as much as ten.",
    ),
    Item(
        id="likeliest-sentence",
        section="06.8",
        text="Each row: a first word, its probability, and those of each second word behind it. "
        "Which sentence of two words is the likeliest, as a beam of three finds?",
        draw=_two_steps,
        shows={"table": grid(FIRSTS, ["first", *SECONDS])},
        right=lambda table: products(table).argmax(),
        wrong={
            "hard-choice": greedy,
            "largest-of-a-row": lambda table: table[:, 1:].argmax(),
        },
        result=_sentence,
        why="A sentence is as likely as the product of its words' probabilities. The likeliest "
        "first word need not begin the likeliest sentence, and the beam keeps all three.",
    ),
    Item(
        id="perplexity",
        section="06.9",
        text="To the words of a sentence, one after the other, a model gives the probabilities "
        "{shares}. What is its perplexity on them?",
        draw=_halvings,
        right=lambda powers: 2 ** (sum(powers) / len(powers)),
        wrong={
            "logarithm": lambda powers: math.log(2) * sum(powers) / len(powers),
            "averages-anywhere": lambda powers: sum(2**power for power in powers) / len(powers),
            "sum-and-mean": lambda powers: 2 ** sum(powers),
        },
        result=number(1),
        typed=True,
        why="Perplexity is exp of the mean of −log p. With powers of 1/2: average the exponents, "
        "and raise 2 to that.",
    ),
]
