"""The task “Catch the bug”, a test of a causal language model; good and weak tests."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    close,
    compared,
    differs,
    shapes_alone,
    sums_alone,
    to_the_last_digit,
    upside_down,
)
from utils.checks.implementations.buggy_language_model import IMPLEMENTATIONS


def parameters(dim=4, key_dim=4, hidden=6, words=7, spread=1.0):
    """Return the embedding, the places, and the five matrices."""
    generator = torch.Generator().manual_seed(8)
    shapes = [(words, dim), (9, dim), (dim, key_dim), (dim, key_dim), (dim, dim)]
    shapes += [(dim, hidden), (hidden, dim)]
    return [spread * torch.randn(shape, generator=generator) for shape in shapes]


WORDS = torch.tensor([[3, 1, 4, 1, 5], [2, 6, 5, 3, 0]])
EMBEDDING, PLACES, *MATRICES = parameters()


def norm(x):
    return F.layer_norm(x, x.shape[-1:])


def expected(words, embedding, places, w_q, w_k, w_v, w_1, w_2, scale=None):
    x = embedding[words] + places[: words.shape[1]]
    y = norm(x)
    scores = (y @ w_q) @ (y @ w_k).mT / (scale or w_q.shape[1] ** 0.5)
    future = torch.ones(words.shape[1], words.shape[1]).triu(1).bool()
    x = x + scores.masked_fill(future, -torch.inf).softmax(-1) @ (y @ w_v)
    x = x + (norm(x) @ w_1).relu() @ w_2
    return (norm(x) @ embedding.T).softmax(-1)


def another_last_word(language_model, rows):
    changed = WORDS.clone()
    changed[:, -1] = torch.tensor([0, 4])
    given = parameters()
    before, after = language_model(WORDS, *given), language_model(changed, *given)
    assert close(before[:, rows], after[:, rows])


def only_the_first_row(language_model):
    another_last_word(language_model, slice(0, 1))


def only_the_future(language_model):
    another_last_word(language_model, slice(0, 4))


def with_modules(language_model):
    torch.manual_seed(3)
    length, dim, key_dim, hidden, count = 4, 6, 3, 5, 8
    words = torch.randint(count, (3, length))
    embedding, places = nn.Embedding(count, dim), torch.rand(length, dim) * 2
    matrices = [torch.rand(dim, key_dim) * 2 for _ in "qk"]
    matrices += [torch.randn(dim, dim), torch.randn(dim, hidden), torch.randn(hidden, dim)]
    layer_norm = nn.LayerNorm(dim)
    with torch.no_grad():
        x = embedding(words) + places
        y = layer_norm(x)
        q, k, v = (y @ matrix for matrix in matrices[:3])
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + F.relu(layer_norm(x) @ matrices[3]) @ matrices[4]
        expected = F.softmax(layer_norm(x) @ embedding.weight.T, dim=-1)
        actual = language_model(words, embedding.weight.detach(), places, *matrices)
    torch.testing.assert_close(actual, expected)


def word_by_word(language_model):
    embedding, places, w_q, w_k, w_v, w_1, w_2 = given = parameters(5, 3, 4, 7)
    chances = language_model(WORDS, *given)
    for sentence, of_sentence in zip(WORDS, chances, strict=True):
        for place in range(5):
            read = norm(embedding[sentence[: place + 1]] + places[: place + 1])
            scores = (read @ w_k) @ (read[-1] @ w_q) / math.sqrt(3)
            x = embedding[sentence[place]] + places[place]
            x = x + torch.softmax(scores, 0) @ (read @ w_v)
            x = x + torch.clamp(norm(x) @ w_1, min=0) @ w_2
            assert close(of_sentence[place], (embedding @ norm(x)).softmax(0))


def by_what_must_hold(language_model):
    """Test causality, order, the residual alone, and that the scale knows the width."""
    another_last_word(language_model, slice(0, 4))
    embedding, places, w_q, w_k, w_v, w_1, w_2 = given = parameters()
    turned = WORDS[:, [1, 0, 2, 3, 4]]
    assert not close(language_model(WORDS, *given)[:, 2:], language_model(turned, *given)[:, 2:])
    silent = language_model(WORDS, embedding, places, w_q, w_k, 0 * w_v, w_1, 0 * w_2)
    assert close(silent, (norm(embedding[WORDS] + places[:5]) @ embedding.T).softmax(-1))
    # The same scores in vectors four times as wide: √16 is twice √4, and so is one of the factors.
    wide_q, wide_k = (F.pad(matrix, (0, 12)) for matrix in (2 * w_q, w_k))
    wide = language_model(WORDS, embedding, places, wide_q, wide_k, w_v, w_1, w_2)
    assert close(wide, language_model(WORDS, *given))


exercise = CatchTheBug(
    id="test_language_model",
    title="Catch the bug",
    points=4,
    difficulty=3,
    minutes=35,
    section="08.4",
    hints=[
        "What must change in the chances, and what must not, when you change the last word? When "
        "two early words change places? When matrices are 0?",
        "Either collect such laws until every bug breaks one, or write the whole formula down a "
        "second time inside the test and compare. For the formula, choose at least three words a "
        "sentence, places that are not 0, and key_dim above 1.",
        "`F.layer_norm(x, x.shape[-1:])` is the norm, and `torch.ones(n, n).triu(1).bool()` marks "
        "the future, which is filled with minus infinity. With seeded random parameters, compare "
        "by `torch.allclose(…, atol=1e-5)`.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(WORDS, *parameters(), shapes=[(2, 5, 7)]),
            "language_model",
        ),
        "only the sums": WrongAnswer(
            sums_alone(WORDS, *parameters(), result=0),
            "Of these bugs your test sees at most those that show in the sum of the chances. "
            "Nearly all leave that as it is: a model that reads the future is still certain of "
            "*something*.",
            "Which bugs change what comes out, but not its sum?",
            misconception="plausible-is-right",
        ),
        "only the first row": WrongAnswer(
            only_the_first_row,
            "A mask that is open one column too far slips through. If a word is changed, it shows "
            "right beside the change, and not in the *first* prediction.",
            "Which prediction would notice first, if each word could see the next one?",
            misconception="off-by-one",
        ),
        "only the future": WrongAnswer(
            only_the_future,
            "Of these bugs your test sees at most those by which a prediction knows what comes "
            "later. What the model makes of the words before may still be wrong.",
            "Would your test notice if the residual connection were missing?",
            misconception="half-is-enough",
        ),
        "one word": WrongAnswer(
            compared(expected, torch.tensor([[3], [1]]), *parameters()),
            "With your inputs neither mask nor scale makes a difference. Perhaps your sentences "
            "have one word: then there is no future and no past, and the only weight is 1.",
            "How many words must a sentence have for a softmax to choose?",
            misconception="even-inputs",
        ),
        "no places": WrongAnswer(
            compared(expected, WORDS, EMBEDDING, 0 * PLACES, *MATRICES),
            "Your test does not see whether the places are added, because they are 0 in it or "
            "have no effect on what you compare.",
            "What should happen to the prediction behind the third word when the first two change "
            "places?",
            misconception="attention-sees-order",
        ),
        "width 1": WrongAnswer(
            compared(expected, WORDS, *parameters(key_dim=1)),
            "Your test notices no wrong scale. Queries and keys have width 1, perhaps, and the "
            "root of 1 is 1; or the numbers are so small that any divisor gives much the same "
            "weights.",
            "For which key_dim is the scale something else than 1?",
            misconception="even-inputs",
        ),
        "the scale forgotten": WrongAnswer(
            compared(expected, WORDS, *parameters(), scale=1),
            "Your test expects scores without the root of key_dim, so it blames whoever divides "
            "by it.",
            "What stands under the fraction bar in softmax(QKᵀ/√d)?",
            misconception="no-scale",
        ),
        "upside down": upside_down(differs(expected, WORDS, *parameters())),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], WORDS, *parameters(), like=torch.equal),
            "Your test blames an implementation that is right and differs in the last digit only.",
        ),
    },
    variants=[with_modules, word_by_word, by_what_must_hold],
)
