"""The task “Catch the bug”, a test of scaled dot-product attention; good and weak tests."""

import math

import torch
import torch.nn.functional as F

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
from utils.checks.implementations.buggy_attend import IMPLEMENTATIONS


def inputs(batch=2, tgt_len=3, src_len=5, dim=4, value_dim=4):
    generator = torch.Generator().manual_seed(4)
    return tuple(
        torch.randn(shape, generator=generator)
        for shape in ((batch, tgt_len, dim), (batch, src_len, dim), (batch, src_len, value_dim))
    )


def expected(query, keys, values, mask=None, scale=None):
    scores = query @ keys.mT / (scale or query.shape[-1] ** 0.5)
    hidden = torch.zeros_like(scores).bool() if mask is None else ~mask
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).nan_to_num()
    return weights @ values, weights


def against_torch(attend):
    torch.manual_seed(7)
    query, keys, values = torch.rand(3, 4, 8) * 4, torch.rand(3, 6, 8), torch.rand(3, 6, 2)
    mask = first_query_shut(some_open(3, 4, 6))
    context, weights = attend(query, keys, values, mask=mask)
    expected = F.scaled_dot_product_attention(query, keys, values, attn_mask=mask).nan_to_num()
    torch.testing.assert_close(context, expected)
    torch.testing.assert_close(weights @ values, expected)


def by_hand(attend):
    query = torch.tensor([[[2.0, 0.0, 0.0, 0.0]]] * 2)
    keys = torch.tensor([[[math.log(2), 0, 0, 0], [0, 1, 0, 0], [math.log(4), 0, 0, 1.0]]] * 2)
    values = torch.tensor([[[7.0], [14.0], [70.0]]] * 2)
    mask = torch.tensor([[[True, True, False]], [[True, True, True]]])
    context, weights = attend(query, keys, values, mask)
    assert weights.flatten().tolist() == approx([2 / 3, 1 / 3, 0, 2 / 7, 1 / 7, 4 / 7])
    assert context.flatten().tolist() == approx([28 / 3, 44])
    context, weights = attend(query, keys, values, mask & False)
    assert not context.any()
    assert not weights.any()


def approx(numbers):
    """Return numbers that compare as those of `pytest.approx`."""

    class Near(list):
        def __eq__(self, other):
            return all(
                abs(actual - expected) < 1e-4 for actual, expected in zip(self, other, strict=True)
            )

    return Near(numbers)


def word_by_word(attend):
    query, keys, values = inputs(dim=3, value_dim=2)
    mask = first_query_shut(some_open())
    context, weights = attend(query, keys, values, mask)
    for b in range(2):
        for t in range(3):
            powers = [
                math.exp(float(query[b, t] @ keys[b, s]) / math.sqrt(3)) * bool(mask[b, t, s])
                for s in range(5)
            ]
            total = sum(powers) or 1.0
            for s in range(5):
                assert abs(float(weights[b, t, s]) - powers[s] / total) < 1e-5
            mixed = sum(powers[s] / total * values[b, s] for s in range(5))
            assert (context[b, t] - mixed).abs().max() < 1e-5


def by_what_must_hold(attend):
    """Test laws, and no formula but that of two keys."""
    query, keys, values = inputs(value_dim=3)
    mask = some_open()
    context, weights = attend(query, keys, values, mask)
    assert (weights[~mask] == 0).all()
    assert close(weights.sum(-1), torch.ones(2, 3))
    assert close(context, weights @ values)
    turned = attend(query, keys.flip(1), values.flip(1), mask.flip(-1))
    assert close(turned[1], weights.flip(-1))
    alone = attend(query[1:], keys[1:], values[1:], mask[1:])
    assert close(alone[1], weights[1:])
    _, of_nothing = attend(query, keys, values, mask & False)
    assert of_nothing.sum() == 0
    _, unmasked = attend(query, keys, values)
    odds = (unmasked[0, 0, 0] / unmasked[0, 0, 1]).log()
    assert close(odds, query[0, 0] @ (keys[0, 0] - keys[0, 1]) / 2)


ALL_OF_IT = first_query_shut(some_open())

exercise = CatchTheBug(
    id="test_attend",
    title="Catch the bug",
    points=2,
    difficulty=2,
    minutes=10,
    section="04.5",
    hints=[
        "For which inputs does each step of the formula make no difference? A scale of √d, for "
        "one, does nothing where d is 1; a mask does nothing where all of it is open.",
        "Work out the expected weights and context inside the test, for inputs of which no two "
        "sizes are equal, and compare with `torch.allclose(…, atol=1e-6)`. Then ask of the mask: "
        "does it differ from sentence to sentence? Does it have a row without an open cell?",
        "Draw query (2, 3, 4), keys (2, 5, 4), values (2, 5, 6) and a mask (2, 3, 5), and shut one "
        "row of it. What to expect is `scores.masked_fill(~mask, -torch.inf).softmax(-1)` with its "
        "NaN turned to 0 by `nan_to_num()`; compare both results with that.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), shapes=[(2, 3, 4), (2, 3, 5)]), "attend"
        ),
        "only the shapes": only_the_shapes(
            shapes_alone(*inputs(value_dim=6), some_open(), shapes=[(2, 3, 6), (2, 3, 5)])
        ),
        "only the sums": WrongAnswer(
            sums_alone(*inputs(), some_open()),
            "Your test catches no more than a look at the sums of rows. Weights can be shared out "
            "quite wrongly and still sum to 1.",
            "Which other weights would your test accept, equal shares for all keys perhaps?",
            misconception="plausible-is-right",
        ),
        "ones everywhere": WrongAnswer(
            compared(expected, *[torch.ones(2, 4, 4)] * 3, first_query_shut(some_open(2, 4, 4))),
            "With your inputs neither a scale shows nor what is handed out. Perhaps they are too "
            "much alike: where all scores of a row are equal, any scale gives the same weights, "
            "and where keys and values are equal, nobody can tell which were mixed.",
            "What does the softmax of equal scores look like, with √d and without?",
            misconception="even-inputs",
        ),
        "width 1": WrongAnswer(
            compared(expected, *inputs(dim=1, value_dim=3), ALL_OF_IT),
            "Your test notices no wrong scale. Its vectors have width 1, perhaps, so that √d is "
            "1 as well; or its scores hardly differ, so that any divisor gives much the same "
            "weights.",
            "For which d are 1, √d and d three different numbers?",
            misconception="even-inputs",
        ),
        "no mask": no_mask(compared(expected, *inputs(value_dim=6)), "attend", "fourth"),
        "no row masked whole": WrongAnswer(
            compared(expected, *inputs(value_dim=6), some_open()),
            "In your masks every row has an open cell. A query that may look at nothing is a "
            "case that implementations often forget.",
            "What should the weights be for a sentence that is all padding?",
            misconception="no-empty-rows",
        ),
        "one sentence": WrongAnswer(
            compared(expected, *inputs(1), first_query_shut(some_open(1))),
            "Your test does not see whether each sentence of a batch gets its own mask. Perhaps it"
            " has one sentence, or one mask for all of them.",
            "What would happen to the second sentence if only the first one's mask were used?",
            misconception="one-for-all",
        ),
        "keys as values": WrongAnswer(
            compared(expected, *inputs()[:2], inputs()[1], ALL_OF_IT),
            "Your test does not see whether the values are handed out, or the keys. Perhaps its "
            "keys and values are the same, or it looks at the weights alone.",
            "Which result depends on the values?",
            misconception="keys-handed-out",
        ),
        "the scale forgotten": WrongAnswer(
            compared(expected, *inputs(value_dim=6), ALL_OF_IT, scale=1),
            "Your test expects scores without √d, so it blames whoever divides by it and accepts "
            "the one that does not.",
            "What stands under the fraction bar in softmax(QKᵀ/√d)?",
            misconception="no-scale",
        ),
        "upside down": upside_down(differs(expected, *inputs(), ALL_OF_IT, result=1)),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(value_dim=6), ALL_OF_IT, like=torch.equal)
        ),
        "a wrong expectation": wrong_expectation(
            *inputs(),
            some_open(),
            place=(0, 1, 1),
            hint="Print what `ScaledDotProductAttention` returns for your inputs. Is that what you "
            "expect?",
        ),
    },
    variants=[against_torch, by_hand, word_by_word, by_what_must_hold],
)
