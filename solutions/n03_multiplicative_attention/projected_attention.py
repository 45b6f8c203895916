"""The task “Attention with three projections”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, widths, change=lambda tensor: tensor):
        query_dim, key_dim, width, value_dim = widths
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim, reach=1),
            "keys": draw.numbers(batch, src_len, key_dim, reach=1),
            "W_Q": draw.numbers(width, query_dim, reach=1),
            "W_K": draw.numbers(width, key_dim, reach=1),
            "W_V": draw.numbers(value_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(tensor) for name, tensor in inputs.items()})

    return [
        case("a batch of two", 2, 3, 4, (5, 6, 7, 2)),
        case("values as wide as keys", 2, 3, 5, (4, 6, 3, 6)),
        case("one query", 3, 1, 5, (4, 3, 6, 2)),
        case("one key only", 2, 4, 1, (3, 5, 2, 4)),
        case("a meeting place of one number", 1, 4, 3, (3, 5, 1, 2)),
        case("transposed views", 2, 4, 3, (5, 6, 7, 2), as_view),
        case("float64", 2, 5, 4, (3, 6, 4, 2), torch.Tensor.double),
    ]


def _attend(weigh, hand_out):
    """Return an answer that makes weights by one rule, and what they mix by another."""

    def attend(query, keys, W_Q, W_K, W_V):
        weights = weigh(query @ W_Q.T, keys @ W_K.T)
        return weights @ hand_out(keys, W_K, W_V), weights

    return attend


def _weights(queries, keys):
    return (queries @ keys.mT).softmax(-1)


def _values(keys, W_K, W_V):
    return keys @ W_V.T


def with_einsum(query, keys, W_Q, W_K, W_V):
    weights = torch.einsum("btq,wq,wk,bsk->bts", query, W_Q, W_K, keys).softmax(-1)
    return torch.einsum("bts,bsk,vk->btv", weights, keys, W_V), weights


def as_general(query, keys, W_Q, W_K, W_V):
    weights = (query @ (W_Q.T @ W_K) @ keys.transpose(-2, -1)).softmax(-1)
    return F.linear(weights @ keys, W_V), weights


def with_linear(query, keys, W_Q, W_K, W_V):
    Q, K, V = F.linear(query, W_Q), F.linear(keys, W_K), F.linear(keys, W_V)
    weights = torch.softmax(Q @ K.transpose(1, 2), dim=-1)
    return [torch.bmm(weights, V), weights]


exercise = YourTurn(
    id="projected_attention",
    title="Attention with three projections",
    section="03.6",
    learns=True,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    mistakes={
        "values not projected": WrongAnswer(
            lambda query, keys, W_Q, W_K, W_V: (
                _weights(query @ W_Q.T, keys @ W_K.T) @ keys,
                _weights(query @ W_Q.T, keys @ W_K.T),
            ),
            "You mix the keys as they came, and not what W_V makes of them.",
            "How wide should the context be, and how wide are the keys?",
            misconception="projection-left-out",
        ),
        "keys handed out": WrongAnswer(
            _attend(_weights, lambda keys, W_K, W_V: keys @ W_K.T),
            "You mix what the keys are found by, W_K h, and should mix what they hand over, W_V h.",
            "Which of the three matrices makes the values?",
            misconception="keys-handed-out",
        ),
        "softmax over the queries": WrongAnswer(
            _attend(lambda queries, keys: (queries @ keys.mT).softmax(-2), _values),
            "Your softmax runs over the queries: the queries compete for each key.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "no softmax": WrongAnswer(
            _attend(lambda queries, keys: queries @ keys.mT, _values),
            "You mix by the scores themselves, which may be negative and sum to anything.",
            "Which step of the three is missing between scores and mixture?",
            misconception="scores-as-weights",
        ),
        "scaled": WrongAnswer(
            _attend(
                lambda queries, keys: (queries @ keys.mT / keys.shape[-1] ** 0.5).softmax(-1),
                _values,
            ),
            "You divide the scores by the root of the vectors' width. That is what notebook 04 "
            "adds; here the score is the plain dot product.",
            "What does the formula of this section divide by?",
            misconception="scale-everywhere",
        ),
        "order of return": WrongAnswer(
            lambda query, keys, W_Q, W_K, W_V: _attend(_weights, _values)(
                query, keys, W_Q, W_K, W_V
            )[::-1],
            "You return the weights first. Everywhere in the course it is `(context, weights)`.",
            "Which of your two results has as many columns as there are keys?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[with_einsum, as_general, with_linear],
)
