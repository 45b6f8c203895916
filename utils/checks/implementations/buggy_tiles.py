"""Attention tile by tile: `tiles(query, keys, values, mask, block)` → context."""

import math

import torch

from utils.attention import ScaledDotProductAttention
from utils.checks.implementations import Implementations


def at_once(query, keys, values, mask, block):
    """Compute attention with the course's own module, without tiles."""
    return ScaledDotProductAttention(query.shape[-1])(query, keys, values, mask)[0]


def tile_by_tile(
    divisor=math.sqrt,
    start=-math.inf,
    measured=True,
    shrink_total=True,
    shrink_context=True,
    short_end=True,
    hidden=0.0,
    empty=1e-30,
):
    """Return attention that reads the keys tile by tile, in which a bug can replace a part."""

    def tiles(query, keys, values, mask, block):
        lowest = torch.finfo(query.dtype).min
        largest = query.new_full((*query.shape[:2], 1), max(start, lowest))  # (batch, tgt_len, 1)
        total, context = torch.zeros_like(largest), torch.zeros_like(query[..., :1] @ values[:, :1])
        for place in range(0, keys.shape[1] - (0 if short_end else block - 1), block):
            part = slice(place, place + block)
            scores = query @ keys[:, part].mT / divisor(query.shape[-1])
            scores = scores.masked_fill(~mask[..., part], lowest)  # (batch, tgt_len, block)
            new = largest.maximum(scores.amax(-1, keepdim=True))
            powers = (scores - new if measured else scores).exp()
            powers = powers.where(mask[..., part], powers * hidden)
            shrink = (largest - new).exp() if measured else 1.0
            total = total * (shrink if shrink_total else 1.0) + powers.sum(-1, keepdim=True)
            context = context * (shrink if shrink_context else 1.0) + powers @ values[:, part]
            largest = new
        return context / total.clamp(min=empty)

    return tiles


IMPLEMENTATIONS = Implementations(
    right=[at_once, tile_by_tile()],
    broken={
        "no-scale": tile_by_tile(divisor=lambda dim: 1),
        "formula-is-safe": tile_by_tile(measured=False),
        "low-score-hides": tile_by_tile(start=0.0),
        "stale-value": tile_by_tile(shrink_context=False),
        "half-is-enough": tile_by_tile(shrink_total=False),
        "sizes-always-equal": tile_by_tile(short_end=False),
        "no-empty-rows": tile_by_tile(empty=0.0),
        "empty-rows-sum-to-one": tile_by_tile(hidden=1.0),
    },
)
