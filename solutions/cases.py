"""Make inputs for the cases of several exercises.

Functions that draw random inputs take a `Draw`: the same seed gives the same inputs on every
machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from solutions.specification import Draw
from utils.checks.tasks import Case


def thousands(draw: Draw, *shape: int) -> Tensor:
    """Draw multiples of 1000, positive and negative, whose `exp` overflows or is 0.

    They are float64, because logarithms computed from them in float32 would be inexact.
    """
    signs = 2 * draw.whole(0, 1, *shape) - 1
    return (1000 * signs * draw.whole(1, 5, *shape)).double()


def louder(numbers: Tensor) -> Tensor:
    """Return the numbers times 30, in float64.

    In float32 the differences of such large numbers would be inexact.
    """
    return 30 * numbers.double()


def as_view(matrix: Tensor) -> Tensor:
    """Return a matrix as a transposed view, stored column by column; return a vector unchanged."""
    return matrix.mT.contiguous().mT if matrix.dim() > 1 else matrix


def additive_widths(query_dim: int, key_dim: int, attention_dim: int) -> dict[str, int]:
    """Return the constructor's arguments for a module of additive attention, by name."""
    return {"query_dim": query_dim, "key_dim": key_dim, "attention_dim": attention_dim}


def additive_weights(
    draw: Draw, query_dim: int, key_dim: int, attention_dim: int
) -> dict[str, Tensor]:
    """Draw the parameters of a module of additive attention, by name.

    They are so small that no attention weight is close enough to 0 to be mistaken for 0.
    """
    return {
        "W_query.weight": draw.numbers(attention_dim, query_dim, reach=1),
        "W_key.weight": draw.numbers(attention_dim, key_dim, reach=1),
        "v.weight": draw.numbers(1, attention_dim, reach=1),
    }


def random_mask(draw: Draw, *shape: int) -> Tensor:
    """Draw a boolean mask (..., src_len) with at least one open and one closed cell in each row."""
    rows, src_len = torch.Size(shape[:-1]).numel(), shape[-1]
    masks = [draw.order(src_len) < int(draw.whole(1, src_len - 1)) for _ in range(rows)]
    return torch.stack(masks).reshape(shape)


def one_row_shut(mask: Tensor) -> Tensor:
    """Return a copy of a mask in which the last query of each sentence may see nothing."""
    shut = mask.clone()
    shut[..., -1, :] = False
    return shut


def one_silent(keys: Tensor) -> Tensor:
    """Return a copy of keys (..., length, width) in which the first are 0.

    Scores with them are 0, which is no sign that they are hidden.
    """
    silent = keys.clone()
    silent[..., 0, :] = 0.0
    return silent


def far_down(rows: Tensor) -> Tensor:
    """Return rows of scores in float64, the last of each matrix lowered by 200,000.

    All that it may look at lies below many a number that seems low enough.
    """
    low = rows.double().clone()
    low[..., -1, :] -= 200_000.0
    return low


def query_keys_values(
    draw: Draw, batch: int, tgt_len: int, src_len: int, dim: int, value_dim: int, **more
):
    """Draw query, keys and values for attention, by name.

    Shapes: (batch, tgt_len, dim), (batch, src_len, dim), (batch, src_len, value_dim). The keyword
    arguments `more` are those of `Draw.numbers` for query and keys.
    """
    return {
        "query": draw.numbers(batch, tgt_len, dim, **more),
        "keys": draw.numbers(batch, src_len, dim, **more),
        "values": draw.numbers(batch, src_len, value_dim),
    }


def doubled(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the inputs with all floating-point tensors converted to float64."""
    return {
        name: value.double() if torch.is_tensor(value) and value.is_floating_point() else value
        for name, value in inputs.items()
    }


def in_double(case: Case) -> Case:
    """Return a module's case with its inputs and parameters converted to float64."""
    return replace(case, inputs=doubled(case.inputs), parameters=doubled(case.parameters))


def far_apart(draw: Draw) -> dict:
    """Draw query, keys, values and a mask that hides the best key of each sentence.

    All numbers are float64, and the scores are in the thousands.
    """
    winner = torch.arange(4) == draw.whole(0, 3, 2, 1, 1)  # (2, 1, 4)
    far = doubled(query_keys_values(draw, 2, 3, 4, 2, 3))
    far["query"] = torch.full_like(far["query"], 1000.0)
    far["keys"] = far["keys"] + 9.0 * winner.mT
    return far | {"mask": ~winner}


def padded(lengths: Sequence[int], longest: int) -> Tensor:
    """Return a padding mask (batch, longest): row i is True for its first `lengths[i]` words."""
    return torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)
