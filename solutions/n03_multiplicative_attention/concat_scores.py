"""Concat."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.parts import JOINED_MISCONCEPTIONS, in_pairs
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W_joined": draw.numbers(attention_dim, query_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(label, {name: change(one) if change else one for name, one in inputs.items()})

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 2, 5, 6),
        case("a batch of one", 1, 4, 3, 5, 2, 6),
        case("one query", 3, 1, 4, 2, 5, 6),
        case("one key only", 2, 3, 1, 4, 5, 6),
        case("one width for both", 2, 3, 5, 4, 4, 6),
        case("one hidden number only", 2, 5, 3, 4, 2, 1),
        case("transposed views", 2, 4, 5, 3, 2, 6, as_view),
        case("float64", 3, 2, 4, 5, 3, 6, torch.Tensor.double),
    ]


def _queries_tiled(query, keys, W_joined, v):
    """The queries repeated as a whole, a, b, a, b, where each should be repeated: a, a, b, b."""
    tgt_len, src_len = query.shape[1], keys.shape[1]
    tiled = query.repeat(1, src_len, 1).unflatten(1, (tgt_len, src_len))
    others = keys.unsqueeze(1).repeat(1, tgt_len, 1, 1)
    return (torch.cat([tiled, others], dim=-1) @ W_joined.T).tanh() @ v


# --- Right answers in other styles ----------------------------------------------------------------


def split_form(query, keys, W_joined, v):
    wide = query.shape[-1]
    bars, said = F.linear(query, W_joined[:, :wide]), F.linear(keys, W_joined[:, wide:])
    return (bars[:, :, None] + said[:, None]).tanh() @ v


def repeated(query, keys, W, v):
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query.repeat_interleave(src_len, dim=1)
    others = keys.repeat(1, tgt_len, 1)
    scores = torch.tanh(torch.cat((queries, others), -1) @ W.T) @ v
    return scores.view(-1, tgt_len, src_len)


def with_einsum(query, keys, W_joined, v):
    queries = query[:, :, None].expand(-1, -1, keys.shape[1], -1)
    pairs = torch.cat([queries, keys[:, None].expand(-1, query.shape[1], -1, -1)], -1)
    return torch.einsum("btsa,a->bts", torch.einsum("btsd,ad->btsa", pairs, W_joined).tanh(), v)


def in_loops(query, keys, W_joined, v):
    def score(s, h):
        return v @ (W_joined @ torch.cat([s, h])).tanh()

    return torch.stack(
        [
            torch.stack([torch.stack([score(s, h) for h in others]) for s in some])
            for some, others in zip(query, keys, strict=True)
        ]
    )


def in_float64(query, keys, W_joined, v):
    query, keys, W_joined, v = (one.double() for one in (query, keys, W_joined, v))
    steps = []
    for state in query.unbind(1):
        joined = torch.cat([state[:, None].expand(-1, keys.shape[1], -1), keys], dim=-1)
        steps.append(((joined @ W_joined.T).tanh() * v).sum(-1))
    return torch.stack(steps, dim=1)


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="concat_scores",
    title="Concat",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["scores"],
    cases=cases,
    hints=[
        "Every pair has to be written out: a vector [s; h] for each query with each key. Which "
        "shape has the tensor of all pairs, and which shape have its two halves?",
        "The queries become (batch, tgt_len, src_len, query_dim): a new axis, then repeated along "
        "it. The keys get theirs in another place. `expand` repeats an axis of length 1.",
        "`query.unsqueeze(2).expand(-1, -1, src_len, -1)`, and the keys with `unsqueeze(1)` and "
        "tgt_len likewise. Join them along the last axis, multiply by the transposed matrix, "
        "`tanh`, and `@ v`.",
    ],
    misconceptions=[
        *JOINED_MISCONCEPTIONS,
        Misconception(
            "keys as rows",
            lambda query, keys, W_joined, v: (
                (in_pairs(query, keys) @ W_joined.T).tanh() @ v
            ).mT.contiguous(),
            "Your scores are (batch, src_len, tgt_len). Rows belong to queries, columns to keys.",
            "Along which of the two new axes are the queries repeated?",
            kind="rows-are-keys",
        ),
        Misconception(
            "queries in turn",
            _queries_tiled,
            "The shape is right, and the queries are dealt out in turn: a, b, c, a, b, c. A row "
            "belongs to one query, so each has to be repeated for itself: a, a, b, b. `repeat` "
            "followed by `view` does the first.",
            "In one row of scores: how many different queries should be in it?",
            kind="shape-is-enough",
        ),
    ],
    variants=[split_form, repeated, with_einsum, in_loops, in_float64],
)
