"""The task “Additive scores, all at once”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import as_view, louder
from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W_query": draw.numbers(attention_dim, query_dim, reach=1),
            "W_key": draw.numbers(attention_dim, key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(
            label, {name: change(tensor) if change else tensor for name, tensor in inputs.items()}
        )

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 5, 7, 6),
        case("a batch of one", 1, 4, 3, 2, 5, 6),
        case("one query", 3, 1, 5, 4, 2, 6),
        case("one key only", 2, 4, 1, 3, 5, 6),
        case("one question only", 2, 5, 3, 4, 6, 1),
        case("as many queries as sentences", 3, 3, 4, 5, 2, 6),
        case("numbers so large that every answer is a clear yes or no", 2, 3, 5, 4, 6, 7, louder),
        case("tensors that are transposed views", 2, 4, 3, 5, 7, 6, as_view),
        case("float64", 2, 5, 4, 3, 6, 7, torch.Tensor.double),
    ]


def _scores(rule):
    """Return an answer that combines projected queries and keys, ready to be added, and v."""

    def scores(query, keys, W_query, W_key, v):
        return rule((query @ W_query.mT).unsqueeze(-2), (keys @ W_key.mT).unsqueeze(-3), v)

    return scores


def joined_form(query, keys, W_query, W_key, v):
    tgt_len, src_len = query.shape[1], keys.shape[1]
    queries = query[:, :, None].expand(-1, -1, src_len, -1)
    others = keys[:, None].expand(-1, tgt_len, -1, -1)
    pairs = torch.cat([queries, others], dim=-1)
    return torch.tanh(pairs @ torch.cat([W_query, W_key], dim=1).T) @ v


def with_einsum(q, k, W, U, v):
    bars = torch.einsum("btq,aq->bta", q, W)
    said = torch.einsum("bsk,ak->bsa", k, U)
    return torch.einsum("btsa,a->bts", (bars[:, :, None] + said[:, None]).tanh(), v)


def with_linear(query, keys, W_query, W_key, v):
    bars, said = F.linear(query, W_query), F.linear(keys, W_key)
    hidden = torch.tanh(bars.unsqueeze(-2) + said.unsqueeze(-3))
    return F.linear(hidden, v.unsqueeze(0)).squeeze(-1)


def in_loops(query, keys, W_query, W_key, v):
    sentences = []
    for some, others in zip(query, keys, strict=True):
        rows = [torch.stack([v @ (W_query @ s + W_key @ h).tanh() for h in others]) for s in some]
        sentences.append(torch.stack(rows))
    return torch.stack(sentences)


def step_by_step(query, keys, W_query, W_key, v):
    said = keys @ W_key.T
    steps = [((state @ W_query.T).unsqueeze(1) + said).tanh() @ v for state in query.unbind(1)]
    return torch.stack(steps, dim=1)


def in_float64(query, keys, W_query, W_key, v):
    bars, said = query.double() @ W_query.double().T, keys.double() @ W_key.double().T
    return ((bars.unsqueeze(2) + said.unsqueeze(1)).tanh() * v.double()).sum(-1)


exercise = YourTurn(
    id="additive_scores",
    title="Additive scores, all at once",
    section="02.3",
    learns=True,
    outputs=["scores"],
    cases=cases,
    mistakes={
        "axes changed places": WrongAnswer(
            _scores(lambda bars, said, v: ((bars + said).tanh() @ v).mT.contiguous()),
            "Your scores are (batch, src_len, tgt_len): the rows are keys. The queries have to "
            "lie along axis 1 of the pairs, the keys along axis 2.",
            "Where does the axis of length 1 go in the queries, if the keys are to stand there?",
            misconception="rows-are-keys",
        ),
        "no tanh": WrongAnswer(
            _scores(lambda bars, said, v: (bars + said) @ v),
            "There is no `tanh` between the sum and `v`. Then a state adds the same number to all "
            "scores of its row, and changes no weight.",
            "What turns a sum into an answer between no and yes?",
            misconception="nonlinearity-left-out",
        ),
        "tanh on each side": WrongAnswer(
            _scores(lambda bars, said, v: (bars.tanh() + said.tanh()) @ v),
            "You take the `tanh` of each side, then add. So the two never meet inside it: the "
            "score falls apart into a part of the query and a part of the key.",
            "The state sets the threshold *before* the key is judged. In which order do sum and "
            "`tanh` come then?",
            misconception="steps-in-any-order",
        ),
        "tanh of the score": WrongAnswer(
            _scores(lambda bars, said, v: ((bars + said) @ v).tanh()),
            "You take the `tanh` of the finished score, so that no score is larger than 1. It "
            "belongs to the answers, before `v` counts the points.",
            "How many numbers of a pair go through the `tanh`: one, or attention_dim of them?",
            misconception="steps-in-any-order",
        ),
        "multiplied": WrongAnswer(
            _scores(lambda bars, said, v: (bars * said).tanh() @ v),
            "You multiply the two projections. Additive attention has its name from adding them.",
            "What does the state do to a key that says 1.5: add to it, or multiply it?",
            misconception="scores-alike",
        ),
        "points forgotten": WrongAnswer(
            _scores(lambda bars, said, v: (bars + said).tanh().sum(-1)),
            "You add up the answers as they are, as if each question had one point. Each has a "
            "number of points of its own, in `v`.",
            "What is `v @ answers` for answers (1, -1) and points (5, 2)?",
            misconception="projection-left-out",
        ),
        "weights for scores": WrongAnswer(
            _scores(lambda bars, said, v: ((bars + said).tanh() @ v).softmax(-1)),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Which of the three steps of attention does the name of the function promise?",
            misconception="scores-as-weights",
        ),
        "mean of the points": WrongAnswer(
            _scores(lambda bars, said, v: ((bars + said).tanh() * v).mean(-1)),
            "You divide the scores by the number of questions, as a mean over them does. The "
            "formula has a sum.",
            "Two questions, both answered with 1, for 5 points each: what is the score?",
            misconception="sum-and-mean",
        ),
    },
    variants=[joined_form, with_einsum, with_linear, in_loops, step_by_step, in_float64],
)
