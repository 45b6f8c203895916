"""Predict what doubling does."""

import numpy as np

from solutions.specification import Exercise, Misconception
from utils.checks.tasks import Case

_GROWTH = ["stays", "doubles", "four times"]
DOUBLINGS = {
    "length_work": _GROWTH,
    "length_memory": _GROWTH,
    "width_work": _GROWTH,
    "width_memory": _GROWTH,
    "target_work": _GROWTH,
    "fused_memory": _GROWTH,
}
_RIGHT = {
    "length_work": "four times",
    "length_memory": "four times",
    "width_work": "doubles",
    "width_memory": "stays",
    "target_work": "doubles",
    "fused_memory": "doubles",
}


# --- Right answers in other styles ----------------------------------------------------------------


def in_capitals():
    return {
        "length_work": "Four times",
        "length_memory": "FOUR TIMES",
        "width_work": "Doubles",
        "width_memory": "Stays",
        "target_work": "Doubles",
        "fused_memory": "Doubles",
    }


def as_arrays_of_words():
    growth = np.array(["stays", "doubles", "four times"])
    return {
        "fused_memory": growth[1],
        "target_work": growth[1],
        "width_memory": growth[0],
        "width_work": growth[1],
        "length_memory": growth[2],
        "length_work": growth[2],
    }


def with_spaces_and_a_note():
    return dict(
        length_work="four times ",
        length_memory=" four times",
        width_work="doubles",
        width_memory="stays",
        target_work="doubles",
        fused_memory="doubles",
        note="T times T",
    )


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="doubling_prediction",
    title="Predict what doubling does",
    points=2,
    difficulty=1,
    minutes=5,
    kind="choices",
    outputs=list(DOUBLINGS),
    choices=DOUBLINGS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Which of the six is about the number of cells in the table of weights, and which about "
        "what one cell costs?",
        "Draw the table for 3 words and for 6. Then ask what changes in it when only the vectors "
        "get wider, or only the target gets longer.",
        "`attention_cost` is yours: call it with 100 and 200 words, with width 64 and 128. Only "
        "`fused_memory` it cannot tell; section 10 has counted that.",
    ],
    misconceptions=[
        Misconception(
            "work in step with length",
            _RIGHT | {"length_work": "doubles"},
            "You say that twice the words are twice the work. Each word has twice as many words "
            "to look at, and there are twice as many that look.",
            "How many cells has the table of 3 words, and how many that of 6?",
            kind="cost-without-counting",
        ),
        Misconception(
            "work does not grow",
            _RIGHT | {"length_work": "stays"},
            "You say that more words are no more work. Every query meets every key.",
            "How many scores do 3 words make, and how many 6?",
            kind="cost-without-counting",
        ),
        Misconception(
            "memory in step with length",
            _RIGHT | {"length_memory": "doubles"},
            "You say that twice the words need twice the memory. The weights are a table, and "
            "both its sides grow.",
            "512 words needed 1 MiB in section 9. And 2,048?",
            kind="cost-without-counting",
        ),
        Misconception(
            "memory does not grow",
            _RIGHT | {"length_memory": "stays"},
            "You say that more words need no more memory for the weights. Each pair of words has "
            "a cell.",
            "Which shape have the weights of 6 words, and which those of 12?",
            kind="cost-without-counting",
        ),
        Misconception(
            "width squared",
            _RIGHT | {"width_work": "four times"},
            "You say that twice the width is four times the work. It would be in a projection, "
            "whose matrix is width times width; a dot product only has twice the terms.",
            "How many multiplications has a dot product of width 4, and how many of width 8?",
            kind="sizes-add-or-multiply",
        ),
        Misconception(
            "width for nothing",
            _RIGHT | {"width_work": "stays"},
            "You say that the width costs no work. A dot product adds up as many terms as the "
            "vectors have numbers.",
            "How many multiplications has a dot product of width 4, and how many of width 8?",
            kind="sizes-add-or-multiply",
        ),
        Misconception(
            "wide weights",
            _RIGHT | {"width_memory": "doubles"},
            "You say that wider vectors need more memory for the weights. A score is one number, "
            "whatever it was added up from.",
            "Which of batch, tgt_len, src_len and d occur in the shape of the weights?",
            kind="cost-without-counting",
        ),
        Misconception(
            "wide weights, squared",
            _RIGHT | {"width_memory": "four times"},
            "You say that twice the width needs four times the memory for the weights. The width "
            "does not occur in their shape at all.",
            "Which of batch, tgt_len, src_len and d occur in the shape of the weights?",
            kind="cost-without-counting",
        ),
        Misconception(
            "always a square",
            _RIGHT | {"target_work": "four times"},
            "You say that a target of twice the length is four times the work, in "
            "cross-attention. There only one side of the table grows.",
            "How many cells have 3 queries and 5 keys, and how many 6 queries and 5 keys?",
            kind="sizes-always-equal",
        ),
        Misconception(
            "the source decides",
            _RIGHT | {"target_work": "stays"},
            "You say that a longer target costs nothing, in cross-attention. Every target word "
            "asks once.",
            "How many rows have the weights?",
            kind="cost-without-counting",
        ),
        Misconception(
            "fused is a square too",
            _RIGHT | {"fused_memory": "four times"},
            "You say that the fused function keeps four times as much. It never writes down the "
            "table of weights; that is the point of it.",
            "What is left to be kept if the table is not: which tensors, of which shapes?",
            kind="cost-without-counting",
        ),
        Misconception(
            "fused is free",
            _RIGHT | {"fused_memory": "stays"},
            "You say that the fused function keeps no more for twice the words. It does without "
            "the table; queries, keys and values it needs all the same.",
            "How large are queries, keys and values for twice the words?",
            kind="cost-without-counting",
        ),
    ],
    variants=[in_capitals, as_arrays_of_words, with_spaces_and_a_note],
)
