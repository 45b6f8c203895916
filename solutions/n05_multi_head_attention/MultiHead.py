"""The task “The whole module”: right answers and known mistakes."""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import in_double, one_row_shut, one_silent, query_keys_values, random_mask
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import (
    changed,
    fill_with,
    joined_heads,
    joined_without_turning,
    mask_late,
    mask_turned,
    split_into_heads,
)
from utils.attention import MultiHeadAttention
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
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
    silent = case("a padding mask, a key of zeros", (3, 2, 5), 8, 4, random_mask(draw, 3, 1, 5))
    silent.inputs["keys"] = one_silent(silent.inputs["keys"])
    silent.parameters["in_proj_bias"][8:16] = 0.0
    return [
        case("two heads", (2, 3, 4), 6, 2),
        case("three heads", (4, 5, 2), 6, 3),
        silent,
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
        in_double(precise),
    ]


class _MultiHead(nn.Module):
    """A right module, in methods of which each wrong answer overrides one."""

    order = (0, 1, 2)  # whose matrix is which third of the large one
    order_of_biases = None  # the same, unless it is another one

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    project = staticmethod(F.linear)

    def split(self, tensor):
        return split_into_heads(tensor, self.heads)

    join = staticmethod(joined_heads)

    def scale(self, dim):
        return (dim / self.heads) ** 0.5

    weigh = staticmethod(masked_softmax)

    def finish(self, joined):
        return self.out_proj(joined)

    def reported(self, weights):
        return weights

    def forward(self, query, keys, values, mask=None):
        matrices, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        places = zip(self.order, self.order_of_biases or self.order, strict=True)
        q, k, v = (
            self.split(self.project(vectors, matrices[of_matrix], biases[of_bias]))
            for vectors, (of_matrix, of_bias) in zip((query, keys, values), places, strict=True)
        )
        scores = q @ k.mT / self.scale(query.shape[-1])
        weights = self.weigh(scores, None if mask is None else mask[:, None])
        return self.finish(self.join(weights @ v)), self.reported(weights)


class _KeysForValues(_MultiHead):
    def forward(self, query, keys, values, mask=None):
        return super().forward(query, keys, keys, mask)


class PyTorchsOwn(nn.MultiheadAttention):
    """PyTorch's own module, which proves parity."""

    def __init__(self, dim, heads):
        super().__init__(dim, heads, batch_first=True)

    def forward(self, query, keys, values, mask=None):
        if mask is None:
            return super().forward(query, keys, values, average_attn_weights=False)
        batch, tgt_len, src_len = len(query), query.shape[1], keys.shape[1]
        hidden = (~mask).expand(batch, tgt_len, src_len)
        empty = hidden.all(-1)  # its own would be NaN
        _, weights = super().forward(
            query,
            keys,
            values,
            attn_mask=(hidden & ~empty[..., None]).repeat_interleave(self.num_heads, 0),
            average_attn_weights=False,
        )
        weights = weights.masked_fill(empty[:, None, :, None], 0.0)
        third = self.embed_dim * 2
        projected = F.linear(values, self.in_proj_weight[third:], self.in_proj_bias[third:])
        heads = projected.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        return self.out_proj((weights @ heads).transpose(1, 2).flatten(2)), weights


class AllThirdsAtOnce(_MultiHead):
    """Each input meets the whole matrix, and a third of what comes out is used."""

    def forward(self, query, keys, values, mask=None):
        whole = (F.linear(x, self.in_proj_weight, self.in_proj_bias) for x in (query, keys, values))
        q, k, v = (self.split(x.chunk(3, -1)[third]) for third, x in enumerate(whole))
        scores = q @ k.mT / self.scale(query.shape[-1])
        weights = masked_softmax(scores, None if mask is None else mask[:, None])
        return self.finish(self.join(weights @ v)), weights


class OneHeadAfterTheOther(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.width = dim // heads
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * dim, dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        dim = query.shape[-1]
        output, maps = self.out_proj.bias, []
        for start in range(0, dim, self.width):
            q, k, v = (
                x @ self.in_proj_weight[part : part + self.width].T
                + self.in_proj_bias[part : part + self.width]
                for x, part in ((query, start), (keys, dim + start), (values, 2 * dim + start))
            )
            scores = q @ k.transpose(1, 2) / math.sqrt(self.width)
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            maps.append(scores.softmax(-1).nan_to_num(0.0))
            output = output + maps[-1] @ v @ self.out_proj.weight[:, start : start + self.width].T
        return output, torch.stack(maps, dim=1)


class HeadsInTheBatch(_MultiHead):
    """The heads become further sentences of the batch, each with its own copy of the mask."""

    def split(self, tensor):
        return super().split(tensor).flatten(0, 1)  # (batch * heads, len, head_dim)

    def forward(self, query, keys, values, mask=None):
        matrices, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        q, k, v = map(self.split, map(F.linear, (query, keys, values), matrices, biases))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        mask = None if mask is None else mask.repeat_interleave(self.heads, 0)
        weights = masked_softmax(scores, mask)
        contexts, weights = (x.unflatten(0, (-1, self.heads)) for x in (weights @ v, weights))
        return self.finish(self.join(contexts)), weights


class RawMatrices(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.in_proj_weight = nn.Parameter(torch.randn(3 * dim, dim) * 0.1)
        self.in_proj_bias = nn.Parameter(torch.randn(3 * dim) * 0.1)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        W = self.in_proj_weight.unflatten(0, (3, self.h, -1))
        b = self.in_proj_bias.unflatten(0, (3, self.h, -1))
        q = torch.einsum("btd,hwd->bhtw", query, W[0]) + b[0].unsqueeze(1)
        k = torch.einsum("bsd,hwd->bhsw", keys, W[1]) + b[1].unsqueeze(1)
        v = torch.einsum("bsd,hwd->bhsw", values, W[2]) + b[2].unsqueeze(1)
        scores = torch.einsum("bhtw,bhsw->bhts", q, k) * k.shape[-1] ** -0.5
        powers = (scores - scores.amax(-1, keepdim=True)).exp()
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None], -1e6)
            powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask[:, None]
        weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
        return self.out_proj(torch.einsum("bhts,bhsw->bthw", weights, v).flatten(2)), weights


class TheCourses(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self._sizes = dim, heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * dim, dim).normal_())
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * dim))
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, query, keys, values, mask=None):
        inner = MultiHeadAttention(*self._sizes).to(query)
        names = ("W_q", "W_k", "W_v")
        parts = zip(names, self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3), strict=True)
        numbers = {"W_o.weight": self.out_proj.weight, "W_o.bias": self.out_proj.bias}
        for name, weight, bias in parts:
            numbers |= {f"{name}.weight": weight, f"{name}.bias": bias}
        more = {"values": values, "mask": mask, "return_weights": "heads"}
        return torch.func.functional_call(inner, numbers, (query, keys), more)


exercise = Exercise(
    id="MultiHead",
    title="The whole module",
    points=6,
    difficulty=3,
    minutes=30,
    section="05.2",
    learns=True,
    answer_type="module",
    outputs=["output", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["MultiheadAttention", "multi_head_attention_forward", "MultiHeadAttention"],
    cases=cases,
    equivalents={
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
        "times the transposed keys, divided by the root of head_dim. `masked_softmax`, with the "
        "mask given an axis for the heads (`unsqueeze(1)`). Weights times values, join, "
        "`out_proj`. Return the output and the weights of every head.",
    ],
    mistakes={
        "view alone": WrongAnswer(
            changed(
                _MultiHead,
                split=lambda self, tensor: tensor.reshape(
                    len(tensor), self.heads, tensor.shape[1], -1
                ),
                join=lambda self, tensor: tensor.reshape(len(tensor), tensor.shape[2], -1),
            ),
            "Your heads cut the *sentence*, not the width, on the way in and on the way out: so "
            "it goes with `view` alone, where `view` and `transpose` are needed.",
            "Does `split_heads` of the notebook do it in one move?",
            misconception="shape-is-enough",
        ),
        "not turned back": WrongAnswer(
            changed(_MultiHead, join=staticmethod(joined_without_turning)),
            "The join forgot to bring the heads back behind the words before it made one axis of "
            "two.",
            "What does `join_heads` do before it flattens?",
            misconception="shape-is-enough",
        ),
        "scale of the model": WrongAnswer(
            changed(_MultiHead, scale=lambda self, dim: dim**0.5),
            "You divide by the root of `dim`, the width of the model. A score of one head adds "
            "up `head_dim` products only, and its scale is the root of their number.",
            "How many numbers has one query of one head?",
            misconception="wrong-width",
        ),
        "scale of the number of heads": WrongAnswer(
            changed(_MultiHead, scale=lambda self, dim: self.heads**0.5),
            "You divide by the root of the number of heads. How many heads there are makes no "
            "score larger; the number of products that each adds up does.",
            "How many products does one head add up in one score?",
            misconception="wrong-width",
        ),
        "no scale": WrongAnswer(
            changed(_MultiHead, scale=lambda self, dim: 1),
            "The scores are not divided by anything: the scale is missing.",
            "Which number kept the variance of the scores near 1 in notebook 04?",
            misconception="no-scale",
        ),
        "no output projection": WrongAnswer(
            changed(_MultiHead, finish=lambda self, joined: joined),
            "You return the joined contexts. Without `out_proj` each head stays in its own slots, "
            "and nothing mixes them.",
            "Which two of the four parameters have you not used?",
            misconception="projection-left-out",
        ),
        "no biases on the way in": WrongAnswer(
            changed(_MultiHead, project=lambda self, x, matrix, bias: x @ matrix.T),
            "The input projections lack their biases, those of queries and values at least. (That "
            "of the keys cancels in the softmax.)",
            "Where does each third of `in_proj_bias` come in?",
            misconception="biases-by-the-way",
        ),
        "matrix not turned": WrongAnswer(
            changed(_MultiHead, project=lambda self, x, matrix, bias: x @ matrix + bias),
            "You multiply by the matrices as they are stored. PyTorch stores them as (out, in), so "
            "that a vector x is projected to $x W^\\top$. They are square, so nothing complains.",
            "What does `F.linear` do with its matrix?",
            misconception="matrix-as-stored",
        ),
        "keys before queries": WrongAnswer(
            changed(_MultiHead, order=(1, 0, 2)),
            "You took the first third of `in_proj_weight` for the keys and the second for the "
            "queries. PyTorch puts the queries first.",
            "In which order does the table of this task list the three?",
            misconception="parts-in-any-order",
            also={
                "in the matrix alone": changed(
                    _MultiHead, order=(1, 0, 2), order_of_biases=(0, 1, 2)
                )
            },
        ),
        "values before queries": WrongAnswer(
            changed(_MultiHead, order=(1, 2, 0)),
            "You took the first third of `in_proj_weight` for the values. They come last.",
            "In which order does the table of this task list the three?",
            misconception="parts-in-any-order",
            also={"and queries last": changed(_MultiHead, order=(2, 1, 0))},
        ),
        "mean of the weights": WrongAnswer(
            changed(_MultiHead, reported=lambda self, weights: weights.mean(1)),
            "You return the mean of the heads' weights, as PyTorch does "
            "unless told otherwise. Asked are the weights of every head.",
            "How many axes should `weights` have?",
            misconception="heads-as-one",
        ),
        "True is hidden": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(mask_turned)),
            "You read the mask as `nn.MultiheadAttention` does: `True` = hidden. Here `True` means "
            "*may be attended to*.",
            "Where would you need a `~`, and where not?",
            misconception="mask-upside-down",
        ),
        "mask ignored": WrongAnswer(
            changed(_MultiHead, weigh=lambda self, scores, mask: scores.softmax(-1)),
            "The mask changes nothing in your module: hidden keys get a share.",
            "Where does your mask go in, and what becomes of the result?",
            misconception="padding-is-harmless",
        ),
        "mask after the softmax": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(mask_late)),
            "You mask too late, after the softmax perhaps: hidden keys count in its sum, so rows "
            "with such keys sum to less than 1.",
            "Which function of `utils.masks` does mask and softmax in the right order?",
            misconception="mask-after-softmax",
        ),
        "NaN in an empty row": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(fill_with(-torch.inf))),
            "It fails in rows that may look at nothing: they come out as NaN, as in PyTorch's "
            "module. In this course their weights are 0.",
            "Which function of `utils.masks` knows about empty rows?",
            misconception="no-empty-rows",
        ),
        "equal shares in an empty row": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(fill_with(-1e9))),
            "It fails in rows that may look at nothing: they look at everything, as where all "
            "scores are alike.",
            "Which function of `utils.masks` knows about empty rows?",
            misconception="empty-rows-sum-to-one",
        ),
        "softmax over the queries": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(partial(masked_softmax, dim=2))),
            "Your weights sum to 1 over the queries: the softmax ran along the axis before the "
            "last.",
            "Which axis of (batch, heads, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "divided by head_dim": WrongAnswer(
            changed(_MultiHead, scale=lambda self, dim: dim / self.heads),
            "You divide the scores by the width of a head, not by its root.",
            "The *variance* of a dot product is its width. What is its spread?",
            misconception="scale-by-width",
        ),
        "every second number": WrongAnswer(
            changed(
                _MultiHead,
                split=lambda self, tensor: tensor.unflatten(-1, (-1, self.heads)).permute(
                    0, 3, 1, 2
                ),
                join=lambda self, tensor: tensor.permute(0, 2, 3, 1).flatten(2),
            ),
            "Your heads take every so-many-th number of the width. That would be a good layer of "
            "its own, but not PyTorch's: there a head's numbers lie side by side.",
            "Which rows of a projection's matrix belong to head 1?",
            misconception="shape-is-enough",
        ),
        "output matrix not turned": WrongAnswer(
            changed(
                _MultiHead,
                finish=lambda self, joined: joined @ self.out_proj.weight + self.out_proj.bias,
            ),
            "You multiply by `out_proj.weight` as it is stored. It is stored as (out, in).",
            "What does `self.out_proj(…)` do, when it is called as a layer?",
            misconception="matrix-as-stored",
        ),
        "no bias on the way out": WrongAnswer(
            changed(_MultiHead, finish=lambda self, joined: joined @ self.out_proj.weight.T),
            "The output projection lacks its bias.",
            "What is the output of a row that may look at nothing?",
            misconception="biases-by-the-way",
        ),
        "softmax over the heads": WrongAnswer(
            changed(_MultiHead, weigh=staticmethod(partial(masked_softmax, dim=1))),
            "Your softmax runs over the heads, so that heads compete with each other for every "
            "key. Keys should compete, within each head.",
            "Which axis of (batch, heads, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-batch",
        ),
        "values not used": WrongAnswer(
            _KeysForValues,
            "You project the keys twice: once as keys, once as values. The module is given values "
            "of their own, which are often the same tensor, but need not be.",
            "Which of the inputs have you not used?",
            misconception="keys-handed-out",
        ),
    },
    variants=[
        PyTorchsOwn,
        OneHeadAfterTheOther,
        AllThirdsAtOnce,
        HeadsInTheBatch,
        RawMatrices,
        TheCourses,
    ],
)
