"""The task “Catch the bug”, a test of local attention with *general*; good and weak tests."""

import torch

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import (
    asserts_nothing,
    close,
    compared,
    differs,
    only_the_shapes,
    shapes_alone,
    sums_alone,
    to_the_last_digit,
    upside_down,
)
from utils.checks.implementations.buggy_local_general import IMPLEMENTATIONS, attention

LENGTHS = [6, 3]


def inputs(tgt_len=7, query_dim=3, key_dim=4, lengths=LENGTHS, src_len=6, W=None):
    generator = torch.Generator().manual_seed(3)
    shapes = (len(lengths), tgt_len, query_dim), (len(lengths), src_len, key_dim)
    query, keys = (torch.randn(shape, generator=generator) for shape in shapes)
    if W is None:
        W = torch.randn(query_dim, key_dim, generator=generator)
    return query, keys, W, torch.tensor(lengths)


def expected(query, keys, W, lengths, half_width, runs_on=False):
    scores = torch.einsum("btq,qk,bsk->bts", query, W, keys)
    hidden = torch.ones_like(scores).bool()
    for b, length in enumerate(lengths.tolist()):
        for t in range(query.shape[1]):
            centre = min(t, (keys.shape[1] if runs_on else length) - 1)
            hidden[b, t, max(centre - half_width, 0) : min(centre + half_width + 1, length)] = False
    weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
    return weights @ keys, weights


def only_the_zeros(local_general):
    _, weights = local_general(*inputs(query_dim=4), 1)
    assert torch.equal(weights == 0, expected(*inputs(query_dim=4), 1)[1] == 0)


def word_by_word(local_general):
    query, keys, W, lengths = inputs(
        tgt_len=5, query_dim=2, key_dim=5, lengths=[4, 2, 5], src_len=5
    )
    context, weights = local_general(query, keys, W, lengths, 1)
    for b in range(3):
        for t in range(5):
            centre = min(t, int(lengths[b]) - 1)
            places = [s for s in range(int(lengths[b])) if centre - 1 <= s <= centre + 1]
            powers = {s: float((query[b, t] @ (W @ keys[b, s])).exp()) for s in places}
            total = sum(powers.values())
            for s in range(5):
                assert abs(float(weights[b, t, s]) - powers.get(s, 0.0) / total) < 1e-4
            mixed = sum(powers[s] / total * keys[b, s] for s in places)
            assert (context[b, t] - mixed).abs().max() < 1e-4


def by_hand(local_general):
    W = torch.tensor([[0.0, 1.0], [0.0, 0.0]])  # the query's first number meets the key's second
    query = torch.tensor([[[1.0, 5.0]] * 4])
    keys = torch.tensor([[[9.0, 0.0], [0.0, 0.0], [7.0, 0.6931472], [3.0, 0.0]]])
    context, weights = local_general(query, keys, W, torch.tensor([3]), 1)
    half, third = 1 / 2, 1 / 3
    rows = [[half, half, 0, 0], [0.25, 0.25, 0.5, 0], [0, third, 2 * third, 0]]
    expected = torch.tensor([[*rows, rows[-1]]])
    torch.testing.assert_close(weights, expected, atol=1e-4, rtol=0)
    torch.testing.assert_close(context, expected @ keys, atol=1e-3, rtol=0)


def by_what_must_hold(local_general):
    """Test laws, with the zeros of the window written out."""
    query, keys, W, lengths = inputs(tgt_len=4, query_dim=4, lengths=[4, 2], src_len=4)
    context, weights = local_general(query, keys, W, lengths, 1)
    is_open = [["11..", "111.", ".111", "..11"], ["11..", "11..", "11..", "11.."]]
    for actual, rows in zip(weights, is_open, strict=True):
        for row, pattern in zip(actual, rows, strict=True):
            assert [bool(weight > 0) for weight in row] == [sign == "1" for sign in pattern]
    assert close(weights.sum(-1), torch.ones(2, 4))
    assert close(context, weights @ keys)
    odds = (weights[0, 1, 0] / weights[0, 1, 2]).log()
    assert abs(odds - query[0, 1] @ W @ (keys[0, 0] - keys[0, 2])) < 1e-3


def from_the_parts(local_general):
    given = inputs(tgt_len=6, query_dim=5, lengths=[2, 5, 6])
    for half_width in (1, 2):
        for actual, expected in zip(
            local_general(*given, half_width), attention()(*given, half_width), strict=True
        ):
            assert close(actual, expected)


exercise = CatchTheBug(
    id="test_local_general",
    title="Catch the bug",
    points=3,
    difficulty=3,
    minutes=30,
    section="03.5",
    hints=[
        "For which inputs does each part make no difference? The side on which $W$ stands, for "
        "one, does not matter where $W$ is symmetric; a window does nothing where it is wider than "
        "the sentence.",
        "Work out the expected weights and context inside the test, for inputs of which no two "
        "sizes are equal, and compare with `torch.allclose(…, atol=1e-5)`. Is one of your "
        "sentences shorter than the others? Is there a target that is longer than its source?",
        "Draw query (2, 7, 3), keys (2, 6, 4), W (3, 4), take lengths of 6 and 3 and $D = 1$. What "
        "to expect are the scores `query @ (keys @ W.T).mT`, masked by your `hard_window`, their "
        "softmax, and for the context the weights times the keys as they came.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(query_dim=4), 1, shapes=[(2, 7, 4), (2, 7, 6)]), "local_general"
        ),
        "only the shapes": only_the_shapes(
            shapes_alone(*inputs(), 1, shapes=[(2, 7, 4), (2, 7, 6)]),
            "Your test looks at most at the shapes. Most bugs leave them as they are.",
        ),
        "only the sums": WrongAnswer(
            sums_alone(*inputs(query_dim=4), 1),
            "Your test sees at most that rows sum to 1. Weights can be shared out among "
            "the wrong words and still sum to 1.",
            "Which words may a target word look at? Does your test say so?",
            misconception="plausible-is-right",
        ),
        "only the zeros": WrongAnswer(
            only_the_zeros,
            "Your test sees at most where the window lies, and not how the weights in it are "
            "shared out.",
            "Which other weights in the window would your test accept?",
            misconception="plausible-is-right",
        ),
        "the identity for W": WrongAnswer(
            compared(expected, *inputs(query_dim=4, W=torch.eye(4)), 1),
            "Your `W` does not show on which side it stands, or what it is applied to: it is the "
            "identity, perhaps. Where nothing is turned, nobody can turn it the wrong way.",
            "What would a `W` of other widths do to whoever transposes it?",
            misconception="even-inputs",
        ),
        "weights alone": WrongAnswer(
            compared(expected, *inputs(), 1, results=[1]),
            "Your test does not see what is handed out. The context can be wrong although the "
            "weights are right.",
            "Which of the two results does a decoder go on with?",
            misconception="keys-handed-out",
        ),
        "no padding": WrongAnswer(
            compared(expected, *inputs(lengths=[6, 6]), 1),
            "With your inputs padding makes no difference. What becomes of it shows only where a "
            "window reaches over the end of a sentence.",
            "What are the `lengths` in your calls?",
            misconception="padding-is-harmless",
        ),
        "targets that end early": WrongAnswer(
            compared(expected, *inputs(tgt_len=3), 1),
            "With your inputs it makes no difference that a window stops at the end of a sentence. "
            "It does where a target is longer than its source, and the window narrower than both.",
            "Where is the window of target word 5 in a sentence of three words?",
            misconception="row-is-sentence",
        ),
        "a window as wide as the sentence": WrongAnswer(
            compared(expected, *inputs(), 7),
            "With your inputs it makes no difference where the window stands, or whether there is "
            "one. Perhaps it is so wide that all words are in it.",
            "How many words of your longest sentence lie outside the window?",
            misconception="even-inputs",
        ),
        "upside down": upside_down(differs(expected, *inputs(), 1, result=1)),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(), 1, like=torch.equal)
        ),
        "a window that runs on": WrongAnswer(
            compared(expected, *inputs(lengths=[6, 5]), 1, runs_on=True),
            "Your test expects the window to go on behind the last word of a sentence, so it "
            "blames those that stop there and accepts the one that does not.",
            "Where is the window of target word 5 in a sentence of three words?",
            misconception="failing-is-finding",
        ),
    },
    variants=[word_by_word, by_hand, by_what_must_hold, from_the_parts],
)
