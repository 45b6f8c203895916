"""Attention with a score that nobody knows: `attend(query, keys, values, mask=None)`.

A test cannot work out the weights again, since the score is drawn anew whenever Python starts (and
in a grader, in a process that no learner's code enters). So it has to ask for laws that hold with
any score.
"""

import random

import torch

from utils.checks.implementations import (
    Implementations,
    mask_of_the_first_sentence,
    over_queries,
)
from utils.checks.implementations.buggy_attend import equal_shares_in_empty_rows, mask_upside_down
from utils.masks import masked_softmax

SECRET = random.SystemRandom().randrange(2**40)


def secret(*shape):
    """Return a tensor of numbers that stay the same while Python runs."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(SECRET))


def by_product(query, keys):
    matrix = secret(query.shape[-1], keys.shape[-1]).to(query)
    return 2 * (query @ matrix @ keys.mT / query.shape[-1]).tanh()  # (batch, tgt_len, src_len)


def by_sum(query, keys):
    matrices = secret(2, query.shape[-1], 8).to(query)
    sums = (query @ matrices[0]).unsqueeze(2) + (keys @ matrices[1]).unsqueeze(1)
    return (sums / query.shape[-1] ** 0.5).tanh() @ secret(8).to(query)


def attention(score=by_product, weigh=masked_softmax, handed_out="values", seen=lambda mask: mask):
    """Return attention written line by line, in which a bug can replace a part."""

    def attend(query, keys, values, mask=None):
        scores = score(query, keys)  # (batch, tgt_len, src_len)
        weights = weigh(scores, mask if mask is None else seen(mask.expand_as(scores)))
        return weights @ (values if handed_out == "values" else keys), weights

    return attend


def by_place_too(query, keys):
    return by_product(query, keys) + torch.arange(keys.shape[1]) / 2


def by_place_alone(query, keys):
    """Score places, and never look at the words that stand there.

    It happened, for years, in a tutorial that many have learned from: pytorch/tutorials issue 1098
    (2020).
    """
    return (query @ secret(query.shape[-1], keys.shape[1]).to(query)).tanh()


def measured_against_all(scores, mask):
    """Divide by the size of a row's scores, hidden ones included, and so let them have a say.

    The root of their mean square moves with every one of them; the largest score would not, and
    whether a test notices must not hang on a secret.
    """
    return masked_softmax(scores / scores.square().mean(-1, keepdim=True).sqrt(), mask)


def aligned_at_the_upper_left(mask):
    """Cut a triangle that begins at the first key, though the queries are the newest words.

    It happened: `is_causal=True` with a cache of keys, pytorch/pytorch issue 144858 (2025).
    """
    tgt_len, src_len = mask.shape[-2:]
    return mask & torch.ones_like(mask).tril() if tgt_len < src_len else mask


IMPLEMENTATIONS = Implementations(
    right=[attention(), attention(score=by_sum)],
    broken={
        "softmax-over-queries": attention(weigh=over_queries),
        "mask-upside-down": attention(weigh=mask_upside_down),
        "empty-rows-sum-to-one": attention(weigh=equal_shares_in_empty_rows),
        "one-for-all": attention(weigh=mask_of_the_first_sentence),
        "keys-handed-out": attention(handed_out="keys"),
        "attention-sees-order": attention(score=by_place_alone),
        "padding-is-harmless": attention(weigh=measured_against_all),
        "wrong-end": attention(seen=aligned_at_the_upper_left),
    },
    laws={
        "softmax-over-queries": "the weights of a query sum to 1",
        "mask-upside-down": "what is hidden gets nothing",
        "empty-rows-sum-to-one": "a query that may look at nothing gets nothing",
        "one-for-all": "each sentence has its own mask",
        "keys-handed-out": "the context is the weighted sum of the values",
        "attention-sees-order": "the order of the keys makes no difference",
        "padding-is-harmless": "nothing leaks from what is hidden",
        "wrong-end": "whatever is open gets a share",
    },
)
