"""The task “Catch the bug”, a test of multi-head attention with any score; good and weak tests."""

import torch

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import asserts_nothing, close, shapes_alone
from utils.checks.implementations.buggy_any_heads import heads_with

BATCH, LENGTH, DIM, HEADS = 3, 5, 8, 2
PADDING = torch.arange(LENGTH) < torch.tensor([5, 4, 2])[:, None, None]  # (batch, 1, len)


def inputs():
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(BATCH, LENGTH, DIM, generator=generator)
    return x, *torch.randn(4, DIM, DIM, generator=generator) / 2


def asking(sums=True, hidden=True, output=True, order=True, like=close, heads=HEADS):
    """Return a test that asks for some of the laws."""

    def test(multi_head):
        x, w_q, w_k, w_v, w_o = inputs()
        result, weights = multi_head(x, w_q, w_k, w_v, w_o, heads, PADDING)
        if sums:
            rows = weights.sum(-1)
            assert like(rows, torch.ones_like(rows))
        if hidden:
            assert not weights[~PADDING.unsqueeze(1).expand_as(weights)].any()
        if output:
            assert like(result, joined(weights, x @ w_v) @ w_o)
        if order:
            turned, _ = multi_head(x.flip(1), w_q, w_k, w_v, w_o, heads, PADDING.flip(-1))
            assert like(turned.flip(1), result)

    return test


def joined(weights, values):
    contexts = [
        weights[:, head] @ part for head, part in enumerate(values.chunk(weights.shape[1], -1))
    ]
    return torch.cat(contexts, dim=-1)


def one_head_at_a_time(multi_head):
    """Let one head after the other write, and look at what comes out."""
    x, w_q, w_k, w_v, w_o = inputs()
    whole, weights = multi_head(x, w_q, w_k, w_v, w_o, HEADS, PADDING)
    total = 0.0
    for head in range(HEADS):
        part = slice(4 * head, 4 * head + 4)
        rows = torch.zeros_like(w_o)
        rows[part] = w_o[part]
        written, _ = multi_head(x, w_q, w_k, w_v, rows, HEADS, PADDING)
        assert close(written, weights[:, head] @ (x @ w_v)[..., part] @ w_o[part])
        assert close(weights[:, head].sum(-1), torch.ones(BATCH, LENGTH))
        assert not weights[1, head, :, 4].any()
        assert not weights[2, head, :, 2:].any()
        total = total + written
    assert close(total, whole)
    order = torch.tensor([2, 0, 4, 1, 3])
    mixed, _ = multi_head(x[:, order], w_q, w_k, w_v, w_o, HEADS, PADDING[..., order])
    assert close(mixed, whole[:, order])


def who_notices(multi_head):
    """Change one word of one sentence, and ask who notices; then compare sum and parts."""
    x, *matrices = inputs()
    before, weights = multi_head(x, *matrices, heads=HEADS, mask=PADDING)
    for word in range(LENGTH):
        changed = x.clone()
        changed[1, word] += 1.0
        after, _ = multi_head(changed, *matrices, heads=HEADS, mask=PADDING)
        noticed = (after - before).abs().amax(-1) > 1e-4  # (batch, len)
        assert not noticed[[0, 2]].any()
        if word == 4:  # padding: only its own query changes
            assert not noticed[1, :4].any()
        else:
            assert noticed[1].all()
    assert close(weights.sum(-1), torch.ones(BATCH, HEADS, LENGTH))
    assert not weights.masked_select(~PADDING.unsqueeze(1).expand_as(weights)).any()
    assert close(before, joined(weights, x @ matrices[2]) @ matrices[3])
    turned, _ = multi_head(x.roll(1, 1), *matrices, HEADS, PADDING.roll(1, -1))
    assert close(turned, before.roll(1, 1))


def worked_out_again(multi_head):
    x, *matrices = inputs()
    usual = heads_with(score=lambda query, keys: query @ keys.mT / (DIM // HEADS) ** 0.5)
    mine, theirs = (each(x, *matrices, HEADS, PADDING) for each in (usual, multi_head))
    assert close(mine[0], theirs[0])
    assert close(mine[1], theirs[1])


all_laws = asking()
all_laws.__name__ = "all_laws"

exercise = CatchTheBug(
    id="test_any_heads",
    title="Laws of any heads",
    points=2,
    difficulty=3,
    minutes=15,
    section="05.3",
    hints=[
        "You cannot say how large a weight has to be. But the weights are handed to you: what has "
        "to be true of them, and what follows from them for the output?",
        "Which columns of `x @ w_v` belong to head 1, and which rows of `w_o`? What happens to the "
        "output if the words (and the mask) come in another order?",
        "`weights.sum(-1)` is 1; where the mask is shut they are 0 in **every** head; "
        "`weights[:, h] @ (x @ w_v)[..., part of h]`, joined with `torch.cat(…, -1)`, times `w_o` "
        "is the output; and `x.flip(1)` with `mask.flip(-1)` gives the output flipped. Take more "
        "sentences than heads.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), HEADS, shapes=[(3, 5, 8), (3, 2, 5, 5)]), "multi_head"
        ),
        "sums alone": WrongAnswer(
            asking(hidden=False, output=False, order=False),
            "Your test catches no more than a look at the sums of rows.",
            "What must be true of a hidden cell, and of the output?",
            misconception="plausible-is-right",
        ),
        "only the weights": WrongAnswer(
            asking(output=False, order=False),
            "Your test does not see what comes after the weights: the values, the join and the "
            "projection. They show in the output.",
            "If you know the weights, how can you work out the output?",
            misconception="half-is-enough",
        ),
        "output not followed": WrongAnswer(
            asking(output=False),
            "Your test does not notice an output that does not follow from the weights. They are "
            "handed to you, and `x` and the matrices are yours.",
            "Which columns of `x @ w_v` does head 1 sum, and which rows of `w_o` read them?",
            misconception="shape-is-enough",
        ),
        "order never changed": WrongAnswer(
            asking(order=False),
            "Your test does not notice heads that prefer late words, whatever these say. They "
            "show where the same words come in two orders.",
            "If words and mask are turned round, what happens to the output?",
            misconception="attention-sees-order",
        ),
        "one head": WrongAnswer(
            asking(heads=1),
            "What goes wrong among heads slips through: how they are split and joined, and what "
            "each takes from the mask. It shows only with two heads or more.",
            "Which parts of the code have nothing to do where there is one head?",
            misconception="heads-as-one",
        ),
        "hidden cells": WrongAnswer(
            asking(hidden=False),
            "Your test does not look at what the mask hides, or not in every head.",
            "What must `weights[2, :, :, 4]` be, if the third sentence has two words?",
            misconception="padding-is-harmless",
        ),
        "sums never taken": WrongAnswer(
            asking(sums=False),
            "Your test does not notice a row of weights with a wrong sum.",
            "What is the sum of the weights that one word gives, in one head?",
            misconception="shares-need-not-sum-to-one",
        ),
        "worked out again": WrongAnswer(
            worked_out_again,
            "Your test blames a right version: it expects what need not be so, with this score or "
            "with any. Ask only for what holds with every score. If you work it out from the "
            "weights that you are handed, look at each step from there on.",
            "Is what this line expects true at all, and would it still be with another score?",
            misconception="another-task",
        ),
    },
    variants=[all_laws, one_head_at_a_time, who_notices],
)
