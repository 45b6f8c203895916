"""List every mechanism of the course, with the facts about it that tests need.

To test a new mechanism, add a record to `MECHANISMS`: the tests of what all mechanisms have in
common then run on it, too.
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
from utils.positions import AlibiPositions, RotaryPositions, rotary_frequencies

DIM = 8  # width of queries, keys, values and contexts


@dataclass(frozen=True)
class Mechanism:
    """A function that makes a mechanism, and facts about that mechanism.

    Attributes:
        make: returns a new mechanism with random weights.
        heads: sizes of the axes that its scores have between batch and (tgt_len, src_len).
        local: whether each query sees only a window of the source.
        self_only: whether it is for self-attention only, where the queries are the keys, in their
            order.
        ordered: whether its scores depend on the places of queries and keys.
        empty: takes the mechanism; returns the context (DIM,) of a query whose keys are all masked.
    """

    make: Callable[..., Attention]
    heads: tuple[int, ...] = ()
    local: bool = False
    self_only: bool = False
    ordered: bool = False
    empty: Callable[[Attention], Tensor] = lambda mechanism: torch.zeros(DIM)

    def inputs(self, batch: int, tgt_len: int, src_len: int) -> tuple[Tensor, Tensor]:
        """Return a random query (batch, tgt_len, DIM) and random keys (batch, src_len, DIM).

        For self-attention, the query is the first `tgt_len` keys, so there are `tgt_len` keys at
        least.
        """
        keys = torch.randn(batch, max(src_len, tgt_len) if self.self_only else src_len, DIM)
        query = keys[:, :tgt_len].clone() if self.self_only else torch.randn(batch, tgt_len, DIM)
        return query, keys


class SlidingWindowAttention(MultiHeadAttention):
    """Self-attention in which each word sees only itself and the `width - 1` words before it.

    It is an example of a subclass that needs the positions of the queries.
    """

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
        ordered="positions" in settings,
        empty=lambda mechanism: mechanism.W_o(torch.zeros(mechanism.W_o.in_features)),
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
    "rotary": multi_head(heads=2, positions=RotaryPositions(DIM // 2)),
    "ALiBi": multi_head(heads=2, positions=AlibiPositions()),
    "partly rotary": multi_head(
        heads=2, positions=RotaryPositions(DIM // 2, frequencies=rotary_frequencies(2))
    ),
    "own head width": multi_head(heads=2, head_dim=6),
    "QK-norm": multi_head(heads=2, qk_norm=1e-6),
    "Qwen 2": multi_head(heads=4, kv_heads=2, bias="inputs", positions=RotaryPositions(2)),
    "Qwen 3": multi_head(
        heads=4, kv_heads=2, bias=False, positions=RotaryPositions(6), head_dim=6, qk_norm=1e-6
    ),
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
    """Return a decorator that runs a test once for each of these mechanisms."""
    return pytest.mark.parametrize("mechanism", mechanisms.values(), ids=mechanisms.keys())


every_mechanism = every(MECHANISMS)
every_unordered_mechanism = every(
    {
        name: mechanism
        for name, mechanism in MECHANISMS.items()
        if not (mechanism.local or mechanism.ordered)
    }
)
