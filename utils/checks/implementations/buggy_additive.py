"""Additive attention: `additive(query, keys, values, mask, W_query, W_key, v)`."""

import torch

from utils.attention import AdditiveAttention
from utils.checks.implementations import (
    Implementations,
    mask_after_softmax,
    mask_of_the_first_sentence,
    over_queries,
)
from utils.masks import masked_softmax


def additive(query, keys, values, mask, W_query, W_key, v):  # noqa: N803
    """Compute additive attention with the course's own module."""
    attention = AdditiveAttention(W_query.shape[1], W_key.shape[1], len(v)).to(v)
    attention.load_state_dict({"W.weight": W_query, "U.weight": W_key, "v.weight": v[None]})
    return attention(query, keys, values, mask)


def judge(answer=torch.tanh, weigh=masked_softmax, heard=1, handed_out="values"):
    """Return additive attention written line by line, in which a bug can replace a part."""

    def additive(query, keys, values, mask, W_query, W_key, v):  # noqa: N803
        bars = heard * (query @ W_query.T).unsqueeze(2)  # (batch, tgt_len, 1, attention_dim)
        scores = answer(bars + (keys @ W_key.T).unsqueeze(1)) @ v  # (batch, tgt_len, src_len)
        weights = weigh(scores, mask)
        return weights @ (values if handed_out == "values" else keys), weights

    return additive


def tanh_of_the_score(scores, mask):
    return masked_softmax(scores.tanh(), mask)


def nan_in_empty_rows(scores, mask):
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)


IMPLEMENTATIONS = Implementations(
    right=[additive, judge()],
    broken={
        "nonlinearity-left-out": judge(answer=lambda sums: sums),
        "steps-in-any-order": judge(answer=lambda sums: sums, weigh=tanh_of_the_score),
        "input-unused": judge(heard=0),
        "softmax-over-queries": judge(weigh=over_queries),
        "mask-after-softmax": judge(weigh=mask_after_softmax),
        "no-empty-rows": judge(weigh=nan_in_empty_rows),
        "one-for-all": judge(weigh=mask_of_the_first_sentence),
        "keys-handed-out": judge(handed_out="keys"),
    },
)
