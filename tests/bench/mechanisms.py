"""Our mechanisms against the naive form and against PyTorch's own: forward and backward.

Batch 32, width 256, sources of 32 to 2,048 tokens. A decoder takes sixteen steps, one after the
other; multi-head and scaled dot-product attention take 128 queries at once.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.bench.measure import Work, peak_megabytes, seconds_side_by_side
from utils.attention import (
    Attention,
    ConcatenatedAdditiveAttention,
    MultiHeadAttention,
    ScaledDotProductAttention,
)

BATCH, DIM, HEADS, STEPS, QUERIES = 32, 256, 8, 16, 128
LENGTHS = [32, 128, 512, 2048]


def decoder_loop(kind: str, src_len: int) -> Work:
    """A decoder's attention: sixteen states, one after the other, over one source."""
    attention: Attention = ConcatenatedAdditiveAttention(DIM, DIM, DIM)
    if kind == "ours":
        attention = attention.split()
    states = torch.randn(BATCH, STEPS, DIM, requires_grad=True)
    keys = torch.randn(BATCH, src_len, DIM, requires_grad=True)

    def work():
        memory = attention.remember(keys)
        contexts = [attention.attend(states[:, step], memory)[0] for step in range(STEPS)]
        _backward(torch.stack(contexts))

    return work


def multi_head(kind: str, src_len: int) -> Work:
    """Multi-head attention: ours or PyTorch's, with the weights returned or without."""
    query = torch.randn(BATCH, QUERIES, DIM, requires_grad=True)
    keys = torch.randn(BATCH, src_len, DIM, requires_grad=True)
    theirs = nn.MultiheadAttention(DIM, HEADS, batch_first=True)
    ours = MultiHeadAttention.from_torch(theirs)
    runs = {
        "ours, weights": lambda: ours(query, keys)[0],
        "ours, no weights": lambda: ours(query, keys, return_weights=None)[0],
        "theirs, weights": lambda: theirs(query, keys, keys)[0],
        "theirs, no weights": lambda: theirs(query, keys, keys, need_weights=False)[0],
    }
    return lambda: _backward(runs[kind]())


def scaled_dot_product(kind: str, src_len: int) -> Work:
    """One head of scaled dot-product attention: ours, or PyTorch's fused one."""
    lengths = (QUERIES, src_len, src_len)
    inputs = [torch.randn(BATCH, length, DIM, requires_grad=True) for length in lengths]
    attention = ScaledDotProductAttention(DIM)
    runs = {
        "ours": lambda: attention(*inputs)[0],
        "theirs": lambda: F.scaled_dot_product_attention(*inputs),
    }
    return lambda: _backward(runs[kind]())


def _backward(context: Tensor) -> None:
    context.square().mean().backward()


def additive() -> dict:
    """The naive additive form, which repeats the query and concatenates, against the split form."""
    return _compare("additive, naive : ours", decoder_loop, "naive", "ours")


def multihead() -> dict:
    """Our multi-head attention against `nn.MultiheadAttention`, with and without weights."""
    figures = {}
    for with_or_without in ("weights", "no weights"):
        kinds = f"ours, {with_or_without}", f"theirs, {with_or_without}"
        title = f"multi-head with {with_or_without}, ours : theirs"
        figures[with_or_without] = _compare(title, multi_head, *kinds)
    return figures


def scaled() -> dict:
    """Our scaled dot-product attention, which returns its weights, against the fused one."""
    title = "scaled dot-product, ours : fused"
    return _compare(title, scaled_dot_product, "ours", "theirs")


def _compare(title: str, make_work, first: str, second: str) -> dict:
    print(f"\n{title} (batch {BATCH}, width {DIM}, {torch.get_num_threads()} threads)")
    print(f"{'length':>8} {'ms':>10} {'ms':>10} {'ratio':>7} {'MB':>9} {'MB':>9} {'ratio':>7}")
    figures = {}
    for length in LENGTHS:
        works = make_work(first, length), make_work(second, length)
        times = seconds_side_by_side(*works)
        memory = [peak_megabytes(work) for work in works]
        figures[length] = {"time": round(times[2], 2), "memory": round(memory[0] / memory[1], 2)}
        print(
            f"{length:8} {times[0] * 1e3:10.1f} {times[1] * 1e3:10.1f} {times[2]:7.2f} "
            f"{memory[0]:9.0f} {memory[1]:9.0f} {memory[0] / memory[1]:7.2f}"
        )
    return figures
