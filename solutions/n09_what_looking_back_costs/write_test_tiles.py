"""Catch the bug: a test of attention tile by tile."""

import torch
import torch.nn.functional as F

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    compared,
    differs,
    shapes_alone,
    to_the_last_digit,
    upside_down,
)
from utils.checks.implementations.buggy_tiles import IMPLEMENTATIONS

BATCH, TARGETS, WORDS, WIDTH = 2, 3, 7, 4


def inputs(loud=1.0, empty=True, words=WORDS):
    """Return query, keys, values and a mask, with one row shut if wanted.

    If `loud` is large, all scores of one sentence are far above 0, and all of the other far below.
    """
    generator = torch.Generator().manual_seed(9)
    query, keys = torch.rand(2, BATCH, words, WIDTH, generator=generator).unbind()
    query = loud * query[:, :TARGETS] * torch.tensor([1.0, -1.0])[:, None, None]
    values = torch.randn(BATCH, words, 5, generator=generator)
    mask = torch.rand(BATCH, TARGETS, words, generator=generator) < 0.7
    mask[:, :, 1] = True
    mask[1, 2] = not empty
    return query, keys, values, mask


def expected(query, keys, values, mask, block=None):
    scores = (query @ keys.mT / query.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf)
    return scores.softmax(-1).nan_to_num() @ values


LOUD = 300.0
ROW = inputs(LOUD)
AT_REST = inputs()


def compared_all(*givens, block=3):
    """Return a test that compares the contexts of several inputs, read in tiles of one size."""

    def test(tiles):
        for given in givens:
            compared(expected, *given, block)(tiles)

    return test


def against_torch(tiles):
    for loud in (1.0, LOUD):
        for block in (1, 3, 7, 9):
            query, keys, values, mask = inputs(loud)
            right = F.scaled_dot_product_attention(query, keys, values, mask).nan_to_num()
            torch.testing.assert_close(
                tiles(query, keys, values, mask, block), right, atol=1e-4, rtol=1e-4
            )


def one_size_fits_all(tiles):
    for loud in (0.5, 2 * LOUD):
        given = inputs(loud)
        whole, pieces = expected(*given), tiles(*given, 2)
        assert pieces.isfinite().all()
        assert (whole - pieces).abs().max() < 1e-4


def query_by_query(tiles):
    for given in (AT_REST, ROW):
        query, keys, values, mask = given
        found = tiles(query, keys, values, mask, 4)
        for sentence in range(BATCH):
            for target in range(TARGETS):
                seen = mask[sentence, target]
                if not seen.any():
                    assert (found[sentence, target] == 0).all()
                    continue
                scores = keys[sentence, seen] @ query[sentence, target] / 2
                right = scores.softmax(0) @ values[sentence, seen]
                assert torch.allclose(found[sentence, target], right, atol=1e-4)


def only_that_it_is_finite(tiles):
    assert tiles(*AT_REST, 3).isfinite().all()


exercise = CatchTheBug(
    id="test_tiles",
    title="Catch the bug",
    points=4,
    difficulty=3,
    minutes=25,
    section="09.5",
    hints=[
        "What has to happen when a tile brings a larger score than all before it? For which inputs "
        "does it never happen, or make no difference?",
        "Large scores above 0 and large ones below it; a last tile that is shorter; a row that is "
        "masked whole; several tiles. Each of these shows a bug that the others hide.",
        "Take keys from `torch.rand`, 7 words in tiles of 3, and shut one row of the mask. Call "
        "`tiles` with queries `300 * torch.rand(…)`, with their opposite, *and* with small ones "
        "from `torch.randn`. What to expect is `scores.masked_fill(~mask, "
        "-torch.inf).softmax(-1).nan_to_num() @ values`.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*ROW, 3, shapes=[(BATCH, TARGETS, 5)]), "tiles"
        ),
        "only that it is finite": WrongAnswer(
            only_that_it_is_finite,
            "Of these bugs your test sees at most those that give NaN: other wrong numbers it "
            "accepts. So does a test that looks at no value, compares a result with itself, or "
            "allows any difference.",
            "If `tiles` returned nothing but zeros, which of your lines would object?",
            misconception="plausible-is-right",
        ),
        "small numbers": WrongAnswer(
            compared_all(AT_REST),
            "What overflows and what vanishes slips through. A score far above 0 shows the one, a "
            "row whose scores all lie far below 0 the other.",
            "What is `exp` of 200, and of -200, in float32?",
            misconception="even-inputs",
        ),
        "as a well-known test": WrongAnswer(
            compared(
                expected,
                *(
                    each[:, :, :6] if each.dtype == torch.bool else each[:, :6]
                    for each in inputs(empty=False)
                ),
                3,
            ),
            "With your inputs most bugs do not show, as in many tests of such kernels. It takes "
            "large scores, a last tile that is shorter, and a row that is masked whole.",
            "Which of your inputs is extreme in any way?",
            misconception="even-inputs",
        ),
        "tiles of one size": WrongAnswer(
            compared_all(AT_REST, ROW, block=1),
            "What goes wrong in a last tile that is shorter slips through. It shows only where "
            "there is such a tile, and some query gives its words weight.",
            "How many words does your last tile hold, and how much weight do they get?",
            misconception="sizes-always-equal",
        ),
        "a single tile": WrongAnswer(
            compared_all(AT_REST, ROW, block=WORDS + 2),
            "How tiles are put together slips through. It shows only where a later tile brings a "
            "larger score than all before it.",
            "When is what was gathered so far made smaller?",
            misconception="even-inputs",
        ),
        "no row masked whole": WrongAnswer(
            compared_all(inputs(empty=False), inputs(LOUD, empty=False)),
            "What becomes of a row that is masked whole slips through. It shows only where there "
            "is such a row: a query that may look at nothing is easily forgotten.",
            "What should the context be for a row that is shut?",
            misconception="no-empty-rows",
        ),
        "only high scores": WrongAnswer(
            compared_all(AT_REST, (ROW[0].abs(), *ROW[1:])),
            "What becomes of a row whose scores all lie far below 0 slips through. It shows only "
            "where there is such a row.",
            "Against what should the scores of a row be measured that are all below -100?",
            misconception="even-inputs",
        ),
        "upside down": upside_down(differs(expected, *ROW, 3)),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *ROW, 3, like=torch.equal)
        ),
    },
    variants=[against_torch, one_size_fits_all, query_by_query],
)
