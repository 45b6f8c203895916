"""Positional encodings, which tell self-attention the order of the words."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def sinusoidal_positions(length: int, dim: int) -> Float[Tensor, "length dim"]:
    """Return sine and cosine waves of falling frequency: a row per position, two columns per wave.

    Column 2i holds sin(position / 10000^(2i/dim)) and column 2i + 1 the cosine of the same angle.
    Source: Vaswani et al. 2017, section 3.5.

    Raises:
        ValueError: `dim` is odd, which would leave a sine without its cosine.
    """
    if dim % 2:
        raise ValueError(f"dim must be even, got {dim}")
    frequencies = 10_000.0 ** (-torch.arange(0, dim, 2) / dim)  # (dim / 2,)
    angles = torch.arange(length)[:, None] * frequencies  # (length, dim / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (length, dim)


class SinusoidalPositions(nn.Module):
    """A layer that adds `sinusoidal_positions` to embeddings. Nothing is learned."""

    def __init__(self, dim: int, max_len: int = 512):
        super().__init__()
        self.register_buffer("table", sinusoidal_positions(max_len, dim), persistent=False)

    def forward(self, embeddings: Float[Tensor, "batch len dim"]) -> Float[Tensor, "batch len dim"]:
        return embeddings + _rows(self.table, embeddings)


class LearnedPositions(nn.Module):
    """A layer that adds a learned vector for each position, up to `max_len` of them."""

    def __init__(self, dim: int, max_len: int = 512):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, dim) * 0.02)  # small next to the embeddings

    def forward(self, embeddings: Float[Tensor, "batch len dim"]) -> Float[Tensor, "batch len dim"]:
        return embeddings + _rows(self.table, embeddings)


def _rows(table: Tensor, embeddings: Tensor) -> Tensor:
    """Return the rows of a table of positions that fit the embeddings, from position 0 on.

    Raises:
        ValueError: the embeddings have another width than the table, or too many positions.
    """
    max_len, dim = table.shape
    if embeddings.shape[-1] != dim or embeddings.shape[-2] > max_len:
        raise ValueError(
            f"embeddings must be (batch, up to {max_len}, {dim}), got {tuple(embeddings.shape)}; "
            "set dim and max_len to fit"
        )
    return table[: embeddings.shape[-2]]
