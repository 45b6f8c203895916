"""The task “Causal and padding mask in one”: right answers and known mistakes."""

import torch

from solutions.specification import Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import causal_mask, padding_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, lengths, positions, src_len):
        return Case(label, {"lengths": lengths, "positions": positions, "src_len": src_len})

    def all_of(count):
        return torch.arange(count)

    return [
        case("a whole sentence each", draw.order(5)[:3] + 1, all_of(5), 5),
        case("the newest two words only", draw.order(6)[:4] + 1, torch.tensor([4, 5]), 6),
        case("one sentence, one query", draw.whole(2, 3, 1), draw.whole(1, 2, 1), 4),
        # No sentence is as long as the row: nobody may look at the last column.
        case("an empty sentence", draw.order(4)[:3] * torch.tensor([1, 0, 1]), all_of(5), 5),
        case("queries in another order", draw.order(6)[:2] + 1, draw.order(6)[:4], 6),
        case("one key only", torch.tensor([1, 0]), torch.tensor([0]), 1),
        case("no padding", torch.full((2,), 7), draw.order(6)[:3], 7),
    ]


def _past(positions, src_len):
    """Return the causal part of the mask, (tgt_len, src_len)."""
    return torch.arange(src_len) <= positions[:, None]


def _real(lengths, src_len):
    """Return the padding part of the mask, (batch, 1, src_len)."""
    return torch.arange(src_len) < lengths[:, None, None]


def _combined(past=_past, real=_real, both=lambda past, real: past & real):
    def combine(lengths, positions, src_len):
        return both(past(positions, src_len), real(lengths, src_len))

    return combine


def in_loops(lengths, positions, src_len):
    mask = torch.zeros(len(lengths), len(positions), src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for i, place in enumerate(positions.tolist()):
            mask[b, i, : min(length, place + 1)] = True
    return mask


def rows_of_the_triangle(lengths, positions, src_len):
    return causal_mask(src_len)[positions] & padding_mask(lengths, src_len)


def one_comparison(lengths, positions, src_len):
    ends = torch.minimum(lengths[:, None], positions[None, :] + 1)  # (batch, tgt_len)
    return torch.arange(src_len).view(1, 1, -1) < ends.unsqueeze(-1)


def by_hiding(lengths, places, src_len):
    j = torch.arange(src_len)
    future = (j[None, None] > places[None, :, None]).expand(len(lengths), -1, -1)
    hidden = future.clone()
    hidden |= (j >= lengths.unsqueeze(1)).unsqueeze(1)
    return hidden.logical_not()


def by_multiplying(lengths, positions, src_len):
    j = torch.arange(src_len)
    past = (j <= positions[:, None]).int()
    real = (j < lengths[:, None]).int()
    return torch.einsum("ts,bs->bts", past, real).bool()


exercise = Exercise(
    id="combined_mask",
    title="Causal and padding mask in one",
    points=3,
    difficulty=2,
    minutes=10,
    section="04.4",
    outputs=["mask"],
    cases=cases,
    hints=[
        "Write down, for one cell (sentence b, query i, key j), the two questions that must both "
        "be answered with yes. Which of b, i and j does each of them need?",
        "Each question is one comparison of numbers: place of the key with place of the query, "
        "place of the key with length of the sentence. `None` in an index adds the axis that a "
        "comparison does not need.",
        "The places of the keys are `torch.arange(src_len)`. Compare them with `positions` as a "
        "column (tgt_len, 1), and with `lengths` as (batch, 1, 1); join the two with `&`.",
    ],
    mistakes={
        "strictly before": WrongAnswer(
            _combined(past=lambda positions, src_len: torch.arange(src_len) < positions[:, None]),
            "The causal part of your mask lets no query look at its own place. Causal means *not "
            "later*: itself and everything before it.",
            "What does that part leave for the very first word?",
            misconception="off-by-one",
        ),
        "the future": WrongAnswer(
            _combined(past=lambda positions, src_len: torch.arange(src_len) >= positions[:, None]),
            "The causal part of your mask opens the future and closes the past: as a comparison "
            "does that points the wrong way.",
            "May the place of the key be larger than that of the query?",
            misconception="future-open",
        ),
        "or for and": WrongAnswer(
            _combined(both=lambda past, real: past | real),
            "In your mask one yes is enough: padding is open wherever it is not in the future, "
            "and the future wherever it is no padding.",
            "May a query look at padding in its past? At a real word in its future?",
            misconception="half-is-enough",
        ),
        "one word of padding": WrongAnswer(
            _combined(
                real=lambda lengths, src_len: torch.arange(src_len) <= lengths[:, None, None]
            ),
            "Your mask lets the first padding through. Places are counted from 0, so a sentence "
            "of 3 words has the places 0, 1 and 2.",
            "Which is the last place of a sentence of length 3?",
            misconception="off-by-one",
        ),
        "True is hidden": WrongAnswer(
            _combined(both=lambda past, real: ~(past & real)),
            "Your mask is turned round: it says `True` of what should be hidden. In this course "
            "`True` means *may be attended to*.",
            "What should stand in the cell of the first query and the first key?",
            misconception="mask-upside-down",
        ),
        "True is hidden twice over": WrongAnswer(
            _combined(both=lambda past, real: ~past & ~real),
            "Your mask says `True` of what is both in the future and padding. Here `True` means "
            "*may be attended to*, and a key is hidden if either of the two is so.",
            "What should stand in the cell of the first query and the first key? And of a key "
            "that is padding in the past?",
            misconception="mask-upside-down",
        ),
        "padding forgotten": WrongAnswer(
            _combined(real=lambda lengths, src_len: (lengths >= 0)[:, None, None]),
            "Your mask is causal and no more: padding in the past of a query is open.",
            "Which column of which sentence should be closed from top to bottom?",
            misconception="half-is-enough",
        ),
        "future forgotten": WrongAnswer(
            _combined(past=lambda positions, src_len: (positions >= 0)[:, None]),
            "Your mask hides padding and no more: every query sees the future.",
            "Which cells should be closed in a sentence that has no padding at all?",
            misconception="half-is-enough",
        ),
        "row number for place": WrongAnswer(
            _combined(
                past=lambda positions, src_len: torch.ones(
                    len(positions), src_len, dtype=torch.bool
                ).tril()
            ),
            "You take row i for place i. That holds only where `positions` is 0, 1, 2 and so on. "
            "It says where each query stands: the first row may well be the fifth word.",
            "If the newest word alone asks, how many rows has the mask, and how much may it see?",
            misconception="row-is-word",
        ),
        "always the newest": WrongAnswer(
            _combined(
                past=lambda positions, src_len: torch.ones(
                    src_len, src_len, dtype=torch.bool
                ).tril()[-len(positions) :]
            ),
            "Your rows are the last ones of the triangle: right where the newest words ask. "
            "`positions` may name any others.",
            "Which of the three inputs do you use for its length only?",
            misconception="row-is-word",
        ),
        "rows of padding closed": WrongAnswer(
            lambda lengths, positions, src_len: (
                _combined()(lengths, positions, src_len)
                & (positions < lengths[:, None])[:, :, None]
            ),
            "You close the *rows* of queries that stand in the padding, too. A padding mask hides "
            "keys, the columns; what padding asks, nobody reads, and an empty row only makes "
            "trouble.",
            "Which of the two, row or column, is looked at?",
            misconception="who-asks",
        ),
        "numbers for booleans": WrongAnswer(
            _combined(both=lambda past, real: past.float() * real),
            "Your mask holds the numbers 1 and 0. Masks are boolean here, since `~` and "
            "`masked_fill` would not take numbers, or would take them wrongly.",
            "Which operator joins two boolean tensors into a boolean one?",
            misconception="mask-as-number",
        ),
    },
    variants=[in_loops, rows_of_the_triangle, one_comparison, by_hiding, by_multiplying],
)
