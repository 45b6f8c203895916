"""Predict what heads do."""

import numpy as np

from solutions.specification import Exercise, Misconception
from utils.checks.tasks import Case

PREDICTIONS = {
    "parameters": ["rises", "falls", "stays"],
    "maps": ["rises", "falls", "stays"],
    "rank": ["rises", "falls", "stays"],
    "mean_row": ["1", "less than 1", "the number of heads"],
    "exchange": ["the same", "shuffled", "another"],
    "shuffle": ["the same", "shuffled alike", "another"],
}
_RIGHT = {
    "parameters": "stays",
    "maps": "rises",
    "rank": "falls",
    "mean_row": "1",
    "exchange": "the same",
    "shuffle": "shuffled alike",
}


# --- Right answers in other styles ----------------------------------------------------------------


def in_capitals():
    return {
        "parameters": "Stays",
        "maps": "Rises",
        "rank": "Falls",
        "mean_row": "1",
        "exchange": "The same",
        "shuffle": "Shuffled alike",
    }


def with_a_number():
    return {
        "shuffle": np.str_("shuffled alike"),
        "exchange": np.str_("the same"),
        "mean_row": 1,
        "rank": "falls",
        "maps": "rises",
        "parameters": "stays",
    }


def with_spaces_and_a_note():
    return dict(
        parameters="stays ",
        maps=" rises",
        rank="falls",
        mean_row=" 1",
        exchange="the same",
        shuffle="shuffled alike",
        note="bag of words",
    )


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="heads_prediction",
    title="Predict what heads do",
    points=2,
    difficulty=1,
    minutes=5,
    kind="choices",
    outputs=list(PREDICTIONS),
    choices=PREDICTIONS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "For the first three: what do the heads cut, and what does each of them make anew?",
        "For `exchange`: the output is a sum, one term a head. For `shuffle`: what does attention "
        "know of places?",
        "`compare_heads` answers `parameters` and `maps`. For the others try "
        "`MultiHeadAttention(8, heads=2)` on random words, and look at sections 5, 6 and 10.",
    ],
    misconceptions=[
        Misconception(
            "heads cost parameters",
            _RIGHT | {"parameters": "rises"},
            "You say that more heads are more parameters. The same four matrices are cut into "
            "thinner slices.",
            "What did the formula of section 5 hold besides d?",
            kind="heads-share-the-width",
        ),
        Misconception(
            "heads save parameters",
            _RIGHT | {"parameters": "falls"},
            "You say that more heads are fewer parameters. Each slice is thinner, and there are "
            "more of them.",
            "What did the formula of section 5 hold besides d?",
            kind="heads-share-the-width",
        ),
        Misconception(
            "one map for all",
            _RIGHT | {"maps": "stays"},
            "You say that the number of weights stays. Every head draws a map of its own.",
            "Which shape have the weights?",
            kind="heads-as-one",
        ),
        Misconception(
            "thinner maps",
            _RIGHT | {"maps": "falls"},
            "You say that the number of weights falls. A head's vectors get thinner; its map has "
            "as many rows and columns as ever.",
            "Does `head_dim` occur in the shape of the weights?",
            kind="cost-without-counting",
        ),
        Misconception(
            "rank grows",
            _RIGHT | {"rank": "rises"},
            "You say that the possible rank rises. The scores of a head are a product with "
            "`head_dim` columns, and that gets smaller.",
            "What is the rank of a product of a column with a row?",
            kind="heads-share-the-width",
        ),
        Misconception(
            "rank stays",
            _RIGHT | {"rank": "stays"},
            "You say that the possible rank stays. The scores of a head are a product with "
            "`head_dim` columns, and that gets smaller.",
            "What was the rank with eight heads of width 1?",
            kind="heads-share-the-width",
        ),
        Misconception(
            "leaky mean",
            _RIGHT | {"mean_row": "less than 1"},
            "You say that rows of the mean map sum to less than 1. Each head's row sums to 1.",
            "What is the mean of four ones?",
            kind="shares-need-not-sum-to-one",
        ),
        Misconception(
            "sum for mean",
            _RIGHT | {"mean_row": "the number of heads"},
            "You say that rows of the mean map sum to the number of heads. Those of the *sum* "
            "would.",
            "What is the mean of four ones?",
            kind="sum-and-mean",
        ),
        Misconception(
            "heads have places",
            _RIGHT | {"exchange": "shuffled"},
            "You say that the output is shuffled. The joined contexts are; then the rows of "
            "$W^O$, exchanged as well, meet the same numbers as before.",
            "Does a sum of terms change when two of them change places?",
            kind="attention-sees-order",
        ),
        Misconception(
            "heads are numbered",
            _RIGHT | {"exchange": "another"},
            "You say that the output is another one. The output is a sum of one term a head, and "
            "no head knows its number.",
            "Does a sum of terms change when two of them change places?",
            kind="attention-sees-order",
        ),
        Misconception(
            "order does not show",
            _RIGHT | {"shuffle": "the same"},
            "You say that the output stays as it is. Each word keeps its result, and takes it "
            "along to its new place.",
            "In section 6, in which row stood the context of *cat* in the second sentence?",
            kind="row-is-word",
        ),
        Misconception(
            "order is seen",
            _RIGHT | {"shuffle": "another"},
            "You say that other outputs come out. Without positions attention sees a bag of words.",
            "How did the context of *cat* change in section 6?",
            kind="attention-sees-order",
        ),
    ],
    variants=[in_capitals, with_a_number, with_spaces_and_a_note],
)
