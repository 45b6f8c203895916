"""The task “The mask that was added”: right answers and known mistakes."""

import math

import torch
import torch.nn.functional as F

from solutions.cases import doubled, far_apart, one_row_shut, query_keys_values, random_mask
from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import (
    attention,
    cut_and_divided,
    fill_with,
    mask_added,
    mask_late,
    mask_turned,
)
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, inputs, *mask_shape):
        return Case(label, inputs | {"mask": random_mask(draw, *mask_shape)})

    turned = query_keys_values(draw, 2, 3, 5, 4, 2)
    turned["keys"] = draw.numbers(2, 4, 5).mT  # (2, 5, 4)
    flat = query_keys_values(draw, 2, 3, 4, 2, 3)
    flat["query"][:, 1] = 0.0
    shut = one_row_shut(random_mask(draw, 3, 2, 4))
    wide_open = torch.ones(2, 3, 4, dtype=torch.bool)
    return [
        case(
            "a mask for every sentence and query", query_keys_values(draw, 2, 3, 5, 4, 6), 2, 3, 5
        ),
        case("one mask for all sentences", query_keys_values(draw, 3, 2, 4, 5, 2), 2, 4),
        Case(
            "a mask that hides nothing",
            query_keys_values(draw, 2, 3, 4, 2, 5) | {"mask": wide_open},
        ),
        Case(
            "rows that may look at nothing", query_keys_values(draw, 3, 2, 4, 6, 2) | {"mask": shut}
        ),
        case("one sentence, one query", query_keys_values(draw, 1, 1, 4, 3, 2), 1, 1, 4),
        Case("scores in the thousands, the best of them hidden", far_apart(draw)),
        case("a query of zeros, whose scores are all 0", flat, 2, 3, 4),
        case("keys that are a transposed view", turned, 2, 3, 5),
        case("float64", doubled(query_keys_values(draw, 2, 4, 3, 8, 5)), 4, 3),
    ]


def filled_twice(query, keys, values, mask):
    scores = torch.einsum("btd,bsd->bts", query, keys) / query.shape[-1] ** 0.5
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(-1) * mask
    return torch.bmm(weights, values), weights


def minus_infinity_added(query, keys, values, mask):
    scores = query @ keys.mT / math.sqrt(query.shape[-1])
    closed = torch.zeros(mask.shape).masked_fill(mask.logical_not(), -math.inf)
    weights = torch.nan_to_num((scores + closed).softmax(-1))
    return weights @ values, weights


def from_torch(query, keys, values, mask):
    identity = torch.eye(keys.shape[1]).to(query).expand(len(query), -1, -1)
    weights = F.scaled_dot_product_attention(query, keys, identity, attn_mask=mask)
    return torch.bmm(weights, values), weights


def by_the_formula(q, k, v, open_cells):
    scores = (q.double() @ k.double().mT / q.shape[-1] ** 0.5).where(open_cells, -1e300)
    powers = (scores - scores.amax(-1, keepdim=True)).exp() * open_cells
    total = powers.sum(-1, keepdim=True)
    weights = powers / torch.where(total > 0, total, 1.0)
    return weights @ v.double(), weights


exercise = Exercise(
    id="attend_with_mask",
    title="The mask that was added",
    points=3,
    difficulty=2,
    minutes=10,
    section="04.4",
    learns=True,
    outputs=["context", "weights"],
    invariants={"weights": ["not negative", "rows sum to 1"]},
    shortcuts=["scaled_dot_product_attention"],
    cases=cases,
    hints=[
        "What number does PyTorch make of `True` when it is added to a score? And of `False`?",
        "In the formula of section 4 a hidden score becomes minus infinity. By how much does it "
        "sink here, compared with an open one?",
        "One line is wrong, and `utils.masks` has a function that does what it should: it takes "
        "the scores and the mask, and gives the weights, empty rows included.",
    ],
    mistakes={
        "the bug as it was": WrongAnswer(
            attention(weigh=mask_added),
            "The bug is still there. `True` counts as 1, so open scores are raised by 1 and "
            "hidden ones stay: hidden keys get a share that is only 2.7 times smaller.",
            "How far down would a hidden score have to go?",
            misconception="mask-as-number",
        ),
        "times the mask": WrongAnswer(
            attention(weigh=lambda scores, mask: (scores * mask).softmax(-1)),
            "You multiply the scores by the mask. A hidden score becomes 0, which is a score like "
            "any other: better than every negative one.",
            "What does `exp` make of 0?",
            misconception="mask-as-number",
        ),
        "mask after the softmax": WrongAnswer(
            attention(weigh=mask_late),
            "You took the hidden keys out after the softmax. They had their part in the sum that "
            "each weight was divided by, so rows sum to less than 1.",
            "On which side of the softmax can a key drop out without leaving a trace?",
            misconception="mask-after-softmax",
        ),
        "cut, then divided again": WrongAnswer(
            attention(weigh=cut_and_divided),
            "Cutting the weights and dividing once more is right on paper. Where a hidden score "
            "is very large, or a row is empty, it divides 0 by 0.",
            "What is left of the open keys' weights after a softmax that a hidden key has won?",
            misconception="divide-again",
        ),
        "turned round": WrongAnswer(
            attention(weigh=mask_turned),
            "Now the weights are exactly 0 where they should not be: you hide what `True` marks. "
            "The colleague's mask has `True` for *may be attended to*.",
            "Does `masked_fill` fill where its mask is `True` or where it is `False`?",
            misconception="mask-upside-down",
        ),
        "turned round, and NaN": WrongAnswer(
            attention(weigh=lambda scores, mask: scores.masked_fill(mask, -torch.inf).softmax(-1)),
            "You fill the scores where the mask is `True`. Those are the keys that *may* be "
            "looked at; and where all may be, nothing is left, which gives NaN.",
            "Which sign turns a boolean tensor round?",
            misconception="mask-upside-down",
        ),
        "NaN in an empty row": WrongAnswer(
            attention(weigh=fill_with(float("-inf"))),
            "The bug is gone. What is left are rows that may look at nothing: a softmax of minus "
            "infinities alone is NaN, and should be 0 here.",
            "Which function of section 5 knows about empty rows?",
            misconception="no-empty-rows",
        ),
        "equal shares in an empty row": WrongAnswer(
            attention(weigh=fill_with(-1e9)),
            "The bug is gone. What is left are rows that may look at nothing: all their scores "
            "are alike, so they look at everything.",
            "Which function of section 5 knows about empty rows?",
            misconception="empty-rows-sum-to-one",
        ),
        "infinity times 0": WrongAnswer(
            attention(weigh=lambda scores, mask: (scores + ~mask * -torch.inf).softmax(-1)),
            "You add minus infinity *times* the turned mask. Hidden keys get minus infinity; but "
            "for open ones that is 0 times infinity, which is NaN, and it takes the row with it.",
            "Which method writes a number only where a mask says so, without any arithmetic?",
            misconception="mask-as-number",
        ),
        "mask taken out": WrongAnswer(
            attention(weigh=lambda scores, mask: scores.softmax(-1)),
            "You took the bug out, and the mask with it: hidden keys are looked at as if there "
            "were none.",
            "What should the weights be where the mask is `False`?",
            misconception="padding-is-harmless",
        ),
    },
    variants=[filled_twice, minus_infinity_added, from_torch, by_the_formula],
)
