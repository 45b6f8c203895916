"""The task “Additive scores, pair by pair”: right answers and known mistakes."""

import torch

from solutions.cases import as_view, louder
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import in_pairs
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


def _answers(states, keys, W_joined):
    """Return the hidden layer of the joined score: (..., tgt_len, src_len, attention_dim)."""
    return (in_pairs(states, keys) @ W_joined.T).tanh()


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
        "key in front": WrongAnswer(
            lambda states, keys, W_joined, v: (
                (in_pairs(states, keys).roll(-states.shape[-1], -1) @ W_joined.T).tanh() @ v
            ),
            "You join key and state as [h; s]. The matrix expects [s; h]: its first columns were "
            "made for the state, and now they meet numbers of the key.",
            "How many columns of `W_joined` belong to the state, and which?",
            misconception="parts-in-any-order",
        ),
        "no tanh": WrongAnswer(
            lambda states, keys, W_joined, v: in_pairs(states, keys) @ W_joined.T @ v,
            "There is no `tanh` in your score. Without it the score is a sum of two parts, one of "
            "the state and one of the key, and the softmax does not see the state's part.",
            "Between which two steps do the questions get their answers between -1 and 1?",
            misconception="nonlinearity-left-out",
        ),
        "tanh of the score": WrongAnswer(
            lambda states, keys, W_joined, v: (in_pairs(states, keys) @ W_joined.T @ v).tanh(),
            "You take the `tanh` of the finished score. It belongs to the answers, one for each "
            "question, before `v` gives them their points.",
            "How large can a score get if `v` is (5, 5, 4, 3)? And how large can yours?",
            misconception="steps-in-any-order",
        ),
        "points before the tanh": WrongAnswer(
            lambda states, keys, W_joined, v: (
                (in_pairs(states, keys) @ W_joined.T * v).tanh().sum(-1)
            ),
            "You multiply by `v` inside the `tanh`. Then each question counts for one point at "
            "most, and `v` only says how steep its answer is.",
            "What is an answer of 0.9 worth to a question that counts for 5 points?",
            misconception="steps-in-any-order",
        ),
        "points forgotten": WrongAnswer(
            lambda states, keys, W_joined, v: _answers(states, keys, W_joined).sum(-1),
            "You add up the answers as they are. Each of them counts for its own number of points, "
            "and `v` is not used.",
            "Which of the four inputs does your function not need?",
            misconception="projection-left-out",
        ),
        "weights for scores": WrongAnswer(
            lambda states, keys, W_joined, v: (
                (_answers(states, keys, W_joined) @ v.unsqueeze(-1)).squeeze(-1).softmax(-1)
            ),
            "You return weights: a softmax was taken already. Asked are the scores, before it.",
            "Can a score be negative?",
            misconception="scores-as-weights",
        ),
        "sigmoid for tanh": WrongAnswer(
            lambda states, keys, W_joined, v: (in_pairs(states, keys) @ W_joined.T).sigmoid() @ v,
            "Your answers lie between 0 and 1: that is a sigmoid. With `tanh` a clear no is -1, "
            "and takes points away.",
            "What does a key get that says a very negative number to a question?",
            misconception="scores-alike",
        ),
        "keys as rows": WrongAnswer(
            lambda states, keys, W_joined, v: (_answers(states, keys, W_joined) @ v).mT,
            "Your table has a row for each key. A row belongs to a target word, so the states "
            "make the rows and the keys the columns.",
            "Which of your two loops is the outer one?",
            misconception="rows-are-keys",
        ),
    },
    variants=[into_a_matrix, split_inside, one_list, with_einsum, in_float64],
)
