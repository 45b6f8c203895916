"""Which cure?"""

from solutions.parts import wrong_choices
from solutions.specification import Exercise
from utils.checks.tasks import Case

CURES = {
    "tiny_start": ["normal vectors", "a warm-up", "a smaller clip"],
    "long_vectors": ["dies", "explodes", "stays"],
    "faulty_batch": ["clipping", "a larger width", "a causal mask"],
    "tight_clip": ["a lower rate", "nothing", "sharper weights"],
    "rushed": ["a warm-up", "more steps", "a colder softmax"],
    "no_scale": ["twice", "four times", "the same"],
}
_CURES = {
    "tiny_start": "normal vectors",
    "long_vectors": "dies",
    "faulty_batch": "clipping",
    "tight_clip": "a lower rate",
    "rushed": "a warm-up",
    "no_scale": "twice",
}


# --- Right answers in other styles ----------------------------------------------------------------


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


# --- The exercise ---------------------------------------------------------------------------------

exercise = Exercise(
    id="cure_prediction",
    title="Which cure?",
    points=2,
    difficulty=2,
    minutes=10,
    kind="choices",
    outputs=list(CURES),
    choices=CURES,
    cases=lambda draw: [Case("your prediction")],
    hints=[
        "Two illnesses come from the size of the vectors at the start. Which two numbers tell "
        "them apart: spread, row words, gradient?",
        "A query learns through the keys, and a key through the queries: the gradient of the one "
        "is multiplied by the size of the other. A hard choice passes no gradient back.",
        "Go back to section 2 and change one thing in its cells: `new(init=…)` for the length of "
        "the vectors, `warmup=…` and `clip=…` in `train`. For `no_scale`: the standard deviation "
        "of a dot product of two random vectors is the root of their width.",
    ],
    misconceptions=wrong_choices(
        _CURES,
        {
            ("tiny_start", "a warm-up"): (
                "slower than slow",
                "You warm up a model that does not get going. A warm-up makes the first steps "
                "smaller still; here they are too small already.",
                "By what is the gradient at a query multiplied?",
                "cure-without-cause",
            ),
            ("tiny_start", "a smaller clip"): (
                "clipping what vanishes",
                "You clip a gradient that is next to nothing. Clipping only shortens.",
                "Is this gradient too long or too short?",
                "cure-without-cause",
            ),
            ("long_vectors", "explodes"): (
                "large scores, small gradient",
                "You say that the gradient at the scores explodes. The *scores* do. The softmax "
                "of such scores is a hard choice, and a hard choice hardly moves when a score "
                "does.",
                "What is the slope of a curve that is flat at 0 and at 1?",
                "hard-choice",
            ),
            ("long_vectors", "stays"): (
                "gradient untouched",
                "You say that the gradient at the scores stays. Section 2 measured it: less than "
                "a thousandth of the healthy one was left.",
                "By how much does a weight of 0.9999 change when its score rises a little?",
                "hard-choice",
            ),
            ("faulty_batch", "a larger width"): (
                "wider is not calmer",
                "You make the model wider. The faulty batch pushes every width out of its way.",
                "Which number stood out as a tower at the faulty step?",
                "cure-without-cause",
            ),
            ("faulty_batch", "a causal mask"): (
                "a mask against a blow",
                "You put a causal mask over it. That changes who may look where, not how long a "
                "step is.",
                "Which number stood out as a tower at the faulty step?",
                "cure-without-cause",
            ),
            ("tight_clip", "nothing"): (
                "the clip unnoticed",
                "You say that nothing happens. Every ordinary gradient is longer than this clip, "
                "so every step is shortened.",
                "How long is each step when every gradient is cut to a hundredth?",
                "clipping-reshapes",
            ),
            ("tight_clip", "sharper weights"): (
                "clipping the weights",
                "You say that the weights get sharper. What is clipped is the gradient of the "
                "parameters, not the attention.",
                "What is shortened, and when?",
                "clipping-reshapes",
            ),
            ("rushed", "more steps"): (
                "waiting for thaw",
                "You train longer. The rows are frozen: they pass hardly any gradient, and later "
                "steps change as little as earlier ones.",
                "Which steps decided everything?",
                "hard-choice",
            ),
            ("rushed", "a colder softmax"): (
                "ice against frost",
                "You make the softmax colder. That sharpens rows that are too sharp already.",
                "What does a low temperature do to differences of scores?",
                "temperature-upside-down",
            ),
            ("no_scale", "four times"): (
                "variance for spread",
                "You say four times. The *variance* of the scores grows like the width; the "
                "spread is its root.",
                "Which of the two, variance or standard deviation, is measured in units of score?",
                "variance-is-spread",
            ),
            ("no_scale", "the same"): (
                "width without effect",
                "You say that the spread stays. That is what the scale by √d is for; without it "
                "more products are added up, and their sum spreads further.",
                "How large is a typical score at d = 4, and at d = 256? Notebook 04 measured it.",
                "no-scale",
            ),
        },
    ),
    variants=[in_capitals, in_another_order, with_spaces_and_a_note],
)
