"""Inputs that the cases of several exercises are made of.

A case maker gets a `Draw` and makes the same inputs for the same seed on every machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from solutions.specification import Draw
from utils.checks.tasks import Case


def thousands(draw: Draw, *shape: int) -> Tensor:
    """Draw whole thousands, whose `exp` overflows or is 0.

    They are in float64: in float32 the logarithms would be rough.
    """
    signs = 2 * draw.whole(0, 1, *shape) - 1
    return (1000 * signs * draw.whole(1, 5, *shape)).double()


def louder(numbers: Tensor) -> Tensor:
    """Return the numbers times 30.

    They are in float64: where large numbers cancel, float32 would be rough.
    """
    return 30 * numbers.double()


def as_view(matrix: Tensor) -> Tensor:
    """Return the same numbers as a transposed view, laid out by columns; a vector as it is."""
    return matrix.mT.contiguous().mT if matrix.dim() > 1 else matrix


def additive_widths(query_dim: int, key_dim: int, attention_dim: int) -> dict[str, int]:
    """Return what the constructor of an additive module gets."""
    return {"query_dim": query_dim, "key_dim": key_dim, "attention_dim": attention_dim}


def additive_weights(
    draw: Draw, query_dim: int, key_dim: int, attention_dim: int
) -> dict[str, Tensor]:
    """Draw the parameters of an additive module.

    They are small enough that no attention weight comes so close to 0 as to be taken for 0.
    """
    return {
        "W_query.weight": draw.numbers(attention_dim, query_dim, reach=1),
        "W_key.weight": draw.numbers(attention_dim, key_dim, reach=1),
        "v.weight": draw.numbers(1, attention_dim, reach=1),
    }


def random_mask(draw: Draw, *shape: int) -> Tensor:
    """Draw a boolean mask (..., src_len) with an open and a closed cell in each row."""
    rows, src_len = torch.Size(shape[:-1]).numel(), shape[-1]
    masks = [draw.order(src_len) < int(draw.whole(1, src_len - 1)) for _ in range(rows)]
    return torch.stack(masks).reshape(shape)


def one_row_shut(mask: Tensor) -> Tensor:
    """Return the mask with the last row of every sentence closed: it may look at nothing."""
    shut = mask.clone()
    shut[..., -1, :] = False
    return shut


def query_keys_values(
    draw: Draw, batch: int, tgt_len: int, src_len: int, dim: int, value_dim: int, **more
):
    """Draw query (batch, tgt_len, dim), keys (batch, src_len, dim), values (…, value_dim).

    `more` goes to `Draw.numbers` for query and keys.
    """
    return {
        "query": draw.numbers(batch, tgt_len, dim, **more),
        "keys": draw.numbers(batch, src_len, dim, **more),
        "values": draw.numbers(batch, src_len, value_dim),
    }


def doubled(inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the same inputs with all floats in double precision."""
    return {
        name: value.double() if value.is_floating_point() else value
        for name, value in inputs.items()
    }


def in_double(case: Case) -> Case:
    """Return a case of a module with inputs and parameters in double precision."""
    return replace(case, inputs=doubled(case.inputs), parameters=doubled(case.parameters))


def far_apart(draw: Draw) -> dict:
    """Draw query, keys, values and a mask that hides the best key of each row.

    The scores are in the thousands, in float64.
    """
    winner = torch.arange(4) == draw.whole(0, 3, 2, 1, 1)  # (2, 1, 4)
    far = doubled(query_keys_values(draw, 2, 3, 4, 2, 3))
    far["query"] = torch.full_like(far["query"], 1000.0)
    far["keys"] = far["keys"] + 9.0 * winner.mT
    return far | {"mask": ~winner}


def padded(lengths: Sequence[int], longest: int) -> Tensor:
    """Return a padding mask (batch, longest): True for the first `lengths[i]` words of each."""
    return torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)
