"""The task “Catch the bug”, a test of attention with any score; good and weak tests."""

import torch

from solutions.specification import CatchTheBug, WrongAnswer
from solutions.weak_tests import asserts_nothing, close, compared, shapes_alone
from utils.masks import masked_softmax

MASK = torch.tensor(
    [
        [[1, 1, 0, 1, 0], [0, 1, 1, 1, 0], [1, 0, 1, 1, 0]],
        [[0, 0, 0, 0, 0], [1, 1, 1, 0, 1], [0, 1, 0, 0, 1]],
    ]
).bool()  # nobody in the first sentence may look at its last key


def inputs():
    generator = torch.Generator().manual_seed(4)
    shapes = ((2, 3, 4), (2, 5, 4), (2, 5, 4))
    return tuple(torch.randn(shape, generator=generator) for shape in shapes)


def by_product(query, keys, values, mask=None):
    weights = masked_softmax(query @ keys.mT / 2, mask)
    return weights @ values, weights


def asking(
    sums=True,
    hidden=True,
    shares=True,
    values=True,
    order=True,
    leak=True,
    mask=MASK,
):
    """Return a test that asks for some of the laws."""

    def test(attend):
        query, keys, given = inputs()
        context, weights = attend(query, keys, given, mask)
        if sums:
            assert close(weights.sum(-1), mask.any(-1).float())
        if hidden:
            assert not weights[~mask].any()
        if shares:
            assert (weights[mask] > 0).all()
        if values:
            assert close(context, weights @ given)
        if order:
            turned = attend(query, keys.flip(1), given.flip(1), mask.flip(-1))[1]
            assert close(turned.flip(-1), weights)
        if leak:
            other = keys.clone()
            other[0, 4] += 3.0
            assert close(attend(query, other, given, mask)[1], weights)

    return test


def by_renormalising(attend):
    """Work out what a mask does from the weights without one."""
    query, keys, values = inputs()
    _, free = attend(query, keys, values)
    context, weights = attend(query, keys, values, MASK)
    kept = free * MASK
    assert close(free.sum(-1), torch.ones(2, 3))
    assert close(weights, kept / kept.sum(-1, keepdim=True).clamp(min=1e-9))
    assert close(context, torch.einsum("bts,bsv->btv", weights, values))
    order = torch.tensor([3, 0, 4, 1, 2])
    assert close(attend(query, keys[:, order], values[:, order])[1], free[..., order])
    keys[0, 4] = 1.0  # hidden from the whole sentence
    assert close(attend(query, keys, values, MASK)[1], weights)


def key_by_key(attend):
    """Leave hidden keys out altogether, and ask for the same."""
    query, keys, values = inputs()
    context, weights = attend(query, keys, values, MASK)
    for b in range(2):
        for t in range(3):
            seen = MASK[b, t]
            if not seen.any():
                assert not weights[b, t].any()
                continue
            part = slice(b, b + 1), slice(t, t + 1)
            alone = attend(query[part], keys[b : b + 1, seen], values[b : b + 1, seen])
            assert close(weights[b, t, seen], alone[1][0, 0])
            assert close(context[b, t], weights[b, t] @ values[b])
            assert not weights[b, t, ~seen].any()
    both = attend(query, keys.flip(1), values.flip(1))[1]
    alone = attend(query[:, :1], keys, values)[1]
    assert close(both[:, :1], alone.flip(-1))
    assert close(alone.sum(-1), torch.ones(2, 1))


all_laws = asking()
all_laws.__name__ = "all_laws"

exercise = CatchTheBug(
    id="test_any_attention",
    title="Laws of any attention",
    points=2,
    difficulty=3,
    minutes=15,
    section="04.5",
    hints=[
        "You cannot say how large a weight has to be. What can you say of a row of weights, of a "
        "hidden cell, of the context, without knowing the score?",
        "Call `attend` twice: with the keys in another order, or with another vector for a key "
        "that is hidden. What has to stay the same? And what holds of a row that is hidden whole?",
        "With a mask (2, 3, 5) whose rows differ, one of them shut: rows sum to 1, or to 0; hidden "
        "cells are 0, open ones are more; `context` is `weights @ values`; `keys.flip(1)`, "
        "`values.flip(1)` and `mask.flip(-1)` give `weights.flip(-1)`; and a key that a whole "
        "sentence may not see can be changed without any effect.",
    ],
    mistakes={
        "asserts nothing": asserts_nothing(
            shapes_alone(*inputs(), shapes=[(2, 3, 4), (2, 3, 5)]), "attend"
        ),
        "sums alone": WrongAnswer(
            asking(hidden=False, shares=False, values=False, order=False, leak=False),
            "Your test asks at most for the sums of rows. Weights can be shared out quite wrongly "
            "and still sum to 1.",
            "What must be true of a hidden cell, of an open one, and of the context?",
            misconception="plausible-is-right",
        ),
        "nothing changed": WrongAnswer(
            asking(order=False, leak=False),
            "Your test notices nothing that takes two calls. Some laws tie two results together: "
            "what happens if the keys come in another order, or if a hidden one changes?",
            "Which change of the inputs must not change the weights?",
            misconception="half-is-enough",
        ),
        "no leak test": WrongAnswer(
            asking(leak=False),
            "Your test does not see a leak. A hidden key can get a weight of 0 and still have a "
            "say in how the rest is shared out.",
            "Change a key that nobody may see. What must not change?",
            misconception="padding-is-harmless",
        ),
        "order never changed": WrongAnswer(
            asking(order=False),
            "Your test does not notice an attention that prefers late keys, whatever they say. "
            "What would: the same keys, given in two orders.",
            "If keys, values and mask are turned round together, what happens to the weights?",
            misconception="attention-sees-order",
        ),
        "values never looked at": WrongAnswer(
            asking(values=False),
            "Your test does not see what is handed out. That shows in the context.",
            "Which law ties `context`, `weights` and `values` together?",
            misconception="keys-handed-out",
        ),
        "worked out again": WrongAnswer(
            compared(by_product, *inputs(), MASK),
            "Your test blames a right version: it expects what is not so with every score. Here "
            "nobody knows the score, and right versions differ in it. Ask for what holds with any.",
            "What would still be true of the weights if the score were another one?",
            misconception="another-task",
        ),
        "everything hidden": WrongAnswer(
            asking(mask=MASK & False),
            "With your inputs hardly a bug shows. Perhaps all cells are hidden: then there is "
            "hardly anything that could be wrong.",
            "Which laws speak of open cells?",
            misconception="even-inputs",
        ),
    },
    variants=[all_laws, by_renormalising, key_by_key],
)
