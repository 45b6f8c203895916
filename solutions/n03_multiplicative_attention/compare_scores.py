"""The task “How loud can a query shout?”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import general, in_pairs
from utils.checks.tasks import Case
from utils.metrics import largest_weight


def cases(draw: Draw) -> list[Case]:
    def case(label, gains, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim, reach=1),
            "keys": draw.numbers(batch, src_len, key_dim, reach=1),
            "W": draw.numbers(query_dim, key_dim, reach=1),
            "W_joined": draw.numbers(attention_dim, query_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
            "gains": torch.tensor(gains),
        }
        return Case(
            label, {name: change(tensor) if change else tensor for name, tensor in inputs.items()}
        )

    return [
        case("three gains", [0.5, 1.0, 4.0], 2, 3, 4, 2, 5, 6),
        case("four gains, a batch of one", [1.0, 2.0, 5.0, 8.0], 1, 5, 3, 4, 2, 6),
        case("a gain of 0", [0.0, 1.0, 3.0], 2, 4, 5, 3, 2, 6),
        case("one gain only", [2.0], 3, 2, 5, 4, 3, 6),
        case("one query", [1.0, 3.0], 1, 1, 6, 2, 4, 5),
        case("one key only", [0.0, 1.0, 2.0], 2, 3, 1, 4, 5, 6),
        case(
            "gains of 100 and more, float64", [100.0, 3000.0], 2, 4, 3, 5, 2, 6, torch.Tensor.double
        ),
    ]


def _concat(query, keys, W_joined, v, squash=torch.tanh):
    return squash(in_pairs(query, keys) @ W_joined.T) @ v


def _largest(scores):
    return scores.softmax(-1).amax(-1).mean()


def _table(pair_of_scores, read=_largest):
    """Return an answer from a rule for both scores at one gain and a way to read a number off."""

    def table(query, keys, W, W_joined, v, gains):
        columns = [pair_of_scores(gain, query, keys, W, W_joined, v) for gain in gains]
        return torch.stack(
            [torch.stack([read(scores) for scores in pair]) for pair in columns], dim=1
        )

    return table


def _both(gain, query, keys, W, W_joined, v):
    return general(gain * query, keys, W), _concat(gain * query, keys, W_joined, v)


def _general(query, keys, W):
    return torch.einsum("...tq,qk,...sk->...ts", query, W, keys)


def _split(query, keys, W_joined, v):
    wide = query.shape[-1]
    bars, said = query @ W_joined[:, :wide].T, keys @ W_joined[:, wide:].T
    return (bars.unsqueeze(-2) + said.unsqueeze(-3)).tanh() @ v


def two_lists(query, keys, W, W_joined, v, gains):
    first = [_general(g * query, keys, W).softmax(-1).max(-1).values.mean() for g in gains]
    second = [_split(g * query, keys, W_joined, v).softmax(-1).amax(-1).mean() for g in gains]
    return torch.stack([torch.stack(first), torch.stack(second)])


def all_gains_at_once(query, keys, W, W_joined, v, gains):
    louder = gains.view(-1, 1, 1, 1) * query
    both = torch.stack([_general(louder, keys, W), _split(louder, keys, W_joined, v)])
    return largest_weight(both.softmax(-1)).mean(dim=(-2, -1))


def both_stacked(query, keys, W, W_joined, v, gains):
    pairs = (torch.stack(_both(gain, query, keys, W, W_joined, v)) for gain in gains)
    return torch.stack([pair.softmax(-1).amax(-1).flatten(1).mean(1) for pair in pairs], dim=1)


def into_a_table(query, keys, W, W_joined, v, gains):
    table = torch.zeros(2, len(gains), dtype=query.dtype)
    for column in range(len(gains)):
        loud = query * gains[column]
        for row, scores in enumerate((_general(loud, keys, W), _split(loud, keys, W_joined, v))):
            powers = (scores - scores.amax(-1, keepdim=True)).exp()
            table[row, column] = (powers.amax(-1) / powers.sum(-1)).mean()
    return table


def in_float64(query, keys, W, W_joined, v, gains):
    query, keys, W, W_joined, v = (tensor.double() for tensor in (query, keys, W, W_joined, v))
    columns = []
    for gain in gains.double():
        pair = (_general(query * gain, keys, W), _split(query * gain, keys, W_joined, v))
        columns.append(torch.stack([scores.softmax(2).amax(2).flatten().mean() for scores in pair]))
    return torch.stack(columns).T


exercise = Exercise(
    id="compare_scores",
    title="How loud can a query shout?",
    points=3,
    difficulty=2,
    minutes=15,
    section="03.3",
    outputs=["table"],
    cases=cases,
    equivalents={
        "return torch.stack(columns, dim=1)": "a table may keep its way back, and need not",
    },
    hints=[
        "For one gain and one of the two scores: which steps lead from the query to one number?",
        "Multiply the query, score, softmax, largest weight of each row, mean over all rows. A "
        "loop over the gains, and in it the same for both scores.",
        "`scores.softmax(-1).amax(-1).mean()` is one entry, a tensor without axes. Collect two "
        "lists of them, one for each score; `torch.stack` makes a row of each list, and the table "
        "of the two rows.",
    ],
    mistakes={
        "louder keys": WrongAnswer(
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    general(query, gain * keys, W),
                    _concat(query, gain * keys, W_joined, v),
                )
            ),
            "You multiply the keys by the gain. For *general* that is the same, for *concat* it "
            "is not.",
            "Who is to shout in this experiment?",
            misconception="who-asks",
        ),
        "louder scores": WrongAnswer(
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    gain * general(query, keys, W),
                    gain * _concat(query, keys, W_joined, v),
                )
            ),
            "You multiply the scores by the gain. For *general* that is the same as a louder "
            "query; in *concat* the `tanh` stands between the two.",
            "What is tanh(10 x), and what is 10 tanh(x)?",
            misconception="steps-in-any-order",
        ),
        "rows changed places": WrongAnswer(
            _table(lambda *inputs: _both(*inputs)[::-1]),
            "The rows have changed places: *general* is the first, *concat* the second.",
            "Which row should come near 1 where the query is very loud?",
            misconception="parts-in-any-order",
        ),
        "gains as rows": WrongAnswer(
            lambda *inputs: _table(_both)(*inputs).mT,
            "Your table has a row for each gain. It should have one for each score, and a column "
            "for each gain.",
            "How many rows should it have, however many gains there are?",
            misconception="axes-anywhere",
        ),
        "the largest of all": WrongAnswer(
            _table(_both, lambda scores: scores.softmax(-1).amax()),
            "You take the largest weight of the whole table of weights. Asked is the largest of "
            "each row, and their mean: one lucky query should not decide.",
            "How many largest weights are there, with three queries in each of two sentences?",
            misconception="averages-anywhere",
        ),
        "mean of the weights": WrongAnswer(
            _table(_both, lambda scores: scores.softmax(-1).mean()),
            "You take the mean of all weights. Rows sum to 1, so that is always one over the "
            "number of keys.",
            "Which number of a row says how sharp it is?",
            misconception="largest-of-a-row",
        ),
        "softmax over the queries": WrongAnswer(
            _table(_both, lambda scores: scores.softmax(-2).amax(-1).mean()),
            "Your softmax runs over the queries: the queries compete for each key.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
            misconception="softmax-over-queries",
        ),
        "largest scores": WrongAnswer(
            _table(_both, lambda scores: scores.amax(-1).mean()),
            "Your table holds largest scores. Scores of two kinds cannot be compared; weights can.",
            "Which step is missing between the scores and the largest weight?",
            misconception="scores-as-weights",
        ),
        "no tanh": WrongAnswer(
            _table(
                lambda gain, query, keys, W, W_joined, v: (
                    general(gain * query, keys, W),
                    _concat(gain * query, keys, W_joined, v, squash=torch.clone),
                )
            ),
            "In your second row nothing ever changes: the `tanh` is missing, so the query cancels "
            "in the softmax.",
            "Does your second row come from `both_scores`? Where does its `tanh` stand?",
            misconception="nonlinearity-left-out",
        ),
        "the largest of a sentence": WrongAnswer(
            _table(_both, lambda scores: scores.softmax(-1).amax((-2, -1)).mean()),
            "You take the largest weight of each sentence, and the mean of these. Asked is the "
            "largest of each row: every query has one.",
            "How many largest weights are there, with three queries in each of two sentences?",
            misconception="averages-anywhere",
        ),
    },
    variants=[two_lists, all_gains_at_once, both_stacked, into_a_table, in_float64],
)
