"""The task “A soft look-up”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import thousands
from solutions.specification import IN_A_MATRIX, Draw, WrongAnswer, YourTurn
from solutions.wrong_pieces import unit
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, query, keys, values):
        return Case(label, {"query": query, "keys": keys, "values": values})

    twin = draw.numbers(1, 2)
    return [
        case("two queries, three keys", draw.numbers(2, 2), draw.numbers(3, 2), draw.numbers(3, 4)),
        case("values as wide as keys", draw.numbers(3, 4), draw.numbers(5, 4), draw.numbers(5, 4)),
        case("one query", draw.numbers(1, 3), draw.numbers(4, 3), draw.numbers(4, 2)),
        case("one key only", draw.numbers(3, 2), draw.numbers(1, 2), draw.numbers(1, 3)),
        case(
            "two keys alike",
            draw.numbers(2, 2),
            torch.cat([twin, twin, draw.numbers(1, 2)]),
            draw.numbers(3, 2),
        ),
        case(
            "large scores",
            thousands(draw, 2, 2),
            draw.numbers(3, 2, reach=9).double(),
            draw.numbers(3, 2).double(),
        ),
        case(
            "float64",
            draw.numbers(4, 3).double(),
            draw.numbers(5, 3).double(),
            draw.numbers(5, 2).double(),
        ),
        case(
            "keys that are a transposed view",
            draw.numbers(2, 3),
            draw.numbers(3, 4).T,
            draw.numbers(4, 2),
        ),
    ]


def _look_up(weigh):
    """Return a look-up whose weights `weigh` makes from query and keys."""

    def look_up(query, keys, values):
        weights = weigh(query, keys)
        return weights @ values, weights

    return look_up


def _hardest(query, keys):
    scores = query @ keys.T
    return torch.eye(len(keys), dtype=scores.dtype)[scores.argmax(-1)]


def with_einsum(q, k, v):
    alpha = torch.einsum("td,sd->ts", q, k).softmax(dim=1)
    return torch.einsum("ts,sv->tv", alpha, v), alpha


def in_loops(query, keys, values):
    contexts, rows = [], []
    for row in query:
        scores = torch.stack([(row * key).sum() for key in keys])
        alpha = scores.softmax(0)
        rows.append(alpha)
        contexts.append(sum(weight * value for weight, value in zip(alpha, values, strict=True)))
    return torch.stack(contexts), torch.stack(rows)


def as_a_list(query, keys, values):
    weights = F.softmax(F.linear(query, keys), dim=-1)
    return [torch.matmul(weights, values), weights]


def from_torch(query, keys, values):
    identity = torch.eye(len(keys), dtype=query.dtype)
    weights = F.scaled_dot_product_attention(query[None], keys[None], identity[None], scale=1.0)[0]
    return weights @ values, weights


def by_broadcasting(query, keys, values):
    scores = (query[:, None] * keys).sum(-1)
    powers = (scores - scores.amax(1, keepdim=True)).exp()
    weights = powers / powers.sum(1, keepdim=True)
    return (weights[..., None] * values).sum(1), weights


def in_float64(query, keys, values):
    weights = (query.double() @ keys.double().T).softmax(-1)
    return weights @ values.double(), weights


exercise = YourTurn(
    id="soft_lookup",
    title="A soft look-up",
    section="01.4",
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["scaled_dot_product_attention"],
    cases=cases,
    equivalents={
        "weights = scores.softmax(1)": IN_A_MATRIX,
    },
    mistakes={
        "hard look-up": WrongAnswer(
            _look_up(_hardest),
            "Your look-up takes the value of the best key and nothing of the others: the hard "
            "look-up of a dictionary. A soft one mixes all values, by their weights.",
            "What turns scores into shares that may be small, and are not 0?",
            misconception="hard-choice",
        ),
        "keys mixed": WrongAnswer(
            lambda query, keys, values: (
                (query @ keys.T).softmax(-1) @ keys,
                (query @ keys.T).softmax(-1),
            ),
            "Your weights mix the keys. Keys are what is compared with the query; what is handed "
            "out are the values.",
            'In `translation["cat"]`, what do you get back: "cat" or "chat"?',
            misconception="keys-handed-out",
        ),
        "softmax over the queries": WrongAnswer(
            _look_up(lambda query, keys: (query @ keys.T).softmax(0)),
            "Your weights sum to 1 over the queries, not over the keys. So the queries compete for "
            "each key.",
            "Which axis of the scores belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "no softmax": WrongAnswer(
            _look_up(lambda query, keys: query @ keys.T),
            "You mix the values by the scores themselves. Scores may be negative and sum to "
            "anything, so the context is no mixture.",
            "Which step of the three is missing between scores and mixture?",
            misconception="scores-as-weights",
        ),
        "softmax twice": WrongAnswer(
            _look_up(lambda query, keys: (query @ keys.T).softmax(-1).softmax(-1)),
            "Your weights went through the softmax twice. They still sum to 1, but the second "
            "softmax flattens what the first has made.",
            "What does the softmax make of numbers that all lie between 0 and 1?",
            misconception="softmax-twice",
        ),
        "angle without length": WrongAnswer(
            _look_up(lambda query, keys: (unit(query) @ unit(keys).T).softmax(-1)),
            "You compare directions only, as cosine similarity does: as if all vectors had "
            "length 1. In a dot product length counts, as confidence.",
            "What does the explorer of section 3 do when the query gets shorter?",
            misconception="dot-is-cosine",
        ),
        "scaled": WrongAnswer(
            _look_up(lambda query, keys: (query @ keys.T / query.shape[-1] ** 0.5).softmax(-1)),
            "You divide the scores by the root of the vectors' width. That comes in notebook 04, "
            "for wide vectors; here the scores are the plain dot products.",
            "By hand: which score has the query (3, 1) with the key (3, 1)?",
            misconception="scale-everywhere",
        ),
        "order of return": WrongAnswer(
            lambda query, keys, values: (
                (query @ keys.T).softmax(-1),
                (query @ keys.T).softmax(-1) @ values,
            ),
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results has as many columns as the values?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[with_einsum, in_loops, as_a_list, from_torch, by_broadcasting, in_float64],
)
