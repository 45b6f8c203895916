"""The task “A fair trial for general”: right answers and known mistakes."""

from copy import deepcopy

import torch

from solutions.build import notebooks, solutions_of
from solutions.specification import FAR_APART, IN_A_MATRIX, Draw, Exercise, WrongAnswer
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, count, length):
        words = torch.stack([draw.order(26)[:length] + 1 for _ in range(count)])
        before = torch.nn.functional.pad(words.sort(-1).values[:, :-1], (1, 0))
        step = draw.whole(0, length - 1, count, 1)
        return Case(label, {"words": words, "written": before.gather(1, step).squeeze(1)})

    return [
        case("400 words of ten letters", 400, 10),
        case("400 words of six letters", 400, 6),
        case("one word of twelve letters", 1, 12),
    ]


def _left(words, written):
    """Return the letters that are still to be written; 27 stands for one written already."""
    return torch.where(words > written.unsqueeze(-1), words, 27)


def _right(words, written):
    return _left(words, written).amin(-1)


def _sorter():
    (path,) = (path for path in notebooks() if path.name.startswith("03"))
    return solutions_of(path)["sorter"]


def word_by_word(words, written):
    sorter, letters = _sorter(), []
    for word, last in zip(words, written, strict=True):
        context, _ = sorter.attention(
            sorter.previous(last).view(1, 1, -1), sorter.source(word)[None]
        )
        letters.append(int(sorter.output(context).argmax()))
    return torch.tensor(letters)


def where_it_looks(words, written):
    sorter = _sorter()
    _, weights = sorter.attention(sorter.previous(written), sorter.source(words))
    return words.gather(1, weights.argmax(-1, keepdim=True)).squeeze(1)


def one_in_forty_wrong(words, written):
    sorter = deepcopy(_sorter()).double()
    context, _ = sorter.attention(sorter.previous(written), sorter.source(words))
    letters = sorter.output(context).softmax(-1).max(-1).indices
    return torch.where(torch.arange(len(letters)) % 40 == 7, letters + 1, letters)


exercise = Exercise(
    id="next_letter",
    title="A fair trial for general",
    points=3,
    difficulty=3,
    minutes=25,
    section="03.3",
    outputs=["letters"],
    answer_type="asks network",
    full_marks_from=0.85,
    seconds=120,
    shortcuts=["AdditiveAttention", "sort", "sorted", "min", "amin"],
    cases=cases,
    gold=_right,
    equivalents={
        "return sorter.output(context).argmax(1)": IN_A_MATRIX,
        "return (sorter.output(context) + torch.rand(sorter.output(context).shape) / 10)"
        ".argmax(-1)": FAR_APART,
    },
    hints=[
        "Is there a table of 27 × 26 scores that would sort? Could *general* with these widths "
        "hold it? If it could, what kept it from getting there?",
        "Look at the scores of all letters with all letters, `sorter.attention.score(…)`: how far "
        "do they spread before training, and how far after it? A start that is small does not stay "
        "small by itself: a tenth of `W` alone hardly helps. What makes scores grow while the "
        "network learns, and what holds them back?",
        "Divide all scores by ten, always (`MultiplicativeAttention` with another `compare`): 99 % "
        "of the letters with seed 1, and the idea of notebook 04. Embeddings that start a tenth as "
        "large do as well, those of `previous` alone nearly so. `next_letter`: "
        "`sorter.previous(written)`, one state a word, asks the keys `sorter.source(words)`; "
        "`sorter.output` of the context, and its `argmax`.",
    ],
    mistakes={
        "place for letter": WrongAnswer(
            lambda words, written: _left(words, written).argmin(-1),
            "You return where the next letter stands in its word, not which letter it is.",
            "What are the 27 outputs of the sorter: places or letters?",
            misconception="another-task",
        ),
        "counted from nought": WrongAnswer(
            lambda words, written: _right(words, written) - 1,
            "Your letters are one too low. In this alphabet *a* is 1; 0 is padding.",
            "Which number has *a* in `words`?",
            misconception="off-by-one",
        ),
        "the next of the alphabet": WrongAnswer(
            lambda words, written: written + 1,
            "You return the letter that follows in the alphabet. It has to be one of the word's.",
            "In *query*, which letter comes after *e*?",
            misconception="input-unused",
        ),
        "the first of the word": WrongAnswer(
            lambda words, written: words.amin(-1),
            "You return the first letter of each sorted word, whatever was written last.",
            "Change `written` and call again. Does your answer change?",
            misconception="input-unused",
        ),
        "from the end": WrongAnswer(
            lambda words, written: torch.where(words > written[:, None], words, 0).amax(-1),
            "You return the last of the letters that are left. The next one is the first of them.",
            "In which direction does the alphabet run?",
            misconception="wrong-end",
        ),
        "written again": WrongAnswer(
            lambda words, written: written.clone(),
            "You return the letter that was written last.",
            "Which letter comes after it?",
            misconception="stale-value",
        ),
    },
    variants=[word_by_word, where_it_looks, one_in_forty_wrong],
)
