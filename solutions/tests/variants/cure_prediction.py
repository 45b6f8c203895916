"""Right answers, written in other ways. Each function returns what the learner would write."""


def in_capitals():
    return {
        "tiny_start": "Normal vectors",
        "long_vectors": "DIES",
        "faulty_batch": "Clipping",
        "tight_clip": "A lower rate",
        "rushed": "A warm-up",
        "no_scale": "Twice",
    }


def in_another_order():
    return {
        "no_scale": "twice",
        "rushed": "a warm-up",
        "tight_clip": "a lower rate",
        "faulty_batch": "clipping",
        "long_vectors": "dies",
        "tiny_start": "normal vectors",
    }


def with_spaces_and_a_note():
    answer = in_another_order()
    answer["rushed"] = " a warm-up "
    answer["note"] = "section 2"
    return answer
