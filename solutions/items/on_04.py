"""Items on notebook 04, scaled dot-product attention."""

import math

import torch

from solutions.item import Item, code, grid, number
from solutions.items._draws import pick, some

SRC = ["the", "cat", "sat", "down"]


# --- mask-and-softmax


def _masked_row(draw):
    scores = draw.whole(-3, 3, 4).float()
    scores[3] = scores.max() + int(draw.whole(-1, 0))  # what is hidden would take a large share
    return {"scores": scores, "mask": torch.tensor([True, True, True, False])}


def softmax_before_mask(scores, mask):
    return scores.softmax(-1) * mask


def zero_score_hides(scores, mask):
    return (scores * mask).softmax(-1)


# --- spread-of-the-scores


def _divided(draw):
    by = pick(draw, ["by nothing", "by their width"])
    width = pick(draw, [16, 25, 36, 64, 100])
    return {"width": width, "by": by, "divisor": 1 if by == "by nothing" else width}


# --- read-a-mask


OPERATORS = {
    "<": torch.lt,
    "<=": torch.le,
    ">": torch.gt,
    ">=": torch.ge,
}
STRICT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def _compared(draw):
    return {"operator": pick(draw, [*OPERATORS]), "row_first": bool(draw.whole(0, 1)), "size": 4}


def compare(operator, row_first, size):
    places = torch.arange(size)
    rows, columns = places[:, None], places[None, :]
    one, other = (rows, columns) if row_first else (columns, rows)
    return OPERATORS[operator](one, other)


def mask_lines(operator, row_first):
    rows, columns = "places[:, None]", "places[None, :]"
    one, other = (rows, columns) if row_first else (columns, rows)
    return f"places = torch.arange(4)\nmask = {one} {operator} {other}"


# --- nothing-to-look-at


def _closed_row(draw):
    size, low = int(draw.whole(2, 5)), pick(draw, ["-math.inf", "-1e9", "-1e9"])
    scores = some(draw, range(-4, 6), size)
    lines = f"""
scores = torch.tensor([{", ".join(f"{score}." for score in scores)}])  # float32
mask = torch.tensor({[False] * size})
weights = scores.masked_fill(~mask, {low}).softmax(-1)"""
    return {"lines": lines, "scores": torch.tensor(scores).float(), "low": low}


def in_words(weights):
    if weights.isnan().any():
        return "NaN everywhere"
    if (weights == weights[0]).all():
        return f"all of them {float(weights[0]):.2f}"
    return ", ".join(f"{float(weight):.2f}" for weight in weights)


def filled(scores, low):
    return torch.full_like(scores, float(low.replace("math.", ""))).softmax(-1)


# --- running-softmax


def _so_far(draw):
    return {
        "total": int(draw.whole(2, 9)),
        "mixed": 4 * int(draw.whole(5, 30)),
        "factor": pick(draw, [0.5, 0.25]),
        "value": int(draw.whole(2, 30)),
    }


ITEMS = [
    Item(
        id="spread-of-the-scores",
        section="04.1",
        text="Queries and keys of width {width} have independent entries of mean 0 and variance 1. "
        "Their dot products are divided {by}. How large is the spread (the standard deviation) of "
        "these scores, roughly?",
        draw=_divided,
        right=lambda width, divisor: math.sqrt(width) / divisor,
        wrong={
            "variance-is-spread": lambda width, divisor: width / divisor,
            "no-scale": lambda divisor: 1 / divisor,
        },
        result=number(2),
        typed=True,
        why="A dot product adds up d terms of variance 1: its variance is d, its spread √d. "
        "Dividing scores divides their spread.",
    ),
    Item(
        id="mask-and-softmax",
        section="04.4",
        text="The scores of one query, and a mask that hides the last key. What are its weights?",
        draw=_masked_row,
        shows={"scores": grid(["scores"], SRC, 0), "mask": grid(["mask"], SRC, 0)},
        right=lambda scores, mask: scores.masked_fill(~mask, -math.inf).softmax(-1),
        wrong={
            "mask-after-softmax": softmax_before_mask,
            "low-score-hides": zero_score_hides,
            "mask-upside-down": lambda scores, mask: scores.masked_fill(mask, -math.inf).softmax(
                -1
            ),
        },
        result=grid([], SRC),
        why="A hidden key takes no part in the softmax, so the others share the whole.",
    ),
    Item(
        id="read-a-mask",
        section="04.4",
        text="Which mask do these lines make? (1 stands for `True`.)",
        draw=lambda draw: (
            (drawn := _compared(draw))
            | {"lines": mask_lines(drawn["operator"], drawn["row_first"])}
        ),
        shows={"lines": code},
        right=compare,
        wrong={
            "axes-anywhere": lambda operator, row_first, size: compare(operator, row_first, size).T,
            "off-by-one": lambda operator, row_first, size: compare(
                STRICT[operator], row_first, size
            ),
            "mask-upside-down": lambda operator, row_first, size: (
                ~compare(operator, row_first, size)
            ),
        },
        result=grid([], [], 0),
        why="`[:, None]` lays the places along the rows, `[None, :]` along the columns. Try the "
        "diagonal, where the two are equal, and then one corner.",
    ),
    Item(
        id="nothing-to-look-at",
        section="04.5",
        text="This row may look at nothing. What are its weights?",
        draw=_closed_row,
        shows={"lines": code},
        right=lambda scores, low: in_words(filled(scores, low)),
        wrong={
            "low-score-hides": lambda scores: in_words(torch.zeros_like(scores)),
            "mask-upside-down": lambda scores: in_words(scores.softmax(-1)),
            "no-empty-rows": lambda scores, low: in_words(
                filled(scores, "-1e9" if low == "-math.inf" else "-math.inf")
            ),
        },
        why="Minus infinities alone make 0 / 0, which is NaN; finite numbers that are all equal "
        "make equal shares. Neither gives the zeros that such a row should have.",
    ),
    Item(
        id="running-softmax",
        section="04.9",
        text="A running softmax holds the sum {total} and the weighted sum {mixed}. The next key "
        "has the largest score so far: exp(old largest − new) = {factor}; its value is {value}. "
        "What is the context now? (One decimal.)",
        draw=_so_far,
        right=lambda total, mixed, factor, value: (mixed * factor + value) / (total * factor + 1),
        wrong={
            "stale-value": lambda total, mixed, value: (mixed + value) / (total + 1),
            "half-is-enough": [
                lambda total, mixed, factor, value: (mixed * factor + value) / (total + 1),
                lambda total, mixed, factor, value: (mixed + value) / (total * factor + 1),
            ],
        },
        result=number(1),
        typed=True,
        why="Both sums are measured from the old largest score, so both are multiplied by the "
        "factor before the new key adds 1 and its value.",
    ),
]
