"""Seventeen faults that a port of a model can have, each put into a copy that shares its weights.

All of them load without a word. One, halves for pairs, was found in other people's code three
times; notebook 11 shows what each does to the loss, and to the capital of France.
"""

import copy
from collections.abc import Callable
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor

from utils.positions import rotary_frequencies
from utils.pretrained.architecture import CausalLM


def twin(model: CausalLM) -> CausalLM:
    """Return a copy of a model that shares its weights, so that it costs next to nothing."""
    return copy.deepcopy(model, {id(weight): weight for weight in model.parameters()})


def with_first_values(model: CausalLM, values: Tensor) -> CausalLM:
    """Return a twin in whose last layers the first token of a text has other values than its own.

    Args:
        model: with at least as many layers as there are values for.
        values: (layers, kv_heads, head_dim), for the last layers.
    """
    changed = twin(model)
    for block, first in zip(changed.blocks[-len(values) :], values, strict=True):

        def project(y: Tensor, own: Callable = block.attention.project_values, first=first):
            projected = own(y).clone()  # (batch, kv_heads, len, head_dim)
            projected[:, :, 0] = first
            return projected

        block.attention.project_values = project
    return changed


def with_fault(model: CausalLM, name: str, layer: int | None = None) -> CausalLM:
    """Return a twin of a model that has one of the `FAULTS`, in all layers or in one.

    Raises:
        ValueError: there is no fault of that name, or it cannot be in one layer alone.
    """
    if name not in FAULTS:
        raise ValueError(f"there is no fault {name!r}; there are: {', '.join(FAULTS)}")
    wrong = twin(model)
    if layer is None:
        FAULTS[name](wrong)
    elif name in IN_ALL_LAYERS:
        raise ValueError(f"{name!r} is in all layers or in none: they share positions and masks")
    else:
        FAULTS[name](SimpleNamespace(blocks=[wrong.blocks[layer]]))
    return wrong


def _in_attention(change: Callable) -> Callable[[CausalLM], None]:
    def put_in(model):
        for block in model.blocks:
            change(block.attention)

    return put_in


def _scaled(scale: Callable) -> Callable[[CausalLM], None]:
    return _in_attention(
        lambda mha: setattr(mha.attention, "scale", scale(mha.query_dim, mha.head_dim))
    )


def _repeated(mha) -> None:
    mha.fused = False
    mha.share = lambda tensor: tensor.repeat(1, mha.heads // mha.kv_heads, 1, 1)


def _values_turned(mha) -> None:
    project = mha.project_values
    mha.project_values = lambda values: mha._turn(project(values), 0)


def _keys_turned_twice(mha) -> None:
    project = mha.project_keys
    mha.project_keys = lambda keys, position=0: mha._turn(project(keys, position), position)


def _queries_late(mha) -> None:
    project = mha.project_queries
    mha.project_queries = lambda query, position=0: project(query, position + 1)


def _in_the_clocks(**settings) -> Callable[[CausalLM], None]:
    def put_in(model):
        positions = model.blocks[0].attention.positions  # all blocks share them
        for name, value in settings.items():
            setattr(positions, name, value(positions))

    return put_in


def _masked(change: Callable[[Tensor], Tensor]) -> Callable[[CausalLM], None]:
    def put_in(model):
        masks = model.masks
        model.masks = lambda length: [change(mask) for mask in masks(length)]

    return put_in


def _activated(activation: Callable) -> Callable[[CausalLM], None]:
    def put_in(model):
        for block in model.blocks:
            net = block.feed_forward
            net.forward = lambda x, net=net: net.down(activation(net.gate(x)) * net.up(x))

    return put_in


def _gate_for_up(model: CausalLM) -> None:
    for block in model.blocks:
        net = block.feed_forward
        net.gate, net.up = net.up, net.gate


def _large_eps(model: CausalLM) -> None:
    for block in model.blocks:
        for norm in block.norms:
            norm.eps = 1e-2


FAULTS: dict[str, Callable[[CausalLM], None]] = {
    "key heads dealt out by repeat": _in_attention(_repeated),
    "halves for pairs": _in_the_clocks(layout=lambda its: "halves"),
    "nothing turned": _in_the_clocks(frequencies=lambda its: 0 * its.frequencies),
    "base 10,000 for 100,000": _in_the_clocks(
        frequencies=lambda its: rotary_frequencies(2 * len(its.frequencies), 10_000.0)
    ),
    "scores / √(whole width)": _scaled(lambda dim, head_dim: dim**-0.5),
    "scores / width of a head": _scaled(lambda dim, head_dim: 1 / head_dim),
    "scores not divided": _scaled(lambda dim, head_dim: 1.0),
    "no mask": _masked(torch.ones_like),
    "mask open by one": _masked(lambda mask: torch.ones_like(mask).tril(1)),
    "mask shut by one": _masked(lambda mask: mask.tril(-1)),
    "ε = 0.01 in the norms": _large_eps,
    "GELU for SiLU": _activated(F.gelu),
    "ReLU for SiLU": _activated(F.relu),
    "gate and up exchanged": _gate_for_up,
    "values turned too": _in_attention(_values_turned),
    "keys turned twice": _in_attention(_keys_turned_twice),
    "queries one place late": _in_attention(_queries_late),
}
IN_ALL_LAYERS = {"halves for pairs", "nothing turned", "base 10,000 for 100,000"} | {
    name for name in FAULTS if "mask" in name
}
