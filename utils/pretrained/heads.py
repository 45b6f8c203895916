"""What a head does, as one number: the share of its weights that fits a description."""

import torch
from jaxtyping import Float
from torch import Tensor

Weights = Float[Tensor, "... len len"]  # of one head or of many, rows are queries


def share_on_first(weights: Weights, begin: int = 20) -> Float[Tensor, "..."]:
    """Return the mean weight that queries from `begin` on give to the first token."""
    return weights[..., begin:, 0].mean(-1)


def share_one_back(weights: Weights) -> Float[Tensor, "..."]:
    """Return the mean weight that tokens give to the one before them; the second has no choice."""
    return weights.diagonal(-1, -2, -1)[..., 1:].mean(-1)


def share_behind_twin(weights: Weights) -> Float[Tensor, "..."]:
    """Return the mean weight on the token that followed the same token before: induction.

    Args:
        weights: of a text that says the same tokens twice.
    """
    half = weights.shape[-1] // 2
    return weights.diagonal(1 - half, -2, -1)[..., 1:].mean(-1)


def best(scores: Float[Tensor, "layers heads"], count: int) -> list[tuple[int, int]]:
    """Return the heads with the highest scores, as (layer, head), the best first."""
    places = scores.flatten().topk(count).indices.tolist()
    return [divmod(place, scores.shape[1]) for place in places]


def same_layers(heads: list[tuple[int, int]], among: int, seed: int) -> list[tuple[int, int]]:
    """Return as many other heads, drawn at random from the same layers: a control."""
    generator = torch.Generator().manual_seed(seed)
    taken, drawn = set(heads), []
    for layer, _ in heads:
        free = [(layer, head) for head in range(among) if (layer, head) not in taken]
        drawn.append(free[int(torch.randint(len(free), (1,), generator=generator))])
        taken.add(drawn[-1])
    return drawn
