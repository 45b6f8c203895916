"""What an experiment on length has shown."""

from solutions.specification import Exercise
from solutions.wrong_pieces import in_other_styles, wrong_choices
from utils.checks.tasks import Case

_SHOWN, _CONTRADICTED, _OPEN = "shown here", "contradicted here", "not shown either way"
_VERDICTS = {
    "a": _SHOWN,
    "b": _OPEN,
    "c": _CONTRADICTED,
    "d": _OPEN,
    "e": _CONTRADICTED,
    "f": _SHOWN,
}
_WHY = {
    "a": "Row 3 says just this: 10.2 at 48 words, 9.9 at 192. It is a statement about what was "
    "measured, and claims no more.",
    "b": "A perplexity that stays flat says that nothing got worse. It may be that far words help, "
    "or that they count for nothing: no number of the table tells the two apart.",
    "c": "Row 2 climbs from 10.1 to 15.6. Scores that depend on distances alone have still never "
    "met these distances.",
    "d": "400 steps and one seed cannot speak for all numbers of steps.",
    "e": "The model of row 2 copies halves of 24 words with a loss of 0.3, and halves of 48 with "
    "one of 3.5, much nearer to the 4.2 of guessing than to 0.3.",
    "f": "The statement names size, steps and seed, and one loss of the four is below 1.",
}
_HINTS = {
    "a": "What was measured at 48 words, and what at 192?",
    "b": "What would row 3 look like if the model ignored all words but the last twenty?",
    "c": "What does row 2 do from left to right?",
    "d": "For which numbers of steps was anything measured?",
    "e": "Is there a row with a low loss at 24 and a high one at 48?",
    "f": "How far does the statement go beyond what was measured?",
}
_BELIEFS = {
    "a": "opposite",
    "b": "curve-by-its-end",
    "c": "plausible-is-right",
    "d": "cure-without-cause",
    "e": "plausible-is-right",
    "f": "opposite",
}


def _wrong(statement, verdict):
    return (
        f"{statement} taken for: {verdict}",
        f"You say of statement `{statement}`: *{verdict}*. {_WHY[statement]}",
        _HINTS[statement],
        _BELIEFS[statement],
    )


exercise = Exercise(
    id="what_was_shown",
    title="What was shown?",
    points=3,
    difficulty=2,
    minutes=15,
    section="10.2",
    answer_type="choices",
    outputs=list(_VERDICTS),
    choices={statement: [_SHOWN, _CONTRADICTED, _OPEN] for statement in _VERDICTS},
    cases=lambda draw: [Case("your verdicts")],
    hints=[
        "For each statement: which number of the table would be another one if it were false?",
        "A statement about *all* lengths, steps or causes can be contradicted by one row, and "
        "shown by none. One that says no more than the table can be shown.",
        "Two are shown, two are contradicted, and two go further than anything that was measured.",
    ],
    mistakes=wrong_choices(
        _VERDICTS,
        {
            (statement, verdict): _wrong(statement, verdict)
            for statement, right in _VERDICTS.items()
            for verdict in (_SHOWN, _CONTRADICTED, _OPEN)
            if verdict != right
        },
    ),
    variants=in_other_styles(_VERDICTS, note="one seed"),
)
