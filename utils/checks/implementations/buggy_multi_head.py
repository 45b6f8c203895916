"""Multi-head self-attention: `multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None)`."""

import math

import torch

from utils.attention import MultiHeadAttention
from utils.checks.implementations import Implementations
from utils.masks import masked_softmax


def multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None):
    """Compute multi-head attention with the course's own module."""
    module = MultiHeadAttention(x.shape[-1], heads, bias=False).to(x)
    for layer, matrix in zip(
        (module.W_q, module.W_k, module.W_v, module.W_o), (w_q, w_k, w_v, w_o), strict=True
    ):
        layer.weight.data = matrix.T.clone()  # a layer stores it as (out, in)
    return module(x, x, mask=mask, return_weights="heads")


def split_heads(tensor, heads):
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)  # (batch, heads, len, head_dim)


def join_heads(contexts):
    return contexts.transpose(1, 2).flatten(2)  # (batch, len, dim)


def same_for_all_heads(scores, mask):
    return masked_softmax(scores, None if mask is None else mask.unsqueeze(1))


def by_hand(
    split=split_heads,
    join=join_heads,
    divisor=lambda dim, heads: math.sqrt(dim // heads),
    weigh=same_for_all_heads,
    values_of=lambda values: values,
    project=torch.matmul,
):
    """Return multi-head attention written line by line, in which a bug can replace a part."""

    def multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None):
        query, keys, values = (split(x @ W, heads) for W in (w_q, w_k, w_v))
        scores = query @ keys.mT / divisor(x.shape[-1], heads)  # (batch, heads, len, len)
        weights = weigh(scores, mask)
        return project(join(weights @ values_of(values)), w_o), weights

    return multi_head


def view_alone(tensor, heads):
    batch, length, dim = tensor.shape
    return tensor.reshape(batch, heads, length, dim // heads)


def joined_by_view(contexts):
    batch, heads, length, width = contexts.shape
    return contexts.reshape(batch, length, heads * width)


def mask_for_the_first_head(scores, mask):
    if mask is None:
        return masked_softmax(scores)
    masked = same_for_all_heads(scores, mask)
    return torch.cat([masked[:, :1], scores[:, 1:].softmax(-1)], dim=1)


IMPLEMENTATIONS = Implementations(
    right=[multi_head, by_hand()],
    broken={
        "axes-anywhere": by_hand(split=view_alone, join=joined_by_view),
        "shape-is-enough": by_hand(join=joined_by_view),
        "parts-in-any-order": by_hand(join=lambda contexts: join_heads(contexts.flip(1))),
        "wrong-width": by_hand(divisor=lambda dim, heads: math.sqrt(dim)),
        "half-is-enough": by_hand(weigh=mask_for_the_first_head),
        "one-for-all": by_hand(weigh=masked_softmax),  # the mask's sentences meet the heads
        "heads-as-one": by_hand(values_of=lambda values: values[:, :1]),
        "projection-left-out": by_hand(project=lambda joined, w_o: joined),
    },
)
