"""Right answers, written in other ways. Each function returns what the learner would write."""

import numpy as np


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
