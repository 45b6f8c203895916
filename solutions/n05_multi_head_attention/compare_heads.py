"""How many heads? An experiment."""

import math

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import split_into_heads
from utils.attention import MultiHeadAttention
from utils.checks.tasks import Case
from utils.model_helpers import count_parameters


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, dim, counts, query=None):
        query = draw.numbers(batch, tgt_len, dim) if query is None else query
        keys = draw.numbers(batch, src_len, dim).to(query)
        return Case(label, {"query": query, "keys": keys, "counts": counts})

    return [
        case("1, 2 and 4 heads", 2, 3, 5, 8, [1, 2, 4]),
        case("3 heads and 6, the larger first", 3, 4, 7, 12, [6, 3]),
        case("one number of heads", 2, 5, 3, 6, [2]),
        case("one sentence, one query", 1, 1, 4, 6, [3, 2]),
        case("one key only", 2, 3, 1, 4, [1, 4]),
        case("a transposed view", 2, 3, 5, 4, [2, 1], draw.numbers(2, 4, 3).mT),
        case("float64", 3, 2, 4, 8, [2, 8], draw.numbers(3, 2, 8).double()),
    ]


def _words_looked_at(weights):
    return torch.special.entr(weights).sum(-1).exp()


def _weights_of(
    query, keys, heads, scale=lambda dim, heads: (dim / heads) ** 0.5, cut=split_into_heads
):
    return (cut(query, heads) @ cut(keys, heads).mT / scale(query.shape[-1], heads)).softmax(-1)


def _table(
    parameters=lambda dim, heads: 4 * dim**2 + 4 * dim,
    cells=lambda weights: weights.numel(),
    looked_at=lambda weights: _words_looked_at(weights).mean(),
    width=lambda dim, heads: dim // heads,
    **attention,
):
    """Return an answer in which one column of the table is made otherwise."""

    def compare(query, keys, counts):
        dim = query.shape[-1]
        weights = [_weights_of(query, keys, heads, **attention) for heads in counts]
        return (
            torch.tensor([width(dim, heads) for heads in counts]),
            torch.tensor([parameters(dim, heads) for heads in counts]),
            torch.tensor([cells(table) for table in weights]),
            torch.stack([looked_at(table) for table in weights]),
        )

    return compare


def row_by_row(query, keys, counts):
    batch, tgt_len, dim = query.shape
    head_dims, parameters, cells, looked_at = [], [], [], []
    for heads in counts:
        width = dim // heads
        words = []
        for start in range(0, dim, width):
            q, k = query[..., start : start + width], keys[..., start : start + width]
            weights = (q @ k.transpose(1, 2) / math.sqrt(width)).softmax(-1)
            words.append((-(weights * weights.clamp(min=1e-12).log()).sum(-1)).exp().mean())
        head_dims.append(width)
        parameters.append(4 * (dim * dim + dim))
        cells.append(batch * heads * tgt_len * keys.shape[1])
        looked_at.append(sum(words) / heads)
    whole = (torch.tensor(column) for column in (head_dims, parameters, cells))
    return [*whole, torch.stack(looked_at)]


def counted_in_a_module(query, keys, counts):
    dim = query.size(2)
    layers = [MultiHeadAttention(dim, heads) for heads in counts]
    rows = []
    for layer in layers:
        scores = layer.attention.compare(layer.split_heads(query), layer.split_heads(keys))
        weights = scores.softmax(dim=3)
        rows.append((weights.numel(), torch.special.entr(weights).sum(-1).exp().mean()))
    return (
        torch.tensor([layer.query_dim // layer.heads for layer in layers]),
        torch.tensor([count_parameters(layer)["total"] for layer in layers]),
        torch.tensor([row[0] for row in rows]),
        torch.stack([row[1] for row in rows]),
    )


def in_float64(query, keys, counts):
    (batch, tgt_len, dim), src_len = query.shape, keys.shape[1]
    heads = torch.tensor(counts)
    looked_at = []
    for count in counts:
        q, k = (x.double().unflatten(-1, (count, -1)) for x in (query, keys))
        weights = (torch.einsum("bthw,bshw->bhts", q, k) * (dim / count) ** -0.5).softmax(-1)
        looked_at.append(torch.exp(-torch.xlogy(weights, weights).sum(-1)).mean())
    return (
        dim // heads,
        torch.full_like(heads, 4 * dim * (dim + 1)),
        batch * tgt_len * src_len * heads,
        torch.stack(looked_at),
    )


exercise = Exercise(
    id="compare_heads",
    title="How many heads? An experiment",
    points=4,
    difficulty=3,
    minutes=20,
    section="05.5",
    outputs=["head_dims", "parameters", "cells", "looked_at"],
    cases=cases,
    hints=[
        "Which of the four columns need any queries and keys, and which follow from the sizes "
        "alone?",
        "For one number of heads: split both tensors, make the scaled scores and the weights, "
        "(batch, heads, tgt_len, src_len). `cells` counts them. `looked_at` asks each *row* for "
        "the exponential of its entropy, and takes the mean of all the answers.",
        "Parameters: section 5 has the formula. Rows: `attention_entropy(weights).exp()`, then "
        "`.mean()`. Make one list for each column, filled in a loop over `counts`; at the end "
        "`torch.tensor` for the three columns of whole numbers and `torch.stack` for the fourth.",
    ],
    mistakes={
        "heads for widths": WrongAnswer(
            _table(width=lambda dim, heads: heads),
            "`head_dims` holds the numbers of heads. Asked is how wide one of them is.",
            "Width 8, four heads: how many numbers are left for each?",
            misconception="heads-share-the-width",
        ),
        "each head with its own matrices": WrongAnswer(
            _table(parameters=lambda dim, heads: heads * (4 * dim**2 + 4 * dim)),
            "Your parameters grow with the heads, as if each had four whole matrices of its own. "
            "It has a slice of each.",
            "What do the heads cut: the matrices, or what comes out of them?",
            misconception="heads-share-the-width",
        ),
        "one head's share": WrongAnswer(
            _table(parameters=lambda dim, heads: 4 * (dim // heads) ** 2 + 4 * (dim // heads)),
            "You put `head_dim` into the formula. The projections are as wide as the model, "
            "before anything is split.",
            "Which shape has `W_q.weight`?",
            misconception="heads-share-the-width",
        ),
        "biases forgotten": WrongAnswer(
            _table(parameters=lambda dim, heads: 4 * dim**2),
            "You count the matrices only. Each of the projections has a bias, too.",
            "How many parameters has `nn.Linear(8, 8)`?",
            misconception="biases-by-the-way",
        ),
        "one bias for four": WrongAnswer(
            _table(parameters=lambda dim, heads: 4 * dim**2 + dim),
            "You count one bias. Each of the four projections has its own.",
            "How many parameters has `nn.Linear(8, 8)`?",
            misconception="biases-by-the-way",
        ),
        "output projection forgotten": WrongAnswer(
            _table(parameters=lambda dim, heads: 3 * dim**2 + 3 * dim),
            "You count three projections: of queries, keys and values. There is a fourth, which "
            "mixes the joined heads.",
            "What stands at the end of the formula of section 1?",
            misconception="projection-left-out",
        ),
        "one map for all heads": WrongAnswer(
            _table(cells=lambda weights: weights[:, 0].numel()),
            "Your `cells` count one table a sentence. Every head draws its own.",
            "Which shape have the weights?",
            misconception="heads-as-one",
        ),
        "one sentence": WrongAnswer(
            _table(cells=lambda weights: weights[0].numel()),
            "Your `cells` count one sentence. There is a batch of them.",
            "Which shape have the weights?",
            misconception="cost-without-counting",
        ),
        "entropy for words": WrongAnswer(
            _table(looked_at=lambda weights: torch.special.entr(weights).sum(-1).mean()),
            "`looked_at` holds entropies. The number of words effectively looked at is `exp` of "
            "them.",
            "A row that looks at one word only: which number should it give?",
            misconception="logarithm",
        ),
        "exp of the mean": WrongAnswer(
            _table(looked_at=lambda weights: torch.special.entr(weights).sum(-1).mean().exp()),
            "You took the mean of the entropies, then `exp`. Asked is the mean of the numbers of "
            "words: first `exp` of each row, then the mean. (Yours is never larger.)",
            "One row looks at 1 word, another at 5. How many is that on average?",
            misconception="averages-anywhere",
        ),
        "focus of the mean map": WrongAnswer(
            _table(looked_at=lambda weights: _words_looked_at(weights.mean(1)).mean()),
            "You averaged the maps of the heads before measuring. A mean of two sharp maps is "
            "less sharp than either, and belongs to neither.",
            "Section 10: what does the average hide?",
            misconception="heads-as-one",
        ),
        "scale of the model": WrongAnswer(
            _table(scale=lambda dim, heads: dim**0.5),
            "Your scores are divided by the root of the model's width. So heads look more and more "
            "evenly the more of them there are, and that comes from the scale alone.",
            "How many products does one score of one head add up?",
            misconception="wrong-width",
        ),
        "divided by head_dim": WrongAnswer(
            _table(scale=lambda dim, heads: dim / heads),
            "You divide the scores by the width of a head, not by its root.",
            "The *variance* of a dot product is its width. What is its spread?",
            misconception="scale-by-width",
        ),
        "no scale": WrongAnswer(
            _table(scale=lambda dim, heads: 1),
            "Your scores are not scaled.",
            "What does attention divide its scores by?",
            misconception="no-scale",
        ),
        "view alone": WrongAnswer(
            _table(
                cut=lambda tensor, heads: tensor.reshape(len(tensor), heads, tensor.shape[1], -1)
            ),
            "Your heads cut the sentence, not the width: `view` alone.",
            "Is there a function of the first task that splits rightly?",
            misconception="shape-is-enough",
        ),
    },
    variants=[row_by_row, counted_in_a_module, in_float64],
)
