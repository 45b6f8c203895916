"""Find what is wrong with an answer, and state how it differs from the right one: the relation.

Other packages import only from here. A known mistake from the catalogue comes first, because its
words are more precise. After it comes the first relation that can be verified from the values or
by calling the answer again; if all values are right, it states which gradients are right.

| module | what it describes of an answer that is no known mistake |
|---|---|
| `relations` | how its values differ from the right ones |
| `behaviours` | how its values change if it is called with other inputs |
| `lines` | the first line whose numbers no right answer has |
| `causes` | the likely cause of an exception |
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from utils.checks import bank
from utils.checks.compare import Verdict, exact_test, gradient_fits, judge, listed, makes_exactly
from utils.checks.diagnosis.behaviours import (
    RerunCases,
    describe_behaviour,
    describe_repetition,
    measure_moves,
)
from utils.checks.diagnosis.causes import describe_cause
from utils.checks.diagnosis.lines import TraceCases, describe_lines
from utils.checks.diagnosis.relations import (
    MOST_LABELS,
    RELATIONS,
    WEAKER_RELATIONS,
    OutputComparison,
    describe_exchange,
    describe_values,
)
from utils.checks.runner import OUR_SEED, AnswerError
from utils.checks.tasks import Answer, Reason, Record

__all__ = ["diagnose", "measure_moves"]

SHOWN = (
    "With your inputs, all that slips through returns other numbers than the right one: your "
    "asserts do not look there, or their tolerance is too wide."
)
NOT_SHOWN = (
    "With your inputs, all that slips through returns what the right one returns, so that no "
    "`assert` could tell: it takes other inputs."
)
SHOWN_IN_PART = (
    "With your inputs, some of what slips through returns what the right one returns: that takes "
    "other inputs. The rest returns other numbers, and your asserts do not look there."
)
EXACT = (
    "With a tolerance, your test would accept the right implementation: compare with "
    "`torch.allclose(…, atol=1e-5)`."
)
COMPARED = {Reason.SHAPE, Reason.NUMBERS, Reason.INVARIANT, Reason.VALUES, Reason.NOT_FINITE}
CALLED = COMPARED | {Reason.GRADIENT, Reason.ERROR}


def diagnose(
    record: Record,
    answers: Sequence[Answer],
    error: AnswerError | None = None,
    rerun: RerunCases | None = None,
    trace: TraceCases | None = None,
) -> Verdict:
    """Judge an answer; if it is no known mistake, state its relation to the right answer.

    If the search for a relation fails itself, the plain verdict stands.

    Args:
        record, answers: as for `judge`.
        error: the reason why later cases have no returned values, if they have none.
        rerun: function that calls the answer with other inputs; None if it cannot be called.
        trace: function that tells what the answer's lines compute; None if it cannot be called.
    """
    verdict = judge(record, answers, error)
    try:
        return _diagnosed(record, answers, verdict, rerun, trace)
    except Exception:  # a fault of ours, which learners must not hear of as one of theirs
        return verdict


def _diagnosed(
    record: Record,
    answers: Sequence[Answer],
    verdict: Verdict,
    rerun: RerunCases | None,
    trace: TraceCases | None,
) -> Verdict:
    """Return a verdict with what more can be said of the answer."""
    task = record.task
    if task.answer_type == "choices" or task.full_marks_from is not None:
        return verdict
    if task.answer_type == "test":
        return _diagnose_test(record, *answers, verdict, rerun) if answers else verdict
    if verdict.reason in COMPARED and not makes_exactly(record, answers, verdict.mistake):
        exchange = describe_exchange(record, answers)
        if exchange:  # the sentence on the other outputs was about the mistake
            verdict = replace(verdict, mistake=None, relation=exchange, right="")
    if verdict.mistake or verdict.relation:
        return verdict
    return replace(verdict, relation=_describe(record, answers, verdict, rerun, trace))


def _describe(
    record: Record,
    answers: Sequence[Answer],
    verdict: Verdict,
    rerun: RerunCases | None,
    trace: TraceCases | None,
) -> str:
    """Return the first relation that can be verified for a wrong answer; "" if there is none."""
    reason = verdict.reason
    if reason == Reason.IN_PLACE and rerun:
        return _describe_with_own_inputs(record, rerun)
    compared, called = reason in COMPARED, reason in CALLED and record.task.again and rerun
    return (
        (called and describe_repetition(record, answers, rerun))
        or (compared and describe_values(record, answers, RELATIONS))
        or (called and describe_behaviour(record, answers, rerun))
        or (compared and _describe_remains(record, answers, trace))
        or (reason == Reason.GRADIENT and _describe_gradients(record, answers))
        or (
            reason == Reason.ERROR
            and describe_cause(record.task, record.cases[len(answers)], verdict.message)
        )
        or ""
    )


def _describe_remains(record: Record, answers: Sequence[Answer], trace: TraceCases | None) -> str:
    """State what is still right in an answer, and where it leaves all right answers."""
    values = describe_values(record, answers, WEAKER_RELATIONS)
    place = describe_lines(record, answers, trace) if trace else ""
    return f"{values} {place}".strip()


def _describe_with_own_inputs(record: Record, rerun: RerunCases) -> str:
    """Describe what else is wrong with an answer that changes its inputs, by calls with copies."""
    outputs = rerun(record.cases, OUR_SEED)
    if None in outputs:
        return ""
    plain = replace(record, expected=[Answer(expected.outputs) for expected in record.expected])
    verdict = diagnose(plain, [Answer(values) for values in outputs], rerun=rerun)
    if verdict.passed:
        return "All values that it returns are right, but it changes what was given to it."
    return verdict.mistake.explanation if verdict.mistake else verdict.relation


def _diagnose_test(
    record: Record, answer: Answer, verdict: Verdict, rerun: RerunCases | None
) -> Verdict:
    """Find out whether a test is exact to the last digit, or describe what slips through."""
    blames, shown = answer.outputs["blames"], answer.outputs["shown"].any(0)
    broken = record.expected[0].outputs["blames"].all(0)
    if verdict.reason == Reason.BLAMES and rerun and blames[:, ~broken].all():
        (tolerant,) = rerun(record.cases, OUR_SEED)
        if tolerant and not tolerant["blames"][:, ~broken].any():
            return replace(verdict, mistake=exact_test(record), relation=EXACT)
    if verdict.mistake:
        return verdict
    accepted = [*itertools.compress(record.cases[0].inputs["lineup"], ~blames.any(0))]
    relation, seen = "", shown[broken & ~blames.all(0)]
    if verdict.reason == Reason.SLIPS:
        relation = SHOWN if seen.all() else SHOWN_IN_PART if seen.any() else NOT_SHOWN
    elif verdict.reason == Reason.BLAMES and blames[:, ~broken].all() and len(accepted) == 1:
        belief = bank.misconceptions()[accepted[0]].belief
        relation = f"It accepts only the implementation by somebody who believes that {belief}."
    return replace(verdict, relation=relation)


def _describe_gradients(record: Record, answers: Sequence[Answer]) -> str:
    """State which gradients of an answer are right, and which are not; "" if a value is wrong."""
    outputs = [OutputComparison(record, answers, output) for output in record.task.outputs]
    if len(answers) < len(record.cases) or not all(output.right for output in outputs):
        return ""
    fits = {  # number of the case, gradient → whether it is right
        (number, key): _is_right(gradient, actual.gradients.get(key))
        for number, (expected, actual) in enumerate(zip(record.expected, answers, strict=True))
        for key, gradient in expected.gradients.items()
    }
    wrong = {number for (number, _), right in fits.items() if not right}
    if not wrong:
        return ""
    if len(wrong) <= MOST_LABELS and 2 * len(wrong) < len(answers):
        labels = "; ".join(record.cases[number].label for number in sorted(wrong))
        return f"All values are right, and all gradients too but in these cases: {labels}."
    inputs = [*dict.fromkeys(key.input for _, key in fits)]
    cut = {key.input for (_, key), right in fits.items() if not right}
    if len(cut) == len(inputs):
        if any(answer.gradients for answer in answers):
            return ""
        return (
            "All values are right, but no gradient comes back to anything: look first at the last "
            "steps, and at what stands around all of them."
        )
    whole = listed([f"`{name}`" for name in inputs if name not in cut])
    lost = listed([f"`{name}`" for name in inputs if name in cut])
    are = f"that to {lost} is" if len(cut) == 1 else f"those to {lost} are"
    return f"All values are right, and so is each gradient back to {whole}: only {are} not."


def _is_right(expected: np.ndarray, actual: np.ndarray | None) -> bool:
    if actual is None or actual.shape != expected.shape:
        return False
    fits = gradient_fits(expected, actual)
    return not fits.size or bool(fits.mean() >= 0.5)
