"""Additive scores, pair by pair."""

import torch

from solutions.cases import as_view, louder
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import JOINED_MISTAKES, answers_to_pairs
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(
        label, tgt_len, src_len, state_dim, key_dim, attention_dim, change=lambda tensor: tensor
    ):
        inputs = {
            "states": draw.numbers(tgt_len, state_dim),
            "keys": draw.numbers(src_len, key_dim),
            "W_joined": draw.numbers(attention_dim, state_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(label, {name: change(tensor) for name, tensor in inputs.items()})

    return [
        case("three states, four keys", 3, 4, 2, 5, 6),
        case("states wider than keys", 4, 5, 6, 3, 2),
        case("one state", 1, 3, 4, 2, 5),
        case("one key only", 3, 1, 2, 4, 5),
        case("one question only", 2, 4, 3, 5, 1),
        case("numbers so large that every answer is a clear yes or no", 2, 5, 3, 4, 6, louder),
        case("tensors that are transposed views", 4, 3, 5, 2, 6, as_view),
        case("float64", 2, 3, 4, 5, 7, torch.Tensor.double),
    ]


def into_a_matrix(states, keys, W_joined, v):
    scores = states.new_zeros(len(states), len(keys))
    for t in range(len(states)):
        for j in range(len(keys)):
            hidden = torch.tanh(W_joined @ torch.cat((states[t], keys[j])))
            scores[t, j] = (v * hidden).sum()
    return scores


def split_inside(states, keys, W_joined, v):
    W, U = W_joined[:, : states.shape[1]], W_joined[:, states.shape[1] :]
    return torch.stack([torch.stack([v @ (W @ s + U @ h).tanh() for h in keys]) for s in states])


def one_list(s, h, W, v):
    pairs = [torch.cat([state, key]) for state in s for key in h]
    return ((torch.stack(pairs) @ W.T).tanh() @ v).view(len(s), len(h))


def with_einsum(states, keys, W_joined, v):
    wide = states.shape[1]
    bars = torch.einsum("aq,tq->ta", W_joined[:, :wide], states)
    said = torch.einsum("ak,sk->sa", W_joined[:, wide:], keys)
    return torch.einsum("a,tsa->ts", v, torch.tanh(bars[:, None] + said[None]))


def in_float64(states, keys, W_joined, v):
    states, keys, W_joined, v = (tensor.double() for tensor in (states, keys, W_joined, v))
    rows = []
    for state in states:
        joined = torch.cat([state.expand(len(keys), -1), keys], dim=1)
        rows.append(torch.nn.functional.linear(joined, W_joined).tanh().matmul(v))
    return torch.stack(rows)


exercise = Exercise(
    id="additive_scores_loop",
    title="Additive scores, pair by pair",
    points=2,
    difficulty=1,
    minutes=10,
    section="02.5",
    learns=True,
    outputs=["scores"],
    cases=cases,
    equivalents={"row.append((W_joined @ pair).tanh() @ v)": "a dot product has no order"},
    hints=[
        "Take one state and one key, as in section 5. How long is the joined vector, and which of "
        "the two stands in front?",
        "Two loops, states outside and keys inside. A score is a tensor without axes; "
        "`torch.stack` turns a list of them into a row, and a list of rows into a matrix.",
        "For each pair: `torch.cat` of state and key, `W_joined @` that, `.tanh()`, and `v @` the "
        "result. Append it to the list of its state; stack each list, and stack the rows.",
    ],
    mistakes={
        **JOINED_MISTAKES,
        "keys as rows": WrongAnswer(
            lambda states, keys, W_joined, v: (answers_to_pairs(states, keys, W_joined) @ v).mT,
            "Your table has a row for each key. A row belongs to a target word, so the states "
            "make the rows and the keys the columns.",
            "Which of your two loops is the outer one?",
            misconception="rows-are-keys",
        ),
    },
    variants=[into_a_matrix, split_inside, one_list, with_einsum, in_float64],
)
