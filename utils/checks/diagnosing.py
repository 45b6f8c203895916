"""What is wrong with an answer, and how it is related to the right one.

The catalogue of known mistakes comes first: its words are sharper. Behind it comes whatever can be
verified, from the values alone or by calling the answer again.
"""

from collections.abc import Sequence
from dataclasses import replace

from utils.checks.behaviours import Ask, of_behaviour, of_repetition
from utils.checks.calling import Trouble
from utils.checks.causes import cause
from utils.checks.judging import Verdict, first_cases, judge
from utils.checks.reasons import Reason
from utils.checks.relations import RELATIONS, WEAKER_RELATIONS, of_values
from utils.checks.tasks import Answer, Record

COMPARED = {Reason.SHAPE, Reason.NUMBERS, Reason.INVARIANT, Reason.VALUES, Reason.NOT_FINITE}
CALLED = COMPARED | {Reason.GRADIENT, Reason.ERROR}


def diagnose(
    record: Record,
    answers: Sequence[Answer],
    trouble: Trouble | None = None,
    ask: Ask | None = None,
) -> Verdict:
    """The verdict on an answer, with a relation where no known mistake is named.

    Args:
        record: what was asked and is expected.
        answers: in the order of the cases.
        trouble: why there is none to the next case and those behind it.
        ask: calls the answer with other inputs; None where nobody can.
    """
    verdict = judge(record, answers, trouble)
    task = record.task
    if verdict.mistake or task.kind in ("choices", "test") or task.full_marks_from is not None:
        return verdict
    return replace(verdict, relation=_relation(record, answers, verdict, ask))


def _relation(record: Record, answers: Sequence[Answer], verdict: Verdict, ask: Ask | None) -> str:
    known, task = first_cases(record, len(answers)), record.task
    is_compared, called = verdict.reason in COMPARED, verdict.reason in CALLED and task.again
    told = ""
    if called and ask:
        told = of_repetition(record, answers, ask)
    if is_compared and not told:
        told = of_values(known, answers, RELATIONS)
    if called and ask and not told:
        told = of_behaviour(record, answers, ask)
    if is_compared and not told:
        told = of_values(known, answers, WEAKER_RELATIONS)
    if verdict.reason == Reason.ERROR and not told:
        told = cause(task, record.cases[len(answers)], verdict.message)
    return told
