"""Right answers, written in other ways. Each function returns what the learner would write."""

import numpy as np


def in_capitals():
    return {
        "reads": "The right word",
        "first": "The same",
        "slip": "ALONE",
        "at_once": "Told",
        "perplexity": "Alone",
        "from_the_start": "Slower",
    }


def with_spaces_and_a_note():
    return dict(
        from_the_start=" slower",
        perplexity="alone ",
        at_once="told",
        slip="alone",
        first="the same",
        reads="the right word",
        note="task 2",
    )


def strings_of_numpy():
    words = np.array(["the right word", "the same", "alone", "told", "alone", "slower"])
    keys = ["reads", "first", "slip", "at_once", "perplexity", "from_the_start"]
    return dict(zip(keys, words, strict=True))
