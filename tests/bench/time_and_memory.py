"""Compare time and memory of our mechanisms with those of a naive form or of PyTorch's.

Each is run forward and backward, with batch 32, width 256 and sources of 32 to 2,048 tokens.
Additive attention is run in a decoder, for sixteen steps one after the other; multi-head and scaled
dot-product attention take 128 queries at once.
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.bench.measure import Work, peak_megabytes, seconds_side_by_side
from utils.attention import (
    Attention,
    ConcatenatedAdditiveAttention,
    ScaledDotProductAttention,
)
from utils.masks import causal_mask, masked_softmax
from utils.torch_twins import from_torch

BATCH, DIM, HEADS, STEPS, QUERIES = 32, 256, 8, 16, 128
LENGTHS = [32, 128, 512, 2048]
FEW = 4  # sequences, where all queries look at once


def additive() -> None:
    """Compare additive attention on the concatenated query and key with our own, split form.

    The split form projects the keys once, not at each step; both compute the same.
    """

    def make_works(src_len):
        states, keys = draw(STEPS), draw(src_len)
        naive = ConcatenatedAdditiveAttention(DIM, DIM, DIM)
        return (decode(naive, states, keys), decode(naive.split(), states, keys))

    print_table("additive, naive : ours", make_works)


def multihead() -> None:
    """Compare our multi-head attention with `nn.MultiheadAttention`, with and without weights."""

    def make_works(src_len, return_weights):
        query, keys = draw(QUERIES), draw(src_len)
        theirs = nn.MultiheadAttention(DIM, HEADS, batch_first=True)
        ours = from_torch(theirs)
        weighted = return_weights is not None
        return (
            backward_of(lambda: ours(query, keys, return_weights=return_weights)[0]),
            backward_of(lambda: theirs(query, keys, keys, need_weights=weighted)[0]),
        )

    title = "multi-head {} weights, ours : theirs"
    print_table(title.format("with"), partial(make_works, return_weights="mean"))
    print_table(title.format("without"), partial(make_works, return_weights=None))


def scaled() -> None:
    """Compare our scaled dot-product attention, which returns weights, with PyTorch's fused one."""

    def make_works(src_len):
        inputs = draw(QUERIES), draw(src_len), draw(src_len)
        ours = ScaledDotProductAttention(DIM)
        return (
            backward_of(lambda: ours(*inputs)[0]),
            backward_of(lambda: F.scaled_dot_product_attention(*inputs)),
        )

    print_table("scaled dot-product, ours : fused", make_works)


def masked() -> None:
    """Compare our masked softmax with an added mask, and both multi-heads under a causal mask."""

    def softmaxes(length):
        scores = torch.randn(FEW, HEADS, length, length, requires_grad=True)
        mask = causal_mask(length)
        added = torch.zeros(length, length).masked_fill(~mask, -torch.inf)
        return (
            backward_of(lambda: masked_softmax(scores, mask)),
            backward_of(lambda: (scores + added).softmax(-1)),
        )

    def heads(length):
        states, mask = draw(length, FEW), causal_mask(length)
        theirs = nn.MultiheadAttention(DIM, HEADS, batch_first=True)
        ours = from_torch(theirs)
        return (
            backward_of(lambda: ours(states, states, mask=mask, return_weights="mean")[0]),
            backward_of(lambda: theirs(states, states, states, attn_mask=~mask)[0]),
        )

    print_table("masked softmax, ours : mask added", softmaxes, (128, 512, 1024), FEW)
    print_table("multi-head, causal, with weights, ours : theirs", heads, (128, 512, 1024), FEW)


def draw(length: int, batch: int = BATCH) -> Tensor:
    """Return random states (batch, length, DIM) that require gradients."""
    return torch.randn(batch, length, DIM, requires_grad=True)


def backward_of(make_context: Callable[[], Tensor]) -> Work:
    """Return a function that calls `make_context`, and runs backward from the result."""
    return lambda: make_context().square().mean().backward()


def decode(attention: Attention, states: Tensor, keys: Tensor) -> Work:
    """Return a function that runs attention as a decoder does, forward and backward.

    The mechanism projects the keys once, and then attends with one state after the other.

    Args:
        attention: the mechanism.
        states: decoder states (batch, STEPS, query_dim).
        keys: encoder states (batch, src_len, key_dim).
    """

    def contexts():
        memory = attention.remember(keys)
        steps = [attention.attend(states[:, step], memory)[0] for step in range(STEPS)]
        return torch.stack(steps)

    return backward_of(contexts)


def print_table(
    title: str,
    make_works: Callable[[int], tuple[Work, Work]],
    lengths: Sequence[int] = LENGTHS,
    batch: int = BATCH,
) -> None:
    """Print time and memory of two functions side by side, a row for each source length.

    `make_works` returns the two functions for a source length.
    """
    print(f"\n{title} (batch {batch}, width {DIM}, {torch.get_num_threads()} threads)")
    print(f"{'length':>8} {'ms':>10} {'ms':>10} {'ratio':>7} {'MB':>9} {'MB':>9} {'ratio':>7}")
    for length in lengths:
        works = make_works(length)
        first, second, ratio = seconds_side_by_side(*works)
        megabytes = [peak_megabytes(work) for work in works]
        print(
            f"{length:8} {first * 1e3:10.1f} {second * 1e3:10.1f} {ratio:7.2f} "
            f"{megabytes[0]:9.0f} {megabytes[1]:9.0f} {megabytes[0] / megabytes[1]:7.2f}"
        )
