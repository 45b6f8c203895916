"""Right answers, written in other ways. Each function returns what the learner would write."""

import numpy as np


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
