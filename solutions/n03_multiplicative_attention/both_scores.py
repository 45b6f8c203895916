"""Two scores, for a batch."""

from dataclasses import replace

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import JOINED_MISTAKES, general, in_pairs, reshaped, unit
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W": draw.numbers(query_dim, key_dim, reach=1),
            "W_joined": draw.numbers(attention_dim, query_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(
            label, {name: change(tensor) if change else tensor for name, tensor in inputs.items()}
        )

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 2, 5, 6),
        case("a batch of one, queries wider than the keys", 1, 4, 3, 5, 2, 6),
        case("one query", 3, 1, 4, 2, 5, 6),
        case("one key only", 2, 3, 1, 4, 5, 6),
        case("one width for both", 2, 3, 5, 4, 4, 6),
        case("one hidden number only", 2, 5, 3, 4, 2, 1),
        case("transposed views", 2, 4, 5, 3, 2, 6, as_view),
        case("float64", 3, 2, 4, 5, 3, 6, torch.Tensor.double),
    ]


def _concat(query, keys, W_joined, v):
    return (in_pairs(query, keys) @ W_joined.T).tanh() @ v


def _instead(first=general, second=_concat):
    """Return an answer that computes one of the two scores otherwise."""
    return lambda query, keys, W, W_joined, v: (
        first(query, keys, W),
        second(query, keys, W_joined, v),
    )


def _cut(query, keys, W):
    """Return the dot product of the leading numbers that queries and keys both have."""
    width = min(W.shape)
    return query[..., :width] @ keys[..., :width].mT


def _queries_tiled(query, keys, W_joined, v):
    """Repeat the queries as a, b, a, b, where a, a, b, b would be right."""
    tgt_len, src_len = query.shape[1], keys.shape[1]
    tiled = query.repeat(1, src_len, 1).unflatten(1, (tgt_len, src_len))
    others = keys.unsqueeze(1).repeat(1, tgt_len, 1, 1)
    return (torch.cat([tiled, others], dim=-1) @ W_joined.T).tanh() @ v


def split_form(query, keys, W, W_joined, v):
    wide = query.shape[-1]
    bars, said = F.linear(query, W_joined[:, :wide]), F.linear(keys, W_joined[:, wide:])
    return torch.bmm(query, F.linear(keys, W).mT), (bars[:, :, None] + said[:, None]).tanh() @ v


def repeated(s, h, A, B, v):
    tgt_len, src_len = s.shape[1], h.shape[1]
    queries, others = s.repeat_interleave(src_len, dim=1), h.repeat(1, tgt_len, 1)
    scores = torch.tanh(torch.cat((queries, others), -1) @ B.T) @ v
    return [(s @ A) @ h.mT, scores.view(-1, tgt_len, src_len)]


def with_einsum(query, keys, W, W_joined, v):
    queries = query[:, :, None].expand(-1, -1, keys.shape[1], -1)
    pairs = torch.cat([queries, keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    hidden = torch.einsum("btsd,ad->btsa", pairs, W_joined).tanh()
    first = torch.einsum("btq,qk,bsk->bts", query, W, keys)
    return first, torch.einsum("btsa,a->bts", hidden, v)


def in_loops(query, keys, W, W_joined, v):
    def table(score):
        rows = [
            torch.stack([torch.stack([score(s, h) for h in others]) for s in some])
            for some, others in zip(query, keys, strict=True)
        ]
        return torch.stack(rows)

    return table(lambda s, h: s @ (W @ h)), table(
        lambda s, h: v @ (W_joined @ torch.cat([s, h])).tanh()
    )


def in_float64(query, keys, W, W_joined, v):
    wide = [tensor.double() for tensor in (query, keys, W, W_joined, v)]
    return split_form(*wide)


exercise = Exercise(
    id="both_scores",
    title="Two scores, for a batch",
    points=2,
    difficulty=1,
    minutes=15,
    section="03.3",
    learns=True,
    outputs=["general", "concat"],
    cases=cases,
    hints=[
        "*General*: keys stand in rows here, not in columns. For one row `h` the product `W @ h` "
        "is the same as `h @ …`: of what? *Concat*: which shape has the tensor of all pairs?",
        "*General*: `keys @ W.T` is as wide as the query; then a matrix product with the two last "
        "axes of one side swapped. *Concat*: queries and keys both become (batch, tgt_len, "
        "src_len, …): a new axis for each, in different places, and `expand` along it.",
        "`query @ (keys @ W.T).mT`. And `query.unsqueeze(2).expand(-1, -1, src_len, -1)`, the keys "
        "with `unsqueeze(1)` and tgt_len likewise; join the two along the last axis, multiply by "
        "the transposed matrix, `tanh`, and `@ v`.",
    ],
    mistakes={
        "W reshaped": WrongAnswer(
            _instead(lambda query, keys, W: query @ (keys @ W.reshape(W.shape[1], W.shape[0])).mT),
            "You made `W` fit with `reshape` or `view`. That reads its numbers in another order; "
            "what fits and keeps the order is the transpose.",
            "Where does the number in row 0, column 1 of `W` stand after each of the two?",
            misconception="shape-is-enough",
        ),
        "keys reshaped": WrongAnswer(
            _instead(lambda query, keys, W: query @ reshaped(keys @ W.T)),
            "The projected keys are right, and then they were brought to (batch, query_dim, "
            "src_len) by `reshape` or `view`. The numbers are in the wrong places now.",
            "Which operation swaps two axes, and which only counts through the numbers anew?",
            misconception="shape-is-enough",
        ),
        "a tanh too much": WrongAnswer(
            _instead(lambda query, keys, W: query @ (keys @ W.T).tanh().mT),
            "In *general*, your projected keys go through a `tanh`. That belongs to the additive "
            "score; *general* is a product, and nothing else.",
            "What is the score of a query with a key that is twice as long?",
            misconception="scores-alike",
        ),
        "scaled": WrongAnswer(
            _instead(lambda query, keys, W: general(query, keys, W) / query.shape[-1] ** 0.5),
            "In *general*, you divide by the root of the width. That comes in notebook 04; "
            "*general* has no such factor. (Its `W` could learn it.)",
            "Which operations stand in the formula s · (W h)?",
            misconception="scale-everywhere",
        ),
        "angle without length": WrongAnswer(
            _instead(lambda query, keys, W: unit(query) @ unit(keys @ W.T).mT),
            "In *general*, you compare directions only: both sides were brought to length 1. In a "
            "dot product their lengths count.",
            "What should happen to the scores if `W` is doubled?",
            misconception="dot-is-cosine",
        ),
        "cut to fit": WrongAnswer(
            _instead(_cut),
            "In *general*, queries and keys are cut to the smaller of their widths, and `W` is not "
            "used. What is cut off has no say.",
            "Change the last number of each key and call again. Do the scores change?",
            misconception="input-unused",
        ),
        "general as weights": WrongAnswer(
            _instead(lambda query, keys, W: general(query, keys, W).softmax(-1)),
            "You return weights for *general*: the softmax was taken already. Asked are the "
            "scores, before it.",
            "Can a score be negative?",
            misconception="scores-as-weights",
        ),
        **{
            name: replace(mistake, gives=_instead(second=mistake.gives))
            for name, mistake in JOINED_MISTAKES.items()
        },
        "queries in turn": WrongAnswer(
            _instead(second=_queries_tiled),
            "In *concat* the shape is right, and the queries are dealt out in turn: a, b, c, a, "
            "b, c. A row belongs to one query, so each has to be repeated for itself: a, a, b, b. "
            "`repeat` followed by `view` does the first.",
            "In one row of scores: how many different queries should be in it?",
            misconception="shape-is-enough",
        ),
        "keys as rows": WrongAnswer(
            lambda *inputs: tuple(scores.mT.contiguous() for scores in _instead()(*inputs)),
            "Your scores are (batch, src_len, tgt_len). Rows belong to queries, columns to keys.",
            "Which of the two factors gives a matrix product its rows?",
            misconception="rows-are-keys",
        ),
        "concat first": WrongAnswer(
            lambda *inputs: _instead()(*inputs)[::-1],
            "You return *concat* first. Asked are *general* and then *concat*.",
            "In which order does the function's first line name them?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[split_form, repeated, with_einsum, in_loops, in_float64],
)
