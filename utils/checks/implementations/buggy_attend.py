"""Scaled dot-product attention: `attend(query, keys, values, mask=None)` → context, weights."""

import math

from utils.attention import ScaledDotProductAttention
from utils.checks.implementations import (
    Implementations,
    mask_after_softmax,
    mask_of_the_first_sentence,
    over_queries,
)
from utils.masks import masked_softmax


def attend(query, keys, values, mask=None):
    """Compute attention with the course's own module."""
    return ScaledDotProductAttention(query.shape[-1])(query, keys, values, mask)


def attention(divisor=lambda dim: math.sqrt(dim), weigh=masked_softmax, handed_out="values"):
    """Return attention written line by line, in which a bug can replace a part."""

    def attend(query, keys, values, mask=None):
        scores = query @ keys.mT / divisor(query.shape[-1])  # (batch, tgt_len, src_len)
        weights = weigh(scores, mask)
        return weights @ (values if handed_out == "values" else keys), weights

    return attend


def mask_upside_down(scores, mask):
    return masked_softmax(scores, None if mask is None else ~mask)


def equal_shares_in_empty_rows(scores, mask):
    return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)


IMPLEMENTATIONS = Implementations(
    right=[attend, attention()],
    broken={
        "no-scale": attention(divisor=lambda dim: 1),
        "scale-by-width": attention(divisor=lambda dim: dim),
        "softmax-over-queries": attention(weigh=over_queries),
        "mask-after-softmax": attention(weigh=mask_after_softmax),
        "mask-upside-down": attention(weigh=mask_upside_down),
        "empty-rows-sum-to-one": attention(weigh=equal_shares_in_empty_rows),
        "one-for-all": attention(weigh=mask_of_the_first_sentence),
        "keys-handed-out": attention(handed_out="keys"),
    },
)
