"""Causal attention of new words with rotary positions: queries, keys, values, start → contexts.

`rotary_step(queries, keys, values, start)` takes the queries of new words (new, dim), which stand
at `start` and after it, and keys and values of all words up to the last new one (start + new, …).
It returns the contexts (new, width).
"""

import torch

from utils.attention import ScaledDotProductAttention
from utils.checks.implementations import Implementations
from utils.masks import causal_mask, masked_softmax
from utils.positions import RotaryPositions


def as_in_the_course(queries, keys, values, start):
    """Compute the contexts with the course's positions, attention and mask."""
    turn = RotaryPositions(keys.shape[1]).turn
    places = torch.arange(len(keys))
    attend = ScaledDotProductAttention(keys.shape[1])
    turned = turn(queries, places[start:])[None], turn(keys, places)[None]
    return attend(*turned, values[None], causal_mask(len(keys))[start:])[0][0]


def frequencies_of(dim):
    return 10_000.0 ** (-torch.arange(dim // 2) / (dim // 2))


def in_halves(x, places, frequencies=frequencies_of):
    angles = places[:, None] * frequencies(x.shape[1])  # (len, dim / 2)
    a, b = x.chunk(2, dim=1)
    return torch.cat(
        [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=1
    )


def in_pairs(x, places):
    halves = torch.cat([x[:, 0::2], x[:, 1::2]], dim=1)
    return torch.stack(in_halves(halves, places).chunk(2, dim=1), dim=2).flatten(1)


def step(
    turn_query=in_halves,
    turn_key=in_halves,
    query_place=lambda start: start,
    open_cells=lambda start, length: causal_mask(length)[start:],
    scale=lambda dim: dim**0.5,
):
    """Return the step written line by line, in which a bug can replace a part."""

    def rotary_step(queries, keys, values, start):
        new, length = len(queries), len(keys)
        turned = turn_query(queries, query_place(start) + torch.arange(new))  # (new, dim)
        scores = turned @ turn_key(keys, torch.arange(length)).T / scale(keys.shape[1])
        return masked_softmax(scores, open_cells(start, length)) @ values  # (new, width)

    return rotary_step


def twice(x, places):
    return in_halves(in_halves(x, places), places)


def backwards(x, places):
    return in_halves(x, -places)


def one_clock(x, places):
    return in_halves(x, places, lambda dim: torch.ones(dim // 2))


def as_at_the_beginning(start, length):
    return causal_mask(length)[: length - start]


def all_open(start, length):
    return torch.ones(length - start, length, dtype=torch.bool)


IMPLEMENTATIONS = Implementations(
    right=[as_in_the_course, step()],
    broken={
        "places-begin-at-zero": step(query_place=lambda start: 0),
        "layouts-alike": step(turn_key=in_pairs),
        "turned-again": step(turn_key=twice),
        "half-is-enough": step(turn_key=lambda x, places: x),
        "opposite": step(turn_key=backwards),
        "clocks": step(turn_query=one_clock, turn_key=one_clock),
        "wrong-end": step(open_cells=as_at_the_beginning),
        "future-open": step(open_cells=all_open),
        "no-scale": step(scale=lambda dim: 1.0),
    },
)
