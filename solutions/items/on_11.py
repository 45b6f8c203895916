"""Items on notebook 11, a real model."""

import torch

from solutions.item import Item, grid
from solutions.items._draws import some

HEADS = ["head 3.1", "head 5.0", "head 8.6", "head 9.4"]


# --- first-layer-that-differs


def _differences(draw):
    fault = int(draw.whole(2, 6))
    rounding = -(draw.whole(62, 75, fault)) / 10
    after = -torch.tensor(some(draw, range(3, 25), 9 - fault)) / 10
    return {"powers": torch.cat([rounding, after])}


# --- head-beside-a-control


def _table(draw):
    weights = torch.tensor(some(draw, [0.12, 0.2, 0.31, 0.44, 0.58, 0.7, 0.83], 4))
    without = torch.tensor(some(draw, [0.4, 1.1, 1.9, 2.6, 3.4, 4.2, 5.0], 4))
    control = torch.tensor(some(draw, [0.0, 0.1, 0.3, 0.9, 1.8, 2.9, 3.7], 4))
    return {"table": torch.stack([weights, without, control], 1)}


ITEMS = [
    Item(
        id="first-layer-that-differs",
        section="11.3",
        text="After each layer, the states of a model and of its port differ by these powers of "
        "ten (as shares of the largest entry). Where do you look for the fault?",
        draw=_differences,
        shows={"powers": grid([], [str(layer) for layer in range(9)], 1)},
        right=lambda powers: (powers > -4).int().argmax(),
        wrong={
            "largest-of-a-row": lambda powers: powers.argmax(),
            "off-by-one": lambda powers: (powers > -4).int().argmax() - 1,
            "curve-by-its-end": lambda powers: len(powers) - 1,
        },
        result=lambda layer: f"in layer {int(layer)}",
        why="Before the fault only rounding differs; from the first layer that differs on, all "
        "later ones carry the difference along, larger or smaller.",
    ),
    Item(
        id="head-beside-a-control",
        section="11.5",
        text="Of four heads: the weight on the word to copy, what copying costs more without the "
        "head, and without another one of its layer (control). Which head matters most for "
        "copying, by this table?",
        draw=_table,
        shows={"table": grid(HEADS, ["weight", "without it", "control"])},
        right=lambda table: (table[:, 1] - table[:, 2]).argmax(),
        wrong={
            "plausible-is-right": lambda table: table[:, 0].argmax(),
            "half-is-enough": lambda table: table[:, 1].argmax(),
        },
        result=lambda place: HEADS[int(place)],
        why="A weight is not yet an effect, and a loss may come from the mere disturbance: what "
        "counts is how much more is lost without the head than without another.",
    ),
]
