"""The task “Scores of general”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, change=lambda tensor: tensor):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W": draw.numbers(query_dim, key_dim, reach=1),
        }
        return Case(label, {name: change(tensor) for name, tensor in inputs.items()})

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 5, 6),
        case("query and keys of one width", 2, 4, 3, 5, 5),
        case("one query", 3, 1, 5, 4, 2),
        case("one key only", 2, 4, 1, 3, 5),
        case("as many queries as keys", 2, 4, 4, 3, 2),
        case("transposed views", 2, 4, 3, 5, 6, as_view),
        case("float64", 2, 5, 4, 3, 6, torch.Tensor.double),
    ]


def with_einsum(s, h, W):
    return torch.einsum("btq,qk,bsk->bts", s, W, h)


def query_first(query, keys, W):
    return torch.bmm(query @ W, keys.transpose(1, 2))


def in_loops(query, keys, W):
    rows = [[[s @ (W @ h) for h in keys[n]] for s in query[n]] for n in range(len(query))]
    return torch.stack([torch.stack([torch.stack(row) for row in rows_of]) for rows_of in rows])


def with_linear(query, keys, W):
    return query @ F.linear(keys, W).mT


def _if_it_fits(W, keys):
    """Return the transposed W where the widths are equal, else W: elsewhere it does not run."""
    return W.T if W.shape[0] == W.shape[1] else W


exercise = YourTurn(
    id="general_scores",
    title="Scores of general",
    section="03.2",
    learns=True,
    outputs=["scores"],
    cases=cases,
    mistakes={
        "W on the wrong side": WrongAnswer(
            lambda query, keys, W: query @ (keys @ _if_it_fits(W, keys).T).mT,
            "Where query and keys have one width, you take the transposed W: your score is "
            "s · (Wᵀ h).",
            "Which of the two has a row of W for each of its numbers: the query or the key?",
            misconception="matrix-as-stored",
        ),
        "no W": WrongAnswer(
            lambda query, keys, W: query @ (keys @ torch.eye(*W.shape, dtype=W.dtype).T).mT,
            "W is not used. Your score compares number by number, as *dot* does.",
            "Who turns the keys?",
            misconception="projection-left-out",
        ),
        "weights for scores": WrongAnswer(
            lambda query, keys, W: (query @ (keys @ W.T).mT).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Which of the three steps of attention does the name of the function promise?",
            misconception="scores-as-weights",
        ),
        "axes changed places": WrongAnswer(
            lambda query, keys, W: (keys @ W.T) @ query.mT,
            "Your scores are (batch, src_len, tgt_len): the rows are keys.",
            "Who asks, and so has a row of its own?",
            misconception="rows-are-keys",
        ),
        "scaled": WrongAnswer(
            lambda query, keys, W: query @ (keys @ W.T).mT / query.shape[-1] ** 0.5,
            "You divide by the root of the width. That comes in notebook 04; Luong's score has no "
            "scale.",
            "What does the formula of *general* divide by?",
            misconception="scale-everywhere",
        ),
    },
    variants=[with_einsum, query_first, in_loops, with_linear],
)
