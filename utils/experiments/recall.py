"""Associative memory: what a state of fixed size can hold, with nothing trained."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

State = Float[Tensor, "dim width"]
Step = Callable[[State, Tensor, Tensor], State]  # state, key (dim,), value (width,) -> new state


def add_pair(state: State, key: Tensor, value: Tensor) -> State:
    """Add a pair to the state: linear attention without a feature map and without its total."""
    return state + torch.outer(key, value)


def correct_pair(state: State, key: Tensor, value: Tensor, beta: float = 1.0) -> State:
    """Write a pair by the delta rule: correct what the state says of this key, times `beta`.

    Source: Schlag et al. 2021, section 4.2.
    """
    return add_pair(state, key, beta * (value - key @ state))


def recalled(step: Step, pairs: int, times: int = 1, dim: int = 32, trials: int = 40) -> float:
    """Return how many per cent of random pairs of a key and a value are recalled.

    Keys and values are random directions. A value counts as recalled if, of all values that were
    written, it is the nearest to what the state says of its key.

    Args:
        step: writes a pair into a state.
        pairs: number of different keys.
        times: how often each key is written, each time with a new value; the last one is wanted.
        dim: width of keys and of values.
        trials: over how many draws the result is the mean.
    """
    found = []
    for _ in range(trials):
        keys = F.normalize(torch.randn(pairs, dim), dim=-1)  # (pairs, dim)
        values = F.normalize(torch.randn(times * pairs, dim), dim=-1)  # (times * pairs, dim)
        state = torch.zeros(dim, dim)
        for key, value in zip(keys.repeat(times, 1), values, strict=True):
            state = step(state, key, value)
        nearest = (keys @ state @ values.T).argmax(-1)  # (pairs,)
        found.append((nearest == torch.arange((times - 1) * pairs, times * pairs)).float().mean())
    return 100 * torch.stack(found).mean().item()
