"""The mask of a sliding window."""

import torch

from solutions.specification import WHOLE, Draw, WrongAnswer, YourTurn
from utils.checks.tasks import Case
from utils.masks import causal_mask, window_mask


def cases(draw: Draw) -> list[Case]:
    return [
        Case("six words, a window of 3", {"length": 6, "window": 3}),
        Case("five words, a window of 1", {"length": 5, "window": 1}),
        Case("a window wider than the text", {"length": 4, "window": 9}),
        Case("a window as wide as the text", {"length": 4, "window": 4}),
        Case("drawn", {"length": int(draw.whole(8, 9)), "window": int(draw.whole(2, 5))}),
    ]


def with_the_course(length, window):
    return causal_mask(length) & window_mask(torch.arange(length), length, window - 1)


def two_triangles(length, window):
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


def row_by_row(length, window):
    rows = []
    for place in range(length):
        rows.append([place - window < other <= place for other in range(length)])
    return torch.tensor(rows)


def _between(lowest, highest):
    """Return a wrong answer: open from `lowest` to `highest` words back."""

    def mask(length, window):
        places = torch.arange(length)
        back = places[:, None] - places
        return (back >= lowest(window)) & (back <= highest(window))

    return mask


def _round_the_edge(length, window):
    rows, back = torch.arange(length)[:, None], torch.arange(min(window, length))
    mask = torch.zeros(length, length, dtype=torch.bool)
    return mask.scatter(1, (rows - back) % length, True)


def _blocks(length, window):
    block = torch.arange(length) // window
    return causal_mask(length) & (block[:, None] == block)


exercise = YourTurn(
    id="sliding_mask",
    title="The mask of a window",
    section="09.4",
    outputs=["mask"],
    cases=cases,
    mistakes={
        "itself not counted": WrongAnswer(
            _between(lambda window: 0, lambda window: window),
            "Rows far down have W + 1 open cells in your mask: W words before the present one, "
            "and itself. A window of W counts the present word.",
            "How many open cells has a row in the middle, for a window of 1?",
            misconception="off-by-one",
        ),
        "one too few": WrongAnswer(
            _between(lambda window: 0, lambda window: window - 2),
            "Rows far down have W - 1 open cells in your mask. Itself and W - 1 words before it "
            "make W.",
            "How many open cells has a row in the middle, for a window of 1?",
            misconception="off-by-one",
        ),
        "future open": WrongAnswer(
            _between(lambda window: 1 - window, lambda window: window - 1),
            "Your window lies on both sides of the word, so it looks ahead.",
            "What may a word see that has only just been written?",
            misconception="future-open",
        ),
        "blind to itself": WrongAnswer(
            _between(lambda window: 1, lambda window: window),
            "The diagonal is shut: a word does not see itself. Under a causal mask it does.",
            "What does the first word look at?",
            misconception="off-by-one",
        ),
        "upside down": WrongAnswer(
            lambda length, window: ~two_triangles(length, window),
            "`True` stands where nothing may be looked at.",
            "What does `True` mean in a mask of this course?",
            misconception="mask-upside-down",
        ),
        "no window": WrongAnswer(
            lambda length, window: causal_mask(length),
            "Rows far down are open up to the first word: this is the causal mask.",
            "Which argument says how far back a row is open?",
            misconception="input-unused",
        ),
        "half on each side": WrongAnswer(
            _between(lambda window: -(window // 2), lambda window: window // 2),
            "Your window stands around the word, half of it ahead. Under a causal mask it ends "
            "with the word itself.",
            "What may a word see that has only just been written?",
            misconception="future-open",
        ),
        "round the edge": WrongAnswer(
            _round_the_edge,
            "Your first rows go round the edge: what should lie before the first word is open at "
            "the end of the text, in the future.",
            "What does index -1 mean in Python, and what does the first word see?",
            misconception="future-open",
        ),
        "blocks": WrongAnswer(
            _blocks,
            "You cut the text into blocks of W words, and a word sees only its own block. A "
            "window moves on with each word: even the first word of a later block sees W - 1 "
            "words before it.",
            "With a window of 3, what does the fourth word see?",
            misconception="local-attention-roughly",
        ),
    },
    equivalents={"return (back >= -0.001) & (back < window)": WHOLE},
    variants=[with_the_course, two_triangles, row_by_row],
)
