"""The task “Cross-attention both ways”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.attention import ScaledDotProductAttention
from utils.checks.tasks import Case
from utils.masks import masked_softmax


def cases(draw: Draw) -> list[Case]:
    def case(label, batch, left_len, right_len, dim, closed=(), reach=1.5, double=False):
        left = draw.numbers(batch, left_len, dim, reach=reach)
        right = draw.numbers(batch, right_len, dim, reach=reach)
        left_mask = torch.ones(batch, left_len, dtype=torch.bool)
        right_mask = torch.ones(batch, right_len, dtype=torch.bool)
        for side, sentence, place in closed:
            (left_mask if side == "left" else right_mask)[sentence, place] = False
        if double:
            left, right = left.double(), right.double()
        return Case(
            label,
            {"left": left, "right": right, "left_mask": left_mask, "right_mask": right_mask},
        )

    padding = [("left", 1, 2), ("right", 0, 3), ("right", 1, slice(2, 4))]
    turned = case("left and right are transposed views", 2, 3, 4, 5, padding)
    views = {"left": draw.numbers(2, 5, 3).mT, "right": draw.numbers(2, 5, 4).mT}
    return [
        case("three words and five, no padding", 1, 3, 5, 4),
        case("two pairs of sentences with padding", 2, 3, 4, 5, padding),
        case("the left side longer", 2, 5, 2, 3, [("left", 0, slice(3, 5)), ("right", 1, 1)]),
        case("one word against four", 1, 1, 4, 3, [("right", 0, 3)]),
        case("all of the right side masked", 2, 3, 4, 2, [("right", 0, slice(0, 4))]),
        case("large scores", 2, 3, 4, 5, padding, reach=100, double=True),
        case("float64", 1, 4, 3, 6, [("left", 0, 0)], double=True),
        Case(turned.label, {**turned.inputs, **views}),
    ]


def _softmax_where(scores, mask):
    """Return what `masked_softmax` of the course returns."""
    return scores.masked_fill(~mask, -1e30).softmax(-1) * mask


def _both(
    scale=lambda left: left.shape[-1] ** 0.5,
    forth=lambda scores, left_mask, right_mask: _softmax_where(scores, right_mask[:, None]),
    back=lambda scores, left_mask, right_mask: _softmax_where(scores.mT, left_mask[:, None]),
    reads=lambda forth, back, left, right: (forth @ right, back @ left),
    order=(0, 1, 2, 3),
):
    """Return an answer with one part replaced."""

    def attend(left, right, left_mask, right_mask):
        scores = left @ right.mT / scale(left)
        there = forth(scores, left_mask, right_mask)
        here = back(scores, left_mask, right_mask)
        results = (*reads(there, here, left, right), there, here)
        return tuple(results[place] for place in order)

    return attend


def _turned_weights(left, right, right_mask):
    forth = _softmax_where(left @ right.mT / left.shape[-1] ** 0.5, right_mask[:, None])
    return forth @ right, forth.mT @ left, forth, forth.mT


def _down_the_columns(scores, left_mask):
    return _softmax_where(scores.mT, left_mask[:, None]).mT


def with_the_course(left, right, left_mask, right_mask):
    attention = ScaledDotProductAttention(left.shape[-1])
    left_reads, forth = attention(left, right, mask=right_mask[:, None])
    right_reads, back = attention(right, left, mask=left_mask[:, None])
    return left_reads, right_reads, forth, back


def along_the_other_axis(a, b, a_mask, b_mask):
    e = torch.einsum("bid,bjd->bij", a, b) / a.size(2) ** 0.5
    forth = masked_softmax(e, b_mask[:, None, :], dim=2)
    back = masked_softmax(e, a_mask[:, :, None], dim=1).permute(0, 2, 1)
    return torch.bmm(forth, b), torch.bmm(back, a), forth, back


def by_exponentials(left, right, left_mask, right_mask):
    def shares(scores, mask):
        low = scores.masked_fill(~mask, -1e30)
        powers = (low - low.amax(-1, keepdim=True)).exp() * mask
        return powers / powers.sum(-1, keepdim=True).clamp(min=1e-20)

    scores = left @ right.transpose(-2, -1) * left.shape[-1] ** -0.5
    forth = shares(scores, right_mask.unsqueeze(-2))
    back = shares(scores.mT, left_mask.unsqueeze(-2))
    return [forth @ right, back @ left, forth, back]


def pair_by_pair(left, right, left_mask, right_mask):
    results = []
    for ours, theirs, mine, yours in zip(left, right, left_mask, right_mask, strict=True):
        table = ours @ theirs.T / ours.shape[1] ** 0.5
        there = masked_softmax(table, yours.expand_as(table))
        here = masked_softmax(table.T, mine.expand_as(table.T))
        results.append((there @ theirs, here @ ours, there, here))
    return tuple(torch.stack(parts) for parts in zip(*results, strict=True))


def in_float64(left, right, left_mask, right_mask):
    return along_the_other_axis(left.double(), right.double(), left_mask, right_mask)


exercise = Exercise(
    id="both_ways",
    title="Cross-attention both ways",
    points=4,
    difficulty=3,
    minutes=20,
    section="07.5",
    learns=True,
    outputs=["left_reads", "right_reads", "forth", "back"],
    invariants={name: ["not negative", "rows sum to 1"] for name in ("forth", "back")},
    cases=cases,
    hints=[
        "One table of scores, and two ways of reading it. Who is asking if you read it by rows, "
        "and who by columns?",
        "Turn the *scores* on their side before the second softmax, not the weights after the "
        "first. And each softmax needs the mask of those who are looked at.",
        "`forth` is the masked softmax of `scores` with the right mask, which gets an axis of 1 "
        "in its middle. `back` is the same of `scores.transpose(1, 2)` with the left mask. Each "
        "of the two multiplies the words that are looked at.",
    ],
    mistakes={
        "the way back is the way there, turned": WrongAnswer(
            lambda left, right, left_mask, right_mask: _turned_weights(left, right, right_mask),
            "Your `back` is `forth` turned on its side. Its rows do not sum to 1: the softmax has "
            "shared out the attention of each *left* word, and nobody has shared out that of a "
            "right word.",
            "Scores can be read both ways. Which step of attention cannot?",
            misconception="reads-by-columns",
        ),
        "columns for rows": WrongAnswer(
            _both(
                back=lambda scores, left_mask, right_mask: _down_the_columns(scores, left_mask),
                reads=lambda forth, back, left, right: (forth @ right, back.mT @ left),
            ),
            "Your `back` has a row for each left word: the softmax runs over the left words, as "
            "it should, but the result was not turned. A row belongs to the word that looks.",
            "Who looks in `back`, and how many of them are there?",
            misconception="rows-are-keys",
        ),
        "right side unmasked": WrongAnswer(
            _both(forth=lambda scores, left_mask, right_mask: scores.softmax(-1)),
            "In `forth`, padding of the right sentence is looked at: its mask is not used.",
            "Which of the two masks says what a left word may look at?",
            misconception="padding-is-harmless",
        ),
        "left side unmasked": WrongAnswer(
            _both(back=lambda scores, left_mask, right_mask: scores.mT.softmax(-1)),
            "In `back`, padding of the left sentence is looked at: its mask is not used.",
            "Which of the two masks says what a right word may look at?",
            misconception="padding-is-harmless",
        ),
        "masks turned round": WrongAnswer(
            lambda left, right, left_mask, right_mask: _both()(
                left, right, ~left_mask, ~right_mask
            ),
            "Your masks are read the other way round: padding is looked at, and nothing else.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
            also={
                "the right one": lambda left, right, left_mask, right_mask: _both()(
                    left, right, left_mask, ~right_mask
                ),
                "the left one": lambda left, right, left_mask, right_mask: _both()(
                    left, right, ~left_mask, right_mask
                ),
            },
        ),
        "own mask": WrongAnswer(
            _both(
                forth=lambda scores, left_mask, right_mask: _softmax_where(
                    scores, left_mask[..., None]
                ),
                back=lambda scores, left_mask, right_mask: _softmax_where(
                    scores.mT, right_mask[..., None]
                ),
            ),
            "You mask the words that look, by their own mask. What has to be masked are the words "
            "that are looked at: those of the other side.",
            "Is the padding of the right side a row of `forth` or a column?",
            misconception="who-asks",
        ),
        "both masks at once": WrongAnswer(
            _both(
                forth=lambda scores, left_mask, right_mask: _softmax_where(
                    scores, left_mask[..., None] & right_mask[:, None]
                ),
                back=lambda scores, left_mask, right_mask: _softmax_where(
                    scores.mT, right_mask[..., None] & left_mask[:, None]
                ),
            ),
            "You also clear the rows of padding. Careful work, and more than was asked: here only "
            "what is *looked at* is masked, as in the attention of the course.",
            "Which mask does `forth` need, and which does it not need?",
            misconception="who-asks",
        ),
        "no scale": WrongAnswer(
            _both(scale=lambda left: 1.0),
            "Your scores are not divided by the root of the width, so all weights are too sharp.",
            "How many products are added up in one score?",
            misconception="no-scale",
        ),
        "reads itself": WrongAnswer(
            _both(reads=lambda forth, back, left, right: (back.mT @ right, forth.mT @ left)),
            "What the left side reads was mixed with `back` turned on its side, whose rows do not "
            "sum to 1.",
            "Which of the two weights has a row for each left word *and* sums to 1 in it?",
            misconception="reads-by-columns",
        ),
        "pairs in another order": WrongAnswer(
            _both(order=(0, 2, 1, 3)),
            "You return each side's reading together with its weights. The task asks for the two "
            "readings first, then the two weights.",
            "What should the second of the four results be?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[with_the_course, along_the_other_axis, by_exponentials, pair_by_pair, in_float64],
)
