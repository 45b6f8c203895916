"""The task “Entropy”: right answers and known mistakes."""

import torch

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import over_sum
from utils.checks.tasks import Case

ANY_LOGARITHM = "0 times the logarithm of 2 is 0 as well"


def cases(draw: Draw) -> list[Case]:
    hard = torch.eye(4)[draw.order(4)[:2]]  # (2, 4): each row one word
    some_zero = over_sum(draw.whole(1, 9, 2, 5) * torch.tensor([1, 0, 1, 1, 0]).float())
    return [
        Case("two rows of four weights", {"weights": draw.shares(2, 4)}),
        Case("rows that look at one word only", {"weights": hard}),
        Case("some weights of 0", {"weights": some_zero}),
        Case("a weight of next to nothing", {"weights": torch.tensor([[0.0005, 0.4995, 0.5]])}),
        Case("equal shares", {"weights": torch.full((2, 4), 0.25)}),
        Case("one key only", {"weights": torch.ones(3, 1)}),
        Case("a single row", {"weights": draw.shares(5)}),
        Case("a batch of two, in float64", {"weights": draw.shares(2, 3, 4).double()}),
        Case("weights that are a transposed view", {"weights": as_view(draw.shares(3, 4))}),
    ]


def _plogp(weights, logarithm=torch.log):
    """Return p log p, which is 0 where p is 0."""
    return weights * logarithm(torch.where(weights > 0, weights, 1.0))


def _entropy(logarithm=torch.log, reduce=lambda terms: terms.sum(-1), finish=torch.neg):
    """Return the right function with some parts replaced."""

    def answer(weights):
        return finish(reduce(_plogp(weights, logarithm)))

    return answer


def from_torch(weights):
    return torch.special.entr(weights).sum(-1)


def clamped(p):
    return -(p * p.clamp(min=1e-12).log()).sum(dim=-1)


def xlogy(weights):
    return -torch.xlogy(weights, weights).sum(-1)


def a_little_more(weights):
    return -torch.einsum("...j,...j->...", weights, torch.log(weights + 1e-9))


def in_loops(weights):
    rows = []
    for row in weights.reshape(-1, weights.shape[-1]):
        total = row.new_zeros(())
        for share in row:
            if share > 0:
                total = total - share * share.log()
        rows.append(total + 0 * row.sum())
    return torch.stack(rows).reshape(weights.shape[:-1])


def nan_to_zero(weights):
    return -(weights * weights.log()).nan_to_num(0.0).sum(-1)


def in_float64(weights):
    return torch.special.entr(weights.double()).sum(-1)


exercise = Exercise(
    id="entropy",
    title="Entropy",
    points=3,
    difficulty=2,
    minutes=10,
    section="01.6",
    outputs=["entropies"],
    invariants={"entropies": ["not negative"]},
    cases=cases,
    equivalents={
        "safe = torch.where(weights > 0, weights, 2.0)": ANY_LOGARITHM,
        "safe = torch.where(weights > 0, weights, 1.5)": ANY_LOGARITHM,
        "safe = torch.where(weights > 0, weights, 0.6666666666666666)": ANY_LOGARITHM,
    },
    hints=[
        "Which of the two, a hard choice or equal shares, should get 0?",
        "Multiply each weight by its logarithm, add up along the last axis, turn the sign. Then "
        "ask what your formula makes of a weight of 0: `0 * -inf` is NaN.",
        "The logarithm is only trouble where the weight is 0. Replace the weight there, inside "
        "the logarithm alone, by 1: `torch.where` does it. The 0 in front wipes the term out "
        "anyway.",
    ],
    mistakes={
        "0 times log 0": WrongAnswer(
            lambda weights: -(weights * weights.log()).sum(-1),
            "A row with a weight of 0 comes out as NaN, as 0 times a logarithm that is no finite "
            "number does. The term of such a weight should be 0.",
            "What could stand inside the logarithm, where the weight is 0, without changing the "
            "sum?",
            misconception="formula-is-safe",
        ),
        "sign forgotten": WrongAnswer(
            _entropy(finish=lambda total: total),
            "Your entropies have the wrong sign. The logarithm of a share is never positive, and "
            "the minus of the formula turns that round.",
            "`exp` of the entropy counts words. Can a row look at fewer than one?",
            misconception="constant-factor",
        ),
        "in bits": WrongAnswer(
            _entropy(torch.log2),
            "Your entropies are in bits, as the logarithm to base 2 gives them. The course uses "
            "the natural logarithm, so that `exp` of the entropy counts words.",
            "Which function undoes `exp`?",
            misconception="constant-factor",
        ),
        "one more inside": WrongAnswer(
            _entropy(torch.log1p),
            "Your logarithm is that of 1 + weight, as `log1p` gives it. It is never negative, so "
            "that your entropies are. Only a weight of 0 is in the way of the plain logarithm.",
            "What is the logarithm of a weight of 1, and what is yours?",
            misconception="formula-is-safe",
        ),
        "words, not entropy": WrongAnswer(
            _entropy(finish=lambda total: (-total).exp()),
            "You return the number of words effectively looked at, `exp` of the entropy. The "
            "task asks for the entropy itself.",
            "What is the entropy of a row that looks at one word only?",
            misconception="logarithm",
        ),
        "all rows together": WrongAnswer(
            _entropy(reduce=lambda terms: terms.sum()),
            "You return one number for all rows together. Every row is a distribution of its own "
            "and has an entropy of its own.",
            "Along which axis does the sum in the formula run, and which axes has what you sum?",
            misconception="averages-anywhere",
        ),
        "mean for sum": WrongAnswer(
            _entropy(reduce=lambda terms: terms.mean(-1)),
            "You divide by the number of keys, as a mean over them does. The formula has a sum.",
            "Four equal shares should give log 4. What do you get, and what is the quotient?",
            misconception="sum-and-mean",
        ),
        "sum down the columns": WrongAnswer(
            _entropy(reduce=lambda terms: terms.sum(0)),
            "You add up along the first axis: in a matrix down the columns, over the queries. "
            "The shares that make a distribution lie along the last axis, over the keys.",
            "Which entries of a heatmap add up to 1?",
            misconception="reads-by-columns",
        ),
        "a loop over the first axis": WrongAnswer(
            lambda weights: torch.stack([-_plogp(row).sum() for row in weights]),
            "You return one number for each entry of the first axis. That fits a matrix; a "
            "single row falls apart into its numbers, and a batch has matrices on that axis.",
            "Which axis is there in any case, however many stand before it?",
            misconception="axes-anywhere",
        ),
    },
    variants=[from_torch, clamped, xlogy, a_little_more, in_loops, nan_to_zero, in_float64],
)
