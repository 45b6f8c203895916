"""Associative memory: what a state of fixed size can hold, with nothing trained and trained."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.training import one_cycle

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


def recalled(step: Step, pairs: int, times: int = 1) -> float:
    """Return how many per cent of random pairs of a key and a value are recalled.

    Keys and values are random directions of width 32. A value counts as recalled if, of all values
    that were written, it is the nearest to what the state says of its key. The result is the mean
    over 40 draws.

    Args:
        step: writes a pair into a state.
        pairs: number of different keys.
        times: how often each key is written, each time with a new value; the last one is wanted.
    """
    dim, found = 32, []
    for _ in range(40):
        keys = F.normalize(torch.randn(pairs, dim), dim=-1)  # (pairs, dim)
        values = F.normalize(torch.randn(times * pairs, dim), dim=-1)  # (times * pairs, dim)
        state = torch.zeros(dim, dim)
        for key, value in zip(keys.repeat(times, 1), values, strict=True):
            state = step(state, key, value)
        nearest = (keys @ state @ values.T).argmax(-1)  # (pairs,)
        found.append((nearest == torch.arange((times - 1) * pairs, times * pairs)).float().mean())
    return 100 * torch.stack(found).mean().item()


def softmax_mix(queries, keys, values, beta):
    """Return the contexts of causal softmax attention."""
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True)


def linear_mix(queries, keys, values, beta):
    """Return the contexts of linear attention with elu + 1. Source: Katharopoulos et al. 2020."""
    table = ((F.elu(queries) + 1) @ (F.elu(keys) + 1).mT).tril()  # (batch, len, len)
    return table @ values / table.sum(-1, keepdim=True)


def sum_mix(queries, keys, values, beta):
    """Return what the sums of all pairs so far say, as by `add_pair`, of directions as queries."""
    queries, keys = F.normalize(queries, dim=-1), F.normalize(keys, dim=-1)
    return (queries @ keys.mT).tril() @ values


def delta_mix(queries, keys, values, beta):
    """Return what a state written by `correct_pair` says of each query, a direction.

    A word writes `beta` times its value less what the earlier words have written for its key. For
    all words at once these equations are triangular. After Yang et al. 2024 (arXiv 2406.06484).
    """
    keys = F.normalize(keys, dim=-1)
    earlier = beta * (keys @ keys.mT).tril(-1)  # (batch, len, len)
    written = torch.linalg.solve_triangular(  # the diagonal counts as ones
        earlier, beta * values, upper=False, unitriangular=True
    )  # (batch, len, width)
    return (F.normalize(queries, dim=-1) @ keys.mT).tril() @ written


MIXES = {"softmax": softmax_mix, "linear": linear_mix, "sum": sum_mix, "delta": delta_mix}
SIGNS = 64  # ids 0 to 63 are keys, 64 to 127 are values


class MixingBlock(nn.Module):
    """A norm, a short convolution and one head of width 32, with a residual around them.

    Args:
        mix: one of `MIXES`; what the head does with queries, keys and values (batch, len, width)
            and a number between 0 and 1 for each word (batch, len, 1).
    """

    def __init__(self, mix: Callable[..., Tensor]):
        super().__init__()
        dim, width = 64, 32
        self.mix, self.norm = mix, nn.LayerNorm(dim)
        # Each word can tell the two before it, and so a value its key.
        self.convolution = nn.Conv1d(dim, dim, 3, padding=2, groups=dim)
        self.parts, self.beta = nn.Linear(dim, 3 * width, bias=False), nn.Linear(dim, 1)
        self.output = nn.Linear(width, dim, bias=False)

    def forward(self, x: Float[Tensor, "batch len dim"]) -> Float[Tensor, "batch len dim"]:
        y = self.norm(x)
        y = y + self.convolution(y.mT)[..., : x.shape[1]].mT
        parts = self.parts(y).chunk(3, dim=-1)  # three of (batch, len, width)
        return x + self.output(self.mix(*parts, self.beta(y).sigmoid()))


def recaller(mix: Callable[..., Tensor]) -> nn.Sequential:
    """Return an untrained model of two blocks: ids (batch, len) -> logits (batch, len, SIGNS)."""
    blocks = MixingBlock(mix), MixingBlock(mix)
    return nn.Sequential(
        nn.Embedding(2 * SIGNS, 64), *blocks, nn.LayerNorm(64), nn.Linear(64, SIGNS)
    )


def questions(
    pairs: int, count: int
) -> tuple[Int[Tensor, "count len"], Int[Tensor, "count pairs"]]:
    """Return texts of `pairs` different keys, each with a value behind it, and then all the keys.

    Returns:
        ids, (count, 3 * pairs), and for each key at the end the number of its value, from 0.
    """
    keys = torch.rand(count, SIGNS).argsort(-1)[:, :pairs]
    values, order = torch.randint(SIGNS, (count, pairs)), torch.rand(count, pairs).argsort(-1)
    told = torch.stack([keys, SIGNS + values], dim=-1).flatten(1)  # (count, 2 * pairs)
    return torch.cat([told, keys.gather(1, order)], dim=1), values.gather(1, order)


def learn_to_recall(model: nn.Module, pairs: int, steps: int = 500, peak: float = 1e-2) -> float:
    """Train a model on 64 texts a step; return how many per cent of 1,000 new ones it recalls.

    Source of the task: Arora et al. 2023 (multi-query associative recall).
    """
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for step in range(steps):
        words, wanted = questions(pairs, 64)
        optimizer.param_groups[0]["lr"] = one_cycle(step, steps, peak, 0.1)
        loss = F.cross_entropy(model(words)[:, -pairs:].transpose(1, 2), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    words, wanted = questions(pairs, 1_000)
    with torch.no_grad():
        return 100 * (model(words)[:, -pairs:].argmax(-1) == wanted).float().mean().item()
