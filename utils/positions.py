"""Positions, which tell attention the order of the words, behind one interface.

A position can enter a model in three places, and each kind uses one of them:

| what it does | where | kinds |
|---|---|---|
| `forward` adds a vector to each word | before the first block | sinusoids, learned |
| `turn` rotates queries and keys | in each attention | rotary |
| `bias` adds a number to each score | in each attention | ALiBi |

`Positions` itself does none of them: with it, a model has no positions.
"""

import math
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Layout = Literal["halves", "pairs"]  # which two entries of a vector turn together
Scaling = Literal["linear", "ntk"]  # how rotary positions are fitted to longer texts


class Positions(nn.Module):
    """No positions, and the base class of all kinds, which override one of the three methods."""

    def forward(
        self, embeddings: Float[Tensor, "batch len dim"], position: int = 0
    ) -> Float[Tensor, "batch len dim"]:
        """Return the embeddings of words at `position` and after it, with what is added to them."""
        return embeddings

    def turn(
        self, vectors: Float[Tensor, "batch heads len head_dim"], places: Int[Tensor, " len"]
    ) -> Float[Tensor, "batch heads len head_dim"]:
        """Return queries or keys of words that stand at `places`, turned."""
        return vectors

    def bias(
        self, heads: int, places: Int[Tensor, " tgt_len"], src_len: int
    ) -> Float[Tensor, "heads tgt_len src_len"] | None:
        """Return what is added to the scores of queries that stand at `places`, or None."""
        return None


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


class SinusoidalPositions(Positions):
    """A layer that adds `sinusoidal_positions` to embeddings. Nothing is learned."""

    def __init__(self, dim: int, max_len: int = 512):
        super().__init__()
        # No buffer: a model made on the device "meta" would lose it when it gets its memory.
        with torch.device("cpu"):
            self.table = sinusoidal_positions(max_len, dim)

    def forward(self, embeddings, position=0):
        return embeddings + _rows(self.table, embeddings, position).to(embeddings)


class LearnedPositions(Positions):
    """A layer that adds a learned vector for each position, up to `max_len` of them."""

    def __init__(self, dim: int, max_len: int = 512):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, dim) * 0.02)  # small next to the embeddings

    def forward(self, embeddings, position=0):
        return embeddings + _rows(self.table, embeddings, position)


def _rows(table: Tensor, embeddings: Tensor, position: int) -> Tensor:
    """Return the rows of a table of positions that fit the embeddings, from `position` on.

    Raises:
        ValueError: the embeddings have another width than the table, or end behind its last row.
    """
    max_len, dim = table.shape
    end = position + embeddings.shape[-2]
    if embeddings.shape[-1] != dim or end > max_len:
        start = f" from position {position} on" if position else ""
        raise ValueError(
            f"embeddings must be (batch, up to {max_len}, {dim}), got "
            f"{tuple(embeddings.shape)}{start}; set dim and max_len to fit"
        )
    return table[position:end]


def rotary_frequencies(
    head_dim: int, base: float = 10_000.0, factor: float = 1.0, scaling: Scaling = "linear"
) -> Float[Tensor, "head_dim/2"]:
    """Return the angle in radians by which each pair of entries turns from word to word.

    Pair i turns by base^(-2i / head_dim). Source: Su et al. 2021, section 3.2.2. For texts `factor`
    times as long as those of training, "linear" divides all angles by the factor (positional
    interpolation: Chen et al. 2023, section 2.3); "ntk" raises the base so that the slowest pair
    turns by 1 / factor as much and the fastest as before (Peng et al. 2023, section 3.1).

    Raises:
        ValueError: `head_dim` is odd, the scaling is unknown, or it is "ntk" and there is only one
            pair, which would be both the slowest and the fastest.
    """
    if head_dim % 2:
        raise ValueError(f"head_dim must be even, got {head_dim}")
    if scaling not in ("linear", "ntk"):
        raise ValueError(f'scaling must be "linear" or "ntk", got {scaling!r}')
    if scaling == "ntk":
        if head_dim < 4:
            raise ValueError(f'"ntk" needs two pairs, head_dim = 4, got {head_dim}; use "linear"')
        base, factor = base * factor ** (head_dim / (head_dim - 2)), 1.0
    # On the CPU whatever the default device is: not every device has float64.
    pairs = torch.arange(0, head_dim, 2, dtype=torch.float64, device="cpu")  # (head_dim / 2,)
    return base ** (-pairs / head_dim) / factor


def stretched_frequencies(
    frequencies: Float[Tensor, "pairs"],
    factor: float,
    low: float,
    high: float,
    trained: int,
) -> Float[Tensor, "pairs"]:
    """Return the frequencies with which Llama 3 reads texts longer than those of training.

    Pairs that turn more than `high` times within the `trained` length stay as they are. Those that
    turn less than `low` times become `factor` times as slow, and those between are mixed of both.
    Source: the code of Llama 3.1, `models/llama3/reference_impl/model.py`, `apply_scaling`.

    Args:
        frequencies: from `rotary_frequencies`.
        factor, low, high, trained: `factor`, `low_freq_factor`, `high_freq_factor` and
            `original_max_position_embeddings` on a model card.

    Raises:
        ValueError: `high` is not more than `low`.
    """
    if high <= low:
        raise ValueError(f"high must be more than low, got {high} and {low}")
    turns = trained * frequencies / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)  # 1: unchanged, 0: fully stretched
    return kept * frequencies + (1 - kept) * frequencies / factor


class RotaryPositions(Positions):
    """Positions that turn queries and keys, so that a score depends on the distance alone (RoPE).

    Two entries of a vector are a point in a plane, which is turned by the word's position times a
    frequency. Source: Su et al. 2021, section 3.2.2.

    Args:
        head_dim: width of a head.
        layout: the entries that turn together: "halves", entry i and entry i + head_dim / 2, or
            "pairs", entries 2i and 2i + 1, as in the paper. Weights that were trained with one
            layout give nonsense with the other.
        base: as for `rotary_frequencies`.
        frequencies: angles of another kind, such as `stretched_frequencies` gives. If there are
            fewer than head_dim / 2, only the first entries of each vector turn, two for each.

    Attributes:
        frequencies: float64, (head_dim / 2,) or fewer.
    """

    def __init__(
        self,
        head_dim: int,
        layout: Layout = "halves",
        base: float = 10_000.0,
        frequencies: Float[Tensor, "pairs"] | None = None,
    ):
        super().__init__()
        if layout not in ("halves", "pairs"):
            raise ValueError(f'layout must be "halves" or "pairs", got {layout!r}')
        self.layout = layout
        frequencies = rotary_frequencies(head_dim, base) if frequencies is None else frequencies
        if 2 * len(frequencies) > head_dim:
            raise ValueError(f"{len(frequencies)} pairs do not fit into head_dim = {head_dim}")
        self.frequencies = frequencies.double()
        self._last = None  # the last places, with their waves: all layers ask for the same ones

    def turn(self, vectors, places):
        turning = 2 * len(self.frequencies)
        if turning < vectors.shape[-1]:
            first, rest = vectors[..., :turning], vectors[..., turning:]
            return torch.cat([self._turn_all(first, places), rest], dim=-1)
        return self._turn_all(vectors, places)

    def _turn_all(self, vectors, places):
        cos, sin = self._waves(places, vectors)
        if self.layout == "halves":
            a, b = vectors.chunk(2, dim=-1)  # (batch, heads, len, head_dim / 2) each
            return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
        a, b = vectors[..., 0::2], vectors[..., 1::2]
        return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)

    def _waves(self, places: Tensor, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosine and sine (len, pairs) of the angles at `places`, typed like a tensor."""
        home = "meta" if places.is_meta else "cpu"  # not every device has float64
        known = (
            self._last is not None
            and self._last[0].device == places.device != torch.device("meta")
            and torch.equal(self._last[0], places)
        )
        if not known or self._last[1] is not self.frequencies:
            with torch.inference_mode(False):  # so that a later call may be trained through
                angles = places.to(home)[:, None] * self.frequencies.to(home)  # (len, pairs)
                self._last = places, self.frequencies, angles.cos(), angles.sin()
        return self._last[2].to(like), self._last[3].to(like)


class AlibiPositions(Positions):
    """Positions that take from each score a number that grows with the distance (ALiBi).

    Head h of H, counted from 1, loses 2^(-8h / H) for each word between query and key, and the
    same on both sides where no mask forbids to look ahead. Source: Press et al. 2022, section 3.

    Args:
        slopes: "formula", that of the paper, for any number of heads; or "released", that of the
            authors' code, with which models were trained and published. They differ only where H is
            no power of two: "released" takes the slopes of the next lower power of two, and between
            them every second one of twice as many heads.
    """

    def __init__(self, slopes: Literal["formula", "released"] = "formula"):
        super().__init__()
        if slopes not in ("formula", "released"):
            raise ValueError(f'slopes must be "formula" or "released", got {slopes!r}')
        self.slopes = slopes

    def bias(self, heads, places, src_len):
        slopes = _alibi_slopes(heads, places.device)
        power = 2 ** int(math.log2(heads))  # the largest one that is not above `heads`
        if self.slopes == "released" and power < heads:
            between = _alibi_slopes(2 * power, places.device)[0::2]
            slopes = torch.cat([_alibi_slopes(power, places.device), between[: heads - power]])
        sources = torch.arange(src_len, device=places.device)
        distances = (places[:, None] - sources).abs()  # (tgt_len, src_len)
        return -slopes[:, None, None] * distances


def _alibi_slopes(heads: int, device: torch.device) -> Float[Tensor, " heads"]:
    return 2.0 ** (-8 * torch.arange(1, heads + 1, device=device) / heads)
