"""Every mechanism of the course, with what a test has to know about it.

A new mechanism needs a record in `MECHANISMS`, and no new tests for what holds for all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from utils.attention import (
    AdditiveAttention,
    Attention,
    ConcatenatedAdditiveAttention,
    DotProductAttention,
    LocalAttention,
    MultiHeadAttention,
    MultiplicativeAttention,
    ScaledDotProductAttention,
)
from utils.masks import check_mask, window_mask

DIM = 8  # width of queries, keys, values and contexts


@dataclass(frozen=True)
class Mechanism:
    """A way to make a mechanism, and its special features.

    Attributes:
        make: makes it, with random weights.
        heads: sizes of the axes that its scores have before (tgt_len, src_len).
        local: whether each query sees a window of the source only.
        self_only: whether it is for self-attention only: the queries are the keys, in their order.
        empty: its context where every position is masked.
    """

    make: Callable[..., Attention]
    heads: tuple[int, ...] = ()
    local: bool = False
    self_only: bool = False
    empty: Callable[[Attention], Tensor] = lambda mechanism: torch.zeros(DIM)

    def inputs(self, batch: int, tgt_len: int, src_len: int) -> tuple[Tensor, Tensor]:
        """Draw a query and keys, at least as many as queries in self-attention."""
        keys = torch.randn(batch, max(src_len, tgt_len) if self.self_only else src_len, DIM)
        query = keys[:, :tgt_len].clone() if self.self_only else torch.randn(batch, tgt_len, DIM)
        return query, keys


class SlidingWindowAttention(MultiHeadAttention):
    """Self-attention over the last `width` words: an example of a subclass that needs positions."""

    def __init__(self, dim: int, heads: int, width: int = 3):
        super().__init__(dim, heads)
        self.width = width

    def _attend(self, query, memory, position=0, return_weights="mean"):
        src_len = memory.keys.shape[2]
        positions = self.target_positions(query, position)  # (tgt_len,)
        mask = window_mask(positions, src_len, self.width - 1)  # (tgt_len, src_len)
        mask = mask & (torch.arange(src_len, device=query.device) <= positions.unsqueeze(-1))
        if memory.mask is not None:
            heads = () if memory.mask.dim() < 4 else (self.heads,)
            check_mask(memory.mask, (len(query), *heads, *mask.shape))
            mask = mask & memory.mask
        return super()._attend(query, memory._replace(mask=mask), position, return_weights)


def multi_head(heads: int, **settings) -> Mechanism:
    """Return the record of a multi-head attention with these settings."""
    return Mechanism(
        lambda **more: MultiHeadAttention(DIM, heads, **settings, **more),
        heads=(heads,),
        empty=lambda mechanism: mechanism.W_o.bias,
    )


def local(**settings) -> Mechanism:
    """Return the record of a local attention with these settings."""
    return Mechanism(
        lambda: LocalAttention(DIM, DIM, half_width=2, **settings),
        local=True,
    )


MECHANISMS = {
    "dot": Mechanism(lambda: DotProductAttention(DIM)),
    "additive": Mechanism(lambda: AdditiveAttention(DIM, DIM, 6)),
    "concatenated": Mechanism(lambda: ConcatenatedAdditiveAttention(DIM, DIM, 6)),
    "luong dot": Mechanism(lambda: MultiplicativeAttention(DIM, DIM, "dot")),
    "luong general": Mechanism(lambda: MultiplicativeAttention(DIM, DIM, "general")),
    "luong concat": Mechanism(lambda: MultiplicativeAttention(DIM, DIM, "concat")),
    "scaled": Mechanism(lambda **settings: ScaledDotProductAttention(DIM, **settings)),
    "multi-head": multi_head(heads=2),
    "grouped-query": multi_head(heads=4, kv_heads=2),
    "multi-query": multi_head(heads=4, kv_heads=1),
    "local-m": local(),
    "local-p": local(centres="predicted"),
    "sliding window": Mechanism(
        lambda: SlidingWindowAttention(DIM, 2),
        heads=(2,),
        local=True,
        self_only=True,
        empty=lambda mechanism: mechanism.W_o.bias,
    ),
}


def every(mechanisms: dict[str, Mechanism]):
    """Run a test once for each of these mechanisms."""
    return pytest.mark.parametrize("mechanism", mechanisms.values(), ids=mechanisms.keys())


every_mechanism = every(MECHANISMS)
every_global_mechanism = every(
    {name: mechanism for name, mechanism in MECHANISMS.items() if not mechanism.local}
)
