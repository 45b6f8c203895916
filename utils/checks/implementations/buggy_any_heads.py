"""Multi-head self-attention with a score that nobody knows.

`multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None)` → output, weights. A test cannot work out the
weights again, since what each head makes of its queries and keys is drawn anew whenever Python
starts (and in a grader, in a process that no learner's code enters). So it has to ask for laws that
hold with any score.
"""

import random

import torch

from utils.checks.implementations import Implementations
from utils.masks import masked_softmax

SECRET = random.SystemRandom().randrange(2**40)


def secret(*shape):
    """Return a tensor of numbers that stay the same while Python runs."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(SECRET))


def by_product(query, keys):
    matrix = secret(query.shape[-1], keys.shape[-1]).to(query)
    return 2 * (query @ matrix @ keys.mT / query.shape[-1]).tanh()  # (batch * heads, len, len)


def by_sum(query, keys):
    matrices = secret(2, query.shape[-1], 8).to(query)
    sums = (query @ matrices[0]).unsqueeze(2) + (keys @ matrices[1]).unsqueeze(1)
    return (sums / query.shape[-1] ** 0.5).tanh() @ secret(8).to(query)


def by_place_too(query, keys):
    return by_product(query, keys) + torch.arange(keys.shape[1]) / 2


def split_heads(tensor, heads):
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)  # (batch, heads, len, head_dim)


def join_heads(contexts):
    return contexts.transpose(1, 2).flatten(2)  # (batch, len, dim)


def same_for_all_heads(scores, mask):
    return masked_softmax(scores, None if mask is None else mask.unsqueeze(1))


def heads_with(
    score=by_product,
    split=split_heads,
    join=join_heads,
    weigh=same_for_all_heads,
    values_of=lambda values: values,
    project=True,
):
    """Return multi-head attention written line by line, in which a bug can replace a part."""

    def multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None):
        query, keys, values = (split(x @ W, heads) for W in (w_q, w_k, w_v))
        flat = score(query.flatten(0, 1), keys.flatten(0, 1))  # (batch * heads, len, len)
        weights = weigh(flat.unflatten(0, query.shape[:2]), mask)  # (batch, heads, len, len)
        joined = join(weights @ values_of(values))  # (batch, len, dim)
        return joined @ w_o if project else joined, weights

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


def summed_along_heads(scores, mask):
    """Divide each weight by the sum over the heads, not over the keys.

    It happened, in a running sum: fla-org/flash-linear-attention issue 850 (2026), in the plain
    version with which the fast one was to be compared.
    """
    powers = scores.exp() if mask is None else scores.exp() * mask.unsqueeze(1)
    return powers / powers.sum(1, keepdim=True).clamp(min=1e-9)


IMPLEMENTATIONS = Implementations(
    right=[heads_with(), heads_with(score=by_sum)],
    broken={
        "softmax-over-batch": heads_with(weigh=summed_along_heads),
        "axes-anywhere": heads_with(split=view_alone, join=joined_by_view),
        "parts-in-any-order": heads_with(join=lambda contexts: join_heads(contexts.flip(1))),
        "half-is-enough": heads_with(weigh=mask_for_the_first_head),
        "one-for-all": heads_with(weigh=masked_softmax),  # the mask's sentences meet the heads
        "heads-as-one": heads_with(values_of=lambda values: values[:, :1]),
        "projection-left-out": heads_with(project=False),
        "attention-sees-order": heads_with(score=by_place_too),
    },
    laws={
        "softmax-over-batch": "in each head, the weights of a word sum to 1",
        "axes-anywhere": "a word hears of every word that is open to it, and of no other",
        "parts-in-any-order": "the output is the heads' contexts, end to end, times W_o",
        "half-is-enough": "what is hidden is hidden from every head",
        "one-for-all": "each sentence has its own mask",
        "heads-as-one": "each head sums its own values",
        "projection-left-out": "the output is the heads' contexts, end to end, times W_o",
        "attention-sees-order": "if the words change places, so do the outputs",
    },
)
