"""Multi-head self-attention with a score that nobody knows.

`multi_head(x, w_q, w_k, w_v, w_o, heads, mask=None)` → output, weights, as in `multi_head.py`; but
what each head makes of its queries and keys is drawn anew whenever Python starts.
"""

from utils.checks.implementations import Implementations
from utils.checks.implementations.buggy_any_attention import by_place_too, by_product, by_sum
from utils.checks.implementations.buggy_multi_head import (
    join_heads,
    joined_by_view,
    mask_for_the_first_head,
    same_for_all_heads,
    split_heads,
    view_alone,
)
from utils.masks import masked_softmax


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
