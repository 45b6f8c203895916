"""The task “What the table says”: right answers and known mistakes."""

import numpy as np

from solutions.specification import Exercise
from solutions.wrong_pieces import in_other_styles, wrong_choices
from utils.checks.tasks import Case

_SHARES = ["one word takes all", "equal shares", "one row for all"]
CONCLUSIONS = {
    "loud_general": _SHARES,
    "loud_concat": _SHARES,
    "loud_keys": _SHARES,
    "silent_general": _SHARES,
    "silent_concat": _SHARES,
    "memory": ["general", "concat", "neither"],
}
_RIGHT = {
    "loud_general": "one word takes all",
    "loud_concat": "equal shares",
    "loud_keys": "one row for all",
    "silent_general": "equal shares",
    "silent_concat": "one row for all",
    "memory": "concat",
}


def as_numpy_strings():
    return {key: np.str_(choice) for key, choice in _RIGHT.items()}


exercise = Exercise(
    id="scores_compared",
    title="What the table says",
    points=2,
    difficulty=2,
    minutes=10,
    section="03.3",
    answer_type="choices",
    outputs=list(CONCLUSIONS),
    choices=CONCLUSIONS,
    cases=lambda draw: [Case("your conclusions")],
    hints=[
        "Which of your table's columns speak of a loud query, and which of a silent one? And "
        "which of the questions does the table not answer, so that you have to think?",
        "What is the tanh of a number as large as 1000? In tanh(W s + U h), which part decides "
        "the sign if s is very large? And which if h is?",
        "Loud query: all answers are the signs of W s, whatever the key is. Loud keys: all "
        "answers are the signs of U h, whatever the query is. Silent query: tanh(U h) is left. "
        "For `memory`, look up section 3.",
    ],
    mistakes=wrong_choices(
        _RIGHT,
        {
            ("loud_general", "equal shares"): (
                "products level off",
                "You say that with *general* a loud query ends in equal shares. Its scores grow "
                "away from 0, and their differences with them.",
                "Scores of 1 and 2, and then of 100 and 200: what are the weights?",
                "scores-alike",
            ),
            ("loud_general", "one row for all"): (
                "products lose the query",
                "You say that with *general* a loud query gives the same row whoever asks. In a "
                "product, every query turns its differences up in its own direction.",
                "Do two queries that point in opposite directions have the same favourite?",
                "scores-alike",
            ),
            ("loud_concat", "one word takes all"): (
                "loud is sharp",
                "You say that with *concat* a loud query makes one word take all, as with "
                "*general*. Read the second row of your table to its end: the largest weight "
                "comes down to one over the number of keys.",
                "If the query's part of the sum is 1000, what can a key still do to the tanh?",
                "scores-alike",
            ),
            ("loud_concat", "one row for all"): (
                "loud is one row",
                "You say that with *concat* a loud query gives one row for all that is not flat. "
                "The rows do become alike, but there is more: no key can be told from another any "
                "more.",
                "If the query's part of the sum is 1000, what can a key still do to the tanh?",
                "scores-alike",
            ),
            ("loud_keys", "one word takes all"): (
                "loud keys are sharp",
                "You say that loud keys make one word take all in *concat*. Each answer becomes "
                "a clear yes or no, and `v` counts them: scores do not grow with the keys any "
                "more.",
                "How large can v · tanh(…) get at most?",
                "scores-alike",
            ),
            ("loud_keys", "equal shares"): (
                "loud keys are flat",
                "You say that loud keys end in equal shares in *concat*. Each key still gives "
                "answers of its own, the signs of U h, so keys differ. What is lost is the query.",
                "If a key's part of the sum is 1000, can the state still move the bar above it?",
                "who-asks",
            ),
            ("silent_general", "one word takes all"): (
                "silence has a favourite",
                "You say that with *general* a silent query picks one word. A query of zeros makes "
                "every product 0.",
                "What does the softmax make of a row of zeros?",
                "scores-alike",
            ),
            ("silent_general", "one row for all"): (
                "silence has a taste",
                "You say that with *general* a silent query leaves one row for all that is not "
                "flat. Without a query there is nothing left of a product: every score is 0.",
                "What is 0 · (W h), for any h?",
                "scores-alike",
            ),
            ("silent_concat", "equal shares"): (
                "silence is flat",
                "You say that with *concat* a silent query gives equal shares. The keys still "
                "speak: v · tanh(U h) is left, a taste of the judge's own. You saw it in notebook "
                "02 as the heatmap for W = 0.",
                "What is left of W s + U h, if s is 0?",
                "scores-alike",
            ),
            ("silent_concat", "one word takes all"): (
                "silence is sharp",
                "You say that with *concat* a silent query makes one word take all. Its scores "
                "keep within the bounds that they have with any other query.",
                "What is left of W s + U h, if s is 0, and is that the same for every query?",
                "scores-alike",
            ),
            ("memory", "general"): (
                "memory of general",
                "You say that *general* needs the larger tensor. It keeps the projected keys and "
                "the scores. A vector for each *pair* is what the other one needs.",
                "Which of the two has to take a tanh for each pair?",
                "scores-alike",
            ),
            ("memory", "neither"): (
                "memory of neither",
                "You say that neither needs a vector for each pair. A matrix product does without; "
                "the tanh stands between the sum and `v`, and has to be taken for each pair.",
                "Which shape has the tensor of which `both_scores` takes the tanh?",
                "scores-alike",
            ),
        },
    ),
    variants=[*in_other_styles(_RIGHT, note="tanh saturates"), as_numpy_strings],
)
