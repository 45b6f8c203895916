"""Notebook 04: scaled dot-product attention."""

import torch
from torch import Tensor

from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case
from utils.masks import masked_softmax

NO_ORDER = "a product has no order, nor has a sum"


def random_mask(draw: Draw, *shape: int) -> Tensor:
    """Cells at random, (..., src_len): each row has an open one and a closed one."""
    rows, src_len = torch.Size(shape[:-1]).numel(), shape[-1]
    each = [draw.order(src_len) < int(draw.whole(1, src_len - 1)) for _ in range(rows)]
    return torch.stack(each).reshape(shape)


def one_row_shut(mask: Tensor) -> Tensor:
    """The same mask, in which the last row of all may look at nothing."""
    shut = mask.clone()
    shut[..., -1, :] = False
    return shut


def query_keys_values(
    draw: Draw, batch: int, tgt_len: int, src_len: int, dim: int, value_dim: int, **more
):
    """Query, keys and values."""
    return {
        "query": draw.numbers(batch, tgt_len, dim, **more),
        "keys": draw.numbers(batch, src_len, dim, **more),
        "values": draw.numbers(batch, src_len, value_dim),
    }


def in_float64(inputs: dict) -> dict:
    """The same inputs, all decimal numbers in double precision."""
    return {name: one.double() if one.is_floating_point() else one for name, one in inputs.items()}


def _root(query, keys, values):
    return query.shape[-1] ** 0.5


def _attention(scale=_root, weigh=masked_softmax, handed_out=lambda keys, values: values):
    """Attention with a scale, a softmax or values of its own."""

    def attend(query, keys, values, mask=None):
        weights = weigh(query @ keys.mT / scale(query, keys, values), mask)
        return weights @ handed_out(keys, values), weights

    return attend


def _fill(number):
    """Hidden scores become this number, and nobody looks after rows without an open cell."""

    def weigh(scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, number)).softmax(-1)

    return weigh


def _mask_late(scores, mask):
    return scores.softmax(-1) * (1 if mask is None else mask)


def _mask_turned(scores, mask):
    return masked_softmax(scores, None if mask is None else ~mask)


def _mask_added(scores, mask):
    return (scores if mask is None else scores + mask).softmax(-1)


def _cut_and_divided(scores, mask):
    cut = _mask_late(scores, mask)
    return cut / cut.sum(-1, keepdim=True)


def _no_softmax(scores, mask):
    return scores if mask is None else scores * mask


def _far(draw: Draw) -> dict:
    """Scores in the thousands, in float64; of each row the best is under the mask."""
    winner = torch.arange(4) == draw.whole(0, 3, 2, 1, 1)  # (2, 1, 4)
    far = in_float64(query_keys_values(draw, 2, 3, 4, 2, 3))
    far["query"] = torch.full_like(far["query"], 1000.0)
    far["keys"] = far["keys"] + 9.0 * winner.mT
    return far | {"mask": ~winner}


# --- 1. Attention from a blank cell ---------------------------------------------------------------


def attention_cases(draw: Draw) -> list[Case]:
    turned = query_keys_values(draw, 2, 3, 4, 5, 2)
    turned["keys"] = draw.numbers(2, 5, 4).mT  # (2, 4, 5)
    return [
        Case("no mask", query_keys_values(draw, 2, 3, 5, 4, 6)),
        Case(
            "a mask for every sentence and query",
            query_keys_values(draw, 2, 3, 5, 4, 2) | {"mask": random_mask(draw, 2, 3, 5)},
        ),
        Case(
            "one mask for all sentences",
            query_keys_values(draw, 3, 4, 6, 2, 5) | {"mask": random_mask(draw, 4, 6)},
        ),
        Case(
            "rows that may look at nothing",
            query_keys_values(draw, 2, 3, 4, 6, 2)
            | {"mask": one_row_shut(random_mask(draw, 2, 3, 4))},
        ),
        Case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2)),
        Case("one key only", query_keys_values(draw, 3, 2, 1, 4, 5)),
        Case("scores in the thousands, the best of them hidden", _far(draw)),
        Case("keys that are a transposed view", turned),
        Case(
            "float64",
            in_float64(
                query_keys_values(draw, 2, 4, 3, 8, 5) | {"mask": random_mask(draw, 2, 1, 3)}
            ),
        ),
    ]


scaled_attention = Exercise(
    id="scaled_attention",
    title="Attention from a blank cell",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["scaled_dot_product_attention", "masked_softmax", "ScaledDotProductAttention"],
    cases=attention_cases,
    equivalents={
        "lowest = torch.finfo().min": "that of float32 is low enough for any score",
    },
    hints=[
        "Score, mask, softmax, weighted sum. Between which two of them does the scale stand, and "
        "which width stands under its root?",
        "Begin without the mask and make the first case pass. Then: what must a hidden score be, "
        "so that `exp` makes 0 of it? And what does the softmax make of a row in which all are "
        "hidden?",
        "Fill hidden scores with the lowest finite number of their kind, `torch.finfo(…).min`; "
        "take the softmax along the last axis; then set the hidden weights to 0, which empties "
        "the rows that may look at nothing. Both fills only where a mask was given.",
    ],
    misconceptions=[
        Misconception(
            "no scale",
            _attention(scale=lambda query, keys, values: 1),
            "Your scores are the plain dot products: the scale is missing. The wider the vectors, "
            "the larger such scores grow, and the harder the softmax chooses.",
            "How large is the typical dot product of two random vectors of width 256?",
        ),
        Misconception(
            "divided by d",
            _attention(scale=lambda query, keys, values: query.shape[-1]),
            "You divide the scores by the width, not by its root. So wide vectors get scores near "
            "0, and nearly equal shares.",
            "The *variance* of a dot product is d. What is its spread?",
        ),
        Misconception(
            "root of the number of keys",
            _attention(scale=lambda query, keys, values: keys.shape[-2] ** 0.5),
            "Under your root stands the number of keys, src_len. Scores grow with the number of "
            "*terms* in a dot product, and that is the width of a key.",
            "Over which axis does the dot product add up?",
        ),
        Misconception(
            "root of the values' width",
            _attention(scale=lambda query, keys, values: values.shape[-1] ** 0.5),
            "Under your root stands the width of the values. They take no part in the scores.",
            "Which two tensors meet in a dot product?",
        ),
        Misconception(
            "softmax over the queries",
            _attention(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=-2)),
            "Your weights sum to 1 over the queries, not over the keys: the softmax ran along the "
            "axis before the last.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "mask ignored",
            _attention(weigh=lambda scores, mask: scores.softmax(-1)),
            "Your function takes a mask and does not use it: hidden keys get a share like all "
            "others.",
            "Before which step must a hidden key drop out?",
        ),
        Misconception(
            "mask after the softmax",
            _attention(weigh=_mask_late),
            "You mask the weights, after the softmax. The hidden keys are gone, and what they "
            "took of the row is gone with them: rows sum to less than 1.",
            "Which sum was each weight divided by, and who took part in it?",
        ),
        Misconception(
            "True is hidden",
            _attention(weigh=_mask_turned),
            "You read the mask the other way round: the keys marked `True` get nothing. Here, and "
            "in `F.scaled_dot_product_attention`, `True` means *may be attended to*.",
            "Which PyTorch module reads masks your way, and what does one pass to it?",
        ),
        Misconception(
            "hidden scores of 0",
            _attention(weigh=_fill(0.0)),
            "You set hidden *scores* to 0. But 0 is a score like any other: `exp(0)` is 1, and so "
            "hidden keys get a share, often a good one.",
            "Which score does `exp` turn into 0?",
        ),
        Misconception(
            "mask added",
            _attention(weigh=_mask_added),
            "You add the mask to the scores. `True` counts as 1, so open scores rise by 1 and "
            "hidden ones stay where they are: hidden keys still get a good share.",
            "How far down would a hidden score have to go?",
        ),
        Misconception(
            "cut, then divided again",
            _attention(weigh=_cut_and_divided),
            "Cutting the weights and dividing once more is right on paper. Where a hidden score is "
            "very large, or a row is empty, it divides 0 by 0.",
            "What is left of the open keys' weights after a softmax that a hidden key has won?",
        ),
        Misconception(
            "NaN in an empty row",
            _attention(weigh=_fill(float("-inf"))),
            "All is right but for rows that may look at nothing. With all scores at minus "
            "infinity the softmax divides 0 by 0, and one NaN later reaches every parameter.",
            "How did section 6 get zeros for such a row?",
        ),
        Misconception(
            "equal shares in an empty row",
            _attention(weigh=_fill(-1e9)),
            "All is right but for rows that may look at nothing. They have all scores alike, at a "
            "large negative number, so they look at everything in equal shares.",
            "What is still to be done after the softmax?",
        ),
        Misconception(
            "multiplied by the root",
            _attention(scale=lambda query, keys, values: query.shape[-1] ** -0.5),
            "You multiply the scores by √d. So they grow with the width twice over.",
            "Should the scale make wide vectors' scores larger or smaller?",
        ),
        Misconception(
            "root of the number of queries",
            _attention(scale=lambda query, keys, values: query.shape[-2] ** 0.5),
            "Under your root stands the number of queries, tgt_len. Scores grow with the number of "
            "*terms* in a dot product, and that is the width of a query.",
            "Over which axis does the dot product add up?",
        ),
        Misconception(
            "softmax over the batch",
            _attention(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=0)),
            "Your weights sum to 1 over the sentences of the batch: the softmax ran along axis 0. "
            "Sentences have nothing to do with each other.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "no softmax",
            _attention(weigh=_no_softmax),
            "Your weights are the scores themselves. They may be negative, and sum to anything.",
            "Which step of the four is missing?",
        ),
        Misconception(
            "order of return",
            lambda query, keys, values, mask=None: _attention()(query, keys, values, mask)[::-1],
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results is as wide as the values?",
        ),
        Misconception(
            "keys handed out",
            _attention(handed_out=lambda keys, values: keys),
            "Your context mixes the keys. Keys are what a query is compared with; what is handed "
            "out are the values.",
            "As wide as which tensor should the context be?",
        ),
    ],
)


# --- 2. The variance experiment -------------------------------------------------------------------


def variance_cases(draw: Draw) -> list[Case]:
    def case(label, queries, keys, widths):
        return Case(label, {"queries": queries, "keys": keys, "widths": widths})

    def signs(*shape):
        return (2 * draw.whole(0, 1, *shape) - 1).float()

    return [
        case("three widths", draw.numbers(8, 4), draw.numbers(8, 4), [1, 2, 4]),
        case("one width, not the largest", draw.numbers(9, 5), draw.numbers(9, 5), [2]),
        case("widths in another order", draw.numbers(7, 6), draw.numbers(7, 6), [6, 3, 5]),
        case("scores whose mean is not 0", draw.numbers(6, 4).abs(), draw.numbers(6, 4).abs(), [3]),
        case("coins, +1 and −1", signs(12, 8), signs(12, 8), [2, 8]),
        case("two pairs only", draw.numbers(2, 3), draw.numbers(2, 3), [1, 3]),
        case("float64", draw.numbers(5, 4).double(), draw.numbers(5, 4).double(), [2, 4]),
        case("queries that are a transposed view", draw.numbers(4, 6).T, draw.numbers(6, 4), [3]),
    ]


def _scores(queries, keys, width):
    return (queries[:, :width] * keys[:, :width]).sum(-1)


def _variance(scores):
    return scores.var(correction=0)


def _measured(
    plain=lambda queries, keys, width: _variance(_scores(queries, keys, width)),
    scaled=lambda queries, keys, width: _variance(_scores(queries, keys, width) / width**0.5),
):
    """Both rows of the table, measured in a way of their own."""

    def measure(queries, keys, widths):
        return tuple(
            torch.stack([one(queries, keys, width) for width in widths]) for one in (plain, scaled)
        )

    return measure


def _measured_by(variance=_variance, scores=_scores):
    return _measured(
        lambda queries, keys, width: variance(scores(queries, keys, width)),
        lambda queries, keys, width: variance(scores(queries, keys, width) / width**0.5),
    )


score_variance = Exercise(
    id="score_variance",
    title="The variance experiment",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["plain", "scaled"],
    cases=variance_cases,
    equivalents={
        "scores = (queries[:, :width] * keys[:, :width]).sum(1)": "a matrix: axis 1 is the last",
        "scores = (keys[:, :width] * queries[:, :width]).sum(-1)": NO_ORDER,
    },
    hints=[
        "How many scores are there for one width? Each row of `queries` has one partner.",
        "For each width: cut both tensors to their first columns, multiply entry by entry, add "
        "up along the rows. What is left is one score a pair; of those you want the variance.",
        "`.var(correction=0)` divides by the number of scores. Take it once of the scores, once "
        "of the scores divided by the root of that width; collect both in lists, and turn the "
        "lists into tensors with `torch.stack`.",
    ],
    misconceptions=[
        Misconception(
            "divided by one less",
            _measured_by(variance=lambda scores: scores.var()),
            "Your variances are a little too large: the sum of squares was divided by the number "
            "of pairs *less one*, as `.var()` does unless told otherwise.",
            "Which argument of `.var` says what is taken off the number?",
        ),
        Misconception(
            "spread for variance",
            _measured_by(variance=lambda scores: scores.std(correction=0)),
            "You return the spread (standard deviation), which is the root of the variance.",
            "Does the spread of the scores grow with d or with the root of d?",
        ),
        Misconception(
            "distance from 0",
            _measured_by(variance=lambda scores: scores.square().mean()),
            "You take the mean of the squares. That is the variance only where the mean of the "
            "scores is 0, as with the coins of section 1. Measured numbers are not so kind.",
            "From which number are the distances taken in a variance?",
        ),
        Misconception(
            "every query with every key",
            _measured_by(
                scores=lambda queries, keys, width: queries[:, :width] @ keys[:, :width].T
            ),
            "You score every query against every key. The rows come in pairs here: row 3 of "
            "`queries` meets row 3 of `keys` and no other.",
            "How many scores do 8 pairs make?",
        ),
        Misconception(
            "terms for scores",
            _measured_by(scores=lambda queries, keys, width: queries[:, :width] * keys[:, :width]),
            "You take the variance of the single terms $q_i k_i$. A score is their *sum*, and it "
            "is the sum that spreads out as the width grows.",
            "What does a dot product do after multiplying?",
        ),
        Misconception(
            "the last numbers",
            _measured_by(
                scores=lambda queries, keys, width: (queries[:, -width:] * keys[:, -width:]).sum(-1)
            ),
            "You use the last numbers of every vector. The task asks for the first.",
            "What does `[:, :2]` keep, and what does `[:, -2:]`?",
        ),
        Misconception(
            "whole vectors",
            _measured_by(scores=lambda queries, keys, width: (queries * keys).sum(-1)),
            "Your scores use the whole vectors at every width, so `plain` is the same number over "
            "and over.",
            "How do you take the first three columns of a matrix?",
        ),
        Misconception(
            "variance divided by the root",
            _measured(
                scaled=lambda queries, keys, width: (
                    _variance(_scores(queries, keys, width)) / width**0.5
                )
            ),
            "`scaled` is the plain variance divided by √d. But it is the *scores* that are "
            "divided; the variance measures squares, so it shrinks by more than that.",
            "If all scores are halved, what happens to their variance?",
        ),
        Misconception(
            "divided by d",
            _measured(
                scaled=lambda queries, keys, width: _variance(_scores(queries, keys, width) / width)
            ),
            "For `scaled` you divide the scores by d. Then their variance falls as 1/d, and wide "
            "vectors can no longer choose. Attention divides by the root.",
            "Which divisor brings a spread of √d back to 1?",
        ),
        Misconception(
            "multiplied by the root",
            _measured(
                scaled=lambda queries, keys, width: _variance(
                    _scores(queries, keys, width) * width**0.5
                )
            ),
            "For `scaled` you multiply the scores by √d, so their variance grows even faster.",
            "Should the scale make wide vectors' scores larger or smaller?",
        ),
        Misconception(
            "root of the whole width",
            _measured(
                scaled=lambda queries, keys, width: _variance(
                    _scores(queries, keys, width) / queries.shape[-1] ** 0.5
                )
            ),
            "For `scaled` you divide by the root of the vectors' whole width, whatever part of "
            "them the score used. The scale belongs to the number of terms that were added up.",
            "How many terms has the score at width 2?",
        ),
    ],
)


# --- 3. Causal and padding mask in one ------------------------------------------------------------


def mask_cases(draw: Draw) -> list[Case]:
    def case(label, lengths, positions, src_len):
        return Case(label, {"lengths": lengths, "positions": positions, "src_len": src_len})

    def all_of(count):
        return torch.arange(count)

    return [
        case("a whole sentence each", draw.order(5)[:3] + 1, all_of(5), 5),
        case("the newest two words only", draw.order(6)[:4] + 1, torch.tensor([4, 5]), 6),
        case("one sentence, one query", draw.whole(2, 3, 1), draw.whole(1, 2, 1), 4),
        case("an empty sentence", draw.order(4)[:3] * torch.tensor([1, 0, 1]), all_of(4), 4),
        case("queries in another order", draw.order(6)[:2] + 1, draw.order(6)[:4], 6),
        case("one key only", torch.tensor([1, 0]), torch.tensor([0]), 1),
        case("no padding", torch.full((2,), 7), draw.order(7)[:3], 7),
    ]


def _past(lengths, positions, src_len):
    """(tgt_len, src_len)"""
    return torch.arange(src_len) <= positions[:, None]


def _real(lengths, positions, src_len):
    """(batch, 1, src_len)"""
    return torch.arange(src_len) < lengths[:, None, None]


def _combined(past=_past, real=_real, both=lambda past, real: past & real):
    def combine(lengths, positions, src_len):
        facts = lengths, positions, src_len
        return both(past(*facts), real(*facts))

    return combine


combined_mask = Exercise(
    id="combined_mask",
    title="Causal and padding mask in one",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["mask"],
    cases=mask_cases,
    equivalents={"return padding & causal": 'who says "and" may swap the two sides'},
    hints=[
        "Write down, for one cell (sentence b, query i, key j), the two questions that must both "
        "be answered with yes. Which of b, i and j does each of them need?",
        "Each question is one comparison of numbers: place of the key with place of the query, "
        "place of the key with length of the sentence. `None` in an index adds the axis that a "
        "comparison does not need.",
        "The places of the keys are `torch.arange(src_len)`. Compare them with `positions` as a "
        "column (tgt_len, 1), and with `lengths` as (batch, 1, 1); join the two with `&`.",
    ],
    misconceptions=[
        Misconception(
            "strictly before",
            _combined(
                past=lambda lengths, positions, src_len: torch.arange(src_len) < positions[:, None]
            ),
            "In your mask no query may look at its own place. Causal means *not later*: itself "
            "and everything before it.",
            "What could the very first word look at, in your mask?",
        ),
        Misconception(
            "the future",
            _combined(
                past=lambda lengths, positions, src_len: torch.arange(src_len) >= positions[:, None]
            ),
            "Your mask opens the future and closes the past: the comparison points the wrong way.",
            "May the place of the key be larger than that of the query?",
        ),
        Misconception(
            "or for and",
            _combined(both=lambda past, real: past | real),
            "In your mask one yes is enough: padding is open wherever it is not in the future, "
            "and the future wherever it is no padding.",
            "May a query look at padding in its past? At a real word in its future?",
        ),
        Misconception(
            "one word of padding",
            _combined(
                real=lambda lengths, positions, src_len: (
                    torch.arange(src_len) <= lengths[:, None, None]
                )
            ),
            "Your mask lets the first padding through. Places are counted from 0, so a sentence "
            "of 3 words has the places 0, 1 and 2.",
            "Which is the last place of a sentence of length 3?",
        ),
        Misconception(
            "True is hidden",
            _combined(both=lambda past, real: ~(past & real)),
            "Your mask is the right one turned round: `True` where it should be `False`. In this "
            "course `True` means *may be attended to*.",
            "What should stand in the cell of the first query and the first key?",
        ),
        Misconception(
            "padding forgotten",
            _combined(real=lambda lengths, positions, src_len: (lengths >= 0)[:, None, None]),
            "Your mask is causal and no more: padding in the past of a query is open.",
            "Which column of which sentence should be closed from top to bottom?",
        ),
        Misconception(
            "future forgotten",
            _combined(past=lambda lengths, positions, src_len: (positions >= 0)[:, None]),
            "Your mask hides padding and no more: every query sees the future.",
            "Which cells should be closed in a sentence that has no padding at all?",
        ),
        Misconception(
            "row number for place",
            _combined(
                past=lambda lengths, positions, src_len: torch.ones(
                    len(positions), src_len, dtype=torch.bool
                ).tril()
            ),
            "You take row i for place i. That holds for a whole sentence only. Here `positions` "
            "says where each query stands: the first row may well be the fifth word.",
            "If the newest word alone asks, how many rows has the mask, and how much may it see?",
        ),
        Misconception(
            "always the newest",
            _combined(
                past=lambda lengths, positions, src_len: torch.ones(
                    src_len, src_len, dtype=torch.bool
                ).tril()[-len(positions) :]
            ),
            "You take the last rows of the triangle: right where the newest words ask. "
            "`positions` may name any others.",
            "Which of the three inputs do you use for its length only?",
        ),
        Misconception(
            "rows of padding closed",
            lambda lengths, positions, src_len: (
                _combined()(lengths, positions, src_len)
                & (positions < lengths[:, None])[:, :, None]
            ),
            "You close the *rows* of queries that stand in the padding, too. A padding mask hides "
            "keys, the columns; what padding asks, nobody reads, and an empty row only makes "
            "trouble.",
            "Which of the two, row or column, is looked at?",
        ),
        Misconception(
            "numbers for booleans",
            _combined(both=lambda past, real: past.float() * real),
            "Your mask holds the numbers 1 and 0. The cells are right; but masks are boolean "
            "here, since `~` and `masked_fill` would not take numbers, or would take them wrongly.",
            "Which operator joins two boolean tensors into a boolean one?",
        ),
    ],
)


# --- 4. A temperature for each query --------------------------------------------------------------


def temperature_cases(draw: Draw) -> list[Case]:
    def case(label, inputs):
        batch, tgt_len, _ = inputs["query"].shape
        heat = (draw.whole(30, 400, batch, tgt_len) / 100).to(inputs["query"].dtype)
        return Case(label, inputs | {"temperature": heat})

    turned = query_keys_values(draw, 2, 3, 5, 4, 2)
    turned["keys"] = draw.numbers(2, 4, 5).mT  # (2, 5, 4)
    far = in_float64(query_keys_values(draw, 2, 3, 4, 2, 3))
    far["query"] = far["query"].sign() * 1000
    return [
        case("two sentences of three queries", query_keys_values(draw, 2, 3, 5, 4, 6)),
        case("as many queries as keys", query_keys_values(draw, 3, 4, 4, 6, 2)),
        case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2)),
        case("one key only", query_keys_values(draw, 2, 3, 1, 2, 4)),
        case("scores in the thousands", far),
        case("keys that are a transposed view", turned),
        case("float64", in_float64(query_keys_values(draw, 2, 4, 3, 8, 5))),
    ]


def _tempered(scale, late=lambda weights, heat: weights):
    """Attention whose scale is made of the width and of temperatures (batch, tgt_len, 1)."""

    def attend(query, keys, values, temperature):
        heat = temperature[..., None]
        weights = late((query @ keys.mT / scale(query.shape[-1], heat)).softmax(-1), heat)
        return weights @ values, weights

    return attend


tempered_attention = Exercise(
    id="tempered_attention",
    title="A temperature for each query",
    points=2,
    difficulty=2,
    minutes=5,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=temperature_cases,
    equivalents={
        "scale = temperature.unsqueeze(-1) * math.sqrt(keys.shape[-1])": NO_ORDER,
    },
    hints=[
        "What do the two knobs do to the scores, and does it matter which of them is turned first?",
        "The scores are (batch, tgt_len, src_len), the temperatures (batch, tgt_len). Line the "
        "shapes up at the right: which axis do the temperatures lack?",
        "Give the temperatures a last axis of size 1 with `.unsqueeze`, multiply by the root of "
        "the keys' width, and divide the scores by that, before the softmax.",
    ],
    misconceptions=[
        Misconception(
            "multiplied by the temperature",
            _tempered(lambda width, heat: width**0.5 / heat),
            "Your rows get sharper where the temperature rises: the scores are multiplied by it.",
            "Hot means equal shares. What must happen to the differences between scores?",
        ),
        Misconception(
            "under the root",
            _tempered(lambda width, heat: (width * heat) ** 0.5),
            "The temperature slipped under the root with d, so it acts only by its own root.",
            "At d = 1, what should temperature 4 divide the scores by?",
        ),
        Misconception(
            "temperature for scale",
            _tempered(lambda width, heat: heat),
            "You divide by the temperature alone. It stands *beside* the scale √d, and does not "
            "replace it: at temperature 1 all should be as without one.",
            "What should your function give for temperatures of 1?",
        ),
        Misconception(
            "scale alone",
            _tempered(lambda width, heat: width**0.5),
            "The temperature changes nothing in your weights.",
            "Call your function with temperatures of 1 and of 100. What should differ?",
        ),
        Misconception(
            "added",
            _tempered(lambda width, heat: width**0.5 + heat),
            "You add the temperature to √d. Then even temperature 1 changes the weights.",
            "Two divisions one after the other: what single number do they divide by?",
        ),
        Misconception(
            "divided by d",
            _tempered(lambda width, heat: width * heat),
            "You divide by the temperature and by d. The scale is the *root* of d.",
            "What stands below the line in the formula?",
        ),
        Misconception(
            "after the softmax",
            _tempered(lambda width, heat: width**0.5, late=lambda weights, heat: weights / heat),
            "You divide the weights, after the softmax. So they no longer sum to 1, and their "
            "ratios stay what they were.",
            "On which side of the softmax do differences become ratios?",
        ),
        Misconception(
            "one for all",
            _tempered(lambda width, heat: width**0.5 * heat.mean()),
            "All your queries have the same temperature, the mean of all. Each has one of its own.",
            "What happens to one row of weights when the temperature of *another* query changes?",
        ),
        Misconception(
            "that of the first sentence",
            _tempered(lambda width, heat: width**0.5 * heat[0]),
            "All your sentences use the temperatures of the first one.",
            "How many temperatures are there in a batch of two sentences with three queries each?",
        ),
        Misconception(
            "on both sides",
            _tempered(lambda width, heat: width**0.5 * heat**2),
            "The temperature acts twice in your scores: they are divided by its square. Did you "
            "divide the queries and the keys, or queries and scores?",
            "By how much shrinks a product when both its factors are halved?",
        ),
    ],
)


# --- 5. Dropout, with the dice thrown -------------------------------------------------------------


def dropout_cases(draw: Draw) -> list[Case]:
    def case(label, weights, value_dim, p, training=True, keep=None):
        if keep is None:
            keep = random_mask(draw, *weights.shape)
        values = draw.numbers(*weights.shape[:-2], weights.shape[-1], value_dim).to(weights)
        inputs = {"weights": weights, "values": values, "keep": keep, "p": p, "training": training}
        return Case(label, inputs)

    lost = one_row_shut(random_mask(draw, 2, 3, 4))
    return [
        case("training, p = 0.2", draw.shares(2, 3, 4), 5, 0.2),
        case("training, p = 0.75", draw.shares(3, 2, 5), 4, 0.75),
        case("evaluation, p = 0.2", draw.shares(2, 3, 4), 2, 0.2, training=False),
        case("a row that loses everything, p = 0.5", draw.shares(2, 3, 4), 3, 0.5, keep=lost),
        case("one sentence, one query", draw.shares(1, 1, 6), 2, 0.1),
        case("one key only, kept", torch.ones(2, 3, 1), 4, 0.5, keep=torch.ones(2, 3, 1).bool()),
        case("float64", draw.shares(2, 4, 3).double(), 5, 0.4),
        case("weights that are a transposed view", draw.shares(2, 4, 3).mT.contiguous().mT, 2, 0.6),
    ]


def _dropped(
    train=lambda weights, keep, p: weights * keep / (1 - p),
    evaluate=lambda weights, keep, p: weights,
    too_early=False,
):
    """Dropout with rules of its own; the context can be made too early, before any dropping."""

    def drop(weights, values, keep, p, training):
        used = (train if training else evaluate)(weights, keep, p)
        return (weights if too_early else used) @ values, used

    return drop


attention_dropout = Exercise(
    id="attention_dropout",
    title="Dropout, with the dice thrown",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["context", "dropped"],
    cases=dropout_cases,
    equivalents={"dropped = keep * weights / (1 - p)": NO_ORDER},
    hints=[
        "What are the four weights of a row in training, by hand, if p = ½ and the dice keep the "
        "first and the last?",
        "Three things to decide: what the dice do to a weight, what happens to the weights that "
        "are kept, and when none of it happens.",
        "In training: weights times `keep`, divided by one less `p`. Otherwise the weights as "
        "they came. The context is then made from whichever weights you have.",
    ],
    misconceptions=[
        Misconception(
            "kept weights do not grow",
            _dropped(lambda weights, keep, p: weights * keep),
            "You drop weights and leave the others as they are. So in training the context is on "
            "average smaller than in evaluation, by the share dropped.",
            "If a fifth of the weights is dropped, what do the others have to be multiplied by, "
            "so that the mean stays?",
        ),
        Misconception(
            "divided by p",
            _dropped(lambda weights, keep, p: weights * keep / p),
            "You divide the kept weights by p, the share *dropped*. To make up for the loss they "
            "are divided by the share *kept*.",
            "By what should a weight grow if only a tenth of all is dropped: tenfold, or a little?",
        ),
        Misconception(
            "shrunk for growing",
            _dropped(lambda weights, keep, p: weights * keep * (1 - p)),
            "You multiply the kept weights by 1 − p, so they shrink, and what is lost by dropping "
            "is lost twice.",
            "Should what is kept become larger or smaller?",
        ),
        Misconception(
            "rows brought to 1",
            _dropped(lambda weights, keep, p: weights * keep / (weights * keep).sum(-1, True)),
            "You divide each row by what is left of it. Dropout does not do that: its rows sum to "
            "1 only on average. And a row that loses everything becomes NaN.",
            "Should the factor depend on p, or on how the dice fell?",
        ),
        Misconception(
            "divided by what fell",
            _dropped(lambda weights, keep, p: weights * keep / keep.double().mean().to(weights)),
            "You divide by the share that *was* kept this time. The factor of dropout is fixed by "
            "p, whatever the dice show.",
            "Which number was settled before the dice were thrown?",
        ),
        Misconception(
            "True is dropped",
            _dropped(lambda weights, keep, p: weights * ~keep / (1 - p)),
            "You drop what should be kept: `keep` is `True` for the weights that stay.",
            "What does the name of the input say about `True`?",
        ),
        Misconception(
            "never sleeps",
            _dropped(evaluate=lambda weights, keep, p: weights * keep / (1 - p)),
            "Your dropout never sleeps: it drops weights in evaluation too, when `training` is "
            "`False`.",
            "Which of the five inputs did you not use?",
        ),
        Misconception(
            "shrinks in evaluation",
            _dropped(evaluate=lambda weights, keep, p: weights * (1 - p)),
            "In evaluation you shrink the weights. That would make up for dropout that does not "
            "grow what it keeps; but here the kept weights grow in training already.",
            "To what should a row sum in evaluation?",
        ),
        Misconception(
            "grows in evaluation",
            _dropped(evaluate=lambda weights, keep, p: weights / (1 - p)),
            "In evaluation you drop nothing, and still make the weights grow. With nothing lost "
            "there is nothing to make up for.",
            "To what should a row sum in evaluation?",
        ),
        Misconception(
            "context of the old weights",
            _dropped(too_early=True),
            "Your context is made from the weights before dropout. So the dice have no effect on "
            "what comes out.",
            "Which of your tensors should be multiplied with the values?",
        ),
    ],
)


# --- 6. Cross-attention ---------------------------------------------------------------------------


def cross_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, attention_dim, value_dim, real):
        return Case(
            label,
            {
                "target": draw.numbers(batch, tgt_len, dim, reach=2),
                "source": draw.numbers(batch, src_len, dim, reach=2),
                "w_q": draw.numbers(attention_dim, dim, reach=1),
                "w_k": draw.numbers(attention_dim, dim, reach=1),
                "w_v": draw.numbers(value_dim, dim, reach=1),
                "real": real,
            },
        )

    def words(src_len, *lengths):
        return torch.arange(src_len) < torch.tensor(lengths)[:, None]

    sizes = 2, 3, 5, 4, 6, 3
    turned = case("source as a transposed view", *sizes, words(5, 5, 3)).inputs
    turned["source"] = draw.numbers(2, 4, 5, reach=2).mT
    precise = case("float64", 2, 4, 3, 6, 2, 5, words(3, 2, 3)).inputs
    return [
        case("no padding", *sizes, words(5, 5, 5)),
        case("a source with padding", 3, 2, 6, 4, 5, 2, words(6, 6, 3, int(draw.whole(1, 5)))),
        case("a source shorter than the target", 2, 5, 3, 6, 4, 7, words(3, 3, 2)),
        case("a source of padding only", 2, 3, 4, 5, 2, 6, words(4, 0, 4)),
        case("one sentence, one query", 1, 1, 4, 3, 5, 2, words(4, 3)),
        case("one source word", 2, 3, 1, 4, 3, 5, words(1, 1, 1)),
        Case("source as a transposed view", turned),
        Case("float64", in_float64(precise)),
    ]


def _cross(asks=lambda target, source: (target, source), swapped=False, weigh=None, **attention):
    """Cross-attention in which another sequence asks or is asked, or with faults in attention."""

    def attend(target, source, w_q, w_k, w_v, real):
        who, whom = asks(target, source)
        first, second = (w_k, w_q) if swapped else (w_q, w_k)
        query, keys, values = who @ first.T, whom @ second.T, whom @ w_v.T
        mask = real[:, None] if whom is source else None
        with_faults = _attention(weigh=weigh or masked_softmax, **attention)
        return with_faults(query, keys, values, mask)

    return attend


cross_attention = Exercise(
    id="cross_attention",
    title="Cross-attention",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cross_cases,
    hints=[
        "Who asks, and who is asked? Which of the three projections belongs to whom?",
        "First the shapes: query (batch, tgt_len, attention_dim), keys (batch, src_len, "
        "attention_dim), values (batch, src_len, value_dim). From there on it is the first task. "
        "Which axis is `real` still missing?",
        "Multiply `target` with `w_q.T`, and `source` with each of the other two. Scores divided "
        "by the root of attention_dim; `masked_softmax` with `real` as (batch, 1, src_len); "
        "weights times values.",
    ],
    misconceptions=[
        Misconception(
            "the source asks",
            _cross(asks=lambda target, source: (source, target)),
            "In your answer the source asks the target: rows are source words. It should be the "
            "other way round: the decoder, at the target, looks into the source.",
            "Which sequence should have one row of weights for each of its words?",
        ),
        Misconception(
            "the target asks itself",
            _cross(asks=lambda target, source: (target, target)),
            "Your keys and values come from the target: that is self-attention in the decoder.",
            "Which sequence holds what a translator has to look up?",
        ),
        Misconception(
            "the source asks itself",
            _cross(asks=lambda target, source: (source, source)),
            "Your queries come from the source: that is self-attention in the encoder.",
            "Who wants to write the next word?",
        ),
        Misconception(
            "projections swapped",
            _cross(swapped=True),
            "Queries were made with `w_k` and keys with `w_q`. Each of the two has learned its "
            "own job.",
            'Which matrix turns "who am I?" into "what do I look for?"?',
        ),
        Misconception(
            "values as they came",
            lambda target, source, w_q, w_k, w_v, real: _cross(
                handed_out=lambda keys, values: source
            )(target, source, w_q, w_k, w_v, real),
            "Your context mixes the source as it came. The third projection, `w_v`, says what "
            "each word hands out.",
            "How wide should the context be?",
        ),
        Misconception(
            "keys handed out",
            _cross(handed_out=lambda keys, values: keys),
            "Your context mixes the keys. They were made for comparing; what is handed out are "
            "the values.",
            "How wide should the context be?",
        ),
        Misconception(
            "no scale",
            _cross(scale=lambda query, keys, values: 1),
            "The scores are not scaled. Cross-attention is scaled dot-product attention too.",
            "What stands under the root in the formula of section 3?",
        ),
        Misconception(
            "root of the model's width",
            lambda target, source, w_q, w_k, w_v, real: _cross(
                scale=lambda query, keys, values: target.shape[-1] ** 0.5
            )(target, source, w_q, w_k, w_v, real),
            "You divide by the root of the width *before* the projection. The dot product adds up "
            "as many terms as the projected vectors have numbers.",
            "Which width do queries and keys have when they meet?",
        ),
        Misconception(
            "padding attended to",
            _cross(weigh=lambda scores, mask: scores.softmax(-1)),
            "Your weights let the decoder look at padding of the source.",
            "Which of the six inputs have you not used?",
        ),
        Misconception(
            "real words hidden",
            _cross(weigh=_mask_turned),
            "Your decoder looks at padding and at nothing else: `real` was read the wrong way "
            "round.",
            "What does `True` mean in `real`?",
        ),
        Misconception(
            "mask after the softmax",
            _cross(weigh=_mask_late),
            "You took padding out after the softmax, so what it had taken of each row is lost.",
            "To what should a row of weights sum in a sentence with padding?",
        ),
        Misconception(
            "hidden scores of 0",
            _cross(weigh=_fill(0.0)),
            "You set the scores of padding to 0, which is a score like any other: better than "
            "every negative one.",
            "Which score does `exp` turn into 0?",
        ),
        Misconception(
            "softmax over the queries",
            _cross(weigh=lambda scores, mask: masked_softmax(scores, mask, dim=1)),
            "Your weights sum to 1 over the target words: the softmax ran along the axis of the "
            "queries.",
            "Who shares out attention, and among whom?",
        ),
        Misconception(
            "root of the values' width",
            _cross(scale=lambda query, keys, values: values.shape[-1] ** 0.5),
            "Under your root stands the width of the values. They take no part in the scores.",
            "Which two tensors meet in a dot product?",
        ),
        Misconception(
            "equal shares for a source of padding",
            _cross(weigh=_fill(-1e9)),
            "All is right, but a source with no real word at all is looked at in equal shares. "
            "Its weights should be 0, and so should its context.",
            "What does `masked_softmax` of `utils.masks` do in that case?",
        ),
        Misconception(
            "NaN for a source of padding",
            _cross(weigh=_fill(float("-inf"))),
            "All is right, but a source with no real word at all gives NaN. Its weights should be "
            "0, and so should its context.",
            "What does `masked_softmax` of `utils.masks` do in that case?",
        ),
    ],
)


# --- 7. The mask that was added -------------------------------------------------------------------


def mended_cases(draw: Draw) -> list[Case]:
    def case(label, inputs, *mask_shape):
        return Case(label, inputs | {"mask": random_mask(draw, *mask_shape)})

    turned = query_keys_values(draw, 2, 3, 5, 4, 2)
    turned["keys"] = draw.numbers(2, 4, 5).mT  # (2, 5, 4)
    shut = one_row_shut(random_mask(draw, 3, 2, 4))
    wide_open = torch.ones(2, 3, 4, dtype=torch.bool)
    return [
        case(
            "a mask for every sentence and query", query_keys_values(draw, 2, 3, 5, 4, 6), 2, 3, 5
        ),
        case("one mask for all sentences", query_keys_values(draw, 3, 2, 4, 5, 2), 2, 4),
        Case(
            "a mask that hides nothing",
            query_keys_values(draw, 2, 3, 4, 2, 5) | {"mask": wide_open},
        ),
        Case(
            "rows that may look at nothing", query_keys_values(draw, 3, 2, 4, 6, 2) | {"mask": shut}
        ),
        case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2), 1, 1, 4),
        Case("scores in the thousands, the best of them hidden", _far(draw)),
        case("keys that are a transposed view", turned, 2, 3, 5),
        case("float64", in_float64(query_keys_values(draw, 2, 4, 3, 8, 5)), 4, 3),
    ]


attend_with_mask = Exercise(
    id="attend_with_mask",
    title="The mask that was added",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=mended_cases,
    hints=[
        "What number does PyTorch make of `True` when it is added to a score? And of `False`?",
        "In the formula of section 5 a hidden score becomes minus infinity. By how much does it "
        "sink here, compared with an open one?",
        "One line is wrong, and `utils.masks` has a function that does what it should: it takes "
        "the scores and the mask, and gives the weights, empty rows included.",
    ],
    misconceptions=[
        Misconception(
            "the bug as it was",
            _attention(weigh=_mask_added),
            "The bug is still there. `True` counts as 1, so open scores are raised by 1 and "
            "hidden ones stay: hidden keys get a share that is only 2.7 times smaller.",
            "How far down would a hidden score have to go?",
        ),
        Misconception(
            "times the mask",
            _attention(weigh=lambda scores, mask: (scores * mask).softmax(-1)),
            "You multiply the scores by the mask. A hidden score becomes 0, which is a score like "
            "any other: better than every negative one.",
            "What does `exp` make of 0?",
        ),
        Misconception(
            "mask after the softmax",
            _attention(weigh=_mask_late),
            "You took the hidden keys out after the softmax. They had their part in the sum that "
            "each weight was divided by, so rows sum to less than 1.",
            "On which side of the softmax can a key drop out without leaving a trace?",
        ),
        Misconception(
            "cut, then divided again",
            _attention(weigh=_cut_and_divided),
            "Cutting the weights and dividing once more is right on paper. Where a hidden score "
            "is very large, or a row is empty, it divides 0 by 0.",
            "What is left of the open keys' weights after a softmax that a hidden key has won?",
        ),
        Misconception(
            "turned round",
            _attention(weigh=_mask_turned),
            "Now the weights are exactly 0 where they should not be: you hide what `True` marks. "
            "The colleague's mask has `True` for *may be attended to*.",
            "Does `masked_fill` fill where its mask is `True` or where it is `False`?",
        ),
        Misconception(
            "turned round, and NaN",
            _attention(weigh=lambda scores, mask: scores.masked_fill(mask, -torch.inf).softmax(-1)),
            "You fill the scores where the mask is `True`. Those are the keys that *may* be "
            "looked at; and where all may be, nothing is left, which gives NaN.",
            "Which sign turns a boolean tensor round?",
        ),
        Misconception(
            "NaN in an empty row",
            _attention(weigh=_fill(float("-inf"))),
            "The bug is gone. What is left are rows that may look at nothing: a softmax of minus "
            "infinities alone is NaN, and should be 0 here.",
            "Which function of section 6 knows about empty rows?",
        ),
        Misconception(
            "equal shares in an empty row",
            _attention(weigh=_fill(-1e9)),
            "The bug is gone. What is left are rows that may look at nothing: all their scores "
            "are alike, so they look at everything.",
            "Which function of section 6 knows about empty rows?",
        ),
        Misconception(
            "infinity times 0",
            _attention(weigh=lambda scores, mask: (scores + ~mask * -torch.inf).softmax(-1)),
            "You add minus infinity *times* the turned mask. Hidden keys get minus infinity; but "
            "for open ones that is 0 times infinity, which is NaN, and it takes the row with it.",
            "Which method writes a number only where a mask says so, without any arithmetic?",
        ),
        Misconception(
            "mask taken out",
            _attention(weigh=lambda scores, mask: scores.softmax(-1)),
            "You took the bug out, and the mask with it: hidden keys are looked at as if there "
            "were none.",
            "What should the weights be where the mask is `False`?",
        ),
    ],
)


# --- 8. What it costs -----------------------------------------------------------------------------


def cost_cases(draw: Draw) -> list[Case]:
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


attention_cost = Exercise(
    id="attention_cost",
    title="What it costs, by formula",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["multiply_adds", "weight_bytes"],
    cases=cost_cases,
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
        ),
        Misconception(
            "values alone",
            _cost(products=lambda cells, dim, value_dim: cells * value_dim),
            "You count the weighted sum alone. Making the scores is a matrix product too.",
            "What is multiplied before the softmax?",
        ),
        Misconception(
            "widths multiplied",
            _cost(products=lambda cells, dim, value_dim: cells * dim * value_dim),
            "You multiply the two widths. The two products come one after the other, so their "
            "costs are added.",
            "By hand, with one query and one key of width 2 and a value of width 3: how many "
            "multiplications are there?",
        ),
        Misconception(
            "width twice",
            _cost(products=lambda cells, dim, value_dim: 2 * cells * dim),
            "You take values to be as wide as keys. Often they are, but not here.",
            "Which width does the context have?",
        ),
        Misconception(
            "multiplications and additions",
            _cost(products=lambda cells, dim, value_dim: 2 * cells * (dim + value_dim)),
            "Your count is twice the one that is asked: a multiplication and the addition after "
            "it count as *one* multiply-add.",
            "How many multiply-adds has a dot product of width 4?",
        ),
        Misconception(
            "lengths added",
            _cost(cells=lambda batch, tgt_len, src_len: batch * (tgt_len + src_len)),
            "You add the two lengths. Every query meets every key, so the table has tgt_len times "
            "src_len cells.",
            "How many cells has a table of 3 rows and 2 columns?",
        ),
        Misconception(
            "batch forgotten",
            _cost(cells=lambda batch, tgt_len, src_len: tgt_len * src_len),
            "You count one sentence of the batch. Each has a table of its own.",
            "Which input does not occur in your formula?",
        ),
        Misconception(
            "square of the target",
            _cost(cells=lambda batch, tgt_len, src_len: batch * tgt_len * tgt_len),
            "You square the length of the target, as in self-attention. In general the source has "
            "a length of its own.",
            "How many columns have the weights?",
        ),
        Misconception(
            "square of the source",
            _cost(cells=lambda batch, tgt_len, src_len: batch * src_len * src_len),
            "You square the length of the source, as in self-attention. In general the target has "
            "a length of its own.",
            "How many rows have the weights?",
        ),
        Misconception(
            "numbers for bytes",
            _cost(memory=lambda cells, dim: cells * 1),
            "`weight_bytes` counts numbers. A number in float32 takes more than one byte.",
            "How many bits has float32, and how many of them make a byte?",
        ),
        Misconception(
            "bits for bytes",
            _cost(memory=lambda cells, dim: cells * 32),
            "`weight_bytes` counts bits.",
            "How many bits make a byte?",
        ),
        Misconception(
            "eight bytes",
            _cost(memory=lambda cells, dim: cells * 8),
            "You count eight bytes a number, as for float64.",
            "How many bits has float32, and how many of them make a byte?",
        ),
        Misconception(
            "width in the memory",
            _cost(memory=lambda cells, dim: cells * dim * 4),
            "Your memory grows with the width of the keys. A cell of the weights holds one "
            "number, however many products went into it.",
            "Which shape have the weights?",
        ),
    ],
)


# --- 9. Predict what doubling does ----------------------------------------------------------------

_GROWTH = ["stays", "doubles", "four times"]
DOUBLINGS = {
    "length_work": _GROWTH,
    "length_memory": _GROWTH,
    "width_work": _GROWTH,
    "width_memory": _GROWTH,
    "target_work": _GROWTH,
    "fused_memory": _GROWTH,
}
_RIGHT = {
    "length_work": "four times",
    "length_memory": "four times",
    "width_work": "doubles",
    "width_memory": "stays",
    "target_work": "doubles",
    "fused_memory": "doubles",
}

doubling_prediction = Exercise(
    id="doubling_prediction",
    title="Predict what doubling does",
    points=2,
    difficulty=1,
    minutes=5,
    kind="choices",
    outputs=list(DOUBLINGS),
    choices=DOUBLINGS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Which of the six is about the number of cells in the table of weights, and which about "
        "what one cell costs?",
        "Draw the table for 3 words and for 6. Then ask what changes in it when only the vectors "
        "get wider, or only the target gets longer.",
        "`attention_cost` is yours: call it with 100 and 200 words, with width 64 and 128. Only "
        "`fused_memory` it cannot tell; section 10 has counted that.",
    ],
    misconceptions=[
        Misconception(
            "work in step with length",
            _RIGHT | {"length_work": "doubles"},
            "You say that twice the words are twice the work. Each word has twice as many words "
            "to look at, and there are twice as many that look.",
            "How many cells has the table of 3 words, and how many that of 6?",
        ),
        Misconception(
            "work does not grow",
            _RIGHT | {"length_work": "stays"},
            "You say that more words are no more work. Every query meets every key.",
            "How many scores do 3 words make, and how many 6?",
        ),
        Misconception(
            "memory in step with length",
            _RIGHT | {"length_memory": "doubles"},
            "You say that twice the words need twice the memory. The weights are a table, and "
            "both its sides grow.",
            "512 words needed 1 MiB in section 9. And 2,048?",
        ),
        Misconception(
            "memory does not grow",
            _RIGHT | {"length_memory": "stays"},
            "You say that more words need no more memory for the weights. Each pair of words has "
            "a cell.",
            "Which shape have the weights of 6 words, and which those of 12?",
        ),
        Misconception(
            "width squared",
            _RIGHT | {"width_work": "four times"},
            "You say that twice the width is four times the work. It would be in a projection, "
            "whose matrix is width times width; a dot product only has twice the terms.",
            "How many multiplications has a dot product of width 4, and how many of width 8?",
        ),
        Misconception(
            "width for nothing",
            _RIGHT | {"width_work": "stays"},
            "You say that the width costs no work. A dot product adds up as many terms as the "
            "vectors have numbers.",
            "How many multiplications has a dot product of width 4, and how many of width 8?",
        ),
        Misconception(
            "wide weights",
            _RIGHT | {"width_memory": "doubles"},
            "You say that wider vectors need more memory for the weights. A score is one number, "
            "whatever it was added up from.",
            "Which of batch, tgt_len, src_len and d occur in the shape of the weights?",
        ),
        Misconception(
            "wide weights, squared",
            _RIGHT | {"width_memory": "four times"},
            "You say that twice the width needs four times the memory for the weights. The width "
            "does not occur in their shape at all.",
            "Which of batch, tgt_len, src_len and d occur in the shape of the weights?",
        ),
        Misconception(
            "always a square",
            _RIGHT | {"target_work": "four times"},
            "You say that a target of twice the length is four times the work, in "
            "cross-attention. There only one side of the table grows.",
            "How many cells have 3 queries and 5 keys, and how many 6 queries and 5 keys?",
        ),
        Misconception(
            "the source decides",
            _RIGHT | {"target_work": "stays"},
            "You say that a longer target costs nothing, in cross-attention. Every target word "
            "asks once.",
            "How many rows have the weights?",
        ),
        Misconception(
            "fused is a square too",
            _RIGHT | {"fused_memory": "four times"},
            "You say that the fused function keeps four times as much. It never writes down the "
            "table of weights; that is the point of it.",
            "What is left to be kept if the table is not: which tensors, of which shapes?",
        ),
        Misconception(
            "fused is free",
            _RIGHT | {"fused_memory": "stays"},
            "You say that the fused function keeps no more for twice the words. It does without "
            "the table; queries, keys and values it needs all the same.",
            "How large are queries, keys and values for twice the words?",
        ),
    ],
)

EXERCISES = [
    scaled_attention,
    score_variance,
    combined_mask,
    tempered_attention,
    attention_dropout,
    cross_attention,
    attend_with_mask,
    attention_cost,
    doubling_prediction,
]
