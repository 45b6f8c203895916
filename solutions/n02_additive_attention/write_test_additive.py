"""The task “Catch the bug”, a test of additive attention; good and weak tests."""

import math

import torch

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    close,
    compared,
    differs,
    first_query_shut,
    no_mask,
    only_the_shapes,
    shapes_alone,
    some_open,
    sums_alone,
    to_the_last_digit,
    upside_down,
    wrong_expectation,
)
from utils.checks.implementations.buggy_additive import IMPLEMENTATIONS


def inputs(mask=None, batch=2, widths=(4, 6, 6, 7), reach=1.0):
    """Return query, keys, values, mask, W_query, W_key, v. Keys and values are of one width."""
    generator = torch.Generator().manual_seed(2)
    query_dim, key_dim, value_dim, attention_dim = widths
    shapes = [(batch, 3, query_dim), (batch, 5, key_dim), (batch, 5, value_dim)]
    shapes += [(attention_dim, query_dim), (attention_dim, key_dim), (attention_dim,)]
    *numbers, v = [reach * torch.randn(shape, generator=generator) for shape in shapes]
    return *numbers[:3], mask, *numbers[3:], v / reach


ALL_OF_IT = first_query_shut(some_open())
QUERY, KEYS, VALUES, _, *WEIGHTS = inputs()


def expected(query, keys, values, mask, W_query, W_key, v, answer=torch.tanh):
    sums = (query @ W_query.T)[:, :, None] + (keys @ W_key.T)[:, None]
    scores = answer(sums) @ v
    hidden = torch.zeros_like(scores).bool() if mask is None else ~mask
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


def sums_and_zeros(additive):
    mask = some_open()
    _, weights = additive(*inputs(mask))
    assert close(weights.sum(-1), torch.ones(2, 3))
    assert not weights[~mask].any()


def pair_by_pair(additive):
    query, keys, values, mask, W, U, v = given = inputs(ALL_OF_IT, widths=(4, 5, 3, 6))
    context, weights = additive(*given)
    for b in range(2):
        for t in range(3):
            powers = [
                math.exp(float(v @ (W @ query[b, t] + U @ keys[b, s]).tanh())) * bool(mask[b, t, s])
                for s in range(5)
            ]
            total = sum(powers) or 1.0
            for s in range(5):
                assert abs(float(weights[b, t, s]) - powers[s] / total) < 1e-5
            mixed = sum(powers[s] / total * values[b, s] for s in range(5))
            assert (context[b, t] - mixed).abs().max() < 1e-5


def by_hand(additive):
    """Test with one hidden number: its tanh is that of 0 + 1, 2 - 1 and so on."""
    query = torch.tensor([[[0.0], [2.0]]] * 2)
    keys = torch.tensor([[[1.0], [-1.0], [0.0]]] * 2)
    values = torch.tensor([[[7.0], [14.0], [70.0]]] * 2)
    mask = torch.tensor([[[True, True, False]], [[False, False, False]]])
    unit = torch.ones(1, 1)
    context, weights = additive(query, keys, values, mask, unit, unit, 3 * unit[0])
    odds = [math.exp(6 * math.tanh(1)), math.exp(3 * (math.tanh(3) - math.tanh(1)))]
    for t, odd in enumerate(odds):
        first = odd / (1 + odd)
        should = torch.tensor([first, 1 - first, 0.0])
        assert torch.allclose(weights[0, t], should, atol=1e-4)
        assert abs(float(context[0, t]) - 7 * first - 14 * (1 - first)) < 1e-2
    assert not weights[1].any()
    assert not context[1].any()


def in_the_joined_form(additive):
    torch.manual_seed(5)
    query, keys, values = torch.rand(3, 2, 4), torch.rand(3, 6, 3), torch.rand(3, 6, 2)
    joined, v = torch.randn(5, 7), torch.randn(5)
    mask = torch.arange(6) < torch.tensor([4, 0, 6])[:, None, None]
    context, weights = additive(query, keys, values, mask, joined[:, :4], joined[:, 4:], v)
    pairs = torch.cat([query[:, :, None].expand(3, 2, 6, 4), keys[:, None].expand(3, 2, 6, 3)], -1)
    powers = ((pairs @ joined.T).tanh() @ v).exp() * mask
    should = powers / powers.sum(-1, keepdim=True).clamp(min=1e-9)
    torch.testing.assert_close(weights, should)
    torch.testing.assert_close(context, torch.einsum("bts,bsv->btv", should, values))


def by_what_must_hold(additive):
    """Test laws, and no formula but that of two keys."""
    query, keys, values, mask, W, U, v = given = inputs(some_open())
    context, weights = additive(*given)
    assert not weights[~mask].any()
    assert close(weights.sum(-1), torch.ones(2, 3))
    assert close(context, weights @ values)
    alone = additive(query[1:], keys[1:], values[1:], mask[1:], W, U, v)
    assert close(alone[1], weights[1:])
    assert additive(query, keys, values, mask & False, W, U, v)[1].sum() == 0
    _, unmasked = additive(query, keys, values, None, W, U, v)
    odds = (unmasked[0, 0, 0] / unmasked[0, 0, 1]).log()
    bar = W @ query[0, 0]
    assert close(odds, v @ ((bar + U @ keys[0, 0]).tanh() - (bar + U @ keys[0, 1]).tanh()))


exercise = CatchTheBug(
    id="test_additive",
    title="Catch the bug",
    points=3,
    difficulty=3,
    minutes=30,
    section="02.5",
    hints=[
        "For which inputs does each step make no difference? The tanh of a number close to 0 is "
        "nearly that number; a mask does nothing where all of it is open.",
        "Work out the expected weights and context inside the test, with numbers around 1 and of "
        "no two equal sizes, and compare with `torch.allclose(…, atol=1e-5)`. Then ask of the "
        "mask: does it differ from sentence to sentence? Has it a row without an open cell?",
        "Draw query (2, 3, 4), keys (2, 5, 6), values (2, 5, 7), W_query (8, 4), W_key (8, 6), v "
        "(8,) and a mask (2, 3, 5), and shut one row of it. What to expect: "
        "`masked_softmax(additive_scores(query, keys, W_query, W_key, v), mask)`, with your own "
        "functions from above or from notebook 02, and that times `values`.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(some_open()), shapes=[(2, 3, 6), (2, 3, 5)]), "additive"
        ),
        "only the shapes": only_the_shapes(
            shapes_alone(*inputs(some_open(), widths=(4, 6, 5, 7)), shapes=[(2, 3, 5), (2, 3, 5)])
        ),
        "only the sums": WrongAnswer(
            sums_alone(*inputs(some_open())),
            "Your test catches no more than a look at the sums of rows. Weights can be shared out "
            "quite wrongly and still sum to 1.",
            "Which other weights would your test accept, equal shares for all keys perhaps?",
            misconception="plausible-is-right",
        ),
        "sums and zeros": WrongAnswer(
            sums_and_zeros,
            "Your test catches no more than a look at the sums of rows and at hidden cells. It "
            "lets bugs in the scores through, and in what is mixed.",
            "If the scores were drawn at random, which of your lines would object?",
            misconception="plausible-is-right",
        ),
        "ones everywhere": WrongAnswer(
            compared(
                expected,
                *map(torch.ones_like, (QUERY, KEYS, VALUES)),
                ALL_OF_IT,
                *map(torch.ones_like, WEIGHTS),
            ),
            "With your inputs hardly anything in the score makes a difference. Perhaps they are "
            "too much alike: where all keys are equal, all scores of a row are, with a tanh and "
            "without, whatever the query asks.",
            "What would a judge without a tanh make of your inputs?",
            misconception="even-inputs",
        ),
        "small numbers": WrongAnswer(
            compared(
                expected,
                *inputs(ALL_OF_IT, reach=0.01),
                like=lambda a, b: torch.allclose(a, b, 0, 1e-3),
            ),
            "With your inputs, bugs in the score do not show. Perhaps the numbers are too small, "
            "and close to 0 the tanh of a number is the number itself; or all keys are alike, and "
            "so are their scores.",
            "For which x do x and tanh(x) differ by a lot?",
            misconception="even-inputs",
        ),
        "a silent query": WrongAnswer(
            compared(expected, 0 * QUERY, KEYS, VALUES, ALL_OF_IT, *WEIGHTS),
            "Your test does not notice when the query is not heard. Perhaps its queries are 0, or "
            "say nothing, so that nothing depends on them.",
            "What do your queries add to the scores?",
            misconception="even-inputs",
        ),
        "no mask": no_mask(compared(expected, *inputs()), "additive", "fourth"),
        "no row masked whole": WrongAnswer(
            compared(expected, *inputs(some_open())),
            "In your masks every row has an open cell. A sentence of length 0 is a case that "
            "implementations often forget.",
            "What should the weights be for a sentence that is all padding?",
            misconception="no-empty-rows",
        ),
        "one sentence": WrongAnswer(
            compared(expected, *inputs(first_query_shut(some_open(1)), batch=1)),
            "Your test does not see whether each sentence of a batch gets its own mask. Perhaps it"
            " has one sentence, or one mask for all of them.",
            "What would happen to the second sentence if only the first one's mask were used?",
            misconception="one-for-all",
        ),
        "keys as values": WrongAnswer(
            compared(expected, QUERY, KEYS, KEYS, ALL_OF_IT, *WEIGHTS),
            "Your test does not see whether the values are handed out, or the keys. Perhaps its "
            "keys and values are the same, or it looks at the weights alone.",
            "Which result depends on the values?",
            misconception="keys-handed-out",
        ),
        "the tanh forgotten": WrongAnswer(
            compared(expected, *inputs(ALL_OF_IT), answer=lambda sums: sums),
            "Your test expects scores without the tanh, so it blames whoever takes it and accepts "
            "the one that does not.",
            "What stands between $v$ and the sum in the formula?",
            misconception="nonlinearity-left-out",
        ),
        "upside down": upside_down(differs(expected, *inputs(ALL_OF_IT), result=1)),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(ALL_OF_IT), like=torch.equal)
        ),
        "a wrong expectation": wrong_expectation(
            *inputs(some_open()),
            place=(0, 1, 1),
            hint="Print what the course's `AdditiveAttention` returns for your inputs. Is that "
            "what you expect?",
        ),
    },
    variants=[pair_by_pair, by_hand, in_the_joined_form, by_what_must_hold],
)
