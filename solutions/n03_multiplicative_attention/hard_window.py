"""The task “A hard window”: right answers and known mistakes."""

import torch

from solutions.specification import A_DISTANCE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case
from utils.masks import padding_mask, window_mask


def cases(draw: Draw) -> list[Case]:
    def case(label, lengths, tgt_len, src_len, half_width):
        inputs = {"tgt_len": tgt_len, "src_len": src_len, "half_width": half_width}
        shuffled = torch.tensor(lengths)[draw.order(len(lengths))]
        return Case(label, {"lengths": shuffled, **inputs})

    more = int(draw.whole(7, 9))
    return [
        case("one sentence of five words, six target words", [5], 6, 5, 1),
        case("two sentences, one of them padded", [8, 5], 7, 8, 2),
        case("a target much longer than the sources", [4, 6, 3], more + 3, 6, 1),
        case("a batch that is padded further than its longest", [3, 5], 4, more, 2),
        case("a window of one word", [4, 7, 1], 6, 7, 0),
        case("a window wider than the sentence", [3, 2], 4, 3, 5),
        case("a sentence of one word, and one of none", [1, 0, 4], 3, 5, 1),
        case("one target word", [6, 4], 1, 6, 2),
    ]


def _hard(
    centres=lambda targets, last, src_len: targets.minimum(last),
    near=lambda offsets, half_width: offsets.abs() <= half_width,
    real=lambda sources, last: sources <= last,
    finish=lambda mask: mask,
):
    """Return the right function with some parts replaced."""

    def window(lengths, tgt_len, src_len, half_width):
        sources, targets = torch.arange(src_len), torch.arange(tgt_len).expand(len(lengths), -1)
        last = lengths.unsqueeze(1) - 1
        offsets = sources - centres(targets, last, src_len).unsqueeze(-1)
        return finish(near(offsets, half_width) & real(sources, last.unsqueeze(-1)))

    return window


def in_loops(lengths, tgt_len, src_len, half_width):
    mask = torch.zeros(len(lengths), tgt_len, src_len, dtype=torch.bool)
    for b, length in enumerate(lengths.tolist()):
        for t in range(tgt_len):
            centre = min(t, length - 1)
            for j in range(length):
                mask[b, t, j] = abs(j - centre) <= half_width
    return mask


def from_the_course(lengths, tgt_len, src_len, half_width):
    centres = torch.minimum(torch.arange(tgt_len), (lengths[:, None] - 1).clamp(min=0))
    return window_mask(centres, src_len, half_width) & padding_mask(lengths, src_len)


def by_slices(lengths, tgt_len, src_len, half_width):
    mask = torch.full((len(lengths), tgt_len, src_len), False)
    for sentence, length in zip(mask, lengths.tolist(), strict=True):
        for t, row in enumerate(sentence):
            centre = min(t, length - 1)
            row[max(0, centre - half_width) : min(length, centre + half_width + 1)] = True
    return mask


def by_bounds(lengths, tgt_len, src_len, half_width):
    place = torch.arange(src_len).view(1, 1, -1)
    last = lengths.view(-1, 1, 1) - 1
    centre = torch.where(torch.arange(tgt_len).view(1, -1, 1) < last, 0, last)
    centre = torch.where(
        torch.arange(tgt_len).view(1, -1, 1) < last, torch.arange(tgt_len).view(1, -1, 1), centre
    )
    return (place >= centre - half_width) & (place <= centre + half_width) & (place <= last)


exercise = Exercise(
    id="hard_window",
    title="A hard window",
    points=3,
    difficulty=2,
    minutes=15,
    section="03.5",
    outputs=["mask"],
    cases=cases,
    equivalents={
        "near = (centres.unsqueeze(-1) - sources).abs() <= half_width": A_DISTANCE,
    },
    hints=[
        "For one target word of one sentence: where is the middle of its window, and which source "
        "positions are then allowed? Two conditions have to hold.",
        "Give the source positions the last axis, the target positions the one before it, and the "
        "sentences the first. The centre is the smaller of the target position and the last "
        "position of that sentence: `torch.minimum`.",
        "`centres` has the shape (batch, tgt_len). Then the mask is "
        "`(sources - centres.unsqueeze(-1)).abs() <= …` and, with `&`, "
        "`sources < lengths[:, None, None]`.",
    ],
    mistakes={
        "off the end": WrongAnswer(
            _hard(centres=lambda targets, last, src_len: targets),
            "Your window walks off the end of its sentence: late target words are left with "
            "nothing to look at.",
            "Where should the window of target word 9 stand in a sentence of 4 words?",
            misconception="row-is-sentence",
        ),
        "stops at the padding's end": WrongAnswer(
            _hard(centres=lambda targets, last, src_len: targets.clamp(max=src_len - 1)),
            "Your centres stop at the last position of the padded batch. In a shorter sentence "
            "the window walks into the padding.",
            "How long is a sentence: as long as its row of the tensor?",
            misconception="row-is-sentence",
        ),
        "padding allowed": WrongAnswer(
            _hard(real=lambda sources, last: True),
            "The centres are right, and your window takes the padding in where it reaches over "
            "the end of its sentence.",
            "Which second condition has a position to meet, besides being near?",
            misconception="half-is-enough",
        ),
        "one batch, one length": WrongAnswer(
            _hard(lambda targets, last, src_len: targets, real=lambda sources, last: True),
            "Your mask is the same for all sentences, and `lengths` is not used: the window walks "
            "off the end of the short ones, and takes their padding in.",
            "Which of the four inputs does your function not need?",
            misconception="one-for-all",
        ),
        "one behind the last word": WrongAnswer(
            _hard(centres=lambda targets, last, src_len: targets.minimum(last + 1)),
            "Your centres stop one place too late, behind the last word. Positions are counted "
            "from 0.",
            "Which position has the last word of a sentence of 4 words?",
            misconception="off-by-one",
        ),
        "one too few": WrongAnswer(
            _hard(near=lambda offsets, half_width: offsets.abs() < half_width),
            "Your window has 2D - 1 positions, and it should have 2D + 1: those at a distance of "
            "exactly D belong to it.",
            "Is a position at a distance of D inside or outside?",
            misconception="off-by-one",
        ),
        "looks back only": WrongAnswer(
            _hard(near=lambda offsets, half_width: (offsets <= 0) & (offsets >= -half_width)),
            "Your window reaches from the centre to the left only. It stands on both sides.",
            "What is the distance of two positions, if one does not know which is larger?",
            misconception="half-is-enough",
        ),
        "D for the whole width": WrongAnswer(
            _hard(near=lambda offsets, half_width: 2 * offsets.abs() <= half_width),
            "You take D for the width of the whole window. It is the half: D to the left, D to "
            "the right, and the centre.",
            "How many positions has a window with D = 2, away from the ends?",
            misconception="local-attention-roughly",
        ),
        "upside down": WrongAnswer(
            _hard(finish=torch.logical_not),
            "Your mask is `True` outside the window. In the course `True` means: may be attended "
            "to.",
            "What would `masked_fill(~mask, …)` fill?",
            misconception="mask-upside-down",
        ),
        "a stretched diagonal": WrongAnswer(
            _hard(centres=lambda targets, last, src_len: targets * (last + 1) // targets.shape[1]),
            "Your window moves at another pace, so that the last target word meets the last "
            "source word. That is a good idea, and not this rule: in local-m the centre of target "
            "word t is source word t.",
            "Where does the window of target word 1 stand, whatever the two lengths are?",
            misconception="local-attention-roughly",
        ),
        "sources as rows": WrongAnswer(
            _hard(finish=torch.adjoint),
            "Your mask is (batch, src_len, tgt_len). Rows are target words, columns are source "
            "words.",
            "Which of the two kinds of positions gets the last axis?",
            misconception="rows-are-keys",
        ),
    },
    variants=[in_loops, from_the_course, by_slices, by_bounds],
)
