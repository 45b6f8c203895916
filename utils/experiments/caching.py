"""Reading on with a cache of keys and values, and how much time that saves."""

import time
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from utils.attention import Memory
from utils.masks import causal_mask
from utils.transformer import EncoderBlock

Past = list[Memory | None]  # what each block keeps of the words so far; None before the first


@torch.no_grad()
def read_on(
    blocks: Sequence[EncoderBlock],
    x: Float[Tensor, "batch new dim"],
    past: Past,
    return_weights: str | None = "mean",
) -> Float[Tensor, "batch new dim"]:
    """Read new words through causal pre-norm blocks, and return their states.

    Args:
        blocks: blocks without positions in their attention.
        x: the words that follow those in `past`.
        past: a cache for each block, to which the new keys and values are added in place.
        return_weights: as for `MultiHeadAttention`; with None, PyTorch's kernel does the work.
    """
    for number, block in enumerate(blocks):
        y = block.norms[0](x)
        keys, values, _ = block.attention.remember(y)  # (batch, heads, new, head_dim) each
        if past[number] is not None:
            keys = torch.cat([past[number].keys, keys], dim=2)  # (batch, heads, all, head_dim)
            values = torch.cat([past[number].values, values], dim=2)
        mask = None  # a single new word may look at all of them
        if x.shape[1] > 1:
            mask = causal_mask(keys.shape[2])[-x.shape[1] :]  # (new, all)
        past[number] = Memory(keys, values, mask)
        x = x + block.attention.attend(y, past[number], return_weights=return_weights)[0]
        x = x + block.feed_forward(block.norms[1](x))
    return x


def seconds_of_writing(
    blocks: Sequence[EncoderBlock],
    lengths: Sequence[int],
    dim: int,
    return_weights: str | None = "mean",
) -> dict[int, tuple[float, float]]:
    """Return, for each length, how long writing a text takes with a cache, and without.

    With it, the words are read one by one. Without it, each step reads the whole text again; that
    is timed at eight lengths, and interpolated between them. These are processor seconds, the
    fewest of three runs; those of several threads add up, so let PyTorch have one.
    """
    longest = max(lengths)
    x = torch.randn(1, longest, dim)

    def seconds(new: Tensor, past: Past) -> float:
        start = time.process_time()
        read_on(blocks, new, past, return_weights)
        return time.process_time() - start

    def empty() -> Past:
        return [None] * len(blocks)

    def one_by_one() -> list[float]:
        past = empty()
        return [seconds(x[:, [place]], past) for place in range(longest)]

    seconds(x[:, :1], empty())  # the first call is always slow
    each = np.min([one_by_one() for _ in range(3)], axis=0)  # (longest,)
    timed = [1, *(longest * share // 64 for share in (1, 4, 8, 16, 32, 48, 64))]
    whole = [min(seconds(x[:, :length], empty()) for _ in range(3)) for length in timed]
    again = np.interp(range(1, longest + 1), timed, whole)  # (longest,)
    kept, again = each.cumsum(), again.cumsum()
    return {length: (kept[length - 1], again[length - 1]) for length in lengths}
