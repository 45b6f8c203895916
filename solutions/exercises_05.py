"""Notebook 05: multi-head attention."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.exercises_04 import (
    NO_ORDER,
    in_float64,
    one_row_shut,
    query_keys_values,
    random_mask,
)
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def _split(tensor, heads):
    return tensor.unflatten(-1, (heads, -1)).transpose(1, 2)


def _join(tensor):
    return tensor.transpose(1, 2).flatten(2)


def _join_without_turning(tensor):
    batch, _, length, _ = tensor.shape
    return tensor.reshape(batch, length, -1)


# --- 1. Split -------------------------------------------------------------------------------------


def split_cases(draw: Draw) -> list[Case]:
    def case(label, tensor, heads):
        return Case(label, {"tensor": tensor, "heads": heads})

    return [
        case("two heads of three numbers", draw.numbers(2, 4, 6), 2),
        case("four heads of two numbers", draw.numbers(3, 5, 8), 4),
        case("one head", draw.numbers(2, 3, 4), 1),
        case("heads of one number", draw.numbers(2, 3, 5), 5),
        case("one sentence, one word", draw.numbers(1, 1, 6), 3),
        case("a transposed view", draw.numbers(2, 6, 4).mT, 2),
        case("float64", draw.numbers(3, 2, 6).double(), 2),
    ]


split_heads = Exercise(
    id="split_heads",
    title="Split into heads",
    points=2,
    difficulty=1,
    minutes=5,
    outputs=["split"],
    cases=split_cases,
    equivalents={"return cut.transpose(2, 1)": "the two axes change places either way"},
    hints=[
        "Which axis is cut, and where does the new axis have to stand at the end?",
        "Two moves. The first makes (batch, len, heads, head_dim) out of (batch, len, dim). The "
        "second exchanges two axes.",
        "`unflatten` cuts one axis in two: give it the axis and the pair of new sizes, heads "
        "first; -1 stands for whatever is left. Then `transpose` the second axis with the third.",
    ],
    misconceptions=[
        Misconception(
            "view alone",
            lambda tensor, heads: tensor.reshape(len(tensor), heads, tensor.shape[1], -1),
            "Your shape is right, and the numbers stand in the wrong places: `view` alone cuts "
            "the *sentence* into parts, not the width. A row of a head holds pieces of other "
            "words.",
            "What does the test of section 3 say: does every output notice every word?",
        ),
        Misconception(
            "heads behind the words",
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)),
            "The width is cut rightly. But the heads still stand behind the words, so that `@` "
            "would multiply heads with heads.",
            "On which two axes does attention work, and what has to stand before them?",
        ),
        Misconception(
            "every second number",
            lambda tensor, heads: tensor.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2),
            "Your heads take turns: with two heads, one has numbers 1, 3, 5, the other 2, 4, 6. A "
            "head's numbers lie side by side.",
            "Which of the two new axes runs faster, the head or the number within the head?",
        ),
        Misconception(
            "heads and widths exchanged",
            lambda tensor, heads: tensor.unflatten(-1, (-1, heads)).transpose(1, 2),
            "You made heads that are as *wide* as there should be many. The sizes of the two new "
            "axes are exchanged.",
            "With width 6 and 2 heads: how wide is a head?",
        ),
        Misconception(
            "heads before the batch",
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)).permute(2, 0, 1, 3),
            "Your heads come before the batch. The batch is the first axis everywhere in the "
            "course.",
            "What should `split_heads(…)[0]` be: a head, or a sentence?",
        ),
        Misconception(
            "heads inside the batch",
            lambda tensor, heads: _split(tensor, heads).flatten(0, 1),
            "You put heads and batch into one axis. Some libraries do; here each has its own.",
            "How many axes should the result have?",
        ),
        Misconception(
            "words and numbers exchanged",
            lambda tensor, heads: tensor.unflatten(-1, (heads, -1)).permute(0, 2, 3, 1),
            "In each head, rows and columns are exchanged: a row should be a word.",
            "Which two axes did you mean to exchange?",
        ),
    ],
)


# --- 2. Join --------------------------------------------------------------------------------------


def join_cases(draw: Draw) -> list[Case]:
    return [
        Case("two heads of three numbers", {"tensor": draw.numbers(2, 2, 4, 3)}),
        Case("four heads of two numbers", {"tensor": draw.numbers(3, 4, 5, 2)}),
        Case("one head", {"tensor": draw.numbers(2, 1, 3, 4)}),
        Case("heads of one number", {"tensor": draw.numbers(2, 5, 3, 1)}),
        Case("one sentence, one word", {"tensor": draw.numbers(1, 3, 1, 2)}),
        Case("a transposed view", {"tensor": draw.numbers(2, 3, 4, 5).mT}),
        Case("float64", {"tensor": draw.numbers(3, 2, 4, 3).double()}),
    ]


join_heads = Exercise(
    id="join_heads",
    title="Join the heads",
    points=2,
    difficulty=1,
    minutes=5,
    outputs=["joined"],
    cases=join_cases,
    equivalents={
        "return tensor.transpose(2, 1).flatten(2)": "the two axes change places either way"
    },
    hints=[
        "Which two moves made the split, and in which order are they undone?",
        "First bring the heads back behind the words, then make one axis of the last two.",
        "`transpose` the second axis with the third, then `flatten` from axis 2 on.",
    ],
    misconceptions=[
        Misconception(
            "not turned back",
            _join_without_turning,
            "Your shape is right, and the numbers stand in the wrong places: without turning the "
            "axes back, `reshape` mixes words.",
            "What does the test *only myself* say: does output 1 depend on word 1 alone?",
        ),
        Misconception(
            "mean of the heads",
            lambda tensor: tensor.mean(1),
            "You take the mean of the heads. Heads are joined end to end, so that nothing is "
            "lost; an average cannot be taken apart again.",
            "How wide is the result, if each of two heads has three numbers?",
        ),
        Misconception(
            "sum of the heads",
            lambda tensor: tensor.sum(1),
            "You add the heads up. Adding comes later, in the output projection, where each head "
            "has columns of its own; here they are put end to end.",
            "How wide is the result, if each of two heads has three numbers?",
        ),
        Misconception(
            "numbers dealt in turn",
            lambda tensor: tensor.permute(0, 2, 3, 1).flatten(2),
            "You deal the numbers in turn: the first of each head, then the second of each. A "
            "head's numbers stay side by side.",
            "Which axis must be the last one before two become one?",
        ),
        Misconception(
            "heads one below the other",
            lambda tensor: tensor.flatten(1, 2),
            "You put the heads one below the other, so the sentence gets longer. They belong side "
            "by side, so that the words get wider.",
            "Does joining add rows or columns?",
        ),
        Misconception(
            "turned, not joined",
            lambda tensor: tensor.transpose(1, 2),
            "You turned the axes back, and the heads still have an axis of their own.",
            "How many axes should the result have?",
        ),
        Misconception(
            "words before the batch",
            lambda tensor: tensor.permute(2, 0, 1, 3).flatten(2),
            "Your result begins with the words. The batch comes first.",
            "What should `join_heads(…)[0]` be: a word, or a sentence?",
        ),
    ],
)


# --- 3. The whole module --------------------------------------------------------------------------


def module_cases(draw: Draw) -> list[Case]:
    def case(label, sizes, dim, heads, mask=None):
        batch, tgt_len, src_len = sizes
        parameters = {
            "in_proj_weight": draw.numbers(3 * dim, dim, reach=1),
            "in_proj_bias": draw.numbers(3 * dim, reach=1),
            "out_proj.weight": draw.numbers(dim, dim, reach=1),
            "out_proj.bias": draw.numbers(dim, reach=1),
        }
        inputs = query_keys_values(draw, batch, tgt_len, src_len, dim, dim, reach=1.5)
        if mask is not None:
            inputs["mask"] = mask
        return Case(label, inputs, {"dim": dim, "heads": heads}, parameters)

    turned = case("keys that are a transposed view", (2, 3, 5), 4, 2)
    turned.inputs["keys"] = draw.numbers(2, 4, 5).mT
    precise = case("float64", (3, 4, 2), 6, 2, random_mask(draw, 3, 1, 2))
    return [
        case("two heads", (2, 3, 4), 6, 2),
        case("three heads", (4, 5, 2), 6, 3),
        case("a padding mask", (3, 2, 5), 8, 4, random_mask(draw, 3, 1, 5)),
        case(
            "a mask for every query, one row shut",
            (2, 4, 5),
            6,
            3,
            one_row_shut(random_mask(draw, 2, 4, 5)),
        ),
        case("one head", (2, 4, 3), 4, 1),
        case("heads of one number", (2, 3, 4), 5, 5),
        case("one sentence, one query, one key", (1, 1, 1), 4, 2),
        turned,
        Case("float64", in_float64(precise.inputs), precise.build, in_float64(precise.parameters)),
    ]


class _MultiHead(nn.Module):
    """The whole module, in pieces that can be replaced by wrong ones."""

    order = (0, 1, 2)  # whose matrix is which third of the large one

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def project(self, vectors, matrix, bias):
        return F.linear(vectors, matrix, bias)

    def split(self, tensor):
        return _split(tensor, self.heads)

    def join(self, tensor):
        return _join(tensor)

    def scale(self, dim):
        return (dim / self.heads) ** 0.5

    def weigh(self, scores, mask):
        return masked_softmax(scores, mask)

    def finish(self, joined):
        return self.out_proj(joined)

    def told(self, weights):
        return weights

    def forward(self, query, keys, values, mask=None):
        thirds = list(zip(self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3), strict=True))
        q, k, v = (
            self.split(self.project(vectors, *thirds[part]))
            for vectors, part in zip((query, keys, values), self.order, strict=True)
        )
        scores = q @ k.mT / self.scale(query.shape[-1])
        weights = self.weigh(scores, None if mask is None else mask[:, None])
        return self.finish(self.join(weights @ v)), self.told(weights)


class _ViewAlone(_MultiHead):
    def split(self, tensor):
        return tensor.reshape(len(tensor), self.heads, tensor.shape[1], -1)

    def join(self, tensor):
        return tensor.reshape(len(tensor), tensor.shape[2], -1)


class _NotTurnedBack(_MultiHead):
    def join(self, tensor):
        return _join_without_turning(tensor)


class _ScaleOfModel(_MultiHead):
    def scale(self, dim):
        return dim**0.5


class _NoScale(_MultiHead):
    def scale(self, dim):
        return 1


class _NoOutputProjection(_MultiHead):
    def finish(self, joined):
        return joined


class _NoBiases(_MultiHead):
    def project(self, vectors, matrix, bias):
        return vectors @ matrix.T


class _NotTransposed(_MultiHead):
    def project(self, vectors, matrix, bias):
        return vectors @ matrix + bias


class _KeysFirst(_MultiHead):
    order = (1, 0, 2)


class _ValuesFirst(_MultiHead):
    order = (1, 2, 0)


class _MeanWeights(_MultiHead):
    def told(self, weights):
        return weights.mean(1)


class _TrueIsHidden(_MultiHead):
    def weigh(self, scores, mask):
        return masked_softmax(scores, None if mask is None else ~mask)


class _MaskIgnored(_MultiHead):
    def weigh(self, scores, mask):
        return scores.softmax(-1)


class _MaskLate(_MultiHead):
    def weigh(self, scores, mask):
        return scores.softmax(-1) * (1 if mask is None else mask)


class _NanRow(_MultiHead):
    def weigh(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)


class _EqualShares(_MultiHead):
    def weigh(self, scores, mask):
        return (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)


class _OverQueries(_MultiHead):
    def weigh(self, scores, mask):
        return masked_softmax(scores, mask, dim=2)


class _DividedByWidth(_MultiHead):
    def scale(self, dim):
        return dim / self.heads


class _EverySecond(_MultiHead):
    def split(self, tensor):
        return tensor.unflatten(-1, (-1, self.heads)).permute(0, 3, 1, 2)

    def join(self, tensor):
        return tensor.permute(0, 2, 3, 1).flatten(2)


class _OutputNotTransposed(_MultiHead):
    def finish(self, joined):
        return joined @ self.out_proj.weight + self.out_proj.bias


class _NoOutputBias(_MultiHead):
    def finish(self, joined):
        return joined @ self.out_proj.weight.T


class _OverHeads(_MultiHead):
    def weigh(self, scores, mask):
        return masked_softmax(scores, mask, dim=1)


class _KeysForValues(_MultiHead):
    def forward(self, query, keys, values, mask=None):
        return super().forward(query, keys, keys, mask)


MultiHead = Exercise(
    id="MultiHead",
    title="The whole module",
    points=6,
    difficulty=3,
    minutes=30,
    kind="module",
    outputs=["output", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["MultiheadAttention", "multi_head_attention_forward", "MultiHeadAttention"],
    cases=module_cases,
    equivalents={
        "self.in_proj_weight = nn.Parameter(torch.empty(dim * 3, dim))": NO_ORDER,
        "self.in_proj_bias = nn.Parameter(torch.zeros(dim * 3))": NO_ORDER,
        "self.in_proj_bias = nn.Parameter(torch.ones(3 * dim))": "the check puts in its numbers",
        "nn.init": "the check puts in its numbers",
        "k = split_heads(F.linear(keys, W_k), self.heads)": (
            "a bias of the keys adds the same number to a whole row of scores, and cancels"
        ),
    },
    hints=[
        "Four steps: project, split, attend, join and project. For each, which parameters does it "
        "need, and which shape comes out?",
        "`in_proj_weight.chunk(3)` gives the three square matrices, in the order of queries, keys "
        "and values; so with the bias. `F.linear(x, matrix, bias)` projects as `nn.Linear` does. "
        "After the split all is as in notebook 04, on the last two axes.",
        "Project each of the three inputs with its own third, split each. Scores: the queries "
        "times the turned keys, divided by the root of head_dim. `masked_softmax`, with the mask "
        "given an axis for the heads (`unsqueeze(1)`). Weights times values, join, `out_proj`. "
        "Return the output and the weights of every head.",
    ],
    misconceptions=[
        Misconception(
            "view alone",
            _ViewAlone,
            "All shapes are right, and your heads cut the *sentence*, not the width: `view` alone "
            "where `view` and `transpose` are needed, on the way in and on the way out.",
            "Does `split_heads` of the first task do it in one move?",
        ),
        Misconception(
            "not turned back",
            _NotTurnedBack,
            "The weights are right. The join forgot to bring the heads back behind the words "
            "before it made one axis of two.",
            "What does `join_heads` do before it flattens?",
        ),
        Misconception(
            "scale of the model",
            _ScaleOfModel,
            "You divide by the root of `dim`, the width of the model. Each head adds up "
            "`head_dim` products only, so its scores come out too small.",
            "How many numbers has one query of one head?",
        ),
        Misconception(
            "no scale",
            _NoScale,
            "The scores are not divided by anything: the scale is missing.",
            "Which number kept the variance of the scores near 1 in notebook 04?",
        ),
        Misconception(
            "no output projection",
            _NoOutputProjection,
            "You return the joined contexts. Without `out_proj` each head stays in its own slots, "
            "and nothing mixes them.",
            "Which two of the four parameters have you not used?",
        ),
        Misconception(
            "no biases on the way in",
            _NoBiases,
            "The three input projections lack their biases.",
            "Which of the four parameters have you not used?",
        ),
        Misconception(
            "matrix not turned",
            _NotTransposed,
            "You multiply by the matrices as they are stored. PyTorch stores them as (out, in), so "
            "that a vector x is projected to $x W^\\top$. They are square, so nothing complains.",
            "What does `F.linear` do with its matrix?",
        ),
        Misconception(
            "keys before queries",
            _KeysFirst,
            "You took the first third of `in_proj_weight` for the keys and the second for the "
            "queries. PyTorch puts the queries first.",
            "In which order does section 4 list the three?",
        ),
        Misconception(
            "values before queries",
            _ValuesFirst,
            "You took the first third of `in_proj_weight` for the values. They come last.",
            "In which order does section 4 list the three?",
        ),
        Misconception(
            "mean of the weights",
            _MeanWeights,
            "The output is right. You return the mean of the heads' weights, as PyTorch does "
            "unless told otherwise. Asked are the weights of every head.",
            "How many axes should `weights` have?",
        ),
        Misconception(
            "True is hidden",
            _TrueIsHidden,
            "You read the mask as `nn.MultiheadAttention` does: `True` = hidden. Here `True` means "
            "*may be attended to*.",
            "Where would you need a `~`, and where not?",
        ),
        Misconception(
            "mask ignored",
            _MaskIgnored,
            "Your module takes a mask and does not use it.",
            "Before which step must a hidden key drop out?",
        ),
        Misconception(
            "mask after the softmax",
            _MaskLate,
            "You mask the weights, after the softmax, so rows sum to less than 1.",
            "Which function of `utils.masks` does mask and softmax in the right order?",
        ),
        Misconception(
            "NaN in an empty row",
            _NanRow,
            "All is right but for rows that may look at nothing: they are NaN, as in PyTorch's "
            "module. In this course they are 0.",
            "Which function of `utils.masks` knows about empty rows?",
        ),
        Misconception(
            "equal shares in an empty row",
            _EqualShares,
            "All is right but for rows that may look at nothing: with all their scores alike they "
            "look at everything.",
            "Which function of `utils.masks` knows about empty rows?",
        ),
        Misconception(
            "softmax over the queries",
            _OverQueries,
            "Your weights sum to 1 over the queries: the softmax ran along the axis before the "
            "last.",
            "Which axis of (batch, heads, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "divided by head_dim",
            _DividedByWidth,
            "You divide the scores by the width of a head, not by its root, so they come out too "
            "small.",
            "The *variance* of a dot product is its width. What is its spread?",
        ),
        Misconception(
            "every second number",
            _EverySecond,
            "Your heads take every so-many-th number of the width. That would be a good layer of "
            "its own, but not PyTorch's: there a head's numbers lie side by side.",
            "Which rows of a projection's matrix belong to head 1?",
        ),
        Misconception(
            "output matrix not turned",
            _OutputNotTransposed,
            "You multiply by `out_proj.weight` as it is stored. It is stored as (out, in).",
            "What does `self.out_proj(…)` do, when it is called as a layer?",
        ),
        Misconception(
            "no bias on the way out",
            _NoOutputBias,
            "The output projection lacks its bias.",
            "What is the output of a row that may look at nothing?",
        ),
        Misconception(
            "softmax over the heads",
            _OverHeads,
            "Your softmax runs over the heads, so that heads compete with each other for every "
            "key. Keys should compete, within each head.",
            "Which axis of (batch, heads, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "values not used",
            _KeysForValues,
            "You project the keys twice: once as keys, once as values. The module is given values "
            "of their own, which are often the same tensor, but need not be.",
            "Which of the inputs have you not used?",
        ),
    ],
)


# --- 4. An experiment with the number of heads ----------------------------------------------------


def experiment_cases(draw: Draw) -> list[Case]:
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


def _weights_of(query, keys, heads, scale=lambda dim, heads: (dim / heads) ** 0.5, cut=_split):
    return (cut(query, heads) @ cut(keys, heads).mT / scale(query.shape[-1], heads)).softmax(-1)


def _table(
    parameters=lambda dim, heads: 4 * dim**2 + 4 * dim,
    cells=lambda weights: weights.numel(),
    looked_at=lambda weights: _words_looked_at(weights).mean(),
    width=lambda dim, heads: dim // heads,
    **attention,
):
    """The table, one column of which is made in a way of its own."""

    def compare(query, keys, counts):
        dim = query.shape[-1]
        weights = [_weights_of(query, keys, heads, **attention) for heads in counts]
        return (
            torch.tensor([width(dim, heads) for heads in counts]),
            torch.tensor([parameters(dim, heads) for heads in counts]),
            torch.tensor([cells(one) for one in weights]),
            torch.stack([looked_at(one) for one in weights]),
        )

    return compare


compare_heads = Exercise(
    id="compare_heads",
    title="How many heads? An experiment",
    points=4,
    difficulty=3,
    minutes=20,
    outputs=["head_dims", "parameters", "cells", "looked_at"],
    cases=experiment_cases,
    equivalents={
        "parameters.append(4 * dim + 4 * dim ** 2)": NO_ORDER,
        "parameters.append(dim ** 2 * 4 + 4 * dim)": NO_ORDER,
        "parameters.append(4 * dim ** 2 + dim * 4)": NO_ORDER,
    },
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
    misconceptions=[
        Misconception(
            "heads for widths",
            _table(width=lambda dim, heads: heads),
            "`head_dims` holds the numbers of heads. Asked is how wide one of them is.",
            "Width 8, four heads: how many numbers are left for each?",
        ),
        Misconception(
            "each head with its own matrices",
            _table(parameters=lambda dim, heads: heads * (4 * dim**2 + 4 * dim)),
            "Your parameters grow with the heads, as if each had four whole matrices of its own. "
            "It has a slice of each.",
            "What do the heads cut: the matrices, or what comes out of them?",
        ),
        Misconception(
            "one head's share",
            _table(parameters=lambda dim, heads: 4 * (dim // heads) ** 2 + 4 * (dim // heads)),
            "You put `head_dim` into the formula. The projections are as wide as the model, "
            "before anything is split.",
            "Which shape has `W_q.weight`?",
        ),
        Misconception(
            "biases forgotten",
            _table(parameters=lambda dim, heads: 4 * dim**2),
            "You count the matrices only. Each of the projections has a bias, too.",
            "How many parameters has `nn.Linear(8, 8)`?",
        ),
        Misconception(
            "one bias for four",
            _table(parameters=lambda dim, heads: 4 * dim**2 + dim),
            "You count one bias. Each of the four projections has its own.",
            "How many parameters has `nn.Linear(8, 8)`?",
        ),
        Misconception(
            "output projection forgotten",
            _table(parameters=lambda dim, heads: 3 * dim**2 + 3 * dim),
            "You count three projections: of queries, keys and values. There is a fourth, which "
            "mixes the joined heads.",
            "What stands at the end of the formula of section 1?",
        ),
        Misconception(
            "one map for all heads",
            _table(cells=lambda weights: weights[:, 0].numel()),
            "Your `cells` count one table a sentence. Every head draws its own.",
            "Which shape have the weights?",
        ),
        Misconception(
            "one sentence",
            _table(cells=lambda weights: weights[0].numel()),
            "Your `cells` count one sentence. There is a batch of them.",
            "Which shape have the weights?",
        ),
        Misconception(
            "entropy for words",
            _table(looked_at=lambda weights: torch.special.entr(weights).sum(-1).mean()),
            "`looked_at` holds entropies. The number of words effectively looked at is `exp` of "
            "them.",
            "A row that looks at one word only: which number should it give?",
        ),
        Misconception(
            "exp of the mean",
            _table(looked_at=lambda weights: torch.special.entr(weights).sum(-1).mean().exp()),
            "You took the mean of the entropies, then `exp`. Asked is the mean of the numbers of "
            "words: first `exp` of each row, then the mean. (Yours is never larger.)",
            "One row looks at 1 word, another at 5. How many is that on average?",
        ),
        Misconception(
            "focus of the mean map",
            _table(looked_at=lambda weights: _words_looked_at(weights.mean(1)).mean()),
            "You averaged the maps of the heads before measuring. A mean of two sharp maps is "
            "less sharp than either, and belongs to neither.",
            "Section 10: what does the average hide?",
        ),
        Misconception(
            "scale of the model",
            _table(scale=lambda dim, heads: dim**0.5),
            "Your scores are divided by the root of the model's width. So heads look more and more "
            "evenly the more of them there are, and that comes from the scale alone.",
            "How many products does one score of one head add up?",
        ),
        Misconception(
            "divided by head_dim",
            _table(scale=lambda dim, heads: dim / heads),
            "You divide the scores by the width of a head, not by its root.",
            "The *variance* of a dot product is its width. What is its spread?",
        ),
        Misconception(
            "no scale",
            _table(scale=lambda dim, heads: 1),
            "Your scores are not scaled.",
            "What does attention divide its scores by?",
        ),
        Misconception(
            "view alone",
            _table(
                cut=lambda tensor, heads: tensor.reshape(len(tensor), heads, tensor.shape[1], -1)
            ),
            "Your heads cut the sentence, not the width: `view` alone.",
            "Is there a function of the first task that splits rightly?",
        ),
    ],
)


# --- 5. Positions ---------------------------------------------------------------------------------


def position_cases(draw: Draw) -> list[Case]:
    def case(label, positions, dim, base):
        return Case(label, {"positions": positions, "dim": dim, "base": base})

    return [
        case("the first five places, dim 4", torch.arange(5), 4, 10_000),
        case("places in any order, another base", draw.order(12)[:4], 6, 100),
        case("a batch of two sentences", draw.whole(0, 9, 2, 3), 8, 50),
        case("one place only", draw.whole(1, 9, 1), 6, 10_000),
        case("one clock, dim 2", draw.order(20)[:3], 2, 100),
        case("places between places", draw.whole(0, 40, 4) / 4, 4, 20),
        case("places before the beginning", torch.arange(-3, 1), 10, 30),
    ]


def _angles(positions, dim, base):
    return positions[..., None] / base ** (torch.arange(0, dim, 2) / dim)


def _pairs(one, other):
    return torch.stack([one, other], dim=-1).flatten(-2)


def _waves(angles):
    return _pairs(angles.sin(), angles.cos())


encode_positions = Exercise(
    id="encode_positions",
    title="Positions, anywhere",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["codes"],
    cases=position_cases,
    tolerance=1e-4,
    hints=[
        "How many clocks does a vector of 6 numbers hold, and which numbers belong to the second?",
        "First all angles at once: each place, on an axis of its own at the end, divided by the "
        "slowness of each clock. That is (..., dim / 2). Then sines and cosines have to alternate.",
        "The exponents 2i/dim are `torch.arange(0, dim, 2) / dim`. For the alternation: `stack` "
        "sines and cosines along a new last axis, then `flatten` the last two axes into one.",
    ],
    misconceptions=[
        Misconception(
            "sines first, then cosines",
            lambda positions, dim, base: torch.cat(
                [_angles(positions, dim, base).sin(), _angles(positions, dim, base).cos()], dim=-1
            ),
            "All your numbers are right, in another order: first all sines, then all cosines. In "
            "the formula they alternate: each clock has two numbers side by side.",
            "In which columns does the formula put the sine and the cosine of clock 0?",
        ),
        Misconception(
            "cosine first",
            lambda positions, dim, base: _pairs(
                _angles(positions, dim, base).cos(), _angles(positions, dim, base).sin()
            ),
            "In each pair the cosine comes first. The formula puts the sine into column 2i.",
            "Which code has place 0: does it begin with 0 or with 1?",
        ),
        Misconception(
            "counted from 1",
            lambda positions, dim, base: _waves(_angles(positions + 1, dim, base)),
            "Your places are all one too far: at place 0 every sine should be 0.",
            "Did you add something to the positions?",
        ),
        Misconception(
            "a clock for every column",
            lambda positions, dim, base: torch.where(
                torch.arange(dim) % 2 == 0,
                (positions[..., None] / base ** (torch.arange(dim) / dim)).sin(),
                (positions[..., None] / base ** (torch.arange(dim) / dim)).cos(),
            ),
            "Every column has an angle of its own. Sine and cosine of a pair belong to *one* "
            "clock: only then do they point in one direction.",
            "What is the sum of the squares of the two numbers of a pair?",
        ),
        Misconception(
            "half the exponent",
            lambda positions, dim, base: _waves(
                positions[..., None] / base ** (torch.arange(dim // 2) / dim)
            ),
            "Your clocks slow down by half as much as they should: the exponent is 2i/dim, and "
            "yours is i/dim.",
            "Which exponent has the last clock when dim is 4?",
        ),
        Misconception(
            "twice the exponent",
            lambda positions, dim, base: _waves(
                positions[..., None] / base ** (torch.arange(0, dim, 2) / (dim // 2))
            ),
            "Your clocks slow down twice as fast as they should: the exponents were divided by "
            "the number of clocks, and by 2 too little.",
            "Which exponent has the last clock when dim is 4?",
        ),
        Misconception(
            "all clocks alike",
            lambda positions, dim, base: _waves(positions[..., None] * torch.ones(dim // 2)),
            "All your clocks run at the same speed. So after one turn, about 6.28 places, the "
            "codes begin again.",
            "What makes the second clock slower than the first?",
        ),
        Misconception(
            "places counted anew",
            lambda positions, dim, base: _waves(
                _angles(torch.arange(positions.shape[-1]).expand_as(positions), dim, base)
            ),
            "You count the places 0, 1, 2, … yourself. `positions` says which they are: perhaps "
            "7 and 2.",
            "Which input do you use for its shape only?",
        ),
        Misconception(
            "faster and faster",
            lambda positions, dim, base: _waves(
                positions[..., None] * base ** (torch.arange(0, dim, 2) / dim)
            ),
            "Each of your clocks is *faster* than the one before: the angle is multiplied where "
            "it should be divided.",
            "Which clocks tell the beginning of a text from its end?",
        ),
        Misconception(
            "always 10,000",
            lambda positions, dim, base: _waves(_angles(positions, dim, 10_000)),
            "Your clocks use 10,000 whatever `base` says.",
            "Which of the three inputs have you not used?",
        ),
        Misconception(
            "sines alone",
            lambda positions, dim, base: _pairs(
                _angles(positions, dim, base).sin(), _angles(positions, dim, base).sin()
            ),
            "Both numbers of each pair are sines. A sine alone takes each value twice on the way "
            "round; only with the cosine does it say where the hand points.",
            "At which two hours does a clock's hand reach the same height?",
        ),
    ],
)


# --- 6. Take a head away --------------------------------------------------------------------------


def ablation_cases(draw: Draw) -> list[Case]:
    def case(label, batch, heads, tgt_len, head_dim, dim, contexts=None):
        contexts = draw.numbers(batch, heads, tgt_len, head_dim) if contexts is None else contexts
        return Case(
            label,
            {
                "contexts": contexts,
                "w_o": draw.numbers(dim, heads * head_dim, reach=1).to(contexts),
                "b_o": draw.numbers(dim, reach=1).to(contexts),
            },
        )

    quiet = draw.numbers(2, 3, 4, 2)
    quiet[:, 1] = 0.0
    turned = draw.numbers(2, 4, 2, 5).mT  # (2, 4, 5, 2)
    return [
        case("two heads", 3, 2, 4, 3, 5),
        case("four heads", 2, 4, 3, 2, 6),
        case("a head that writes nothing", 2, 3, 4, 2, 7, quiet),
        case("one head", 2, 1, 3, 4, 5),
        case("one sentence, one word", 1, 3, 1, 2, 4),
        case("a transposed view", 2, 4, 5, 2, 3, turned),
        case("float64", 2, 3, 4, 2, 5, draw.numbers(2, 3, 4, 2).double()),
    ]


def _zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) != head)[:, None, None]


def _others_zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) == head)[:, None, None]


def _all_so_far_zeroed(contexts, head):
    return contexts * (torch.arange(contexts.shape[1]) > head)[:, None, None]


def _others_grown(contexts, head):
    heads = contexts.shape[1]
    return _zeroed(contexts, head) * heads / max(heads - 1, 1)


def _averaged(contexts, head):
    mean = contexts.mean(dim=(0, 2), keepdim=True)
    return _zeroed(contexts, head) + _others_zeroed(mean.expand_as(contexts), head)


def _every_nth_zeroed(contexts, head):
    heads = contexts.shape[1]
    joined = _join(contexts) * (torch.arange(heads * contexts.shape[3]) % heads != head)
    return _split(joined, heads)


def _length(difference):
    return difference.norm(dim=-1).mean(dim=(1, 2))


def _ablation(cut=_zeroed, finish=F.linear, measure=lambda outputs, full: _length(outputs - full)):
    """Ablation that takes away something else, or finishes or measures otherwise."""

    def ablate(contexts, w_o, b_o):
        full = finish(_join(contexts), w_o, b_o)
        without = [
            finish(_join(cut(contexts, head)), w_o, b_o) for head in range(contexts.shape[1])
        ]
        return torch.stack(without), measure(torch.stack(without), full)

    return ablate


head_ablation = Exercise(
    id="head_ablation",
    title="Take a head away",
    points=4,
    difficulty=2,
    minutes=15,
    outputs=["outputs", "moved"],
    cases=ablation_cases,
    equivalents={
        "outputs = b_o + without": NO_ORDER,
        "moved = (full - without).norm(dim=-1).mean(dim=(1, 2))": "a length has no direction",
        "moved = (without - full).norm(dim=-1).mean(dim=(2, 1))": "a mean has no order",
    },
    hints=[
        "What does the output consist of, if every head writes its own contribution into it? And "
        "what is left when one of them writes nothing?",
        "For each head: copy the contexts, set that head's to 0, join, project. Compare with the "
        "output in which nothing was taken away.",
        "`cut = contexts.clone()`, then `cut[:, head] = 0`. Collect the outputs with "
        "`torch.stack`. Of the difference to the whole output take the length of each vector, "
        "`.norm(dim=-1)`, and its mean over sentences and words.",
    ],
    misconceptions=[
        Misconception(
            "kept for taken away",
            _ablation(cut=_others_zeroed),
            "You keep the one head and take all others away. It is the other way round.",
            "How many heads still write into your output number 0?",
        ),
        Misconception(
            "never put back",
            _ablation(cut=_all_so_far_zeroed),
            "Heads that you took away once stay away: the second output lacks two heads, the "
            "third three. Each time all others should be there.",
            "Where do you copy the contexts: before the loop, or in it?",
        ),
        Misconception(
            "the others made louder",
            _ablation(cut=_others_grown),
            "You make the remaining heads louder to fill the gap, as dropout does. An ablation "
            "takes one thing away and changes nothing else.",
            "If two things change at once, which of them moved the output?",
        ),
        Misconception(
            "mean for nothing",
            _ablation(cut=_averaged),
            "You put the head's mean in its place. That is another kind of ablation, and a good "
            "one; asked was to set its context to 0.",
            "What does a head of zeros write into the output?",
        ),
        Misconception(
            "every second number",
            _ablation(cut=_every_nth_zeroed),
            "In the joined contexts you set every so-many-th number to 0. A head's numbers lie "
            "side by side there.",
            "Where are the heads apart, before the join or after it?",
        ),
        Misconception(
            "not projected",
            _ablation(finish=lambda joined, w_o, b_o: joined),
            "You compare joined contexts. What the layer hands on comes after the output "
            "projection: a large context can write little, and a small one much.",
            "Which inputs have you not used?",
        ),
        Misconception(
            "bias forgotten",
            _ablation(finish=lambda joined, w_o, b_o: joined @ w_o.T),
            "Your outputs lack the bias `b_o`. It belongs to no head and stays when one goes.",
            "What is the output when *all* heads are taken away?",
        ),
        Misconception(
            "squared length",
            _ablation(
                measure=lambda outputs, full: (outputs - full).square().sum(-1).mean(dim=(1, 2))
            ),
            "The outputs are right. `moved` holds squared lengths; the root is missing.",
            "How long is the vector (3, 4)?",
        ),
        Misconception(
            "one length for all words",
            _ablation(measure=lambda outputs, full: (outputs - full).flatten(1).norm(dim=-1)),
            "The outputs are right. For `moved` you took all words together as one long vector. "
            "Asked is the mean over the words of the length that each moved.",
            "What happens to your number if the batch is twice as large?",
        ),
        Misconception(
            "sum for mean",
            _ablation(measure=lambda outputs, full: (outputs - full).norm(dim=-1).sum(dim=(1, 2))),
            "The outputs are right. For `moved` you add up the lengths of all words; asked is "
            "their mean.",
            "What happens to your number if the batch is twice as large?",
        ),
        Misconception(
            "a walk along the axes",
            _ablation(
                measure=lambda outputs, full: (outputs - full).abs().sum(-1).mean(dim=(1, 2))
            ),
            "The outputs are right. For `moved` you add up the single numbers of a difference, as "
            "if one had to walk along the axes. The length is the straight way.",
            "How long is the vector (3, 4)?",
        ),
        Misconception(
            "change of length",
            _ablation(
                measure=lambda outputs, full: (
                    (outputs.norm(dim=-1) - full.norm(dim=-1)).abs().mean(dim=(1, 2))
                )
            ),
            "The outputs are right. `moved` says how much *longer or shorter* each vector became. "
            "A vector that turns on the spot moves as well.",
            "How far is it from (1, 0) to (0, 1)?",
        ),
        Misconception(
            "number by number",
            _ablation(measure=lambda outputs, full: (outputs - full).abs().mean(dim=(1, 2, 3))),
            "The outputs are right. For `moved` you average the single numbers. Asked is the "
            "length of the vector by which a word moves.",
            "How long is the vector (3, 4)?",
        ),
    ],
)


# --- 7. The picture of the heads ------------------------------------------------------------------


def picture_cases(draw: Draw) -> list[Case]:
    def case(label, weights, sentence, length):
        return Case(label, {"weights": weights, "sentence": sentence, "length": length})

    turned = draw.shares(3, 4, 5, 5).mT.contiguous().mT
    return [
        case("two sentences, two heads", draw.shares(2, 2, 5, 5), 0, 3),
        case("three sentences, two heads", draw.shares(3, 2, 4, 4), 1, 3),
        case("two sentences, four heads", draw.shares(2, 4, 6, 6), 1, 4),
        case("no padding", draw.shares(3, 3, 5, 5), 2, 5),
        case("one word", draw.shares(4, 2, 3, 3), 1, 1),
        case("one head", draw.shares(2, 1, 4, 4), 0, 2),
        case("a transposed view", turned, 2, 3),
        case("float64", draw.shares(4, 3, 5, 5).double(), 2, 4),
    ]


def _drawn(maps, mean=lambda maps: maps.mean(0, keepdim=True)):
    return torch.cat([maps, mean(maps)])


def _cut_out(weights, sentence, length):
    return weights[sentence, :, :length, :length]


maps_to_draw = Exercise(
    id="maps_to_draw",
    title="The picture of the heads",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["maps"],
    invariants={"maps": ["not negative"]},
    cases=picture_cases,
    hints=[
        "In the picture of the long sentence, what should the two heads look like, and what do "
        "you see? Where have you seen the second map before?",
        "Read the index from left to right, one axis at a time: (batch, heads, tgt_len, src_len). "
        "On which axis does the number of the sentence belong?",
        "Of the first axis you want one sentence, of the second all heads (`:`). The other two "
        "places of the index are right.",
    ],
    misconceptions=[
        Misconception(
            "the bug as it was",
            lambda weights, sentence, length: _drawn(weights[:, sentence, :length, :length]),
            "The bug is still there. The number of the sentence picks a *head*: you draw one head "
            "of every sentence, not every head of one sentence. With as many sentences as heads "
            "even the shape is right.",
            "Which axis of the weights comes first, batch or heads?",
        ),
        Misconception(
            "mean over the batch",
            lambda weights, sentence, length: _drawn(weights.mean(0)[:, :length, :length]),
            "You average over all sentences. Word 2 of one sentence has nothing to do with word 2 "
            "of another.",
            "Which input says whose maps are wanted?",
        ),
        Misconception(
            "first sentence always",
            lambda weights, sentence, length: _drawn(weights[0, :, :length, :length]),
            "You draw the first sentence, whichever was asked for.",
            "Which of the three inputs have you not used?",
        ),
        Misconception(
            "padding drawn too",
            lambda weights, sentence, length: _drawn(weights[sentence]),
            "The right sentence, with its padding: rows and columns that nobody reads.",
            "What is `length` for?",
        ),
        Misconception(
            "rows cut, columns not",
            lambda weights, sentence, length: _drawn(weights[sentence, :, :length]),
            "You cut the rows of padding off and left its columns.",
            "Which two axes of a map belong to words?",
        ),
        Misconception(
            "cut at the wrong end",
            lambda weights, sentence, length: _drawn(weights[sentence, :, -length:, -length:]),
            "You kept the end of the sentence. The padding is at the end.",
            "Which words come first, the real ones or the padding?",
        ),
        Misconception(
            "columns for rows",
            lambda weights, sentence, length: _drawn(_cut_out(weights, sentence, length).mT),
            "Your maps are turned: rows and columns have changed places. Rows are the words that "
            "look.",
            "Which axis comes first in (tgt_len, src_len)?",
        ),
        Misconception(
            "mean of the whole map",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length),
                lambda maps: maps.mean().expand(1, length, length),
            ),
            "The maps of the heads are right. The last map is one number everywhere: the mean ran "
            "over all axes.",
            "Over which axis is the mean of the heads?",
        ),
        Misconception(
            "sum for mean",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length), lambda maps: maps.sum(0, keepdim=True)
            ),
            "The maps of the heads are right. The last one is their sum, so that a row without "
            "padding sums to the number of heads.",
            "To what should a row of an average map sum?",
        ),
        Misconception(
            "mean forgotten",
            lambda weights, sentence, length: _cut_out(weights, sentence, length) * 1,
            "The maps of the heads are right. Their mean, which should come last, is missing.",
            "How many maps should there be for two heads?",
        ),
        Misconception(
            "columns cut, rows not",
            lambda weights, sentence, length: _drawn(weights[sentence, :, :, :length]),
            "You cut the columns of padding off and left its rows.",
            "Which two axes of a map belong to words?",
        ),
        Misconception(
            "mean in front",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length).mean(0, keepdim=True),
                lambda maps: _cut_out(weights, sentence, length),
            ),
            "The mean stands before the heads. It belongs at the end, under the last title.",
            "Which title would your first map get?",
        ),
    ],
)


# --- 8. Predict what heads do ---------------------------------------------------------------------

PREDICTIONS = {
    "parameters": ["rises", "falls", "stays"],
    "maps": ["rises", "falls", "stays"],
    "rank": ["rises", "falls", "stays"],
    "mean_row": ["1", "less than 1", "the number of heads"],
    "exchange": ["the same", "shuffled", "another"],
    "shuffle": ["the same", "shuffled alike", "another"],
}
_RIGHT = {
    "parameters": "stays",
    "maps": "rises",
    "rank": "falls",
    "mean_row": "1",
    "exchange": "the same",
    "shuffle": "shuffled alike",
}

heads_prediction = Exercise(
    id="heads_prediction",
    title="Predict what heads do",
    points=2,
    difficulty=1,
    minutes=5,
    kind="choices",
    outputs=list(PREDICTIONS),
    choices=PREDICTIONS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "For the first three: what do the heads cut, and what does each of them make anew?",
        "For `exchange`: the output is a sum, one term a head. For `shuffle`: what does attention "
        "know of places?",
        "`compare_heads` answers `parameters` and `maps`. For the others try "
        "`MultiHeadAttention(8, heads=2)` on random words, and look at sections 5, 6 and 10.",
    ],
    misconceptions=[
        Misconception(
            "heads cost parameters",
            _RIGHT | {"parameters": "rises"},
            "You say that more heads are more parameters. The same four matrices are cut into "
            "thinner slices.",
            "What did the formula of section 5 hold besides d?",
        ),
        Misconception(
            "heads save parameters",
            _RIGHT | {"parameters": "falls"},
            "You say that more heads are fewer parameters. Each slice is thinner, and there are "
            "more of them.",
            "What did the formula of section 5 hold besides d?",
        ),
        Misconception(
            "one map for all",
            _RIGHT | {"maps": "stays"},
            "You say that the number of weights stays. Every head draws a map of its own.",
            "Which shape have the weights?",
        ),
        Misconception(
            "thinner maps",
            _RIGHT | {"maps": "falls"},
            "You say that the number of weights falls. A head's vectors get thinner; its map has "
            "as many rows and columns as ever.",
            "Does `head_dim` occur in the shape of the weights?",
        ),
        Misconception(
            "rank grows",
            _RIGHT | {"rank": "rises"},
            "You say that the possible rank rises. The scores of a head are a product with "
            "`head_dim` columns, and that gets smaller.",
            "What is the rank of a product of a column with a row?",
        ),
        Misconception(
            "rank stays",
            _RIGHT | {"rank": "stays"},
            "You say that the possible rank stays. The scores of a head are a product with "
            "`head_dim` columns, and that gets smaller.",
            "What was the rank with eight heads of width 1?",
        ),
        Misconception(
            "leaky mean",
            _RIGHT | {"mean_row": "less than 1"},
            "You say that rows of the mean map sum to less than 1. Each head's row sums to 1.",
            "What is the mean of four ones?",
        ),
        Misconception(
            "sum for mean",
            _RIGHT | {"mean_row": "the number of heads"},
            "You say that rows of the mean map sum to the number of heads. Those of the *sum* "
            "would.",
            "What is the mean of four ones?",
        ),
        Misconception(
            "heads have places",
            _RIGHT | {"exchange": "shuffled"},
            "You say that the output is shuffled. The joined contexts are; then the columns of "
            "$W^O$, exchanged as well, meet the same numbers as before.",
            "Does a sum of terms change when two of them change places?",
        ),
        Misconception(
            "heads are numbered",
            _RIGHT | {"exchange": "another"},
            "You say that the output is another one. The output is a sum of one term a head, and "
            "no head knows its number.",
            "Does a sum of terms change when two of them change places?",
        ),
        Misconception(
            "order does not show",
            _RIGHT | {"shuffle": "the same"},
            "You say that the output stays as it is. Each word keeps its result, and takes it "
            "along to its new place.",
            "In section 6, in which row stood the context of *cat* in the second sentence?",
        ),
        Misconception(
            "order is seen",
            _RIGHT | {"shuffle": "another"},
            "You say that other outputs come out. Without positions attention sees a bag of words.",
            "How did the context of *cat* change in section 6?",
        ),
    ],
)

EXERCISES = [
    split_heads,
    join_heads,
    MultiHead,
    compare_heads,
    encode_positions,
    head_ablation,
    maps_to_draw,
    heads_prediction,
]
