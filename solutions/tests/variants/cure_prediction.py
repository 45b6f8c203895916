"""Right answers, written in other ways. Each function returns what the learner would write."""


def in_capitals():
    return {
        "tiny start": "Normal vectors",
        "long vectors": "DIES",
        "faulty batch": "Clipping",
        "clip far below": "A lower rate",
        "rushed": "A warm-up",
        "no scale": "Twice",
    }


def in_another_order():
    return {
        "no scale": "twice",
        "rushed": "a warm-up",
        "clip far below": "a lower rate",
        "faulty batch": "clipping",
        "long vectors": "dies",
        "tiny start": "normal vectors",
    }


def with_spaces_and_a_note():
    answer = in_another_order()
    answer["rushed"] = " a warm-up "
    answer["note"] = "section 2"
    return answer
