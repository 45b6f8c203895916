"""The task “A sick training run”: right answers and known mistakes."""

from solutions.specification import Exercise
from solutions.wrong_pieces import in_other_styles, wrong_choices
from utils.checks.tasks import Case

_DIAGNOSES = {
    "a": "padding counted",
    "b": "no clipping",
    "c": "not shuffled",
    "d": "sees the answer",
    "e": "rate too high",
}
# What each run shows, and what each illness would show.
_SHOWS = {
    "a": "Its two losses are computed on sentences of the same kind and lie far apart from the "
    "first point on: something easy is counted in one of them.",
    "b": "It goes as the healthy run does for twelve points, then both losses leap up together, "
    "and the gradient with them.",
    "c": "Its training loss is a saw: it falls for four points and leaps up again, and an epoch "
    "has four.",
    "d": "Both of its losses fall to a hundredth, and by itself it gets nothing right.",
    "e": "Its losses are above those of a model that knows nothing, from the first point to the "
    "last.",
}
_WOULD = {
    "no clipping": "One faulty batch would show as a leap, after a time in which all went well.",
    "rate too high": "Too high a rate would spoil the first steps already, and the losses would "
    "stay above what ignorance costs.",
    "sees the answer": "A model that sees the answer would have next to no loss, and nothing right "
    "by itself.",
    "padding counted": "Padding in the training loss would make it much lower than the validation "
    "loss from the start, since padding is easy to predict.",
    "not shuffled": "Sorted sentences would put a pattern on the training loss that comes back in "
    "every epoch.",
    "overfits": "Overfitting comes late: the validation loss would turn and rise while the "
    "training loss goes on falling.",
}
_HINTS = {
    "a": "Which of the two losses is too low to be true at step 10, and what could be in its mean?",
    "b": "What happened between steps 120 and 130, and what did the gradient do there?",
    "c": "How many points lie between one peak of the training loss and the next?",
    "d": "How can a model be nearly always right when it is told the words, and never alone?",
    "e": "A loss of 5.3 is that of a model that knows nothing. What makes a model worse than that?",
}
_MISCONCEPTIONS = {
    "no clipping": "cure-without-cause",
    "rate too high": "cure-without-cause",
    "sees the answer": "future-open",
    "padding counted": "padding-in-loss",
    "not shuffled": "curve-by-its-end",
    "overfits": "curve-by-its-end",
}


def _wrong(run, illness):
    return (
        f"{run} taken for: {illness}",
        f"You say of run `{run}`: *{illness}*. {_WOULD[illness]} {_SHOWS[run]}",
        _HINTS[run],
        _MISCONCEPTIONS[illness],
    )


exercise = Exercise(
    id="sick_run",
    title="A sick training run",
    points=3,
    difficulty=2,
    minutes=15,
    section="07.2",
    answer_type="choices",
    outputs=list(_DIAGNOSES),
    choices={run: [*_WOULD] for run in _DIAGNOSES},
    cases=lambda draw: [Case("your diagnosis")],
    hints=[
        "Compare each run with the healthy one: at its first point, at its last, and where the "
        "two part.",
        "Ask four questions of a run. Is the loss possible, or is it worse than knowing nothing? "
        "Do training and validation measure the same thing? Does something come back in every "
        "epoch? And does the number in the title fit the loss?",
        "The first point alone gives away two runs: in one the losses are several times too high, "
        "in the other the training loss is less than half of the validation loss. Of the other "
        "three, one leaps once, one leaps again and again, and one is too good to be true.",
    ],
    mistakes=wrong_choices(
        _DIAGNOSES,
        {
            (run, illness): _wrong(run, illness)
            for run, right in _DIAGNOSES.items()
            for illness in _WOULD
            if illness != right
        },
    ),
    variants=in_other_styles(_DIAGNOSES, note="c: four points"),
)
