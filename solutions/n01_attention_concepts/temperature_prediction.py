"""The task “Predict what the temperature does”: right answers and known mistakes."""

from solutions.specification import Exercise, WrongAnswer
from utils.checks.tasks import Case

PREDICTIONS = {
    "colder": ["rises", "falls", "stays"],
    "hotter": ["rises", "falls", "stays"],
    "limit": ["equal shares", "all zeros", "one word takes all"],
    "doubled": ["sharper", "flatter", "the same"],
    "favourite": ["never", "when hot", "when cold"],
}
_RIGHT = {
    "colder": "rises",
    "hotter": "rises",
    "limit": "equal shares",
    "doubled": "the same",
    "favourite": "never",
}


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


exercise = Exercise(
    id="temperature_prediction",
    title="Predict what the temperature does",
    points=2,
    difficulty=1,
    minutes=5,
    section="01.5",
    answer_type="choices",
    outputs=list(PREDICTIONS),
    choices=PREDICTIONS,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Which of the five can you answer with two words only, with scores 1 and 0?",
        "The ratio of two weights is exp of their difference in score, divided by the "
        "temperature. What happens to that quotient?",
        "Try it: `softmax_with_temperature` is yours. Take three scores, and temperatures 0.1, 1, "
        "10 and 1000. For `doubled`, multiply both by 2.",
    ],
    mistakes={
        "cold is flat": WrongAnswer(
            _RIGHT | {"colder": "falls"},
            "You say that the largest weight falls when it gets colder. Dividing by a small "
            "number makes the differences between scores larger, and the best key gains.",
            "What are scores 1 and 0 at temperature 0.1?",
            misconception="temperature-upside-down",
        ),
        "cold does nothing": WrongAnswer(
            _RIGHT | {"colder": "stays"},
            "You say that the largest weight stays when it gets colder. Its *place* stays; its "
            "size does not.",
            "In section 5, how much had *sat* in the row *était* at temperature 0.1, and at 1?",
            misconception="temperature-effect",
        ),
        "hot is focused": WrongAnswer(
            _RIGHT | {"hotter": "falls"},
            "You say that the entropy falls when it gets hotter. Hot means equal shares, and "
            "equal shares have the largest entropy there is.",
            "Does a low entropy mean few words or many?",
            misconception="temperature-upside-down",
        ),
        "entropy of words": WrongAnswer(
            _RIGHT | {"hotter": "stays"},
            "You say that the entropy stays when it gets hotter. It measures how the weight is "
            "spread, and the temperature spreads it.",
            "What did the curve of section 6 show?",
            misconception="temperature-effect",
        ),
        "hot is nothing": WrongAnswer(
            _RIGHT | {"limit": "all zeros"},
            "You say that in the limit all weights are 0. It is the scores that go to 0; the "
            "weights of a row always sum to 1.",
            "What does the softmax make of four zeros?",
            misconception="low-score-hides",
        ),
        "hot is hard": WrongAnswer(
            _RIGHT | {"limit": "one word takes all"},
            "You say that in the limit one word takes everything. That is the cold end, "
            "temperature 0.",
            "Very hot: what is left of the differences between the scores?",
            misconception="temperature-upside-down",
        ),
        "scores win": WrongAnswer(
            _RIGHT | {"doubled": "sharper"},
            "You say that doubling scores and temperature makes the row sharper. Doubled scores "
            "alone would.",
            "What is left of the two factors in the quotient?",
            misconception="temperature-effect",
        ),
        "temperature wins": WrongAnswer(
            _RIGHT | {"doubled": "flatter"},
            "You say that doubling scores and temperature makes the row flatter. A doubled "
            "temperature alone would.",
            "What is left of the two factors in the quotient?",
            misconception="temperature-effect",
        ),
        "hot changes the order": WrongAnswer(
            _RIGHT | {"favourite": "when hot"},
            "You say that another word can become the favourite when it is hot. All come closer "
            "to each other, and none overtakes.",
            "If one number is larger than another, which is larger after dividing both by 10?",
            misconception="temperature-effect",
        ),
        "cold changes the order": WrongAnswer(
            _RIGHT | {"favourite": "when cold"},
            "You say that another word can become the favourite when it is cold. Cold makes the "
            "lead of the best larger; it does not pass it on.",
            "If one number is larger than another, which is larger after dividing both by 0.1?",
            misconception="temperature-effect",
        ),
    },
    variants=[in_capitals, in_another_order, with_spaces_and_a_note],
)
