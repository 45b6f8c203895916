"""Right answers, written in other ways. Each function returns what the learner would write."""


def in_capitals():
    return {
        "a": "One token",
        "b": "FUTURE",
        "c": "Frozen",
        "d": "Padding",
        "numbers": "Healthy",
    }


def from_a_list():
    names = ["one token", "future", "frozen", "padding", "healthy"]
    return dict(zip(["a", "b", "c", "d", "numbers"], names, strict=True))


def with_spaces_and_a_note():
    return dict(
        numbers="healthy ",
        d=" padding",
        c="frozen",
        b="future",
        a="one token",
        note="d: columns 5 and 6",
    )
