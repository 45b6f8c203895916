"""The task “A softmax with a mask”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from solutions.wrong_pieces import filled, mask_late, safe_softmax, zero_is_hidden
from utils.checks.tasks import Case
from utils.masks import padding_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, scores, mask):
        return Case(label, {"scores": scores, "mask": mask})

    some = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 1]]).bool()  # (3, 4)
    none_left = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1]]).bool()  # (3, 4)
    order = draw.order(3)
    silent = draw.numbers(2, 3, 5)
    silent[..., 1] = 0.0
    far_below = (draw.numbers(2, 4) - 200_000).double()
    very_far = torch.tensor([[1.0, 20_000.0, 2.0, 0.0]]).double()
    towering = torch.tensor([[1.0, 0.0, 2.0, 0.0]]) + torch.tensor([[0.0, 3000.0, 0.0, 0.0]])
    return [
        case("three queries, four keys", draw.numbers(3, 4), some[order]),
        case("a batch of two, padded, scores of 0", silent, padding_mask([5, 2])),
        case("a row that is masked whole", draw.numbers(3, 4), none_left[order]),
        case("a sentence of length 0", draw.numbers(2, 4, 3), padding_mask([3, 0])),
        case("one key only, allowed or not", draw.numbers(2, 1), torch.tensor([[True], [False]])),
        case("the masked word has by far the best score", towering.double(), some[[0, 0]][:1]),
        case("a masked word with a score of 20,000", very_far, some[[0, 0]][:1]),
        case("all scores far below zero", far_below, some[order[:2]]),
        case("nothing masked, float64", draw.numbers(2, 5).double(), torch.ones(2, 5).bool()),
        case("scores that are a transposed view", draw.numbers(4, 3).T, some[order]),
    ]


def nan_to_zero(scores, mask):
    return scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0)


def with_where(scores, mask):
    low = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return torch.where(mask, torch.softmax(low, dim=-1), 0.0)


def by_the_formula(e, allowed):
    best = e.masked_fill(~allowed, -1e30).amax(-1, keepdim=True)
    powers = torch.exp((e - best).masked_fill(~allowed, -1e30)) * allowed
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


def a_low_number(scores, mask):
    weights = scores.masked_fill(mask.logical_not(), -1e9).softmax(dim=-1)
    return weights * mask


def row_by_row(scores, mask):
    mask = mask.expand(scores.shape)
    flat, marks = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for row, allowed in zip(flat, marks, strict=True):
        weights = 0 * row
        if allowed.any():
            weights = weights.masked_scatter(allowed, row[allowed].softmax(0))
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


def in_float64(scores, mask):
    wide = scores.double().masked_fill(~mask, -1e300)
    return wide.softmax(-1).masked_fill(~mask, 0)


exercise = Exercise(
    id="masked_softmax",
    title="A softmax with a mask",
    points=3,
    difficulty=2,
    minutes=10,
    section="02.6",
    learns=True,
    outputs=["weights"],
    invariants={"weights": ["not negative", "exact zeros", "rows sum to 1"]},
    cases=cases,
    equivalents={
        "lowest = torch.finfo().min": "the lowest number of float32 is low enough for any score",
    },
    hints=[
        "Two questions, one after the other. What must stand in a masked place *before* the "
        "softmax? And what comes out where all places of a row hold the same number?",
        "Minus infinity fails where it fills a row: 0 divided by 0 is NaN. The lowest finite "
        "number, `torch.finfo(scores.dtype).min`, gives equal shares there. What is left to do?",
        "`masked_fill(~mask, …)` twice: the lowest finite number into the scores, then, after "
        "the softmax along the last axis, 0 into the weights. The second only changes rows that "
        "are masked whole.",
    ],
    mistakes={
        "NaN where nothing is allowed": WrongAnswer(
            lambda scores, mask: filled(scores, mask, -torch.inf),
            "Rows that are masked whole come out as NaN, as the softmax of scores that are all "
            "minus infinity does, or 0 divided by 0. They should all be 0.",
            "Which number is low enough for the softmax, and still a number?",
            misconception="no-empty-rows",
        ),
        "shares among the forbidden": WrongAnswer(
            lambda scores, mask: filled(scores, mask, torch.finfo(scores.dtype).min),
            "Rows that are masked whole get equal shares, as the softmax gives where all places "
            "hold the same number. They should all be 0.",
            "Once the softmax is done: what does the mask still say about that row?",
            misconception="empty-rows-sum-to-one",
        ),
        "masked after the softmax": WrongAnswer(
            mask_late,
            "You mask too late, after the softmax perhaps: masked places count in its sum. What "
            "they had been given is lost, and rows with such places sum to less than 1.",
            "Who should get the share of the padding?",
            misconception="mask-after-softmax",
        ),
        "made whole again": WrongAnswer(
            lambda scores, mask: (
                mask_late(scores, mask) / mask_late(scores, mask).sum(-1, keepdim=True).clamp(1e-9)
            ),
            "You drop masked places only after `exp`, from a softmax perhaps, and divide by what "
            "is left. That is right on paper. Where a masked word has by far the best score, the "
            "others have been rounded to 0 before you divide.",
            "What is left of a score of 1 beside one of 3000? Where would the mask have to come "
            "for the 3000 to do no harm?",
            misconception="divide-again",
        ),
        "upside down": WrongAnswer(
            lambda scores, mask: safe_softmax(scores, ~mask),
            "Your weights lie on the places that are *not* allowed. `True` means: may be attended "
            "to.",
            "`masked_fill` fills where its mask is `True`. Is that where you want it?",
            misconception="mask-upside-down",
        ),
        "filled where allowed": WrongAnswer(
            lambda scores, mask: filled(scores, ~mask, torch.finfo(scores.dtype).min),
            "You fill in the low number where the mask is `True`, in the very places that are "
            "allowed. `True` means: may be attended to.",
            "`masked_fill` fills where its mask is `True`. Is that where you want it?",
            misconception="mask-upside-down",
        ),
        "nothing left to divide by": WrongAnswer(
            lambda scores, mask: (
                mask_late(scores, mask) / mask_late(scores, mask).sum(-1, keepdim=True)
            ),
            "You drop masked places only after `exp`, from a softmax perhaps, and divide by what "
            "is left. Where nothing is left, that is 0 divided by 0: in rows that are masked "
            "whole, and where a masked word has by far the best score.",
            "What has to be known *before* the softmax, so that nobody has to be paid back?",
            misconception="divide-again",
        ),
        "exp of large scores": WrongAnswer(
            lambda scores, mask: (
                scores.exp() * mask / (scores.exp() * mask).sum(-1, keepdim=True).clamp(1e-9)
            ),
            "On scores that are far from 0 the plain formula fails: `exp` of 3000 is infinity, "
            "and `exp` of -5000 is 0.",
            "Which method of a tensor takes care of that?",
            misconception="formula-is-safe",
            also={
                "and nothing left": lambda scores, mask: (
                    scores.exp() * mask / (scores.exp() * mask).sum(-1, keepdim=True)
                ),
            },
        ),
        "score 0": WrongAnswer(
            lambda scores, mask: (scores * mask).softmax(-1),
            "You set the masked scores to 0. A score of 0 is no reason to get nothing: `exp(0)` "
            "is 1, and beside negative scores it even wins.",
            "Which score gives a weight of 0?",
            misconception="low-score-hides",
        ),
        "0 is hidden": WrongAnswer(
            zero_is_hidden,
            "A place that is allowed and has a score of exactly 0 gets nothing from you, as if it "
            "were masked. A score of 0 is a score like any other.",
            "By what can a place that is masked be told from one whose score happens to be 0?",
            misconception="low-score-hides",
        ),
        "not low enough": WrongAnswer(
            lambda scores, mask: filled(scores, mask, -1000.0).masked_fill(~mask, 0.0),
            "Rows with masked places come out as zeros where their open scores all lie far below "
            "0: their exponentials are too small to count, by themselves or beside a larger "
            "number in your code.",
            "What is `exp(-200000)`? Which number has to be taken off a row's scores first, and "
            "could another one in your code be larger?",
            misconception="low-score-hides",
        ),
        "the masked places win": WrongAnswer(
            lambda scores, mask: filled(scores, mask, -1000.0),
            "In rows whose open scores all lie far below 0, the masked places get all the weight: "
            "what you fill in is a low number, but not low enough.",
            "What is the lowest number that a tensor of this kind can hold? PyTorch knows it.",
            misconception="low-score-hides",
            also={"by far": lambda scores, mask: filled(scores, mask, -10.0)},
        ),
        "over the queries": WrongAnswer(
            lambda scores, mask: filled(scores, mask, torch.finfo(scores.dtype).min, -2) * mask,
            "Your softmax runs over the queries: the columns sum to 1, not the rows.",
            "Which axis belongs to the keys, and so to the mask?",
            misconception="softmax-over-queries",
        ),
    },
    variants=[nan_to_zero, with_where, by_the_formula, a_low_number, row_by_row, in_float64],
)
