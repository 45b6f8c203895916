"""Right answers, written in other ways. Each function returns what the learner would write."""

import numpy as np


def in_capitals():
    return {
        "loud_general": "One word takes all",
        "loud_concat": "Equal shares",
        "loud_keys": "One row for all",
        "silent_general": "EQUAL SHARES",
        "silent_concat": "One row for all",
        "memory": "Concat",
    }


def in_another_order():
    return {
        "memory": "concat",
        "silent_concat": "one row for all",
        "silent_general": "equal shares",
        "loud_keys": "one row for all",
        "loud_concat": "equal shares",
        "loud_general": "one word takes all",
    }


def with_spaces_and_a_note():
    return dict(
        loud_general="one word takes all ",
        loud_concat=" equal shares",
        loud_keys="one row for all",
        silent_general="equal shares",
        silent_concat="one row for all",
        memory="concat",
        note="tanh saturates",
    )


def as_numpy_strings():
    return {key: np.str_(choice) for key, choice in in_another_order().items()}
