"""Copies between `MultiHeadAttention` and PyTorch's `nn.MultiheadAttention`, both ways.

Two twins compute the same. Notebook 05, section 4, compares them; notebook 08, section 2, puts one
into PyTorch's blocks.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from utils.attention import MultiHeadAttention


def from_torch(
    reference: nn.MultiheadAttention,
    make: Callable[..., MultiHeadAttention] = MultiHeadAttention,
) -> MultiHeadAttention:
    """Return a `MultiHeadAttention` with the weights of PyTorch's module, to compute the same.

    If `make` gives it fewer key and value heads, each of them gets the mean of the heads that it
    replaces. Source: Ainslie et al. 2023, section 2.1.

    Args:
        reference: PyTorch's module.
        make: called as `MultiHeadAttention` is.

    Raises:
        ValueError: the reference uses `add_bias_kv` or `add_zero_attn`.
    """
    if reference.bias_k is not None or reference.add_zero_attn:
        raise ValueError("add_bias_kv and add_zero_attn have no counterpart here")
    sizes = (reference.embed_dim, reference.num_heads, reference.kdim, reference.vdim)
    twin = make(*sizes, reference.dropout, bias=reference.in_proj_bias is not None)
    twin.to(reference.out_proj.weight)
    with torch.no_grad():
        for ours, theirs in zip(_our_parts(twin), _their_parts(reference), strict=True):
            heads = theirs.unflatten(0, (len(ours) // twin.head_dim, -1, twin.head_dim))
            ours.copy_(heads.mean(1).flatten(0, 1))
    return twin


def to_torch(attention: MultiHeadAttention) -> nn.MultiheadAttention:
    """Return an `nn.MultiheadAttention` (batch first) that computes the same as this module.

    Keys and values that several heads share are copied for each of these heads.

    Raises:
        ValueError: the module has positions, norms of queries and keys, heads of another width
            than dim / heads, or a bias for queries, keys and values alone.
    """
    if attention.positions is not None:
        raise ValueError("positions have no counterpart in nn.MultiheadAttention")
    dim, heads, head_dim = attention.query_dim, attention.heads, attention.head_dim
    plain = isinstance(attention.norm_q, nn.Identity) and heads * head_dim == dim
    if not plain or (attention.W_q.bias is None) != (attention.W_o.bias is None):
        raise ValueError(
            'qk_norm, head_dim and bias="inputs" have no counterpart in nn.MultiheadAttention'
        )
    settings = {"dropout": attention.attention.dropout.p, "bias": attention.W_o.bias is not None}
    widths = {"kdim": attention.key_dim, "vdim": attention.value_dim, "batch_first": True}
    twin = nn.MultiheadAttention(dim, heads, **settings, **widths).to(attention.W_o.weight)
    with torch.no_grad():
        for theirs, ours in zip(_their_parts(twin), _our_parts(attention), strict=True):
            of_heads = ours.unflatten(0, (-1, head_dim))
            theirs.copy_(of_heads.repeat_interleave(len(theirs) // len(ours), 0).flatten(0, 1))
    return twin


def _our_parts(attention: MultiHeadAttention) -> list[Tensor]:
    layers = [attention.W_q, attention.W_k, attention.W_v, attention.W_o]
    biases = [layer.bias for layer in layers if layer.bias is not None]
    return [*(layer.weight for layer in layers), *biases]


def _their_parts(mha: nn.MultiheadAttention) -> list[Tensor]:
    """Return the weights of a module's four projections (query, key, value, output), then biases.

    They are views: writing to them changes the module.
    """
    separate = [mha.q_proj_weight, mha.k_proj_weight, mha.v_proj_weight]
    weights = separate if mha.in_proj_weight is None else mha.in_proj_weight.chunk(3)
    biases = [] if mha.in_proj_bias is None else [*mha.in_proj_bias.chunk(3), mha.out_proj.bias]
    return [*weights, mha.out_proj.weight, *biases]
