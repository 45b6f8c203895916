"""The picture of the heads."""

import torch

from solutions.cases import as_view
from solutions.specification import Draw, Exercise, Misconception
from utils.checks.tasks import Case


def cases(draw: Draw) -> list[Case]:
    def case(label, weights, sentence, length):
        return Case(label, {"weights": weights, "sentence": sentence, "length": length})

    turned = as_view(draw.shares(3, 4, 5, 5))
    return [
        case("two sentences, two heads", draw.shares(2, 2, 5, 5), 0, 3),
        case("three sentences, two heads", draw.shares(3, 2, 4, 4), 1, 3),
        case("two sentences, four heads", draw.shares(2, 4, 6, 6), 1, 4),
        case("no padding", draw.shares(3, 3, 5, 5), 2, 5),
        case("one word", draw.shares(4, 2, 3, 3), 1, 1),
        case("one head", draw.shares(2, 1, 4, 4), 0, 2),
        case("a transposed view", turned, 2, 3),
        case("float64", draw.shares(4, 3, 5, 5).double(), 2, 4),
    ]


def _drawn(maps, mean=lambda maps: maps.mean(0, keepdim=True)):
    return torch.cat([maps, mean(maps)])


def _cut_out(weights, sentence, length):
    return weights[sentence, :, :length, :length]


# --- Right answers in other styles ----------------------------------------------------------------


def sentence_first(weights, sentence, length):
    maps = weights[sentence][:, :length, :length]
    return torch.cat([maps, maps.mean(0, keepdim=True)], dim=0)


def head_by_head(weights, sentence, length):
    maps = [one[:length, :length] for one in weights.select(0, sentence)]
    maps.append(sum(maps) / len(maps))
    return torch.stack(maps)


def narrowed(w, sentence, length):
    maps = w.narrow(0, sentence, 1).squeeze(0).narrow(1, 0, length).narrow(2, 0, length)
    average = torch.einsum("hts->ts", maps) / maps.shape[0]
    return torch.vstack((maps, average.unsqueeze(0)))


def in_float64(weights, sentence, length):
    weights = weights.double()
    with_mean = torch.cat([weights, weights.mean(1, keepdim=True)], dim=1)
    return with_mean[sentence, ..., :length, :length]


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="maps_to_draw",
    title="The picture of the heads",
    points=3,
    difficulty=2,
    minutes=10,
    outputs=["maps"],
    invariants={"maps": ["not negative"]},
    cases=cases,
    hints=[
        "In the picture of the long sentence, what should the two heads look like, and what do "
        "you see? Where have you seen the second map before?",
        "Read the index from left to right, one axis at a time: (batch, heads, tgt_len, src_len). "
        "On which axis does the number of the sentence belong?",
        "Of the first axis you want one sentence, of the second all heads (`:`). The other two "
        "places of the index are right.",
    ],
    misconceptions=[
        Misconception(
            "the bug as it was",
            lambda weights, sentence, length: _drawn(weights[:, sentence, :length, :length]),
            "The bug is still there. The number of the sentence picks a *head*: you draw one head "
            "of every sentence, not every head of one sentence. With as many sentences as heads "
            "even the shape is right.",
            "Which axis of the weights comes first, batch or heads?",
            kind="axes-anywhere",
        ),
        Misconception(
            "mean over the batch",
            lambda weights, sentence, length: _drawn(weights.mean(0)[:, :length, :length]),
            "You average over all sentences. Word 2 of one sentence has nothing to do with word 2 "
            "of another.",
            "Which input says whose maps are wanted?",
            kind="one-for-all",
        ),
        Misconception(
            "first sentence always",
            lambda weights, sentence, length: _drawn(weights[0, :, :length, :length]),
            "You draw the first sentence, whichever was asked for.",
            "Which of the three inputs have you not used?",
            kind="one-for-all",
        ),
        Misconception(
            "padding drawn too",
            lambda weights, sentence, length: _drawn(weights[sentence]),
            "The right sentence, with its padding: rows and columns that nobody reads.",
            "What is `length` for?",
            kind="row-is-sentence",
        ),
        Misconception(
            "rows cut, columns not",
            lambda weights, sentence, length: _drawn(weights[sentence, :, :length]),
            "You cut the rows of padding off and left its columns.",
            "Which two axes of a map belong to words?",
            kind="half-is-enough",
        ),
        Misconception(
            "cut at the wrong end",
            lambda weights, sentence, length: _drawn(weights[sentence, :, -length:, -length:]),
            "You kept the end of the sentence. The padding is at the end.",
            "Which words come first, the real ones or the padding?",
            kind="wrong-end",
        ),
        Misconception(
            "columns for rows",
            lambda weights, sentence, length: _drawn(_cut_out(weights, sentence, length).mT),
            "Your maps are turned: rows and columns have changed places. Rows are the words that "
            "look.",
            "Which axis comes first in (tgt_len, src_len)?",
            kind="rows-are-keys",
        ),
        Misconception(
            "mean of the whole map",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length),
                lambda maps: maps.mean().expand(1, length, length),
            ),
            "The maps of the heads are right. The last map is one number everywhere: the mean ran "
            "over all axes.",
            "Over which axis is the mean of the heads?",
            kind="averages-anywhere",
        ),
        Misconception(
            "sum for mean",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length), lambda maps: maps.sum(0, keepdim=True)
            ),
            "The maps of the heads are right. The last one is their sum, so that a row without "
            "padding sums to the number of heads.",
            "To what should a row of an average map sum?",
            kind="sum-and-mean",
        ),
        Misconception(
            "mean forgotten",
            lambda weights, sentence, length: _cut_out(weights, sentence, length) * 1,
            "The maps of the heads are right. Their mean, which should come last, is missing.",
            "How many maps should there be for two heads?",
            kind="another-task",
        ),
        Misconception(
            "columns cut, rows not",
            lambda weights, sentence, length: _drawn(weights[sentence, :, :, :length]),
            "You cut the columns of padding off and left its rows.",
            "Which two axes of a map belong to words?",
            kind="half-is-enough",
        ),
        Misconception(
            "mean in front",
            lambda weights, sentence, length: _drawn(
                _cut_out(weights, sentence, length).mean(0, keepdim=True),
                lambda maps: _cut_out(weights, sentence, length),
            ),
            "The mean stands before the heads. It belongs at the end, under the last title.",
            "Which title would your first map get?",
            kind="parts-in-any-order",
        ),
    ],
    variants=[sentence_first, head_by_head, narrowed, in_float64],
)
