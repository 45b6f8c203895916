"""What it costs, by formula."""

import torch

from solutions.specification import NO_ORDER, Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, value_dim):
        return Case(
            label,
            {
                "batch": batch,
                "tgt_len": torch.as_tensor(tgt_len),
                "src_len": torch.as_tensor(src_len),
                "dim": dim,
                "value_dim": value_dim,
            },
        )

    def number(low, high):
        return int(draw.whole(low, high))

    return [
        case("by hand: 3 queries, 2 keys", 1, [3], [2], 4, 5),
        case("three lengths at once", number(2, 9), [10, 20, 40], [5, 7, 9], 8, 3),
        case("one query, one key", number(2, 9), [1], [1], number(2, 9), 2),
        case("512 words, head width 64", 1, [512], [512], 64, 64),
        case("a long source", number(2, 5), draw.whole(10, 50, 2), [8000, 9000], 32, 16),
        case(
            "lengths drawn at random",
            number(2, 9),
            draw.whole(2, 99, 4),
            draw.whole(2, 99, 4),
            7,
            4,
        ),
    ]


def _cost(
    products=lambda cells, dim, value_dim: cells * (dim + value_dim),
    memory=lambda cells, dim: cells * 4,
    cells=lambda batch, tgt_len, src_len: batch * tgt_len * src_len,
):
    """Both costs, made of the number of cells in the table of weights."""

    def price(batch, tgt_len, src_len, dim, value_dim):
        count = cells(batch, tgt_len, src_len)
        return products(count, dim, value_dim), memory(count, dim)

    return price


# --- Right answers in other styles ----------------------------------------------------------------


def one_product_after_the_other(batch, tgt_len, src_len, dim, value_dim):
    scores = batch * tgt_len * dim * src_len
    contexts = batch * tgt_len * src_len * value_dim
    return scores + contexts, batch * tgt_len * src_len * torch.finfo(torch.float32).bits // 8


def length_by_length(batch, tgt_len, src_len, dim, value_dim):
    pairs = list(zip(tgt_len.tolist(), src_len.tolist(), strict=True))
    return (
        torch.tensor([batch * t * s * (dim + value_dim) for t, s in pairs]),
        torch.tensor([4 * batch * t * s for t, s in pairs]),
    )


def on_paper(batch, tgt_len, src_len, dim, value_dim):
    products, sizes = [], []
    for t, s in zip(tgt_len, src_len, strict=True):
        weights = torch.empty(batch, t, s, device="meta")
        products.append(weights.numel() * dim + weights.numel() * value_dim)
        sizes.append(weights.numel() * weights.element_size())
    return [torch.tensor(products), torch.tensor(sizes)]


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="attention_cost",
    title="What it costs, by formula",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["multiply_adds", "weight_bytes"],
    cases=cases,
    equivalents={
        "cells = tgt_len * batch * src_len": NO_ORDER,
        "cells = src_len * (batch * tgt_len)": NO_ORDER,
        "return ((dim + value_dim) * cells, 4 * cells)": NO_ORDER,
        "return (cells * (value_dim + dim), 4 * cells)": NO_ORDER,
        "return (cells * (dim + value_dim), cells * 4)": NO_ORDER,
    },
    hints=[
        "How many cells has the table of weights? How many multiplications go into one of them?",
        "Two matrix products: queries with keys, weights with values. In the first each cell is "
        "a sum of `dim` products. In the second each cell meets a whole value.",
        "Cells: batch times tgt_len times src_len. Each costs `dim` multiplications when it is "
        "made and `value_dim` when it is used, and takes 4 bytes.",
    ],
    misconceptions=[
        Misconception(
            "scores alone",
            _cost(products=lambda cells, dim, value_dim: cells * dim),
            "You count the scores alone. The weighted sum of the values is a matrix product too.",
            "What is multiplied after the softmax?",
            kind="half-is-enough",
        ),
        Misconception(
            "values alone",
            _cost(products=lambda cells, dim, value_dim: cells * value_dim),
            "You count the weighted sum alone. Making the scores is a matrix product too.",
            "What is multiplied before the softmax?",
            kind="half-is-enough",
        ),
        Misconception(
            "widths multiplied",
            _cost(products=lambda cells, dim, value_dim: cells * dim * value_dim),
            "You multiply the two widths. The two products come one after the other, so their "
            "costs are added.",
            "By hand, with one query and one key of width 2 and a value of width 3: how many "
            "multiplications are there?",
            kind="sizes-add-or-multiply",
        ),
        Misconception(
            "width twice",
            _cost(products=lambda cells, dim, value_dim: 2 * cells * dim),
            "You take values to be as wide as keys. Often they are, but not here.",
            "Which width does the context have?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "multiplications and additions",
            _cost(products=lambda cells, dim, value_dim: 2 * cells * (dim + value_dim)),
            "Your count is twice the one that is asked: a multiplication and the addition after "
            "it count as *one* multiply-add.",
            "How many multiply-adds has a dot product of width 4?",
            kind="constant-factor",
        ),
        Misconception(
            "lengths added",
            _cost(cells=lambda batch, tgt_len, src_len: batch * (tgt_len + src_len)),
            "You add the two lengths. Every query meets every key, so the table has tgt_len times "
            "src_len cells.",
            "How many cells has a table of 3 rows and 2 columns?",
            kind="sizes-add-or-multiply",
        ),
        Misconception(
            "batch forgotten",
            _cost(cells=lambda batch, tgt_len, src_len: tgt_len * src_len),
            "You count one sentence of the batch. Each has a table of its own.",
            "Which input does not occur in your formula?",
            kind="cost-without-counting",
        ),
        Misconception(
            "square of the target",
            _cost(cells=lambda batch, tgt_len, src_len: batch * tgt_len * tgt_len),
            "You square the length of the target, as in self-attention. In general the source has "
            "a length of its own.",
            "How many columns have the weights?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "square of the source",
            _cost(cells=lambda batch, tgt_len, src_len: batch * src_len * src_len),
            "You square the length of the source, as in self-attention. In general the target has "
            "a length of its own.",
            "How many rows have the weights?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "numbers for bytes",
            _cost(memory=lambda cells, dim: cells * 1),
            "`weight_bytes` counts numbers. A number in float32 takes more than one byte.",
            "How many bits has float32, and how many of them make a byte?",
            kind="constant-factor",
        ),
        Misconception(
            "bits for bytes",
            _cost(memory=lambda cells, dim: cells * 32),
            "`weight_bytes` counts bits.",
            "How many bits make a byte?",
            kind="constant-factor",
        ),
        Misconception(
            "eight bytes",
            _cost(memory=lambda cells, dim: cells * 8),
            "You count eight bytes a number, as for float64.",
            "How many bits has float32, and how many of them make a byte?",
            kind="constant-factor",
        ),
        Misconception(
            "width in the memory",
            _cost(memory=lambda cells, dim: cells * dim * 4),
            "Your memory grows with the width of the keys. A cell of the weights holds one "
            "number, however many products went into it.",
            "Which shape have the weights?",
            kind="cost-without-counting",
        ),
    ],
    variants=[one_product_after_the_other, length_by_length, on_paper],
)
