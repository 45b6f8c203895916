"""Catch the bug: a test of attention with rotary positions and a cache."""

import torch
import torch.nn.functional as F

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    close,
    compared,
    differs,
    shapes_alone,
    to_the_last_digit,
    upside_down,
)
from utils.checks.implementations.buggy_rotary_step import IMPLEMENTATIONS
from utils.positions import RotaryPositions


def inputs(start=3, new=2, dim=8, width=3):
    """Return queries, keys and values of `start` old words and `new` ones, and the start."""
    generator = torch.Generator().manual_seed(10)
    shapes = (new, dim), (start + new, dim), (start + new, width)
    return *(1.5 * torch.randn(shape, generator=generator) for shape in shapes), start


def expected(queries, keys, values, start, scale=None, layout="halves"):
    turn = RotaryPositions(keys.shape[1], layout).turn
    places = torch.arange(len(keys))
    scores = turn(queries, places[start:]) @ turn(keys, places).T
    scores = scores / (scale or keys.shape[1] ** 0.5)
    return scores.masked_fill(places > places[start:, None], -torch.inf).softmax(-1) @ values


def with_complex_numbers(rotary_step):
    torch.manual_seed(2)
    for start, new, dim in ((0, 5, 6), (4, 3, 4), (7, 1, 8)):
        length = start + new
        queries, keys, values = torch.randn(new, dim), torch.randn(length, dim), torch.eye(length)
        angles = torch.outer(
            torch.arange(length).double(), 1e4 ** (-torch.arange(0, dim, 2).double() / dim)
        )
        wheel = torch.polar(torch.ones_like(angles), angles)
        q, k = (torch.complex(*x.double().chunk(2, 1)) for x in (queries, keys))
        scores = ((q * wheel[start:]) @ (k * wheel).conj().T).real / dim**0.5
        hidden = torch.ones(new, length).triu(start + 1).bool()
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).float()
        assert close(rotary_step(queries, keys, values, start), weights)


def word_by_word(rotary_step):
    queries, keys, values, start = inputs(start=4, new=3, dim=4)
    contexts = rotary_step(queries, keys, values, start)
    for number, query in enumerate(queries):
        place, scores = start + number, []
        for other in range(place + 1):
            score = 0.0
            for i in range(2):
                apart = torch.tensor((place - other) * 10_000 ** (-i / 2))
                a, b, c, d = query[i], query[i + 2], keys[other, i], keys[other, i + 2]
                # Only the difference of the two angles counts.
                score += (a * c + b * d) * apart.cos() + (a * d - b * c) * apart.sin()
            scores.append(score / 2)
        weights = torch.stack(scores).softmax(0)
        assert close(contexts[number], weights @ values[: place + 1])


def fused(rotary_step):
    queries, keys, values, start = inputs(start=2, new=4, dim=6, width=2)
    turn = RotaryPositions(6).turn
    q, k = turn(queries, torch.arange(2, 6)), turn(keys, torch.arange(6))
    mask = torch.arange(6) <= torch.arange(2, 6)[:, None]
    context = F.scaled_dot_product_attention(q[None], k[None], values[None], mask)
    torch.testing.assert_close(rotary_step(queries, keys, values, start), context[0])


exercise = CatchTheBug(
    id="test_rotary_step",
    title="Catch the bug",
    points=4,
    difficulty=3,
    minutes=25,
    section="10.1",
    hints=[
        "For which inputs does a wrong place make no difference? For which widths does it not "
        "matter which entries turn together?",
        "Write the formula down a second time inside the test: turn queries and keys, scale the "
        "scores, hide what comes later, and compare. Choose a start above 0, and at least two "
        "clocks.",
        "The places are `torch.arange(len(keys))`; those of the queries begin at `start`. The mask "
        "is open where the key's place is not larger than the query's. Compare with "
        "`torch.allclose(…, atol=1e-5)`.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), shapes=[(2, 3)]),
            "rotary_step",
        ),
        "from the beginning": WrongAnswer(
            compared(expected, *inputs(start=0, new=5)),
            "What a step makes of words that stand behind others slips through. It shows only "
            "where `start` is above 0.",
            "Where does the new word stand when a cache holds three others?",
            misconception="places-begin-at-zero",
        ),
        "one new word": WrongAnswer(
            compared(expected, *inputs(start=4, new=1)),
            "What a new word sees of the new ones that come after it slips through. It shows only "
            "where there are two new words or more.",
            "Of three new words, which may look at which?",
            misconception="future-open",
        ),
        "one clock": WrongAnswer(
            compared(expected, *inputs(dim=2)),
            "Which entries turn together, and how fast, slips through. It shows only where a "
            "vector has two clocks or more, and the scores depend on all of them.",
            "How wide must a vector be for halves and neighbours to differ?",
            misconception="even-inputs",
        ),
        "inputs too simple": WrongAnswer(
            compared(expected, *inputs(start=0, new=2, dim=2)),
            "With your inputs it shows neither where a new word stands nor which entries turn "
            "together, and how fast. It takes words before the new ones, vectors of more than one "
            "clock, and values that differ from each other.",
            "What would have to differ for a wrong place, or a wrong partner, to show?",
            misconception="even-inputs",
        ),
        "silent queries": WrongAnswer(
            compared(expected, 0 * inputs()[0], *inputs()[1:]),
            "With your inputs no wrong turn shows, and no wrong scale. Perhaps your queries or "
            "keys are 0, your values all alike, or there is one word alone: then the scores make "
            "no difference.",
            "If all keys were exchanged for others, what would change in your contexts?",
            misconception="even-inputs",
        ),
        "the scale forgotten": WrongAnswer(
            compared(expected, *inputs(), scale=1),
            "Your test expects scores without the root of the width, so it blames whoever divides "
            "by it.",
            "What stands under the fraction bar in softmax(QKᵀ/√d)?",
            misconception="no-scale",
        ),
        "a wrong expectation": WrongAnswer(
            compared(expected, *inputs(), layout="pairs"),
            "What your test expects, none of our implementations returns, not even the right ones: "
            "it expects the wrong thing.",
            "Work one small case out by hand. Is what this line asks for true of it: the partner "
            "of entry 0, the places, the scale, and which keys count?",
            misconception="failing-is-finding",
        ),
        "upside down": upside_down(differs(expected, *inputs())),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(), like=torch.equal),
            "Your test blames an implementation that is right and differs in the last digit only.",
        ),
    },
    variants=[with_complex_numbers, word_by_word, fused],
)
