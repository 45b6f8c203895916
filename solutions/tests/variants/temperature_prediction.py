"""Right answers, written in other ways. Each function returns what the learner would write."""


def in_capitals():
    return {
        "colder": "Rises",
        "hotter": "RISES",
        "limit": "Equal shares",
        "doubled": "The same",
        "favourite": "Never",
    }


def in_another_order():
    return {
        "favourite": "never",
        "limit": "equal shares",
        "hotter": "rises",
        "doubled": "the same",
        "colder": "rises",
    }


def with_spaces_and_a_note():
    return dict(
        colder=" rises",
        hotter="rises ",
        limit="equal shares",
        doubled="the same",
        favourite="never",
        note="see section 5",
    )
