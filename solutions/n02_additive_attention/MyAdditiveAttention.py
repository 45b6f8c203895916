"""The task “The whole module”: right answers and known mistakes."""

import torch
import torch.nn.functional as F
from torch import nn

from solutions.cases import additive_weights, additive_widths, as_view, one_silent
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import Additive, changed, filled, safe_softmax
from utils.checks.tasks import Case
from utils.masks import padding_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, widths, values=None, mask=None, change=None):
        query, keys = (
            draw.numbers(batch, tgt_len, widths[0]),
            draw.numbers(batch, src_len, widths[1]),
        )
        if change:
            query, keys = change(query), change(keys)
        inputs = {"query": query, "keys": keys}
        if not (values is None and mask is None):
            inputs |= {"values": values, "mask": mask}
        return Case(label, inputs, additive_widths(*widths), additive_weights(draw, *widths))

    some = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()[draw.order(3)]
    return [
        case("a batch of two, without values or mask", 2, 3, 4, (5, 7, 6)),
        case("values of their own", 2, 3, 5, (4, 2, 6), values=draw.numbers(2, 5, 3)),
        case(
            "a padded batch, a score of 0",
            2,
            4,
            5,
            (3, 2, 6),
            None,
            padding_mask([5, 3]),
            one_silent,
        ),
        case("a sentence of length 0", 2, 3, 4, (2, 5, 6), mask=padding_mask([4, 0])),
        case("values, and a mask for each query", 3, 3, 4, (2, 6, 5), draw.numbers(3, 4, 2), some),
        case("one sentence, one query", 1, 1, 4, (3, 2, 5)),
        case("one key only", 2, 3, 1, (4, 5, 6)),
        case("queries and keys that are transposed views", 2, 4, 3, (2, 5, 6), change=as_view),
    ]


def _where_masked(weigh):
    """Return a method `weigh` that is wrong only where there is a mask."""
    return lambda self, scores, mask: (
        safe_softmax(scores, mask) if mask is None else weigh(scores, mask)
    )


class _WithBiases(Additive):
    """Attention whose author left `bias=False` out; the biases are drawn as `nn.Linear` does."""

    def __init__(self, query_dim, key_dim, attention_dim):
        nn.Module.__init__(self)
        self.W_query = nn.Linear(query_dim, attention_dim)
        self.W_key = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def sums(self, query, keys):
        bar = F.linear(query, self.W_query.weight, self.W_query.bias.to(query))
        said = F.linear(keys, self.W_key.weight, self.W_key.bias.to(keys))
        return bar.unsqueeze(2) + said.unsqueeze(1)


class _Reversed(Additive):
    def forward(self, query, keys, values=None, mask=None):
        return super().forward(query, keys, values, mask)[::-1]


class _ShowsScores(Additive):
    def forward(self, query, keys, values=None, mask=None):
        return super().forward(query, keys, values, mask)[0], self.score(query, keys)


A_BIAS_OF_V = "a bias of v adds the same to all scores, which no softmax sees"


class _Matrix(nn.Module):
    def __init__(self, out, into):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out, into))


class RawMatrices(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = _Matrix(attention_dim, query_dim)
        self.W_key = _Matrix(attention_dim, key_dim)
        self.v = _Matrix(1, attention_dim)

    def forward(self, query, keys, values=None, mask=None):
        bars = torch.einsum("btq,aq->bta", query, self.W_query.weight)
        said = torch.einsum("bsk,ak->bsa", keys, self.W_key.weight)
        hidden = torch.tanh(bars[:, :, None, :] + said[:, None, :, :])
        scores = torch.einsum("btsa,a->bts", hidden, self.v.weight[0])
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask
        return torch.bmm(weights, keys if values is None else values), weights


class StepByStep(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.v = nn.Linear(attention_dim, 1)  # its bias changes nothing
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)

    def _step(self, state, said, mask):
        scores = self.v(torch.tanh(self.W_query(state)[:, None] + said)).squeeze(-1)
        return scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)

    def forward(self, query, keys, values=None, mask=None):
        values = keys if values is None else values
        if mask is None:
            mask = torch.ones((), dtype=torch.bool)
        mask = mask.expand(len(query), query.shape[1], keys.shape[1])
        said = self.W_key(keys)
        weights = torch.stack(
            [self._step(query[:, t], said, mask[:, t]) for t in range(query.shape[1])], dim=1
        )
        return [weights.matmul(values), weights]


class JoinedInside(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, False)
        self.W_key = nn.Linear(key_dim, attention_dim, False)
        self.v = nn.Linear(attention_dim, 1, False)

    def forward(self, query, keys, values=None, mask=None):
        W = torch.cat([self.W_query.weight, self.W_key.weight], dim=1)
        states = query[:, :, None].expand(-1, -1, keys.shape[1], -1)
        pairs = torch.cat([states, keys[:, None].expand(-1, query.shape[1], -1, -1)], dim=-1)
        scores = F.linear(F.linear(pairs, W).tanh(), self.v.weight)[..., 0]
        if mask is None:
            mask = torch.ones_like(scores, dtype=torch.bool)
        powers = (scores - scores.amax(-1, keepdim=True)).exp() * mask
        weights = powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
        return weights @ (keys if values is None else values), weights


class Float64Inside(nn.Module):
    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def forward(self, query, keys, values=None, mask=None):
        self.double()
        query, keys = query.double(), keys.double()
        values = keys if values is None else values.double()
        scores = self.v((self.W_query(query)[:, :, None] + self.W_key(keys)[:, None]).tanh())
        scores = scores.squeeze(-1)
        if mask is None:
            return scores.softmax(-1) @ values, scores.softmax(-1)
        weights = torch.where(mask, scores, -1e300).softmax(-1).where(mask, 0.0)
        return weights @ values, weights


exercise = Exercise(
    id="MyAdditiveAttention",
    title="The whole module",
    points=5,
    difficulty=3,
    minutes=20,
    section="02.5",
    learns=True,
    answer_type="module",
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    shortcuts=["AdditiveAttention"],
    cases=cases,
    equivalents={
        "self.v = nn.Linear(attention_dim, 1, bias=True)": A_BIAS_OF_V,
        "self.v = nn.Linear(attention_dim, 1)": A_BIAS_OF_V,
    },
    hints=[
        "You have written all its pieces: the scores in notebook 02, the softmax in task 2. What "
        "does a module add to them?",
        "`__init__` makes three `nn.Linear` without bias and keeps them under the names of the "
        "task; its first line is `super().__init__()`. `nn.Linear(3, 5)` turns 3 numbers into 5. "
        "`forward` is score, softmax, weighted sum.",
        "Scores: as in notebook 02, with `self.W_query(query)` in place of the matrix product, and "
        "`self.v(…)`, whose last axis of length 1 you take away with `.squeeze(-1)`. Weights: "
        "your `masked_softmax`, or a plain softmax where `mask is None`. Values: the keys where "
        "`values is None`.",
    ],
    mistakes={
        "values ignored": WrongAnswer(
            changed(Additive, mix=lambda self, weights, keys, values: weights @ keys),
            "Your context is a mixture of the keys even where values are given. There the "
            "weights mix those; the keys only serve for comparing.",
            "What is the argument `values` for?",
            misconception="keys-handed-out",
        ),
        "projected keys mixed": WrongAnswer(
            changed(
                Additive,
                mix=lambda self, weights, keys, values: (
                    weights @ (self.W_key(keys) if values is None else values)
                ),
            ),
            "Where no values are given, your context is a mixture of the projected keys. The "
            "projection serves for the score; what is handed out then are the keys as they came.",
            "How wide is a key, and how wide is your context?",
            misconception="keys-handed-out",
        ),
        "mask ignored": WrongAnswer(
            changed(Additive, weigh=lambda self, scores, mask: scores.softmax(-1)),
            "The mask changes nothing in your module. So the padding gets its share.",
            "Between which two of the three steps does the mask come in?",
            misconception="padding-is-harmless",
        ),
        "mask turned round": WrongAnswer(
            changed(
                Additive, weigh=_where_masked(lambda scores, mask: safe_softmax(scores, ~mask))
            ),
            "Your mask is read the other way round: what it should hide is looked at, and that "
            "alone.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "masked after the softmax": WrongAnswer(
            changed(Additive, weigh=_where_masked(lambda scores, mask: scores.softmax(-1) * mask)),
            "You mask too late, after the softmax perhaps: what is hidden counts in its sum. "
            "That share is gone then, and the words do not get it back.",
            "What do your rows sum to in a padded sentence?",
            misconception="mask-after-softmax",
        ),
        "NaN where nothing is allowed": WrongAnswer(
            changed(
                Additive, weigh=_where_masked(lambda scores, mask: filled(scores, mask, -torch.inf))
            ),
            "Where a row is masked whole, your weights are NaN, and so is the context.",
            "Have you not written a softmax that is safe?",
            misconception="no-empty-rows",
        ),
        "shares among the forbidden": WrongAnswer(
            changed(Additive, weigh=_where_masked(lambda scores, mask: filled(scores, mask, -1e9))),
            "Where a row is masked whole, your weights are equal shares, and the context is a "
            "mean of what is hidden. Both should be 0.",
            "Have you not written a softmax that is safe?",
            misconception="empty-rows-sum-to-one",
        ),
        "no tanh": WrongAnswer(
            changed(
                Additive, score=lambda self, query, keys: self.v(self.sums(query, keys)).squeeze(-1)
            ),
            "There is no `tanh` in your scores. So the query cancels in the softmax: but for the "
            "mask, all rows of a sentence are alike.",
            "Give your module two very different queries. What do their weights have in common?",
            misconception="nonlinearity-left-out",
        ),
        "softmax over the queries": WrongAnswer(
            changed(
                Additive,
                weigh=lambda self, scores, mask: (
                    safe_softmax(
                        scores.mT, mask if mask is None else mask.expand(scores.shape).mT
                    ).mT
                ),
            ),
            "Your softmax runs over the queries: the columns sum to 1, not the rows.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "biases left in": WrongAnswer(
            _WithBiases,
            "Your linear layers have biases. The formula has none, and `nn.Linear` makes one "
            "unless it is told not to.",
            "Which argument of `nn.Linear` takes the bias away?",
            misconception="biases-by-the-way",
        ),
        "order of return": WrongAnswer(
            _Reversed,
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results has as many columns as the values?",
            misconception="parts-in-any-order",
        ),
        "scores for weights": WrongAnswer(
            _ShowsScores,
            "The second thing that you return are the scores, and asked are the weights.",
            "Which of the two sums to 1?",
            misconception="scores-as-weights",
        ),
    },
    variants=[RawMatrices, StepByStep, JoinedInside, Float64Inside],
)
