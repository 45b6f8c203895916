"""The task “Catch the bug”, a test of a step that knows padding; good and weak tests."""

import math

import torch

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
from utils.checks.implementations.buggy_luong_step import IMPLEMENTATIONS


def inputs(words=(5, 1, 3), lengths=(4, 2, 3), src_len=4):
    """Return word, state, memory, mask, and three matrices."""
    generator = torch.Generator().manual_seed(6)
    shapes = (len(words), 4), (len(words), src_len, 4), (6, 3), (7, 4), (8, 6)
    state, memory, *matrices = (torch.randn(shape, generator=generator) for shape in shapes)
    mask = torch.arange(src_len) < torch.tensor(lengths).unsqueeze(1)
    return torch.tensor(words), state, memory, mask, *matrices


def expected(word, state, memory, mask, embedding, w_state, w_output):
    state = torch.tanh(torch.cat([embedding[word], state], 1) @ w_state)
    scores = torch.einsum("bd, bsd -> bs", state, memory)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(1)
    context = torch.einsum("bs, bsd -> bd", weights, memory)
    return torch.cat([context, state], 1) @ w_output, weights, state


def padding_closed(step):
    *_, mask, _, _, _ = given = inputs()
    assert not step(*given)[1][~mask].any()


def alone_and_trimmed(step):
    """Test that each sentence alone, without its padding, comes out as in the batch."""
    word, state, memory, mask, *matrices = inputs(lengths=(2, 4, 1))
    logits, weights, new = step(word, state, memory, mask, *matrices)
    for row in range(3):
        length = int(mask[row].sum())
        cut = memory[[row], :length]
        open_mask = torch.ones(1, length).bool()
        alone = expected(word[[row]], state[[row]], cut, open_mask, *matrices)
        assert close(logits[[row]], alone[0])
        assert close(weights[[row], :length], alone[1])
        assert close(new[[row]], alone[2])
        assert (weights[row, length:] == 0).all()


def by_hand(step):
    """Test with states, memory and vectors of width 1."""
    embedding, zero = torch.tensor([[0.0], [1.0], [-1.0]]), torch.zeros(2, 1)
    w_state, w_output = torch.tensor([[2.0], [1.0]]), torch.tensor([[1.0], [10.0]])
    memory = torch.tensor([[[1.0], [3.0], [9.0]], [[2.0], [5.0], [4.0]]])
    mask = torch.tensor([[True, True, False], [True, True, True]])
    logits, weights, state = step(
        torch.tensor([1, 2]), zero + 0.5, memory, mask, embedding, w_state, w_output
    )
    for row, (total, places) in enumerate(((2.5, [1.0, 3.0]), (-1.5, [2.0, 5.0, 4.0]))):
        new = math.tanh(total)
        powers = [math.exp(new * place) for place in places]
        shares = [power / sum(powers) for power in powers] + [0.0] * (3 - len(places))
        context = sum(a * b for a, b in zip(shares, places, strict=False))
        assert abs(state[row].item() - new) < 1e-4
        assert max(abs(a - b) for a, b in zip(weights[row].tolist(), shares, strict=True)) < 1e-4
        assert abs(logits[row].item() - context - 10 * new) < 1e-3


def by_what_must_hold(step):
    """Test laws: padding may hold anything, sentences may change places, the new state asks."""
    word, state, memory, mask, embedding, w_state, w_output = inputs()
    rest = embedding, w_state, w_output
    logits, weights, new = step(word, state, memory, mask, *rest)
    noisy = torch.where(mask.unsqueeze(-1), memory, torch.full_like(memory, 7))
    for before, after in zip(
        (logits, weights, new), step(word, state, noisy, mask, *rest), strict=True
    ):
        assert close(before, after)
    for row in range(3):
        alone = step(word[[row]], state[[row]], memory[[row]], mask[[row]], *rest)
        assert close(alone[0], logits[[row]])
        assert close(alone[1], weights[[row]])
    assert close(new, torch.cat([embedding[word], state], -1).matmul(w_state).tanh())
    odds = (weights[:, 0] / weights[:, 1]).log()
    assert close(odds, (new * (memory[:, 0] - memory[:, 1])).sum(-1))
    context = (weights.unsqueeze(-1) * memory).sum(1)
    assert close(logits, context @ w_output[:4] + new @ w_output[4:])


exercise = CatchTheBug(
    id="test_luong_step",
    title="Catch the bug",
    points=4,
    difficulty=3,
    minutes=35,
    section="03.4",
    hints=[
        "What has to be true of a short sentence in a batch, if it is also given alone and without "
        "its padding?",
        "Make a batch of three sentences with different lengths and different words. For each of "
        "them `luong_step` on `memory[[row], :length]` says what logits, weights and state should "
        "be. And behind its end, the weights are 0.",
        "`expected = luong_step(word[[row]], state[[row]], memory[[row], :length], *matrices)`, "
        "then `assert torch.allclose(logits[[row]], expected[0], atol=1e-5)`, the same for "
        "`weights[[row], :length]` and the new state, and all of `weights[row, length:]` is 0.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), shapes=[(3, 6), (3, 4), (3, 4)]),
            "step",
        ),
        "only the sums": WrongAnswer(
            sums_alone(*inputs()),
            "Your test sees at most that the weights of a sentence sum to 1. They can be "
            "spread quite wrongly and still do that.",
            "Which other weights would your test accept?",
            misconception="plausible-is-right",
        ),
        "only that padding is closed": WrongAnswer(
            padding_closed,
            "Your test sees at most that padding gets no weight, and nothing of what the words "
            "get.",
            "Would it object if all the weight went to the first word?",
            misconception="half-is-enough",
        ),
        "no padding": WrongAnswer(
            compared(expected, *inputs(lengths=(4, 4, 4))),
            "With your inputs padding makes no difference, and for padding the mask was added. "
            "Perhaps no sentence of your batch has any.",
            "What does your mask look like?",
            misconception="padding-is-harmless",
        ),
        "one sentence": WrongAnswer(
            compared(expected, *inputs((5,), (2,))),
            "Your test does not see what gets mixed up between the sentences of a batch. Perhaps "
            "it has one only.",
            "Which mistakes need two sentences?",
            misconception="one-for-all",
        ),
        "all of one length": WrongAnswer(
            compared(expected, *inputs(lengths=(3, 3, 3))),
            "With your inputs one mask would do for the whole batch. Perhaps all of its sentences "
            "have the same length.",
            "What if the first sentence's mask were used for the second?",
            misconception="even-inputs",
        ),
        "the same word everywhere": WrongAnswer(
            compared(expected, *inputs((2, 2, 2))),
            "With your inputs it does not show whose word was read. Perhaps all sentences of your "
            "batch read the same one.",
            "Which of your inputs are alike in all rows?",
            misconception="even-inputs",
        ),
        "only the weights": WrongAnswer(
            compared(expected, *inputs(), results=[1]),
            "Your test looks at most at the weights. What the step makes of them, and which state "
            "it hands on, it does not see.",
            "How many results does a step have?",
            misconception="half-is-enough",
        ),
        "not the logits": WrongAnswer(
            compared(expected, *inputs(), results=[1, 2]),
            "Your test does not look at the logits, or not where the context would count.",
            "What is the context good for, if nobody hears it?",
            misconception="half-is-enough",
        ),
        "not the state": WrongAnswer(
            compared(expected, *inputs(), results=[0, 1]),
            "Your test does not look at the state that is handed on to the next step.",
            "What would the second step begin with?",
            misconception="half-is-enough",
        ),
        "upside down": upside_down(
            differs(expected, *inputs()), "Your test fails where it should pass."
        ),
        "to the last digit": to_the_last_digit(
            compared(IMPLEMENTATIONS.right[0], *inputs(), like=torch.equal)
        ),
    },
    variants=[alone_and_trimmed, by_hand, by_what_must_hold],
)
