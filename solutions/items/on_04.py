"""Items on notebook 04, scaled dot-product attention."""

import math

import torch

from solutions.item import Item, grid, number

SRC = ["the", "cat", "sat", "down"]


def _masked_row(draw):
    return {"scores": draw.whole(-3, 3, 4).float(), "mask": torch.tensor([True, True, True, False])}


def softmax_before_mask(scores, mask):
    return scores.softmax(-1) * mask


def zero_score_hides(scores, mask):
    return (scores * mask).softmax(-1)


ITEMS = [
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
        why="A hidden key takes no part in the softmax, so the other three share the whole.",
    ),
    Item(
        id="spread-of-a-dot-product",
        section="04.1",
        text="Queries and keys of width {d} have random entries of variance 1. How large is the "
        "spread (the standard deviation) of their dot products, roughly?",
        draw=lambda draw: {"d": int(draw.whole(5, 20)) ** 2},
        right=lambda d: d**0.5,
        wrong={
            "variance-is-spread": lambda d: d,
            "no-scale": lambda d: 1,
            "scale-by-width": lambda d: d / 4,
        },
        result=number(0),
        why="The dot product adds up d terms of variance 1: its variance is d, its spread √d.",
    ),
]
