"""Every mechanism of the course, with what a test has to know about it."""

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

DIM = 8  # width of queries, keys, values and contexts


@dataclass(frozen=True)
class Mechanism:
    """How to make a mechanism, and what is special about it.

    Attributes:
        make: makes it, with random weights.
        heads: sizes of the axes that its scores have before (tgt_len, src_len).
        local: whether each query sees a window of the source only.
        decays: whether even a row that is not masked sums to less than 1.
        empty: its context where every position is masked.
    """

    make: Callable[..., Attention]
    heads: tuple[int, ...] = ()
    local: bool = False
    decays: bool = False
    empty: Callable[[Attention], Tensor] = lambda mechanism: torch.zeros(DIM)


def multi_head(heads: int, **settings) -> Mechanism:
    return Mechanism(
        lambda **more: MultiHeadAttention(DIM, heads, **settings, **more),
        heads=(heads,),
        empty=lambda mechanism: mechanism.W_o.bias,
    )


def local(**settings) -> Mechanism:
    return Mechanism(
        lambda: LocalAttention(DIM, DIM, half_width=2, **settings),
        local=True,
        decays=settings.get("centres") == "predicted",
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
}


def every(mechanisms: dict[str, Mechanism]):
    """Run a test once for each of these mechanisms."""
    return pytest.mark.parametrize("mechanism", mechanisms.values(), ids=mechanisms.keys())


every_mechanism = every(MECHANISMS)
every_global_mechanism = every({name: one for name, one in MECHANISMS.items() if not one.local})
