"""Items on notebook 03, multiplicative attention."""

import torch

from solutions.item import Item, code, curves, grid, number
from solutions.items._draws import pick, twentieths

LENGTHS = [0.25 * step for step in range(17)]  # of a key, as a multiple of its first length
PLACES = [str(place) for place in range(3, 10)]
CHANGES = [
    "the weights stay, the new state differs",
    "the weights differ, the new state stays",
    "both of them differ from the first run",
    "both of them stay as in the first run",
]


# --- numbers-that-a-score-learns


def learned(score, query, key, hidden):
    return query * key if score == "general" else hidden * (query + key + 1)


def of_the_other(score, query, key, hidden):
    return learned("general" if score == "concat" else "concat", query, key, hidden)


def with_a_bias(score, query, key, hidden):
    return learned(score, query, key, hidden) + (query if score == "general" else hidden)


# --- longer-keys


def dot(first):
    return first * torch.tensor(LENGTHS)


def concat(first):
    return 2 * first * (torch.tensor(LENGTHS) * 0.55).tanh()


# --- places-of-a-window


def _centre(draw):
    tenths = pick(draw, [1, 2, 3, 4, 6, 7, 8, 9])
    return {"centre": int(draw.whole(8, 18)) + tenths / 10, "half": int(draw.whole(2, 4))}


def _from_to(low, high):
    return f"from {low} to {high}"


def without_rounding(centre, half):
    if centre % 1 > 0.5:  # the decimals are cut off
        return _from_to(int(centre) - half, int(centre) + half)
    return _from_to(int(centre - half) + 1, int(centre + half))


# --- bell-on-a-row


def _row_and_bell(draw):
    bell = torch.tensor([0.1, 0.3, 0.6, 0.9, 0.9, 0.6, 0.3, 0.1])
    first, at = int(draw.whole(0, 3)), int(draw.whole(0, 4))
    return {
        "weights": twentieths(draw, 5),
        "bell": bell[first : first + 5],
        "at": at,
        "place": PLACES[at],
    }


# --- which-state-asks


LOOK = "context, weights = attend({state}, memory)"
BAHDANAU = "{state} = rnn({word}, context, {state})"
LUONG = "{state} = rnn({word}, {state})"


def _step(draw):
    looks_first = bool(draw.whole(0, 1))
    names = pick(draw, [("s", "y"), ("state", "word"), ("hidden", "last")])
    lines = [LOOK, BAHDANAU] if looks_first else [LUONG, LOOK]
    return {
        "lines": "\n".join(lines).format(state=names[0], word=names[1]),
        "looks_first": looks_first,
        "changed": pick(draw, ["`memory`", f"`{names[1]}`"]),
    }


def changes(looks_first, changed):
    if changed == "`memory`":
        return 2 if looks_first else 1
    return 0 if looks_first else 2


def the_other_way_round(looks_first, changed):
    """Change whichever of the two stays, in the step where only one of them changes."""
    places = [changes(looks_first, changed), changes(not looks_first, changed)]
    return 1 - min(places)


ITEMS = [
    Item(
        id="numbers-that-a-score-learns",
        section="03.1",
        text="Queries have {query} numbers and keys {key}. How many numbers does the score "
        "*{score}* learn? (*concat* has {hidden} hidden units; no biases.)",
        draw=lambda draw: {
            "score": pick(draw, ["general", "concat"]),
            "query": int(draw.whole(3, 12)),
            "key": int(draw.whole(3, 12)),
            "hidden": int(draw.whole(2, 9)),
        },
        right=learned,
        wrong={
            "scores-alike": of_the_other,
            "biases-by-the-way": with_a_bias,
            "sizes-always-equal": lambda score, query, hidden: learned(score, query, query, hidden),
        },
        result=number(0),
        why="*General* learns one matrix, with a row for each number of the query and a column for "
        "each of the key. *Concat* learns the weights of its hidden units, and a number of points "
        "for each.",
    ),
    Item(
        id="longer-keys",
        section="03.1",
        text="A key gets longer and longer, and keeps its direction. How does its score go, if "
        "the score is *{score}*?",
        draw=lambda draw: {
            "score": pick(draw, ["dot", "concat"]),
            "first": int(draw.whole(4, 30)) / 10,
        },
        right=lambda score, first: dot(first) if score == "dot" else concat(first),
        wrong={
            "scores-alike": lambda score, first: concat(first) if score == "dot" else dot(first),
            "dot-is-cosine": lambda first: torch.full((len(LENGTHS),), first),
        },
        result=curves(LENGTHS, "length of the key", "score"),
        why="A dot product grows with the length of its vectors, without bound; the tanh in "
        "*concat* levels off.",
    ),
    Item(
        id="which-state-asks",
        section="03.4",
        text="A step of a decoder is run twice, the second time with another {changed} and "
        "all else as before. What becomes of its weights and of its new state?",
        draw=_step,
        shows={"lines": code},
        right=changes,
        wrong={
            "stale-value": lambda looks_first, changed: changes(not looks_first, changed),
            "input-unused": lambda: 3,
            "opposite": the_other_way_round,
        },
        result=lambda place: CHANGES[place],
        why="Follow the lines: what is computed from something changed changes too, and a line "
        "knows only what stands above it.",
    ),
    Item(
        id="places-of-a-window",
        section="03.5",
        text="Local attention with half width D = {half} has the centre {centre}, far from both "
        "ends of the source. Which places may be looked at?",
        draw=_centre,
        right=lambda centre, half: _from_to(round(centre) - half, round(centre) + half),
        wrong={
            "local-attention-roughly": without_rounding,
            "off-by-one": lambda centre, half: _from_to(
                round(centre) - half, round(centre) + half - 1
            ),
            "constant-factor": lambda centre, half: _from_to(
                round(centre) - 2 * half, round(centre) + 2 * half
            ),
        },
        why="The window holds the 2D + 1 places around the nearest whole place: D on either side.",
    ),
    Item(
        id="bell-on-a-row",
        section="03.5",
        text="In local-p attention a row has these weights, and the bell around its centre has "
        "these heights. What weight does place {place} have then, as in the paper?",
        draw=_row_and_bell,
        shows={"weights": grid(["weights"], PLACES[:5]), "bell": grid(["bell"], PLACES[:5])},
        right=lambda weights, bell, at: (weights * bell)[at],
        wrong={
            "divide-again": lambda weights, bell, at: (weights * bell / (weights @ bell))[at],
            "input-unused": lambda weights, at: weights[at],
            "local-attention-roughly": lambda weights, bell, at: (weights * (bell > 0.5))[at],
        },
        result=number(3),
        typed=True,
        why="After the softmax each weight is multiplied by the height of the bell at its place; "
        "the row may then sum to less than 1.",
    ),
]
