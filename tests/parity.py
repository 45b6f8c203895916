"""Compare our mechanisms with PyTorch's own on the same inputs, with the same weights.

Each comparison returns the largest relative difference of outputs, weights and gradients. The tests
set limits to these differences.
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.attention import MultiHeadAttention, ScaledDotProductAttention
from utils.masks import causal_mask, padding_mask
from utils.torch_twins import from_torch, to_torch

DIM, HEADS, GROUPED_HEADS = 24, 3, 4


@dataclass(frozen=True)
class Case:
    """The sizes of the inputs of a comparison, and the kind of its mask.

    Attributes:
        padding: whether sequences are padded: the first by 0 positions, the second by 1, and so on.
        causal: whether a query sees no later key.
        masked_rows: whether one query of each sequence, and all of the first, see no key.
    """

    name: str
    batch: int = 3
    tgt_len: int = 7
    src_len: int = 7
    key_dim: int = DIM
    value_dim: int = DIM
    padding: bool = False
    causal: bool = False
    masked_rows: bool = False

    def mask(self) -> Tensor | None:
        """Return the mask (batch, tgt_len, src_len), True where a query sees a key, or None."""
        if not (self.padding or self.causal or self.masked_rows):
            return None
        mask = torch.ones(self.batch, self.tgt_len, self.src_len, dtype=torch.bool)
        if self.padding:
            mask &= padding_mask([self.src_len - row for row in range(self.batch)], self.src_len)
        if self.causal:
            mask &= causal_mask(self.src_len)[: self.tgt_len]
        if self.masked_rows:
            mask[:, 1] = False  # one query of each sequence sees nothing
            mask[0] = False  # and one sequence is empty
        return mask


CASES = [
    Case("no mask"),
    Case("padding", padding=True),
    Case("causal", causal=True),
    Case("padding and causal", padding=True, causal=True),
    Case("rows masked whole", padding=True, masked_rows=True),
    Case("one query", tgt_len=1, padding=True),
    Case("one key", src_len=1),
    Case("batch of one", batch=1, causal=True),
    Case("different widths", src_len=9, key_dim=10, value_dim=14, padding=True),
]


def apart(ours: Tensor, theirs: Tensor) -> float:
    """Return the largest absolute difference, divided by the largest entry of the reference.

    With a single key, the gradient of the query is zero up to rounding, and dividing by it would
    mean nothing. So if the largest entry is 1e-5 or less, the difference is not divided.
    """
    size = theirs.abs().max().item()
    return (ours - theirs).abs().max().item() / (size if size > 1e-5 else 1.0)


def draw(case: Case, dtype: torch.dtype) -> list[Tensor]:
    """Return a random query, keys and values of the case's sizes, which require gradients."""
    shapes = (case.tgt_len, DIM), (case.src_len, case.key_dim), (case.src_len, case.value_dim)
    return [torch.randn(case.batch, *shape, dtype=dtype, requires_grad=True) for shape in shapes]


def scaled_dot_product(case: Case, dtype: torch.dtype) -> dict[str, float]:
    """Compare `ScaledDotProductAttention` with `F.scaled_dot_product_attention`.

    Returns:
        The relative differences (see `apart`) of "outputs", "weights" and "gradients".
    """
    torch.manual_seed(0)
    mask = case.mask()
    query, keys, values = inputs = draw(replace(case, key_dim=DIM), dtype)

    context, weights = ScaledDotProductAttention(DIM)(query, keys, values, mask)
    upstream = torch.randn_like(context)
    ours = torch.autograd.grad(context, inputs, upstream)
    reference = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
    theirs = torch.autograd.grad(reference, inputs, upstream)
    # PyTorch does not return the weights: with one-hot values they are the output.
    one_hot = torch.eye(case.src_len, dtype=dtype).expand(case.batch, -1, -1)
    reference_weights = F.scaled_dot_product_attention(query, keys, one_hot, attn_mask=mask)
    return {
        "outputs": apart(context, reference),
        "weights": apart(weights, reference_weights),
        "gradients": max(map(apart, ours, theirs)),
    }


def multi_head(case: Case, dtype: torch.dtype, fused: bool, back: bool) -> dict[str, float]:
    """Compare `MultiHeadAttention` with `nn.MultiheadAttention`, after copying the parameters.

    Args:
        case: sizes and mask.
        dtype: dtype of inputs and parameters.
        fused: whether ours runs without returning weights, on PyTorch's fused kernel.
        back: whether the parameters are also copied from ours to PyTorch's, and not only from
            PyTorch's to ours.

    Returns:
        The relative differences (see `apart`) of "outputs", "gradients" and, unless `fused`,
        "weights".
    """
    torch.manual_seed(0)
    widths = {"dtype": dtype, "batch_first": True, "kdim": case.key_dim, "vdim": case.value_dim}
    theirs = nn.MultiheadAttention(DIM, HEADS, **widths)
    for parameter in theirs.parameters():  # biases start at 0, where a wrong one would not show
        nn.init.normal_(parameter, std=0.2)
    ours = from_torch(theirs)
    if back:
        theirs = to_torch(ours)
    query, keys, values = inputs = draw(case, dtype)

    mask = case.mask()
    hidden = None if mask is None else ~mask.repeat_interleave(HEADS, dim=0)
    context, weights = ours(query, keys, values, mask, return_weights=None if fused else "heads")
    # If a row is fully masked, PyTorch's module gives NaN when it has to return weights, and zeros
    # when it has not.
    reference, _ = theirs(query, keys, values, attn_mask=hidden, need_weights=False)
    _, reference_weights = theirs(query, keys, values, attn_mask=hidden, average_attn_weights=False)
    upstream = torch.randn_like(context)
    inputs_ours = torch.autograd.grad(context, [*inputs, *ours.parameters()], upstream)
    inputs_theirs = torch.autograd.grad(reference, [*inputs, *theirs.parameters()], upstream)
    gradients_ours = [*inputs_ours[:3], *_in_torch_layout(ours, inputs_ours[3:], theirs)]
    result = {
        "outputs": apart(context, reference),
        "gradients": max(map(apart, gradients_ours, inputs_theirs)),
    }
    if weights is not None:
        result["weights"] = apart(weights, reference_weights.nan_to_num(0.0))
    return result


def grouped_query(
    case: Case,
    dtype: torch.dtype,
    kv_heads: int,
    fused: bool,
    qk_norm: float | None = None,
    **settings,
) -> dict[str, float]:
    """Compare grouped-query attention, ours with that of PyTorch (`enable_gqa`).

    Args:
        case: sizes and mask.
        dtype: dtype of inputs and parameters.
        kv_heads: number of key and value heads, which `GROUPED_HEADS` query heads share.
        fused: whether ours runs without returning weights, on PyTorch's fused kernel.
        qk_norm: ε of an RMS norm of queries and keys.
        settings: more arguments of `MultiHeadAttention`: `head_dim`, `bias`.

    Returns:
        The relative differences (see `apart`) of "outputs", "gradients" and, unless `fused`,
        "weights".
    """
    torch.manual_seed(0)
    widths = {"key_dim": case.key_dim, "value_dim": case.value_dim}
    ours = MultiHeadAttention(
        DIM, GROUPED_HEADS, **widths, kv_heads=kv_heads, qk_norm=qk_norm, **settings
    ).to(dtype)
    for parameter in ours.parameters():
        nn.init.normal_(parameter, std=0.2)
    query, keys, values = draw(case, dtype)
    inputs = [query, keys, values, *ours.parameters()]

    mask = case.mask()
    context, weights = ours(query, keys, values, mask, return_weights=None if fused else "heads")
    projected = [
        F.linear(states, layer.weight, layer.bias).unflatten(-1, (heads, -1)).transpose(1, 2)
        for layer, states, heads in (
            (ours.W_q, query, GROUPED_HEADS),
            (ours.W_k, keys, kv_heads),
            (ours.W_v, values, kv_heads),
        )
    ]
    if qk_norm is not None:
        projected[:2] = [
            F.rms_norm(vectors, vectors.shape[-1:], norm.weight, qk_norm)
            for vectors, norm in zip(projected, (ours.norm_q, ours.norm_k), strict=False)
        ]
    settings = {"attn_mask": None if mask is None else mask.unsqueeze(1), "enable_gqa": True}
    joined = F.scaled_dot_product_attention(*projected, **settings).transpose(1, 2).flatten(2)
    reference = ours.W_o(joined)
    upstream = torch.randn_like(context)
    # The gradients of some parameters are zero up to rounding: that of the key bias always, since
    # it shifts all scores of a row alike, and others if there is one key. So all parameters are
    # compared as one tensor.
    gradients = [
        [*of_inputs[:3], torch.cat([gradient.flatten() for gradient in of_inputs[3:]])]
        for of_inputs in (
            torch.autograd.grad(output, inputs, upstream) for output in (context, reference)
        )
    ]
    result = {
        "outputs": apart(context, reference),
        "gradients": max(map(apart, *gradients)),
    }
    if weights is not None:
        one_hot = torch.eye(case.src_len, dtype=dtype).expand(case.batch, kv_heads, -1, -1)
        theirs = F.scaled_dot_product_attention(*projected[:2], one_hot, **settings)
        result["weights"] = apart(weights, theirs)
    return result


def _in_torch_layout(ours, gradients, theirs) -> list[Tensor]:
    """Return the gradients of our parameters, joined and ordered like PyTorch's parameters."""
    by_name = dict(zip([name for name, _ in ours.named_parameters()], gradients, strict=True))
    stacked_bias = torch.cat([by_name[f"W_{letter}.bias"] for letter in "qkv"])
    weights = [by_name[f"W_{letter}.weight"] for letter in "qkv"]
    layout = {
        "in_proj_weight": torch.cat(weights) if theirs.in_proj_weight is not None else None,
        "q_proj_weight": weights[0],
        "k_proj_weight": weights[1],
        "v_proj_weight": weights[2],
        "in_proj_bias": stacked_bias,
        "out_proj.weight": by_name["W_o.weight"],
        "out_proj.bias": by_name["W_o.bias"],
    }
    return [layout[name] for name, _ in theirs.named_parameters()]
