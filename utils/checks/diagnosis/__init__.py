"""What is wrong with an answer, and how it is related to the right one.

The catalogue of known mistakes comes first: its words are sharper. Behind it comes whatever can be
verified, from the values alone or by calling the answer again.
"""

from collections.abc import Sequence
from dataclasses import replace

from utils.checks import bank
from utils.checks.compare import Verdict, judge
from utils.checks.diagnosis.behaviours import Ask, of_behaviour, of_repetition
from utils.checks.diagnosis.causes import cause
from utils.checks.diagnosis.gradients import of_gradients
from utils.checks.diagnosis.relations import RELATIONS, WEAKER_RELATIONS, of_values
from utils.checks.reasons import Reason
from utils.checks.runner import OUR_SEED, AnswerError
from utils.checks.tasks import Answer, Record

COMPARED = {Reason.SHAPE, Reason.NUMBERS, Reason.INVARIANT, Reason.VALUES, Reason.NOT_FINITE}
CALLED = COMPARED | {Reason.GRADIENT, Reason.ERROR}


def diagnose(
    record: Record,
    answers: Sequence[Answer],
    trouble: AnswerError | None = None,
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
    if verdict.mistake or task.answer_type == "choices" or task.full_marks_from is not None:
        return verdict
    if task.answer_type == "test":
        return replace(verdict, relation=_accepted(record, answers, verdict))
    return replace(verdict, relation=_relation(record, answers, verdict, ask))


def _relation(record: Record, answers: Sequence[Answer], verdict: Verdict, ask: Ask | None) -> str:
    task = record.task
    is_compared, called = verdict.reason in COMPARED, verdict.reason in CALLED and task.again
    told = ""
    if verdict.reason == Reason.IN_PLACE and ask:
        return _but_for_its_inputs(record, ask)
    if called and ask:
        told = of_repetition(record, answers, ask)
    if is_compared and not told:
        told = of_values(record, answers, RELATIONS)
    if called and ask and not told:
        told = of_behaviour(record, answers, ask)
    if is_compared and not told:
        told = of_values(record, answers, WEAKER_RELATIONS)
    if verdict.reason == Reason.GRADIENT and not told:
        told = of_gradients(record, answers)
    if verdict.reason == Reason.ERROR and not told:
        told = cause(task, record.cases[len(answers)], verdict.message)
    return told


def _but_for_its_inputs(record: Record, ask: Ask) -> str:
    """What else is wrong with an answer that changes its inputs: each call gets its own."""
    given = ask(record.cases, OUR_SEED)
    if None in given:
        return ""
    plain = replace(record, expected=[Answer(one.outputs) for one in record.expected])
    said = diagnose(plain, [Answer(outputs) for outputs in given], ask=ask)
    if said.passed:
        return "All values that it returns are right: leave the input alone, and all is done."
    return said.mistake.explanation if said.mistake else said.relation


def _accepted(record: Record, answers: Sequence[Answer], verdict: Verdict) -> str:
    """Whom a test takes for right that blames all who are."""
    if verdict.reason != Reason.BLAMES:
        return ""
    blames, (case,) = answers[0].outputs["blames"], record.cases
    broken = record.expected[0].outputs["blames"].all(0)
    names = [
        name
        for name, blamed in zip(case.inputs["lineup"], blames.any(0), strict=True)
        if not blamed
    ]
    if not blames[:, ~broken].all() or len(names) != 1:
        return ""
    return (
        "Of all implementations, it accepts only that by somebody who believes that "
        f"{bank.misconceptions()[names[0]].belief}."
    )
