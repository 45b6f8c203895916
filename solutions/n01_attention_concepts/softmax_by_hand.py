"""The task “A softmax by hand”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, scores):
        return Case(label, {"scores": scores})

    return [
        case("six scores", draw.numbers(6)),
        case("two scores", draw.numbers(2)),
        case("one score only", draw.numbers(1)),
        case("scores further apart", draw.numbers(5, reach=9)),
        case("scores below zero", draw.numbers(4) - 4),
        case("float64", draw.numbers(7).double()),
    ]


def with_e(scores):
    powers = torch.e**scores
    return powers * (1 / powers.sum())


def after_the_largest(scores):
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


def in_a_loop(scores):
    total = sum(torch.exp(score) for score in scores)
    return torch.stack([torch.exp(score) / total for score in scores])


def from_torch(scores):
    return torch.softmax(scores, dim=0)


def in_logarithms(scores):
    return (scores - scores.logsumexp(0)).exp()


exercise = YourTurn(
    id="softmax_by_hand",
    title="A softmax by hand",
    section="01.3",
    outputs=["weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    mistakes={
        "no powers": WrongAnswer(
            lambda scores: scores / scores.sum(),
            "You divide the scores by their sum. They do sum to 1 then, but a score can be "
            "negative, and a share cannot.",
            "What makes every score positive before the sum is taken?",
            misconception="steps-in-any-order",
        ),
        "not divided": WrongAnswer(
            lambda scores: scores.exp(),
            "You return the powers themselves. All are positive, but they sum to anything.",
            "What is left to do so that they are shares of a whole?",
            misconception="shares-need-not-sum-to-one",
        ),
        "divided by the largest": WrongAnswer(
            lambda scores: scores.exp() / scores.exp().max(),
            "Your best word gets 1, as if the powers were divided by the largest of them, and "
            "the others come on top.",
            "Which number do shares have to be divided by, so that together they are 1?",
            misconception="shares-need-not-sum-to-one",
        ),
        "power of the sum": WrongAnswer(
            lambda scores: scores.exp() / scores.sum().exp(),
            "You divide by exp of the sum. Asked is the sum of the powers: first exp, then sum.",
            "Is exp(1 + 2) the same as exp(1) + exp(2)?",
            misconception="steps-in-any-order",
        ),
        "divided by the sum so far": WrongAnswer(
            lambda scores: scores.exp() / scores.exp().cumsum(0),
            "Your first word gets 1: you divide each power by the sum up to it. Asked is the sum "
            "of all powers, the same for each.",
            "When is your sum whole, and when do you divide by it?",
            misconception="half-is-enough",
        ),
        "divided by their number": WrongAnswer(
            lambda scores: scores.exp() / len(scores),
            "You divide by the number of words. The sum of the powers is what makes shares of "
            "them.",
            "Two words, powers 3 and 1: which share has the first?",
            misconception="sum-and-mean",
        ),
    },
    variants=[with_e, after_the_largest, in_a_loop, from_torch, in_logarithms],
)
