"""Notebook 02: additive attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case
from utils.masks import padding_mask

NO_ORDER = "neither a sum nor a product has an order"


# --- 1. Additive scores, pair by pair -------------------------------------------------------------


def loop_cases(draw: Draw) -> list[Case]:
    def case(label, tgt_len, src_len, state_dim, key_dim, attention_dim, change=lambda one: one):
        inputs = {
            "states": draw.numbers(tgt_len, state_dim),
            "keys": draw.numbers(src_len, key_dim),
            "W_joined": draw.numbers(attention_dim, state_dim + key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(label, {name: change(one) for name, one in inputs.items()})

    return [
        case("three states, four keys", 3, 4, 2, 5, 6),
        case("states wider than keys", 4, 5, 6, 3, 2),
        case("one state", 1, 3, 4, 2, 5),
        case("one key only", 3, 1, 2, 4, 5),
        case("one question only", 2, 4, 3, 5, 1),
        case("numbers so large that every answer is a clear yes or no", 2, 5, 3, 4, 6, _louder),
        case("tensors that are transposed views", 4, 3, 5, 2, 6, as_view),
        case("float64", 2, 3, 4, 5, 7, torch.Tensor.double),
    ]


def _louder(numbers: Tensor) -> Tensor:
    """In float64: where large numbers cancel, float32 would be rough."""
    return 30 * numbers.double()


def as_view(matrix: Tensor) -> Tensor:
    return matrix.mT.contiguous().mT if matrix.dim() > 1 else matrix


def in_pairs(states, keys):
    """Every pair [s; h] written out: (..., tgt_len, src_len, state_dim + key_dim)."""
    tgt_len, src_len = states.shape[-2], keys.shape[-2]
    repeated = states.unsqueeze(-2).expand(*states.shape[:-1], src_len, -1)
    others = keys.unsqueeze(-3).expand(*keys.shape[:-2], tgt_len, -1, -1)
    return torch.cat([repeated, others], dim=-1)


def _answers_joined(states, keys, W_joined):
    return (in_pairs(states, keys) @ W_joined.T).tanh()


def _turned(pairs, state_dim):
    """The pairs [h; s] in place of [s; h]."""
    return pairs.roll(-state_dim, -1)


JOINED_MISCONCEPTIONS = [
    Misconception(
        "key in front",
        lambda states, keys, W_joined, v: (
            (_turned(in_pairs(states, keys), states.shape[-1]) @ W_joined.T).tanh() @ v
        ),
        "You join key and state as [h; s]. The matrix expects [s; h]: its first columns were made "
        "for the state, and now they meet numbers of the key.",
        "How many columns of `W_joined` belong to the state, and which?",
    ),
    Misconception(
        "no tanh",
        lambda states, keys, W_joined, v: in_pairs(states, keys) @ W_joined.T @ v,
        "There is no `tanh` in your score. Without it the score is a sum of two parts, one of the "
        "state and one of the key, and the softmax does not see the state's part.",
        "Between which two steps do the questions get their answers between -1 and 1?",
    ),
    Misconception(
        "tanh of the score",
        lambda states, keys, W_joined, v: (in_pairs(states, keys) @ W_joined.T @ v).tanh(),
        "You take the `tanh` of the finished score. It belongs to the answers, one for each "
        "question, before `v` gives them their points.",
        "How large can a score get if `v` is (5, 5, 4, 3)? And how large can yours?",
    ),
    Misconception(
        "points before the tanh",
        lambda states, keys, W_joined, v: (in_pairs(states, keys) @ W_joined.T * v).tanh().sum(-1),
        "You multiply by `v` inside the `tanh`. Then each question counts for one point at most, "
        "and `v` only says how steep its answer is.",
        "What is an answer of 0.9 worth to a question that counts for 5 points?",
    ),
    Misconception(
        "points forgotten",
        lambda states, keys, W_joined, v: _answers_joined(states, keys, W_joined).sum(-1),
        "You add up the answers as they are. Each of them counts for its own number of points, "
        "and `v` is not used.",
        "Which of the four inputs does your function not need?",
    ),
    Misconception(
        "weights for scores",
        lambda states, keys, W_joined, v: (
            (_answers_joined(states, keys, W_joined) @ v.unsqueeze(-1)).squeeze(-1).softmax(-1)
        ),
        "You return weights: a softmax was taken already. Asked are the scores, before it.",
        "Can a score be negative?",
    ),
    Misconception(
        "sigmoid for tanh",
        lambda states, keys, W_joined, v: (in_pairs(states, keys) @ W_joined.T).sigmoid() @ v,
        "Your answers lie between 0 and 1: that is a sigmoid. With `tanh` a clear no is -1, and "
        "takes points away.",
        "What does a key get that says a very negative number to a question?",
    ),
]

additive_scores_loop = Exercise(
    id="additive_scores_loop",
    title="Additive scores, pair by pair",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["scores"],
    cases=loop_cases,
    equivalents={"row.append((W_joined @ pair).tanh() @ v)": NO_ORDER},
    hints=[
        "Take one state and one key, as in section 5. How long is the joined vector, and which of "
        "the two stands in front?",
        "Two loops, states outside and keys inside. A score is a tensor without axes; "
        "`torch.stack` turns a list of them into a row, and a list of rows into a matrix.",
        "For each pair: `torch.cat` of state and key, `W_joined @` that, `.tanh()`, and `v @` the "
        "result. Append it to the list of its state; stack each list, and stack the rows.",
    ],
    misconceptions=[
        *JOINED_MISCONCEPTIONS,
        Misconception(
            "keys as rows",
            lambda states, keys, W_joined, v: (_answers_joined(states, keys, W_joined) @ v).mT,
            "Your table has a row for each key. A row belongs to a target word, so the states "
            "make the rows and the keys the columns.",
            "Which of your two loops is the outer one?",
        ),
    ],
)


# --- 2. Additive scores, all at once --------------------------------------------------------------


def split_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, query_dim, key_dim, attention_dim, change=None):
        inputs = {
            "query": draw.numbers(batch, tgt_len, query_dim),
            "keys": draw.numbers(batch, src_len, key_dim),
            "W_query": draw.numbers(attention_dim, query_dim, reach=1),
            "W_key": draw.numbers(attention_dim, key_dim, reach=1),
            "v": draw.numbers(attention_dim),
        }
        return Case(label, {name: change(one) if change else one for name, one in inputs.items()})

    return [
        case("a batch of two, three queries, four keys", 2, 3, 4, 5, 7, 6),
        case("a batch of one", 1, 4, 3, 2, 5, 6),
        case("one query", 3, 1, 5, 4, 2, 6),
        case("one key only", 2, 4, 1, 3, 5, 6),
        case("one question only", 2, 5, 3, 4, 6, 1),
        case("as many queries as sentences", 3, 3, 4, 5, 2, 6),
        case("numbers so large that every answer is a clear yes or no", 2, 3, 5, 4, 6, 7, _louder),
        case("tensors that are transposed views", 2, 4, 3, 5, 7, 6, as_view),
        case("float64", 2, 5, 4, 3, 6, 7, torch.Tensor.double),
    ]


def _said(query, keys, W_query, W_key):
    """What the state adds and what the key says, ready to be added."""
    return (query @ W_query.mT).unsqueeze(-2), (keys @ W_key.mT).unsqueeze(-3)


additive_scores = Exercise(
    id="additive_scores",
    title="Additive scores, all at once",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["scores"],
    cases=split_cases,
    equivalents={
        "pairs = said.unsqueeze(1) + bars.unsqueeze(2)": NO_ORDER,
    },
    hints=[
        "After the two projections there is a tensor for the queries and one for the keys. Write "
        "down both shapes. Which axes has the tensor of all pairs?",
        "All pairs are (batch, tgt_len, src_len, attention_dim). The queries lack the axis "
        "src_len, the keys lack tgt_len. `unsqueeze` puts an axis of length 1 in that place.",
        "`query @ W_query.T`, with `unsqueeze(2)`, plus `keys @ W_key.T`, with `unsqueeze(1)`. "
        "Then `tanh`, and `@ v`, which takes the last axis away.",
    ],
    misconceptions=[
        Misconception(
            "axes changed places",
            lambda query, keys, W_query, W_key, v: (
                sum(_said(query, keys, W_query, W_key)).tanh() @ v
            ).mT.contiguous(),
            "Your scores are (batch, src_len, tgt_len): the rows are keys. The queries have to "
            "lie along axis 1 of the pairs, the keys along axis 2.",
            "Where does the axis of length 1 go in the queries, if the keys are to stand there?",
        ),
        Misconception(
            "no tanh",
            lambda query, keys, W_query, W_key, v: sum(_said(query, keys, W_query, W_key)) @ v,
            "There is no `tanh` between the sum and `v`. Then a state adds the same number to all "
            "scores of its row, and changes no weight.",
            "What turns a sum into an answer between no and yes?",
        ),
        Misconception(
            "tanh on each side",
            lambda query, keys, W_query, W_key, v: (
                sum(side.tanh() for side in _said(query, keys, W_query, W_key)) @ v
            ),
            "You take the `tanh` of each side, then add. So the two never meet inside it: the "
            "score falls apart into a part of the query and a part of the key.",
            "The state moves the bar *before* the key is judged. In which order do sum and `tanh` "
            "come then?",
        ),
        Misconception(
            "tanh of the score",
            lambda query, keys, W_query, W_key, v: (
                sum(_said(query, keys, W_query, W_key)) @ v
            ).tanh(),
            "You take the `tanh` of the finished score, so that no score is larger than 1. It "
            "belongs to the answers, before `v` counts the points.",
            "How many numbers of a pair go through the `tanh`: one, or attention_dim of them?",
        ),
        Misconception(
            "multiplied",
            lambda query, keys, W_query, W_key, v: (
                torch.mul(*_said(query, keys, W_query, W_key)).tanh() @ v
            ),
            "You multiply the two projections. Additive attention has its name from adding them.",
            "What does a bar do to a key that says 1.5: is it added, or does it multiply?",
        ),
        Misconception(
            "points forgotten",
            lambda query, keys, W_query, W_key, v: (
                sum(_said(query, keys, W_query, W_key)).tanh().sum(-1)
            ),
            "You add up the answers as they are, and `v` is not used. Each question has its own "
            "number of points.",
            "What is `v @ answers` for answers (1, -1) and points (5, 2)?",
        ),
        Misconception(
            "weights for scores",
            lambda query, keys, W_query, W_key, v: (
                sum(_said(query, keys, W_query, W_key)).tanh() @ v
            ).softmax(-1),
            "You return weights: the softmax was taken already. Asked are the scores, before it.",
            "Which of the three steps of attention does the name of the function promise?",
        ),
        Misconception(
            "mean of the points",
            lambda query, keys, W_query, W_key, v: (
                sum(_said(query, keys, W_query, W_key)).tanh() * v
            ).mean(-1),
            "Your scores are too small by a factor, the number of questions: you took the mean "
            "over them where the formula has a sum.",
            "Two questions, both answered with 1, for 5 points each: what is the score?",
        ),
    ],
)


# --- 3. The split form from the joined one --------------------------------------------------------


def joined_matrix_cases(draw: Draw) -> list[Case]:
    def case(label, attention_dim, query_dim, key_dim, change=lambda one: one):
        joined = draw.numbers(attention_dim, query_dim + key_dim)
        return Case(label, {"W_joined": change(joined), "query_dim": query_dim})

    return [
        case("queries of width 2, keys of width 4", 2, 2, 4),
        case("queries wider than keys", 4, 5, 3),
        case("queries and keys of one width", 6, 4, 4),
        case("queries of width 1", 5, 1, 3),
        case("keys of width 1", 3, 4, 1),
        case("one question only", 1, 3, 2),
        case("as many questions as columns", 7, 3, 4),
        case("a transposed view", 5, 2, 6, as_view),
        case("float64", 3, 6, 2, torch.Tensor.double),
    ]


def _kept_wide(W_joined, query_dim):
    of_query = torch.arange(W_joined.shape[1]) < query_dim
    return W_joined * of_query, W_joined * ~of_query


split_from_concatenated = Exercise(
    id="split_from_concatenated",
    title="The split form from the joined one",
    points=2,
    difficulty=1,
    minutes=5,
    outputs=["W_query", "W_key"],
    cases=joined_matrix_cases,
    hints=[
        "Multiply a matrix of two rows with [s; h] on paper. Which of its numbers meet a number "
        "of s, and which a number of h?",
        "Every row has columns for the state first, then for the key. How many are for the state "
        "is told by `query_dim`; the others are for the key.",
        "Both blocks keep all rows: `W_joined[:, …]`. The first takes the columns before "
        "`query_dim`, the second those from there on.",
    ],
    misconceptions=[
        Misconception(
            "two halves",
            lambda W_joined, query_dim: tuple(W_joined.tensor_split(2, dim=1)),
            "You cut the matrix in the middle. That is right only where query and key have the "
            "same width; here the query has `query_dim` numbers, and the key has the rest.",
            "What is `query_dim` for, if the cut is always in the middle?",
        ),
        Misconception(
            "rows for columns",
            lambda W_joined, query_dim: (W_joined[:query_dim], W_joined[query_dim:]),
            "You cut between rows. A row is a question, put to state and key together; it is the "
            "columns that meet the numbers of [s; h].",
            "A matrix times a vector: does the first number of the vector meet a row or a column?",
        ),
        Misconception(
            "key in front",
            lambda W_joined, query_dim: (W_joined[:, -query_dim:], W_joined[:, :-query_dim]),
            "Your `W_query` holds the last columns. In [s; h] the state stands in front, so its "
            "columns are the first.",
            "Which number of [s; h] does column 0 meet?",
        ),
        Misconception(
            "order of return",
            lambda W_joined, query_dim: (W_joined[:, query_dim:], W_joined[:, :query_dim]),
            "Both blocks are right, and you return them in the wrong order: the key's block comes "
            "first.",
            "How many columns should your first result have?",
        ),
        Misconception(
            "transposed",
            lambda W_joined, query_dim: (W_joined[:, :query_dim].T, W_joined[:, query_dim:].T),
            "Your blocks are transposed. The course, like `nn.Linear`, keeps a matrix as "
            "(out, in): a row for each question.",
            "How many rows has `W_joined`, and how many should each of its blocks have?",
        ),
        Misconception(
            "counted from 1",
            lambda W_joined, query_dim: (
                W_joined[:, : query_dim - 1],
                W_joined[:, query_dim - 1 :],
            ),
            "You cut one column too early. A slice `:n` ends before column n, and columns are "
            "counted from 0.",
            "Which columns does `[:, :2]` hold, and how many are they?",
        ),
        Misconception(
            "kept wide",
            _kept_wide,
            "Each of your blocks is as wide as the joined matrix, with zeros where the other "
            "block was. Such a matrix cannot be multiplied with a state alone.",
            "How many numbers has a state, and how many columns may its matrix have?",
        ),
    ],
)


# --- 4. A softmax with a mask ---------------------------------------------------------------------


def masked_cases(draw: Draw) -> list[Case]:
    def case(label, scores, mask):
        return Case(label, {"scores": scores, "mask": mask})

    some = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()  # (3, 4)
    none_left = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]).bool()  # (3, 4)
    order = draw.order(3)
    far_below = (draw.numbers(2, 4) - 5000).double()
    towering = torch.tensor([[1.0, 0.0, 2.0, 0.0]]) + torch.tensor([[0.0, 3000.0, 0.0, 0.0]])
    return [
        case("three queries, four keys", draw.numbers(3, 4), some[order]),
        case("a batch of two, padded", draw.numbers(2, 3, 5), padding_mask([5, 2])),
        case("a row that is masked whole", draw.numbers(3, 4), none_left[order]),
        case("a sentence of length 0", draw.numbers(2, 4, 3), padding_mask([3, 0])),
        case("one key only, allowed or not", draw.numbers(2, 1), torch.tensor([[True], [False]])),
        case("the masked word has by far the best score", towering.double(), some[[0, 0]][:1]),
        case("all scores far below zero", far_below, some[order[:2]]),
        case("nothing masked, float64", draw.numbers(2, 5).double(), torch.ones(2, 5).bool()),
        case("scores that are a transposed view", draw.numbers(4, 3).T, some[order]),
    ]


def _filled(scores, mask, filling, dim=-1):
    return scores.masked_fill(~mask, filling).softmax(dim)


masked_softmax = Exercise(
    id="masked_softmax",
    title="A softmax with a mask",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=masked_cases,
    equivalents={
        "lowest = torch.finfo().min": "the lowest number of float32 is low enough for any score",
    },
    hints=[
        "Two questions, one after the other. What must stand in a masked place *before* the "
        "softmax? And what comes out where all places of a row hold the same number?",
        "Minus infinity fails where it fills a row: 0 divided by 0 is NaN. The lowest finite "
        "number, `torch.finfo(scores.dtype).min`, gives equal shares there. What is left to do?",
        "`masked_fill(~mask, …)` twice: the lowest finite number into the scores, then, after "
        "the softmax along the last axis, 0 into the weights. The second only changes rows that "
        "are masked whole.",
    ],
    misconceptions=[
        Misconception(
            "NaN where nothing is allowed",
            lambda scores, mask: _filled(scores, mask, -torch.inf),
            "Right, but for rows that are masked whole. There all scores are minus infinity, and "
            "the softmax divides 0 by 0, which is NaN.",
            "Which number is low enough for the softmax, and still a number?",
        ),
        Misconception(
            "shares among the forbidden",
            lambda scores, mask: _filled(scores, mask, torch.finfo(scores.dtype).min),
            "Right, but for rows that are masked whole. There all places hold the same low "
            "number, so the softmax gives each an equal share. They should all get 0.",
            "Once the softmax is done: what does the mask still say about that row?",
        ),
        Misconception(
            "masked after the softmax",
            lambda scores, mask: scores.softmax(-1) * mask,
            "You set weights to 0 after the softmax. What the masked places had been given is "
            "lost, and the rows sum to less than 1.",
            "Who should get the share of the padding?",
        ),
        Misconception(
            "made whole again",
            lambda scores, mask: (
                scores.softmax(-1) * mask / (scores.softmax(-1) * mask).sum(-1, True).clamp(1e-9)
            ),
            "You mask after the softmax and divide by what is left. That is right on paper. Where "
            "a masked word has by far the best score, the others have been rounded to 0 before "
            "you divide.",
            "What is left of a score of 1 beside one of 3000? Where would the mask have to come "
            "for the 3000 to do no harm?",
        ),
        Misconception(
            "upside down",
            lambda scores, mask: _filled(scores, ~mask, torch.finfo(scores.dtype).min).masked_fill(
                mask, 0.0
            ),
            "Your weights lie on the places that are *not* allowed. `True` means: may be attended "
            "to.",
            "`masked_fill` fills where its mask is `True`. Is that where you want it?",
        ),
        Misconception(
            "filled where allowed",
            lambda scores, mask: _filled(scores, ~mask, torch.finfo(scores.dtype).min),
            "You fill in the low number where the mask is `True`, so that what is allowed gets "
            "nothing. `True` means: may be attended to.",
            "`masked_fill` fills where its mask is `True`. Is that where you want it?",
        ),
        Misconception(
            "nothing left to divide by",
            lambda scores, mask: (
                scores.softmax(-1) * mask / (scores.softmax(-1) * mask).sum(-1, keepdim=True)
            ),
            "You mask after the softmax and divide by what is left. Where nothing is left, that "
            "is 0 divided by 0: in rows that are masked whole, and where a masked word has by far "
            "the best score.",
            "What has to be known *before* the softmax, so that nobody has to be paid back?",
        ),
        Misconception(
            "exp of large scores",
            lambda scores, mask: (
                scores.exp() * mask / (scores.exp() * mask).sum(-1, keepdim=True).clamp(1e-9)
            ),
            "The formula is right, and on scores that are far from 0 its numbers are not: `exp` "
            "of 3000 is infinity, and `exp` of -5000 is 0.",
            "Which method of a tensor takes care of that?",
        ),
        Misconception(
            "score 0",
            lambda scores, mask: (scores * mask).softmax(-1),
            "You set the masked scores to 0. A score of 0 is no reason to get nothing: `exp(0)` "
            "is 1, and beside negative scores it even wins.",
            "Which score gives a weight of 0?",
        ),
        Misconception(
            "not low enough",
            lambda scores, mask: _filled(scores, mask, -1000.0).masked_fill(~mask, 0.0),
            "You fill in a number that is low, but not low enough: where all scores of a row lie "
            "below it, the masked places win the softmax.",
            "What is the lowest number that a tensor of this kind can hold? PyTorch knows it.",
        ),
        Misconception(
            "over the queries",
            lambda scores, mask: _filled(
                scores, mask, torch.finfo(scores.dtype).min, -2
            ).masked_fill(~mask, 0.0),
            "Your softmax runs over the queries: the columns sum to 1, not the rows.",
            "Which axis belongs to the keys, and so to the mask?",
        ),
    ],
)


# --- 5. The whole module --------------------------------------------------------------------------


def _widths(query_dim, key_dim, attention_dim):
    return {"query_dim": query_dim, "key_dim": key_dim, "attention_dim": attention_dim}


def _parameters(draw: Draw, query_dim: int, key_dim: int, attention_dim: int) -> dict[str, Tensor]:
    """Small enough that no weight is so close to 0 that it would be taken for 0."""
    return {
        "W_query.weight": draw.numbers(attention_dim, query_dim, reach=1),
        "W_key.weight": draw.numbers(attention_dim, key_dim, reach=1),
        "v.weight": draw.numbers(1, attention_dim, reach=1),
    }


def module_cases(draw: Draw) -> list[Case]:
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
        return Case(label, inputs, _widths(*widths), _parameters(draw, *widths))

    some = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()[draw.order(3)]
    return [
        case("a batch of two, without values or mask", 2, 3, 4, (5, 7, 6)),
        case("values of their own", 2, 3, 5, (4, 2, 6), values=draw.numbers(2, 5, 3)),
        case("a padded batch", 2, 4, 5, (3, 2, 6), mask=padding_mask([5, 3])),
        case("a sentence of length 0", 2, 3, 4, (2, 5, 6), mask=padding_mask([4, 0])),
        case("values, and a mask for each query", 3, 3, 4, (2, 6, 5), draw.numbers(3, 4, 2), some),
        case("one sentence, one query", 1, 1, 4, (3, 2, 5)),
        case("one key only", 2, 3, 1, (4, 5, 6)),
        case("queries and keys that are transposed views", 2, 4, 3, (2, 5, 6), change=as_view),
    ]


class _Judge(nn.Module):
    """Additive attention in three methods, each of which a misconception can replace."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        self.W_query = nn.Linear(query_dim, attention_dim, bias=False)
        self.W_key = nn.Linear(key_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def sums(self, query, keys):
        return self.W_query(query).unsqueeze(2) + self.W_key(keys).unsqueeze(1)

    def score(self, query, keys):
        return self.v(self.sums(query, keys).tanh()).squeeze(-1)

    def weigh(self, scores, mask):
        return _safe(scores, mask)

    def mix(self, weights, keys, values):
        return weights @ (keys if values is None else values)

    def forward(self, query, keys, values=None, mask=None):
        weights = self.weigh(self.score(query, keys), mask)
        return self.mix(weights, keys, values), weights


def _safe(scores, mask):
    if mask is None:
        return scores.softmax(-1)
    return _filled(scores, mask, torch.finfo(scores.dtype).min).masked_fill(~mask, 0.0)


def _judge(base=_Judge, **instead):
    """The right module with some of its methods replaced."""

    class Judge(base):
        pass

    for name, method in instead.items():
        setattr(Judge, name, method)
    return Judge


def _where_masked(weigh):
    """A way to weigh that is wrong only where there is a mask."""
    return lambda self, scores, mask: _safe(scores, mask) if mask is None else weigh(scores, mask)


class _WithBiases(_Judge):
    """Draws its biases as `nn.Linear` does: those of whoever leaves `bias=False` out."""

    def __init__(self, query_dim, key_dim, attention_dim):
        nn.Module.__init__(self)
        self.W_query = nn.Linear(query_dim, attention_dim)
        self.W_key = nn.Linear(key_dim, attention_dim)
        self.v = nn.Linear(attention_dim, 1, bias=False)

    def sums(self, query, keys):
        bar = F.linear(query, self.W_query.weight, self.W_query.bias.to(query))
        said = F.linear(keys, self.W_key.weight, self.W_key.bias.to(keys))
        return bar.unsqueeze(2) + said.unsqueeze(1)


class _Reversed(_Judge):
    def forward(self, query, keys, values=None, mask=None):
        return super().forward(query, keys, values, mask)[::-1]


class _ShowsScores(_Judge):
    def forward(self, query, keys, values=None, mask=None):
        return super().forward(query, keys, values, mask)[0], self.score(query, keys)


A_BIAS_OF_V = "a bias of v adds the same to all scores, which no softmax sees"

MyAdditiveAttention = Exercise(
    id="MyAdditiveAttention",
    title="The whole module",
    points=5,
    difficulty=3,
    minutes=20,
    kind="module",
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    shortcuts=["AdditiveAttention"],
    cases=module_cases,
    equivalents={
        "self.v = nn.Linear(attention_dim, 1, bias=True)": A_BIAS_OF_V,
        "self.v = nn.Linear(attention_dim, 1)": A_BIAS_OF_V,
        "pairs = self.W_key(keys).unsqueeze(1) + self.W_query(query).unsqueeze(2)": NO_ORDER,
    },
    hints=[
        "You have written every piece of it: the scores in task 2, the softmax in task 4. What "
        "does a module add to them?",
        "`__init__` makes three `nn.Linear` without bias and keeps them under the names of the "
        "task; its first line is `super().__init__()`. `nn.Linear(3, 5)` turns 3 numbers into 5. "
        "`forward` is score, softmax, weighted sum.",
        "Scores: as in task 2, with `self.W_query(query)` in place of the matrix product, and "
        "`self.v(…)`, whose last axis of length 1 you take away with `.squeeze(-1)`. Weights: "
        "your `masked_softmax`, or a plain softmax where `mask is None`. Values: the keys where "
        "`values is None`.",
    ],
    misconceptions=[
        Misconception(
            "values ignored",
            _judge(mix=lambda self, weights, keys, values: weights @ keys),
            "Your context is always a mixture of the keys. Where values are given, the weights "
            "mix those; the keys only serve for comparing.",
            "What is the argument `values` for?",
        ),
        Misconception(
            "projected keys mixed",
            _judge(
                mix=lambda self, weights, keys, values: (
                    weights @ (self.W_key(keys) if values is None else values)
                )
            ),
            "Your context is a mixture of the projected keys. The projection serves for the "
            "score; what is handed out are the values, or the keys as they came.",
            "How wide is a key, and how wide is your context?",
        ),
        Misconception(
            "mask ignored",
            _judge(weigh=lambda self, scores, mask: scores.softmax(-1)),
            "The mask changes nothing in your module. So the padding gets its share.",
            "Between which two of the three steps does the mask come in?",
        ),
        Misconception(
            "masked after the softmax",
            _judge(weigh=_where_masked(lambda scores, mask: scores.softmax(-1) * mask)),
            "You mask after the softmax. The padding's share is gone then, and the words do not "
            "get it back.",
            "What do your rows sum to in a padded sentence?",
        ),
        Misconception(
            "NaN where nothing is allowed",
            _judge(weigh=_where_masked(lambda scores, mask: _filled(scores, mask, -torch.inf))),
            "Right, but where a row is masked whole: there your weights are NaN, and so is the "
            "context.",
            "Have you not written a softmax that is safe?",
        ),
        Misconception(
            "shares among the forbidden",
            _judge(weigh=_where_masked(lambda scores, mask: _filled(scores, mask, -1e9))),
            "Right, but where a row is masked whole: there your weights are equal shares, and the "
            "context is a mean of padding. Both should be 0.",
            "Have you not written a softmax that is safe?",
        ),
        Misconception(
            "no tanh",
            _judge(score=lambda self, query, keys: self.v(self.sums(query, keys)).squeeze(-1)),
            "There is no `tanh` in your scores. So the query cancels in the softmax: all rows of "
            "a sentence are alike.",
            "Give your module two very different queries. What do their weights have in common?",
        ),
        Misconception(
            "softmax over the queries",
            _judge(
                weigh=lambda self, scores, mask: (
                    _safe(scores.mT, mask if mask is None else mask.expand(scores.shape).mT).mT
                )
            ),
            "Your softmax runs over the queries: the columns sum to 1, not the rows.",
            "Which axis of (batch, tgt_len, src_len) belongs to the keys?",
        ),
        Misconception(
            "biases left in",
            _WithBiases,
            "Your linear layers have biases. The formula has none, and `nn.Linear` makes one "
            "unless it is told not to.",
            "Which argument of `nn.Linear` takes the bias away?",
        ),
        Misconception(
            "order of return",
            _Reversed,
            "You return the weights first and the context second. Everywhere in the course it is "
            "`(context, weights)`.",
            "Which of your two results has as many columns as the values?",
        ),
        Misconception(
            "scores for weights",
            _ShowsScores,
            "The context is right. The second thing that you return are the scores, and asked are "
            "the weights.",
            "Which of the two sums to 1?",
        ),
    ],
)


# --- 6. How many parameters? ----------------------------------------------------------------------


def count_cases(draw: Draw) -> list[Case]:
    def case(label, **widths):
        return Case(label, {f"{name}_dim": width for name, width in widths.items()})

    def wide(low, high, count):
        return draw.whole(low, high, count)

    first_paper = {"query": [1000], "key": [2000], "attention": [1000]}
    return [
        case("three judges", query=wide(2, 5, 3), key=wide(6, 9, 3), attention=wide(10, 15, 3)),
        case(
            "many queries' numbers",
            query=wide(20, 29, 2),
            key=wide(2, 9, 2),
            attention=wide(10, 15, 2),
        ),
        case("one question only", query=wide(2, 5, 4), key=wide(6, 9, 4), attention=wide(1, 1, 4)),
        case(
            "the judge of the first paper",
            **{name: torch.tensor(width) for name, width in first_paper.items()},
        ),
    ]


def _counts(plain=None, split=None, joined=None):
    """The three counts, some of them replaced. Each is a function of q, k, a."""
    plain = plain or (lambda q, k, a: a * (q + k + 1))
    split = split or (lambda q, k, a: a * (q + k + 3) + 1)
    joined = joined or (lambda q, k, a: a * (q + k + 2) + 1)
    return lambda q, k, a: tuple(count(q, k, a) for count in (plain, split, joined))


additive_parameters = Exercise(
    id="additive_parameters",
    title="How many parameters?",
    points=2,
    difficulty=1,
    minutes=10,
    outputs=["plain", "split", "joined"],
    cases=count_cases,
    equivalents={
        "joined = 1 + (plain + attention_dim)": NO_ORDER,
        "joined = attention_dim + plain + 1": NO_ORDER,
        "plain = (query_dim + key_dim + 1) * attention_dim": NO_ORDER,
        "plain = attention_dim * (1 + (query_dim + key_dim))": NO_ORDER,
        "plain = attention_dim * (key_dim + query_dim + 1)": NO_ORDER,
        "split = 1 + (plain + 2 * attention_dim)": NO_ORDER,
        "split = 2 * attention_dim + plain + 1": NO_ORDER,
        "split = plain + attention_dim * 2 + 1": NO_ORDER,
    },
    hints=[
        "How many numbers does a matrix have that turns 3 numbers into 4? And how many biases, if "
        "it has any?",
        "A bias belongs to what comes *out* of a layer: one number for each. Count the layers of "
        "each form, and what comes out of each.",
        "`plain` stands in section 6. `split` has two more sets of attention_dim biases, of "
        "`W_query` and `W_key`, and the single one of `v`. `joined` has one matrix less.",
    ],
    misconceptions=[
        Misconception(
            "v forgotten",
            _counts(plain=lambda q, k, a: a * (q + k)),
            "`plain` counts the two matrices and not `v`.",
            "What turns the answers into a score, and how many numbers has it?",
        ),
        Misconception(
            "v as a square",
            _counts(plain=lambda q, k, a: a * (q + k + a)),
            "`plain` counts `v` as a matrix of attention_dim × attention_dim. It makes one number "
            "of attention_dim answers, so it has one row only.",
            "How many points does each question have?",
        ),
        Misconception(
            "widths multiplied",
            _counts(plain=lambda q, k, a: a * q * k + a),
            "`plain` multiplies query_dim and key_dim. No number of the query ever meets a number "
            "of the key in a product here: the two matrices stand side by side.",
            "Does a second matrix add its numbers to those of the first, or multiply them?",
        ),
        Misconception(
            "bias of v forgotten",
            _counts(split=lambda q, k, a: a * (q + k + 3)),
            "`split` lacks one number. *Every* layer has a bias, `v` too, though training can "
            "make nothing of that one.",
            "How many numbers come out of `v`?",
        ),
        Misconception(
            "one bias for both",
            _counts(split=lambda q, k, a: a * (q + k + 2) + 1),
            "`split` counts one set of biases for two matrices. Two layers are two sets. (They "
            "are added together and could well be one: a second set is a waste.)",
            "How many layers of the split form have attention_dim outputs?",
        ),
        Misconception(
            "one number for each layer",
            _counts(split=lambda q, k, a: a * (q + k + 1) + 3),
            "`split` has one number more for each layer. A layer has a bias for each of its "
            "outputs, and `W_query` and `W_key` have attention_dim of them.",
            "`nn.Linear(3, 5)`: of which shape is its `bias`?",
        ),
        Misconception(
            "a full set for v",
            _counts(split=lambda q, k, a: a * (q + k + 4)),
            "`split` gives `v` as many biases as the other two. It has one output only: the score.",
            "How many numbers come out of `nn.Linear(attention_dim, 1)`?",
        ),
        Misconception(
            "biases of what goes in",
            _counts(split=lambda q, k, a: a * (q + k + 1) + q + k + a),
            "`split` has a bias for each number that goes *into* a layer. It is one for each "
            "number that comes out.",
            "`nn.Linear(3, 5)`: of which shape is its `bias`?",
        ),
        Misconception(
            "two sets in the joined form",
            _counts(joined=lambda q, k, a: a * (q + k + 3) + 1),
            "`joined` counts the biases of two matrices. There is only one, so it has one set.",
            "How many `nn.Linear` does the joined form have, `v` included?",
        ),
        Misconception(
            "biases change nothing",
            _counts(joined=lambda q, k, a: a * (q + k + 1)),
            "`joined` is the count without biases.",
            "What comes out of the joined matrix, and how many biases is that?",
        ),
    ],
)


# --- 7. Two bugs ----------------------------------------------------------------------------------


def step_cases(draw: Draw) -> list[Case]:
    def case(label, batch, src_len, widths, lengths, change=None):
        state, keys = draw.numbers(batch, widths[0]), draw.numbers(batch, src_len, widths[1])
        if change:
            state, keys = change(state), change(keys)
        mask = padding_mask(lengths, max_len=src_len).squeeze(1)
        parameters = {
            name.removesuffix(".weight"): values.squeeze(0) if name == "v.weight" else values
            for name, values in _parameters(draw, *widths).items()
        }
        inputs = {"state": state, "keys": keys, "mask": mask}
        return Case(label, inputs, _widths(*widths), parameters)

    return [
        case("two sentences of one length", 2, 4, (3, 5, 6), [4, 4]),
        case("a padded batch of three", 3, 5, (4, 2, 6), [2, 5, 3]),
        case("a batch of one", 1, 4, (5, 3, 6), [3]),
        case("a sentence of length 0", 2, 3, (4, 5, 6), [3, 0]),
        case("one key only", 3, 1, (2, 4, 5), [1, 1, 1]),
        case("many questions", 2, 4, (3, 5, 9), [4, 3]),
        case("transposed views", 4, 5, (2, 3, 6), [5, 4, 1, 2], as_view),
    ]


class _Step(nn.Module):
    """One step of a decoder; a misconception replaces how it scores or weighs."""

    def __init__(self, query_dim, key_dim, attention_dim):
        super().__init__()
        shapes = {"W_query": (attention_dim, query_dim), "W_key": (attention_dim, key_dim)}
        for name, shape in {**shapes, "v": (attention_dim,)}.items():
            self.register_parameter(name, nn.Parameter(torch.zeros(shape)))

    def score(self, sums):
        return sums.tanh() @ self.v

    def weigh(self, scores, mask):
        return _safe(scores, mask)

    def forward(self, state, keys, mask):
        sums = F.linear(state, self.W_query).unsqueeze(1) + F.linear(keys, self.W_key)
        weights = self.weigh(self.score(sums), mask)
        return torch.einsum("bs,bsk->bk", weights, keys), weights


def _tanh_outside(self, sums):
    return (sums @ self.v).tanh()


def _mask_outside(self, scores, mask):
    return scores.softmax(-1) * mask


BrokenAttention = Exercise(
    id="BrokenAttention",
    title="Two bugs",
    points=4,
    difficulty=2,
    minutes=15,
    kind="module",
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=step_cases,
    equivalents={
        "scores = (said + bar).tanh() @ self.v": NO_ORDER,
    },
    hints=[
        "Look at the picture. Is there any difference between two rows of it? And "
        "what do the rows sum to?",
        "Each symptom has its own bug. Write the formula of the score beside the line that "
        "computes it, symbol for symbol. Then follow the padding: when does it lose its share?",
        "The `tanh` has to be taken of the sum, before `v` makes one number of it. And the mask "
        "has to reach the scores before the softmax: your `masked_softmax` does that.",
    ],
    misconceptions=[
        Misconception(
            "both bugs as they were",
            _judge(_Step, score=_tanh_outside, weigh=_mask_outside),
            "Both bugs are still there. One makes every state rank the keys in the same order; "
            "the other makes the rows of padded sentences sum to less than 1.",
            "Which single line computes the scores? Compare it with the formula.",
        ),
        Misconception(
            "the mask is mended",
            _judge(_Step, score=_tanh_outside),
            "One bug is mended, that of the mask. The other is in the score: the `tanh` comes "
            "after `v`, so a state moves all scores of its row alike.",
            "How large can a score get in this module, whatever `v` is?",
        ),
        Misconception(
            "the score is mended",
            _judge(_Step, weigh=_mask_outside),
            "One bug is mended, that of the score. The other: the mask is applied after the "
            "softmax, so what the padding had taken is lost to the words.",
            "Sum up the row of a padded sentence. Where has the rest gone?",
        ),
        Misconception(
            "tanh taken out",
            _judge(_Step, score=lambda self, sums: sums @ self.v),
            "You took the `tanh` away. It stood in the wrong place, but it is needed: without it "
            "every state ranks the keys in the same order, as before.",
            "The `tanh` turns sums into answers. Where do the answers come in the formula?",
        ),
        Misconception(
            "tanh twice",
            _judge(_Step, score=lambda self, sums: (sums.tanh() @ self.v).tanh()),
            "There are two `tanh` now: the one that was missing, and the one that was wrong. The "
            "outer one still flattens the scores.",
            "How often does `tanh` stand in the formula?",
        ),
        Misconception(
            "NaN where nothing is allowed",
            _judge(_Step, weigh=lambda self, scores, mask: _filled(scores, mask, -torch.inf)),
            "Both bugs are mended, and a new one has come: a row that is masked whole gives NaN, "
            "since 0 is divided by 0.",
            "Which function of yours is safe there?",
        ),
        Misconception(
            "shares among the forbidden",
            _judge(_Step, weigh=lambda self, scores, mask: _filled(scores, mask, -1e9)),
            "Both bugs are mended, and a new one has come: a row that is masked whole shares its "
            "attention among the padding. It should look at nothing.",
            "Which function of yours is safe there?",
        ),
        Misconception(
            "softmax over the batch",
            _judge(
                _Step,
                weigh=lambda self, scores, mask: _filled(scores, mask, -1e9, dim=0).masked_fill(
                    ~mask, 0.0
                ),
            ),
            "Your softmax runs along axis 0, which is the batch here: sentences compete with each "
            "other. The axis was right before.",
            "The scores are (batch, src_len). Which of the two axes belongs to the keys?",
        ),
    ],
)


# --- 8. Keys projected once -----------------------------------------------------------------------


def memory_cases(draw: Draw) -> list[Case]:
    def case(label, batch, tgt_len, src_len, *widths, change=lambda one: one):
        states, keys = (
            draw.numbers(batch, tgt_len, widths[0]),
            draw.numbers(batch, src_len, widths[1]),
        )
        inputs = {"states": change(states), "keys": change(keys)}
        return Case(label, inputs, _widths(*widths), _parameters(draw, *widths))

    return [
        case("two sentences, three steps", 2, 3, 4, 5, 7, 6),
        case("many steps", 2, 9, 3, 2, 4, 5),
        case("one step", 2, 1, 4, 3, 5, 6),
        case("a batch of one", 1, 4, 3, 5, 2, 6),
        case("one key only", 3, 2, 1, 4, 5, 6),
        case("as many steps as keys", 2, 4, 4, 3, 2, 5),
        case("transposed views", 2, 4, 5, 3, 2, 6, change=as_view),
    ]


class _Stepper(_Judge):
    """All steps at once, and how many keys a decoder would have projected."""

    def projected(self, states, keys):
        return keys.shape[:2].numel()

    def forward(self, states, keys):
        return *super().forward(states, keys), torch.tensor(self.projected(states, keys))


def _judged(rule):
    """Scores made by a rule from what the state adds and what the key says."""

    def score(self, states, keys):
        bars, said = self.W_query(states).unsqueeze(2), self.W_key(keys).unsqueeze(1)
        return self.v(rule(bars, said)).squeeze(-1)

    return score


PrecomputedKeys = Exercise(
    id="PrecomputedKeys",
    title="Keys projected once",
    points=4,
    difficulty=3,
    minutes=15,
    kind="module",
    outputs=["contexts", "weights", "projected"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=memory_cases,
    equivalents={
        "hidden = (said + self.W_query(state).unsqueeze(1)).tanh()": NO_ORDER,
        "weights = self.v(hidden).squeeze(-1).softmax(1)": "of two axes, 1 is the last",
    },
    hints=[
        "Which part of the score is the same in every step? And what does a step need of the "
        "source besides that part, to make a context?",
        "`remember` returns two things: the projected keys for the score, and the keys as they "
        "came for the context. `attend` has one state for each sentence, so `W_query` gives "
        "(batch, attention_dim): which axis is missing beside (batch, src_len, attention_dim)?",
        "`remember`: the pair of `self.W_key(keys)` and `keys`. `attend`: `unsqueeze(1)` on the "
        "projected state, add, `tanh`, `self.v`, `squeeze(-1)`, softmax along the last axis. The "
        "context: weights as (batch, 1, src_len) times the keys, and the axis of 1 taken away.",
    ],
    misconceptions=[
        Misconception(
            "anew in every step",
            _judge(
                _Stepper,
                projected=lambda self, states, keys: keys.shape[:2].numel() * states.shape[1],
            ),
            "All contexts are right, and the work is not saved: the keys go through `W_key` in "
            "every step.",
            "In which of the two methods should `W_key` be used, if that method runs once?",
        ),
        Misconception(
            "projected keys mixed",
            _judge(_Stepper, mix=lambda self, weights, keys, values: weights @ self.W_key(keys)),
            "Your contexts are mixtures of the projected keys. Those serve for the score; what is "
            "handed out are the keys as they came.",
            "What has `remember` to keep besides the projected keys?",
        ),
        Misconception(
            "softmax over the batch",
            _judge(_Stepper, weigh=lambda self, scores, mask: scores.softmax(0)),
            "Your softmax runs along axis 0. In a single step the scores are (batch, src_len), so "
            "that is the batch: sentences compete with each other.",
            "Which axis is the last, with or without tgt_len?",
        ),
        Misconception(
            "tanh too early",
            _judge(_Stepper, score=_judged(lambda bars, said: bars + said.tanh())),
            "You take the `tanh` of the projected keys and add the state after it. So the state "
            "adds the same to all scores of its row, and changes no weight.",
            "Can the `tanh` be taken before the bar is known?",
        ),
        Misconception(
            "tanh twice",
            _judge(_Stepper, score=_judged(lambda bars, said: (bars + said.tanh()).tanh())),
            "The keys have gone through a `tanh` of their own before the state is added. The "
            "formula has one `tanh` only, of the sum.",
            "Up to which sign of the formula is everything known without a state?",
        ),
        Misconception(
            "state not heard",
            _judge(_Stepper, score=_judged(lambda bars, said: said.tanh())),
            "Your weights are the same in every step: the state is not heard. Too much was "
            "computed in advance.",
            "What does a key say before anybody has asked, and what only afterwards?",
        ),
        Misconception(
            "no tanh",
            _judge(_Stepper, score=_judged(lambda bars, said: bars + said)),
            "There is no `tanh` between the sum and `v`. Then a state adds the same number to all "
            "scores of its row, and every step looks at the same words.",
            "What turns the sum into an answer between no and yes?",
        ),
    ],
)

EXERCISES = [
    additive_scores_loop,
    additive_scores,
    split_from_concatenated,
    masked_softmax,
    MyAdditiveAttention,
    additive_parameters,
    BrokenAttention,
    PrecomputedKeys,
]
