"""The task “Softmax with temperature”: right answers and known mistakes."""

import torch
import torch.nn.functional as F

from solutions.cases import far_down, thousands
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import over_sum
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, scores, temperature):
        return Case(label, {"scores": scores, "temperature": temperature})

    return [
        case("two queries, three keys, temperature 2", draw.numbers(2, 3), 2.0),
        case("a cold softmax, temperature 0.5", draw.numbers(3, 4), 0.5),
        case("a hot softmax, temperature 20", draw.numbers(2, 5), 20.0),
        case("one key only", draw.numbers(2, 1), 0.5),
        case("scores in the thousands, and far lower", far_down(thousands(draw, 2, 3)), 0.5),
        case("scores in the thousands, and as hot", thousands(draw, 2, 3), 2000.0),
        case("a batch of two, in float64", draw.numbers(2, 3, 4).double(), 3.0),
        case("scores that are a transposed view", draw.numbers(4, 3).T, 1.5),
    ]


def functional(scores, temperature):
    return F.softmax(scores / temperature, dim=scores.dim() - 1)


def by_the_formula(e, tau):
    e = e / tau
    powers = torch.exp(e - e.max(dim=-1, keepdim=True).values)
    return powers / powers.sum(dim=-1, keepdim=True)


def row_by_row(scores, temperature):
    flat = scores.reshape(-1, scores.shape[-1])
    return torch.stack([(row / temperature).softmax(0) for row in flat]).view(scores.shape)


def through_logarithms(scores, temperature):
    print("scores", scores.shape)
    scaled = scores * (1 / temperature)
    return (scaled - scaled.logsumexp(-1, keepdim=True)).exp()


def in_float64(scores, temperature):
    return torch.softmax(scores.double() / temperature, -1)


def with_einsum(scores, temperature):
    powers = ((scores - scores.amax(-1, keepdim=True)) / temperature).exp()
    return torch.einsum("...j,...->...j", powers, 1 / powers.sum(-1))


exercise = Exercise(
    id="softmax_with_temperature",
    title="Softmax with temperature",
    points=2,
    difficulty=1,
    minutes=5,
    section="01.5",
    outputs=["weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    cases=cases,
    hints=[
        "At which of the two moments does the temperature act: on the scores, or on the weights?",
        "Divide first, then take the softmax. Along which axis do the keys lie, "
        "whatever stands in front of it?",
        "Two operations in one line: the scores divided by the temperature, then `softmax` of "
        "that along the last axis, whose number is -1.",
    ],
    mistakes={
        "softmax along the first axis": WrongAnswer(
            lambda scores, temperature: (scores / temperature).softmax(0),
            "Your softmax ran along axis 0, over the queries: in a matrix the columns sum to 1, "
            "and the rows, over the keys, should.",
            "Who shares out attention: a query among the keys, or a key among the queries?",
            misconception="softmax-over-queries",
        ),
        "axis counted from the front": WrongAnswer(
            lambda scores, temperature: (scores / temperature).softmax(min(1, scores.dim() - 1)),
            "Axis 1 is the axis of the keys in a matrix, but not in a batch of matrices: there "
            "your softmax runs over the queries.",
            'Which number means "the last axis", however many there are?',
            misconception="axes-anywhere",
        ),
        "multiplied by the temperature": WrongAnswer(
            lambda scores, temperature: (scores * temperature).softmax(-1),
            "Your weights get sharper where the temperature rises, as if the scores were "
            "multiplied by it. They are to be divided by it.",
            "A hot softmax hands out nearly equal shares. What must happen to differences of "
            "scores for that?",
            misconception="temperature-upside-down",
        ),
        "divided after the softmax": WrongAnswer(
            lambda scores, temperature: scores.softmax(-1) / temperature,
            "Your weights are divided by the temperature after the softmax. So they need not sum "
            "to 1, and their ratios are what they were without it.",
            "What would the softmax make of scores that had been divided before?",
            misconception="steps-in-any-order",
        ),
        "temperature left out": WrongAnswer(
            lambda scores, temperature: scores.softmax(-1),
            "Your weights are the plain softmax of the scores. The temperature changes nothing in "
            "them: it is unused, or cancels when the rows are normalised.",
            "Call your function with temperature 1 and with 100. What should differ?",
            misconception="input-unused",
        ),
        "exp of large scores": WrongAnswer(
            lambda scores, temperature: over_sum((scores / temperature).exp()),
            "On large scores the plain formula fails: `exp` of 1000 is more than a float can "
            "hold, and infinity over infinity is NaN.",
            "Adding a number to all scores of a row changes no weight. Which number would make "
            "the largest score 0? (Or which method of a tensor takes care of it?)",
            misconception="formula-is-safe",
        ),
    },
    variants=[functional, by_the_formula, row_by_row, through_logarithms, in_float64, with_einsum],
)
