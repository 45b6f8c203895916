"""The task “Masks for a causal language model”: right answers and known mistakes."""

import torch

from solutions.specification import WHOLE, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def packed(*rows):
        """Return the numbers of documents: a row for each list of (number, count of words)."""
        numbers = [[number for number, words in row for _ in range(words)] for row in rows]
        return {"documents": torch.tensor(numbers)}

    a, b, c, d = (draw.order(8)[:4] + 1).tolist()  # no two alike, in no order
    cut = int(draw.whole(1, 4))
    return [
        Case("two documents and padding", packed([(a, cut), (b, 5 - cut), (0, 2)])),
        Case("one document, no padding", packed([(c, 5)])),
        Case(
            "rows that are packed differently",
            packed([(a, 2), (b, 4)], [(c, 1), (d, 2), (0, 3)], [(b, 6)]),
        ),
        Case("numbers that rise and fall", packed([(5, 2), (9, 1), (2, 3), (7, 2)])),
        Case("padding in front", packed([(0, 2), (d, 3)], [(0, 1), (a, 2), (c, 2)])),
        Case("a row of padding only", packed([(a, 2), (b, 1)], [(0, 3)])),
        Case("one place", packed([(b, 1)], [(0, 1)])),
    ]


def _packed(
    past=lambda i, j: j <= i,
    same=lambda documents: documents[:, :, None] == documents[:, None, :],
    real=lambda documents: documents[:, None, :] > 0,
    rescue=lambda mask: mask | torch.eye(mask.shape[-1], dtype=torch.bool),
    count=lambda mask, documents: mask.sum(-1) - 1,
):
    """Return the right function with some parts replaced."""

    def pack(documents):
        places = torch.arange(documents.shape[1])
        mask = past(places[:, None], places) & same(documents) & real(documents)
        mask = rescue(mask)
        return mask, count(mask, documents)

    return pack


def _right_positions(wrong_mask):
    """Return an answer with a wrong mask and right positions."""

    def pack(documents):
        return wrong_mask(documents)[0], _packed()(documents)[1]

    return pack


def in_loops(documents):
    batch, length = documents.shape
    mask = torch.zeros(batch, length, length, dtype=torch.bool)
    positions = torch.zeros(batch, length, dtype=torch.long)
    for b in range(batch):
        for i in range(length):
            mask[b, i, i] = True
            for j in range(i):
                if documents[b, i] != 0 and documents[b, i] == documents[b, j]:
                    mask[b, i, j] = True
                    positions[b, i] += 1
    return mask, positions


def padding_numbered_apart(documents):
    length = documents.size(1)
    numbers = torch.where(documents == 0, -1 - torch.arange(length), documents)
    mask = torch.eq(numbers.unsqueeze(2), numbers.unsqueeze(1)).tril()
    return mask, mask.int().sum(dim=2).long() - 1


def from_starts(documents):
    length = documents.shape[1]
    places = torch.arange(length).expand_as(documents)
    before = torch.cat([torch.full_like(documents[:, :1], -1), documents[:, :-1]], dim=1)
    starts = (documents != before) | (documents == 0)  # every padding is a document of its own
    first = (places * starts).cummax(dim=1).values  # where the document of each place begins
    mask = (places[:, None] <= places[:, :, None]) & (first[:, None] == first[:, :, None])
    return mask, places - first


def as_numbers(documents):
    one_hot = torch.nn.functional.one_hot(documents)[..., 1:].float()
    mask = torch.einsum("bid,bjd->bij", one_hot, one_hot).tril()
    mask = torch.maximum(mask, torch.eye(documents.shape[1])).bool()
    return mask, mask.count_nonzero(-1) - 1


exercise = Exercise(
    id="packed_mask",
    title="Masks for a causal language model",
    points=4,
    difficulty=2,
    minutes=15,
    section="04.4",
    outputs=["mask", "positions"],
    cases=cases,
    equivalents={
        "real = documents[:, None, :] > 0.001": WHOLE,
        "past = places < places[:, None]": "the diagonal is opened at the end in any case",
    },
    hints=[
        "Write down, for one cell (row b, query i, key j), the questions that must all be answered "
        "with yes. Which of them does a padding place answer with no, whatever j is?",
        "Same document is a comparison of `documents` with itself: once as a column, once as a "
        "row. For the padding use `|` at the end. And count: how many cells are open in the row "
        "of the third word of a document?",
        "Join `j <= i`, `documents[:, :, None] == documents[:, None, :]` and "
        "`documents[:, None, :] > 0` with `&`, then open the diagonal with `| torch.eye(…)` in "
        "booleans. The positions are the numbers of open cells in each row, less one.",
    ],
    mistakes={
        "documents see each other": WrongAnswer(
            _right_positions(_packed(same=lambda documents: (documents > 0)[:, :, None])),
            "Your mask is causal and hides padding, but words read the documents that were packed "
            "in front of theirs. To the model that is one long text.",
            "What does `documents` say beyond where the padding is?",
            misconception="half-is-enough",
            also={
                "and so does padding": _right_positions(_packed(same=lambda documents: True)),
            },
        ),
        "future forgotten": WrongAnswer(
            _right_positions(_packed(past=lambda i, j: j >= 0)),
            "Within a document every word sees every other one, those that follow included. A "
            "language model would read its answer there.",
            "What may the first word of a document look at?",
            misconception="future-open",
            also={
                "in padding too": _right_positions(
                    _packed(past=lambda i, j: j >= 0, real=lambda documents: True)
                ),
            },
        ),
        "the future": WrongAnswer(
            _right_positions(_packed(past=lambda i, j: j >= i)),
            "Your mask opens the future and closes the past: the comparison points the wrong way.",
            "May the place of the key be larger than that of the query?",
            misconception="future-open",
        ),
        "padding as a document": WrongAnswer(
            _right_positions(_packed(real=lambda documents: documents[:, None, :] >= 0)),
            "Places of padding look at each other, as if 0 were the number of one more document. "
            "Each of them should see itself only.",
            "To which places does `documents[:, :, None] == documents[:, None, :]` say yes where "
            "both are 0?",
            misconception="padding-is-harmless",
        ),
        "empty rows": WrongAnswer(
            _right_positions(_packed(rescue=lambda mask: mask)),
            "The rows of padding are empty in your mask: they may look at nothing, and a softmax "
            "that is not prepared for that makes NaN of them.",
            "Which one key may a padding place always look at, without touching anybody's words?",
            misconception="no-empty-rows",
        ),
        "padding sees everything": WrongAnswer(
            _right_positions(_packed(rescue=lambda mask: mask | ~mask.any(-1, keepdim=True))),
            "You open the rows of padding whole, so padding reads all documents, and the future. "
            "It should see itself and nothing else.",
            "How many open cells does a row need so that its softmax is no longer 0 / 0?",
            misconception="empty-rows-sum-to-one",
        ),
        "earlier numbers too": WrongAnswer(
            _right_positions(
                _packed(same=lambda documents: documents[:, :, None] >= documents[:, None, :])
            ),
            "A word sees every document whose number is not larger than that of its own. The "
            "numbers are names; which of two is larger says nothing.",
            "May document 9 read document 5?",
            misconception="half-is-enough",
        ),
        "first row for all": WrongAnswer(
            lambda documents: _packed()(documents[:1].expand_as(documents).contiguous()),
            "All your sentences get the mask of the first row. Each row is packed in its own way.",
            "Which axis of `documents` belongs to the batch, and where is it in your comparison?",
            misconception="one-for-all",
        ),
        "True is hidden": WrongAnswer(
            _right_positions(lambda documents: (~_packed()(documents)[0], None)),
            "Your mask is the right one turned round: `True` where it should be `False`. In this "
            "course `True` means *may be attended to*.",
            "What should stand on the diagonal?",
            misconception="mask-upside-down",
        ),
        "numbers for booleans": WrongAnswer(
            _right_positions(lambda documents: (_packed()(documents)[0].float(), None)),
            "Your mask holds the numbers 1 and 0. Masks are boolean here.",
            "Which operators join boolean tensors into a boolean one?",
            misconception="mask-as-number",
        ),
        "positions run on": WrongAnswer(
            _packed(
                count=lambda mask, documents: torch.arange(documents.shape[1]).expand_as(documents)
            ),
            "Your positions count through the whole row. Every document begins at 0 again: the "
            "model should not notice what it was packed with.",
            "At which position is the first word of the second document?",
            misconception="row-is-sentence",
        ),
        "positions run on, padding at 0": WrongAnswer(
            _packed(
                count=lambda mask, documents: (
                    torch.arange(documents.shape[1]) * (documents > 0).long()
                )
            ),
            "Your positions count through the whole row, though they leave out the padding. Every "
            "document begins at 0 again: the model should not notice what it was packed with.",
            "At which position is the first word of the second document?",
            misconception="row-is-sentence",
        ),
        "positions from 1": WrongAnswer(
            _packed(count=lambda mask, documents: mask.sum(-1)),
            "Your positions begin at 1. They count from 0, as places do everywhere in the course.",
            "How many words of its document come *before* the first one?",
            misconception="off-by-one",
        ),
        "order of return": WrongAnswer(
            lambda documents: _packed()(documents)[::-1],
            "You return the positions first and the mask second. Asked are `(mask, positions)`.",
            "Which of your two results has three axes?",
            misconception="parts-in-any-order",
        ),
    },
    variants=[in_loops, padding_numbered_apart, from_starts, as_numbers],
)
