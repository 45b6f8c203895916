"""Catch the bug: a test of a loss with smoothed labels."""

import math

import torch
import torch.nn.functional as F

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import close, compared, differs, to_the_last_digit, upside_down
from utils.checks.implementations.smoothed_loss import IMPLEMENTATIONS

LABELS = torch.tensor([[2, 1, 4, 0, 0], [3, 0, 0, 0, 0], [1, 4, 2, 3, 1]])
ONE_LENGTH = torch.tensor([[2, 1, 4, 0], [3, 2, 1, 0]])  # as many real words in each sentence
NO_PADDING = torch.tensor([[2, 1, 4], [3, 3, 1]])
ALL_PADDING = torch.zeros(2, 3, dtype=torch.long)


def drawn(labels, words=5):
    generator = torch.Generator().manual_seed(7)
    return 2 * torch.randn(*labels.shape, words, generator=generator)


def expected(logits, labels, smoothing):
    chances = logits.log_softmax(-1)
    target = F.one_hot(labels, logits.shape[-1]) * (1 - smoothing) + smoothing / logits.shape[-1]
    losses = -(target * chances).sum(-1)[labels != 0]
    return losses.mean() if len(losses) else torch.tensor(0.0)


def compared_for(*labels, smoothing=0.1, right=expected, **options):
    """Return a test that compares the losses for some labels with the formula."""

    def test(smoothed_loss):
        for some in labels:
            compared(right, drawn(some), some, smoothing, **options)(smoothed_loss)

    return test


def asserts_nothing(smoothed_loss):
    print(smoothed_loss(drawn(LABELS), LABELS, 0.1), smoothed_loss(drawn(LABELS), LABELS, 0.0))


def some_number(smoothed_loss):
    loss = smoothed_loss(drawn(LABELS), LABELS, 0.1)
    assert loss.shape == ()
    assert loss > 0
    assert smoothed_loss(drawn(ALL_PADDING), ALL_PADDING, 0.1).isfinite()


def _mean_of_all(logits, labels, smoothing):
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=smoothing)


def _sum_of_words(logits, labels, smoothing):
    return expected(logits, labels, smoothing) * (labels != 0).sum()


def against_torch(smoothed_loss):
    torch.manual_seed(3)
    logits = torch.randn(2, 4, 6) * 3
    labels = torch.tensor([[5, 1, 0, 0], [2, 3, 4, 0]])
    expected = F.cross_entropy(logits.mT, labels, ignore_index=0, label_smoothing=0.3)
    torch.testing.assert_close(smoothed_loss(logits, labels, 0.3), expected)
    assert smoothed_loss(logits, labels * 0, 0.3) == 0


def by_hand(smoothed_loss):
    """Test two words whose logits have the softmax 1/8, 1/8, 1/4, 1/2."""
    row = torch.tensor([1.0, 1.0, 2.0, 4.0]).log()
    even = torch.zeros(4)
    logits = torch.stack([torch.stack([row, row, row]), torch.stack([even, row, row])])
    labels = torch.tensor([[3, 2, 0], [1, 0, 0]])
    mean = (3 + 3 + 2 + 1) / 4
    bits = (0.8 * 1 + 0.2 * mean) + (0.8 * 2 + 0.2 * mean) + 2
    assert abs(float(smoothed_loss(logits, labels, 0.2)) - bits * math.log(2) / 3) < 1e-4
    assert float(smoothed_loss(logits, torch.zeros(2, 3, dtype=torch.long), 0.2)) == 0.0


def word_by_word(smoothed_loss):
    logits, smoothing = drawn(LABELS), 0.25
    losses = []
    for b in range(3):
        for t in range(5):
            if LABELS[b, t] == 0:
                continue
            powers = [math.exp(float(x)) for x in logits[b, t]]
            logs = [math.log(power / sum(powers)) for power in powers]
            losses.append(-0.75 * logs[LABELS[b, t]] - 0.25 * sum(logs) / 5)
    actual = float(smoothed_loss(logits, LABELS, smoothing))
    assert abs(actual - sum(losses) / len(losses)) < 1e-4
    nothing = smoothed_loss(logits, torch.zeros_like(LABELS), smoothing)
    assert abs(float(nothing)) < 1e-6


def by_what_must_hold(smoothed_loss):
    """Test laws, and the loss log 5 of five words without a preference."""
    logits, even = drawn(LABELS), torch.zeros(3, 5, 5)
    loss = smoothed_loss(logits, LABELS, 0.1)
    assert abs(float(smoothed_loss(even, LABELS, 0.1)) - math.log(5)) < 1e-5
    changed = logits.clone()
    changed[LABELS == 0] += torch.tensor([9.0, 0.0, 0.0, 0.0, 0.0])
    assert close(smoothed_loss(changed, LABELS, 0.1), loss)
    parts = torch.stack(
        [smoothed_loss(logits[i : i + 1], LABELS[i : i + 1], 0.1) for i in range(3)]
    )
    assert close(loss, parts @ torch.tensor([3.0, 1.0, 5.0]) / 9)
    plain, flat = (smoothed_loss(logits, LABELS, smoothing) for smoothing in (0.0, 1.0))
    assert close(loss, 0.9 * plain + 0.1 * flat)
    assert plain != flat
    sure = 50 * F.one_hot(LABELS, 5).float()
    assert smoothed_loss(sure, LABELS, 0.0) < 1e-4
    assert smoothed_loss(logits, LABELS * 0, 0.1) == 0


exercise = CatchTheBug(
    id="test_smoothed_loss",
    title="Catch the bug in a loss",
    points=4,
    difficulty=3,
    minutes=20,
    section="06.4",
    hints=[
        "For which inputs does each part of the formula make no difference? Smoothing, for one, "
        "does nothing where it is 0, and padding does nothing where there is none.",
        "Work out the loss inside the test, for sentences of *different* lengths, and compare "
        "with `torch.allclose(…, atol=1e-6)`. Is there a batch that the formula cannot divide by?",
        "Draw logits (2, 4, 6) and labels such as `[[5, 1, 0, 0], [2, 3, 4, 0]]`. What to expect "
        "is `F.cross_entropy(logits.mT, labels, ignore_index=0, label_smoothing=0.3)`. Then call "
        "it once more with labels that are all 0, where the loss is 0.",
    ],
    mistakes={
        "asserts nothing": WrongAnswer(
            asserts_nothing,
            "Nothing in your test can fail, so it accepts all of them.",
            "If `smoothed_loss` returned 1 for everything, which of your lines would object?",
            misconception="plausible-is-right",
        ),
        "some number": WrongAnswer(
            some_number,
            "Your test sees that a loss is one positive number. Wrong losses are positive numbers "
            "too.",
            "Which number should it be? Can you work it out in another way?",
            misconception="plausible-is-right",
        ),
        "no padding": WrongAnswer(
            compared_for(NO_PADDING),
            "Your test has no padding in it. What is done wrong with it shows only where there is "
            "some.",
            "In which of your labels is there a 0?",
            misconception="padding-is-harmless",
        ),
        "sentences of one length": WrongAnswer(
            compared_for(ONE_LENGTH, ALL_PADDING),
            "All your sentences have as many words as each other, or there is only one. Then the "
            "mean of the sentences is the mean of the words.",
            "A sentence of one word and one of five: how much should each word count?",
            misconception="averages-anywhere",
        ),
        "smoothing 0": WrongAnswer(
            compared_for(LABELS, ALL_PADDING, smoothing=0.0),
            "Your test calls with smoothing 0, where nobody can tell whether smoothing is done.",
            "For which values of ε are 0, ε and 1 − ε three different numbers?",
            misconception="even-inputs",
        ),
        "smoothing a half": WrongAnswer(
            compared_for(LABELS, ALL_PADDING, smoothing=0.5),
            "Your test calls with smoothing 0.5, and a half is its own opposite: ε and 1 − ε "
            "cannot be told apart.",
            "For which values of ε are 0, ε and 1 − ε three different numbers?",
            misconception="even-inputs",
        ),
        "no batch without words": WrongAnswer(
            compared_for(LABELS),
            "Your test always has a real word somewhere. A batch of padding alone is the case "
            "that divides 0 by 0.",
            "What should the loss be where there is nothing to say?",
            misconception="no-empty-rows",
        ),
        "upside down": upside_down(
            differs(expected, drawn(LABELS), LABELS, 0.1),
            "Your test fails where it should pass: it asserts that the loss is *not* what the "
            "formula says.",
        ),
        "to the last digit": to_the_last_digit(
            compared_for(LABELS, ALL_PADDING, right=IMPLEMENTATIONS.right[0], like=torch.equal),
            "Two right ways to the same number seldom agree in every digit, and your test asks "
            "for that.",
        ),
        "padding expected": WrongAnswer(
            compared_for(LABELS, right=_mean_of_all),
            "Your test itself expects padding to count, so it blames those who leave it out.",
            "What does `cross_entropy` do with a label of 0 unless it is told otherwise?",
            misconception="padding-in-loss",
        ),
        "a sum expected": WrongAnswer(
            compared_for(LABELS, right=_sum_of_words),
            "Your test itself expects the sum over the words, so it blames those who take the "
            "mean of them.",
            "The loss of twice the same batch: twice as much, or the same?",
            misconception="sum-and-mean",
        ),
    },
    variants=[against_torch, by_hand, word_by_word, by_what_must_hold],
)
