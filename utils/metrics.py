"""Numbers that say how focused attention is."""

import torch
from jaxtyping import Float
from torch import Tensor


def attention_entropy(weights: Float[Tensor, "... src_len"]) -> Float[Tensor, "..."]:
    """How widely each row of weights is spread, in nats.

    0 when one position takes everything, log(n) when n positions share equally; exp of it reads as
    "how many positions are looked at". A row that is masked whole has entropy 0.
    Source: Shannon 1948, section 6.

    Args:
        weights: attention weights, rows summing to 1 (or to 0 where masked whole).

    Raises:
        ValueError: a weight is negative, as a score may be but a weight never is.
    """
    if (weights < 0).any():
        raise ValueError("weights must be 0 or more; these look like scores: apply softmax first")
    return torch.special.entr(weights).sum(-1)  # entr(0) = 0, where -w log w alone would give NaN


def largest_weight(weights: Float[Tensor, "... src_len"]) -> Float[Tensor, "..."]:
    """The largest weight of each row: 1 for a hard choice, 1/n for an equal share among n."""
    return weights.amax(-1)
