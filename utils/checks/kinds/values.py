"""Functions and modules, whose values are compared with the right ones.

Cases go from the plain to the odd, and the verdict is the first fault of the first case that fails.
If a known mistake returns the same values as the answer, the verdict also names the mistake. If
not, it states how the answer differs from the right one: the first relation that can be verified
from the values or by calling the answer again (`diagnosis`).
"""

import inspect
import itertools
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from utils.checks.compare import (
    Evidence,
    Verdict,
    agree,
    are_close,
    complaints,
    gradient_fits,
    is_blown_up,
    is_spoilt,
    listed,
    outputs_alike,
    wrong_gradient,
)
from utils.checks.diagnosis.behaviours import (
    RerunCases,
    describe_dependence,
    describe_fix,
    describe_repetition,
)
from utils.checks.diagnosis.causes import describe_cause
from utils.checks.diagnosis.kept import describe_kept
from utils.checks.diagnosis.lines import Pointer, TraceCases, describe_lines, describe_unread
from utils.checks.diagnosis.relations import (
    MOST_LABELS,
    RELATIONS,
    WEAKER_RELATIONS,
    OutputComparison,
    describe_values,
    find_exchange,
    speaks_against,
)
from utils.checks.diagnosis.repairs import Editable, Repairs
from utils.checks.diagnosis.two_mistakes import find_apart, find_pairs
from utils.checks.limits import Printed
from utils.checks.runner import OUR_SEED, AnswerError, Rerun, collect, returned, with_article
from utils.checks.tasks import (
    Answer,
    CallSpec,
    Case,
    Doubt,
    Mistake,
    Reason,
    Record,
    Task,
    Trial,
)

ENOUGH_CASES = 3  # cases before an exception in which a mistake has to show, or half of all
ANOTHER = "There is a second fault: if that one is mended, check again."
FINITE = "Told of the cases in which all your numbers are finite: {}"
MAYBE_ANOTHER = ", and this may not be the only reason: see what mending it leaves."
ANOTHER_BESIDE = ". With this fault alone that need not be so: see what mending it leaves."
OF_OUTPUTS = "Told of {}: {}"
FIRST = "Two faults, each told as if it were the only one. {}"
SECOND = "The other one: {}"
COMPARED = {Reason.SHAPE, Reason.NUMBERS, Reason.INVARIANT, Reason.VALUES, Reason.NOT_FINITE}
CALLED = COMPARED | {Reason.GRADIENT, Reason.ERROR}
CUT = (
    "`{}` is wrong, so a network would learn the wrong thing. Is part of the path cut, perhaps by "
    "`.detach()`?"
)
SPOILT = (
    "`{}` holds NaN or infinity, which one step of training brings into all weights. On the way "
    "something was infinite, or 0 divided by 0. To replace it afterwards mends the values, not the "
    "gradient: keep it from arising."
)


class Values:
    """Functions, called with the inputs of each case. The other kinds say in what they differ.

    A grader runs answers in a worker, which has the specification of the calls and no more. It
    judges and explains them in its own process.

    Attributes:
        is_code: whether an answer is code, and not a dictionary of choices.
        is_model: whether only a share of an answer's entries can be right, as of a trained network.
            Then fresh cases decide.
        is_refereed: whether an answer calls implementations, for which a referee answers.
        is_related: whether a wrong answer that makes no known mistake is called again, to state its
            relation to the right one.
        without_steps: what an answer is, if there is nothing to go through line by line; else "".
        mistake_comes_first: whether a known mistake says more than the message, so stands above it.
        doubts: what is odd in the answers that have been run, for a person to look at.
    """

    is_code = True
    is_model = False
    is_refereed = False
    is_related = True
    without_steps = ""
    mistake_comes_first = True

    def __init__(self, spec: CallSpec):
        self.spec = spec
        self.doubts: list[Doubt] = []

    # --- Run --------------------------------------------------------------------------------------

    def run(
        self,
        definition: Any,
        cases: Sequence[Case],
        printed: Printed,
        limit: Callable[[float], AbstractContextManager] | None = None,
    ) -> list[Answer]:
        """Call a learner's definition with every case, and return its values.

        Args:
            definition: object that the learner's notebook holds under the name `spec.id`.
            cases: inputs of the calls; they are copied before each call.
            printed, limit: as for `runner.collect`.

        Raises:
            AnswerError: the definition returned nothing that can be compared, from some case on.
        """
        self.check_type(definition)
        return collect(self.spec, self.answers(definition, cases), printed, limit)

    def check_type(self, definition: Any) -> None:
        """Raise an `AnswerError` if a definition is no function, or whatever else is asked for."""
        name = self.spec.id
        if inspect.iscoroutinefunction(definition):
            raise AnswerError(
                Reason.WRONG_TYPE,
                f"`{name}` is an `async` function, which returns nothing before it is awaited. "
                f"Leave out `async`: `def {name}(…): …`.",
            )
        if inspect.isclass(definition) or not callable(definition):
            raise AnswerError(
                Reason.WRONG_TYPE,
                f"`{name}` is {with_article(definition)}. The task asks for a function: "
                f"`def {name}(…): …`.",
            )

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        """Yield what a definition returns in each case; it is called as the next is asked for."""
        for case in cases:
            yield returned(self.spec, definition, case)

    @property
    def of_ours(self) -> "Values":
        """The kind of what the course defines itself, which may get its values from anywhere."""
        return self

    def rerun(self, definition: Any) -> Rerun:
        """Return what calls a definition again. Make it before the first call: its time starts."""
        return Rerun(self.spec, definition)

    # --- Judge, and explain -----------------------------------------------------------------------

    def diagnose(
        self,
        record: Record,
        answers: Sequence[Answer],
        error: AnswerError | None = None,
        rerun: RerunCases | None = None,
        trace: TraceCases | None = None,
        editable: Editable | None = None,
    ) -> Verdict:
        """Judge an answer, and explain the verdict; if that fails itself, the plain verdict stands.

        Args:
            record: the task, its cases and the expected values.
            answers: returned values, in the order of the cases.
            error: the reason why later cases have no returned values, if they have none.
            rerun: function that calls the answer with other inputs; None if it cannot be called.
            trace: function that tells what the answer's lines compute; None if it cannot be called.
            editable: the answer's code, to be changed; None if it is not known.

        Raises:
            ValueError: there is not one answer for each case, up to the error.
        """
        missing = len(record.cases) - len(answers)
        if missing < 0 or (missing and not error):
            raise ValueError("There is not one answer for each case.")
        trials = record.trials(answers)
        verdict = self.judge(record, trials, error)
        try:
            if verdict.passed and rerun and (kept := describe_kept(record, rerun)):
                return Verdict(record.task, Reason.KEPT, f"{verdict.message} {kept}")
            with np.errstate(all="ignore"):  # numbers that grow too large are the answer's
                return self.explain(record, trials, verdict, rerun, trace, editable)
        except Exception as error:  # ours, which learners must not hear of as one of theirs
            return replace(verdict, fault=_in_words(error))

    def judge(
        self, record: Record, trials: Sequence[Trial], error: AnswerError | None = None
    ) -> Verdict:
        """Return the verdict on an answer, from the values that it returned in the cases.

        Args:
            record: the task, and what is known of it.
            trials: the cases in which the answer returned something.
            error: the reason why later cases have no returned values, if they have none. If it
                comes early, no mistake is named, since several look alike in the first cases.
        """
        task, seen_enough = record.task, True
        if error:
            known = self.mistake(record, trials) if len(trials) == len(record.cases) else None
            failed = Verdict(task, error.reason, error.message, known, where=error.where)
            if not trials:
                return failed
            seen_enough = len(trials) >= min(ENOUGH_CASES, len(record.cases) / 2)
        faults = complaints(task, trials)
        if first := next(faults, None):
            mistake = self.mistake(record, trials) if seen_enough else None
            if mistake:
                explained = _outputs_apart(task, trials)[:1]
                chain = itertools.chain([first], faults)
                faults = [fault for fault in chain if fault[2].output in explained] or [first]
                made = (fault for fault in faults if _makes(record, trials, mistake, fault[2]))
                first = next(made, faults[0])
            reason, message, evidence = first
            right = "" if error else self.what_is_right(task, trials)
            if mistake:
                others = _outputs_unexplained(record, trials, mistake)
                right = right or _what_is_unexplained(
                    others, _outputs_spared(record, mistake, trials)
                )
                beside = _beside_nan(record, trials, mistake)
                right = f"{right} {beside}".strip()
                mistake = _told_in_part(task, trials, mistake, others, bool(beside))
            return Verdict(task, reason, message, mistake, evidence, right=right)
        if error:
            return failed
        if wrong := wrong_gradient(trials):
            head = f"The values are right, but the gradient from `{wrong.output}` back to "
            spoilt = any(
                is_spoilt(trial.expected.gradients[wrong], trial.actual.gradients[wrong])
                for trial in trials
                if wrong in trial.expected.gradients
            )
            return Verdict(
                task, Reason.GRADIENT, head + (SPOILT if spoilt else CUT).format(wrong.input)
            )
        return Verdict(task, Reason.PASSED, f"All {len(trials)} cases are right.")

    def mistake(self, record: Record, trials: Sequence[Trial]) -> Mistake | None:
        """Find the known mistake that returns the same values in the answer's first wrong output.

        Only one output is compared, because learners who make two mistakes are told of one at a
        time. But outputs that the answer gets right, in all cases or clearly in some, have to be
        right with the mistake too, and where all are counts, in which two mistakes often add up to
        a third, all outputs have to be the mistake's. Nor may the rest speak against it twice: in
        an output that the mistake leaves right, and in one that it makes wrong otherwise. Cases
        with NaN or infinity are ignored if a mistake explains all other cases.
        """
        task = record.task
        wrong = _outputs_apart(task, trials)
        right = {*task.outputs} - {*wrong}
        for finite_only in (False, True):
            if not wrong or wrong[0] in outputs_alike(task, trials, finite_only):
                continue
            explained, given = {}, [trial.actual.outputs for trial in trials]
            for mistake in task.mistakes:
                alike = {*outputs_alike(task, record.beside(mistake, trials), finite_only)}
                counts = wrong if _holds_counts(trials) else wrong[:1]
                unexplained = {*wrong} - alike
                spared = {*_outputs_spared(record, mistake, trials)}
                contradicted = unexplained & spared and unexplained - spared
                fits = {*counts, *right} <= alike and not contradicted
                seen = not finite_only or _is_seen(record, mistake, trials, wrong[0])
                if fits and seen and not speaks_against(record, mistake, given):
                    explained[mistake] = len(alike)
            best = [known for known, count in explained.items() if count == max(explained.values())]
            if best:
                return best[0] if len(best) == 1 else None
        return None

    def what_is_right(self, task: Task, trials: Sequence[Trial]) -> str:
        """State which outputs are right in all cases, if others are not; else return ""."""
        right = [f"`{name}`" for name in outputs_alike(task, trials)]
        others = [f"`{name}`" for name in task.outputs if f"`{name}`" not in right]
        if not right or not others:
            return ""
        are = "is" if len(right) == 1 else "are"
        differ = "differs" if len(others) == 1 else "differ"
        cases = f"all {len(trials)} cases" if len(trials) > 1 else "the case that was tried"
        return (
            f"Of what it returns, {listed(right)} {are} right in {cases}, only {listed(others)} "
            f"{differ}."
        )

    def explain(
        self,
        record: Record,
        trials: Sequence[Trial],
        verdict: Verdict,
        rerun: RerunCases | None,
        trace: TraceCases | None,
        editable: Editable | None = None,
    ) -> Verdict:
        """Add the relation of an answer to the right one, if it makes no known mistake."""
        if not self.is_related:
            return verdict
        if verdict.reason in COMPARED and not _makes_exactly(record, trials, verdict.mistake):
            unread = trace and editable and describe_unread(record, trials, trace, editable.source)
            if unread:
                verdict = replace(verdict, mistake=None, relation=unread)
            elif exchange := find_exchange(record, trials):
                left = self._left_in(record, exchange.undone(trials), "With each in its own place")
                relation = f"{exchange.words} {left}".strip()
                # the sentence on the other outputs was about the mistake
                verdict = replace(verdict, mistake=None, relation=relation, right="")
            elif found := find_pairs(record, trials) or find_apart(record, trials):
                verdict = _with_two(record, trials, verdict, found)
        if verdict.mistake or verdict.relation:
            return verdict
        return replace(
            verdict, relation=self._relation(record, trials, verdict, rerun, trace, editable)
        )

    def _relation(
        self,
        record: Record,
        trials: Sequence[Trial],
        verdict: Verdict,
        rerun: RerunCases | None,
        trace: TraceCases | None,
        editable: Editable | None,
    ) -> str:
        """Return the first relation that can be verified for an answer; "" if there is none."""
        reason, task = verdict.reason, record.task
        if reason == Reason.IN_PLACE and rerun:
            return self._relation_with_own_inputs(record, rerun)
        shown = verdict.evidence.case if verdict.evidence else None
        compared, called = reason in COMPARED, reason in CALLED and task.again and rerun
        if reason == Reason.NUMBERS and (told := self._relation_with_right_type(record, trials)):
            return told
        place = describe_lines(record, trials, trace) if compared and trace else ""
        repairs = Repairs(record, trials, editable) if called and editable else None
        return (
            (called and describe_repetition(record, trials, rerun))
            or (repairs and repairs.describe())
            or (compared and describe_values(record, trials, RELATIONS, shown))
            or (called and describe_fix(record, trials, rerun))
            or (
                called
                and (dependence := describe_dependence(record, trials, rerun))
                and _with_place(dependence, place)
            )
            or (repairs and repairs.in_most_cases)
            or (repairs and compared and repairs.describe_two())
            or (compared and _describe_remains(record, trials, shown, place))
            or (reason == Reason.GRADIENT and _describe_gradients(record, trials))
            or (
                reason == Reason.ERROR
                and describe_cause(task, record.cases[len(trials)], verdict.message)
            )
            or ""
        )

    def _relation_with_right_type(self, record: Record, trials: Sequence[Trial]) -> str:
        """Describe what is left if each value becomes one of the type that is asked for."""
        turned = [
            replace(
                trial,
                actual=Answer(
                    {
                        name: values.astype(trial.expected.outputs[name].dtype)
                        for name, values in trial.actual.outputs.items()
                    }
                ),
            )
            for trial in trials
        ]
        if any(
            not np.array_equal(values, trial.actual.outputs[name], equal_nan=True)
            for each, trial in zip(turned, trials, strict=True)
            for name, values in each.actual.outputs.items()
        ):
            return ""  # other numbers, or shapes that do not matter here
        if [*record.task.outputs] == outputs_alike(record.task, turned):
            return "But for the type, all that it returns is right."
        return self._left_in(record, turned, "With the right type")

    def _left_in(self, record: Record, trials: Sequence[Trial], changed: str) -> str:
        """Name the known mistake that explains all of a changed answer; "" if none does."""
        known = len(trials) == len(record.cases) and self.mistake(record, trials)
        if not known or not _makes_exactly(record, trials, known):
            return ""
        return f"{changed}, one fault is left: {known.explanation}"

    def _relation_with_own_inputs(self, record: Record, rerun: RerunCases) -> str:
        """Call an answer that changes its inputs with copies; describe what else is wrong."""
        outputs = rerun(record.cases, OUR_SEED)
        if None in outputs:
            return ""
        plain = replace(record, expected=[Answer(expected.outputs) for expected in record.expected])
        trials = plain.trials([Answer(values) for values in outputs])
        verdict = self.explain(plain, trials, self.judge(plain, trials), rerun, None)
        if verdict.passed:
            return "All values that it returns are right, but it changes what was given to it."
        named = verdict.mistake.explanation if verdict.mistake else ""
        return f"{named} {verdict.relation}".strip()


class Texts(Values):
    """Functions that return texts, which are the right ones or not: there is nothing in between."""

    is_related = False


class Modules(Values):
    """Modules, built in each case, given its parameters, and called."""

    def check_type(self, definition: Any) -> None:
        name, is_class = self.spec.id, inspect.isclass(definition)
        if is_class and issubclass(definition, nn.Module):
            return
        if is_class:
            message = (
                f"`{name}` is a class, but no `nn.Module`: write `class {name}(nn.Module): …`."
            )
        else:
            message = (
                f"`{name}` is {with_article(definition)}. The task asks for a class: "
                f"`class {name}(nn.Module): …`."
            )
        raise AnswerError(Reason.WRONG_TYPE, message)


def _in_words(fault: Exception) -> str:
    """Describe an exception for a maintainer, with the line that raised it."""
    *_, last = traceback.extract_tb(fault.__traceback__)
    return f"{type(fault).__name__}: {fault} ({Path(last.filename).name}, line {last.lineno})"


# --- Known mistakes -------------------------------------------------------------------------------


def _outputs_apart(task: Task, trials: Sequence[Trial]) -> list[str]:
    """Return the outputs that are wrong in some case; a known mistake explains the first."""
    right = outputs_alike(task, trials)
    return [output for output in task.outputs if output not in right]


def _makes(record: Record, trials: Sequence[Trial], mistake: Mistake, evidence: Evidence) -> bool:
    """Decide whether a wrong output is as with a known mistake, and no other fault's."""
    return any(
        trial.case is evidence.case
        and are_close(
            trial.expected.outputs[evidence.output], evidence.actual, record.task.tolerance
        )
        for trial in record.beside(mistake, trials)
    )


def _begins(record: Record, trials: Sequence[Trial], mistake: Mistake, evidence: Evidence) -> bool:
    """Decide whether a mistake has, at the first place that is wrong, the number that is there."""
    expected, actual, tolerance = evidence.expected, evidence.actual, record.task.tolerance
    if expected.shape != actual.shape:
        return _makes(record, trials, mistake, evidence)
    first = np.argmin(agree(expected, actual, tolerance))
    return any(
        trial.case is evidence.case
        and known.shape == actual.shape
        and bool(agree(known, actual, tolerance).flat[first])
        for trial in record.beside(mistake, trials)
        for known in [trial.expected.outputs[evidence.output]]
    )


def _is_seen(record: Record, mistake: Mistake, trials: Sequence[Trial], output: str) -> bool:
    """Decide whether a mistake makes an output wrong in a case in which all numbers are finite."""
    return any(
        not are_close(trial.expected.outputs[output], known, record.task.tolerance)
        for trial, beside in zip(trials, record.beside(mistake, trials), strict=True)
        for known in [beside.expected.outputs[output]]
        if not is_blown_up(known) and not is_blown_up(trial.actual.outputs[output])
    )


def _outputs_spared(record: Record, mistake: Mistake, trials: Sequence[Trial]) -> list[str]:
    """Return the outputs that a mistake leaves right in the cases of trials."""
    all_right = [replace(trial, actual=trial.expected) for trial in trials]
    return outputs_alike(record.task, record.beside(mistake, all_right))


def _holds_counts(trials: Sequence[Trial]) -> bool:
    values = [array for trial in trials for array in trial.expected.outputs.values()]
    return all(array.dtype.kind == "i" for array in values)


def _outputs_of_mistake(record: Record, mistake: Mistake, trials: Sequence[Trial]) -> list[str]:
    """Return the outputs that are as with a mistake, but where they hold NaN or infinity."""
    return outputs_alike(record.task, record.beside(mistake, trials), finite_only=True)


def _makes_exactly(record: Record, trials: Sequence[Trial], mistake: Mistake | None) -> bool:
    """Decide whether a known mistake explains all outputs of an answer."""
    return bool(mistake) and _outputs_of_mistake(record, mistake, trials) == [*record.task.outputs]


def _outputs_unexplained(record: Record, trials: Sequence[Trial], mistake: Mistake) -> list[str]:
    """Return the outputs that are wrong otherwise than by the mistake that is named."""
    known = _outputs_of_mistake(record, mistake, trials)
    return [name for name in _outputs_apart(record.task, trials) if name not in known]


def _told_in_part(
    task: Task, trials: Sequence[Trial], mistake: Mistake, others: Sequence[str], some: bool
) -> Mistake:
    """Return a mistake that says for what of an answer it is told, if that is not all.

    Args:
        task, trials, mistake: the task, the cases with returned values, and the mistake.
        others: the outputs that are wrong otherwise.
        some: whether it is seen in some cases only, in which all numbers are finite.
    """
    words = mistake.explanation
    own = [f"`{name}`" for name in _outputs_apart(task, trials) if name not in others]
    if others and not all(name in words for name in own):
        words = OF_OUTPUTS.format(listed(own), words)
    return replace(mistake, explanation=FINITE.format(words) if some else words)


def _what_is_unexplained(others: Sequence[str], spared: Sequence[str]) -> str:
    """State which outputs are wrong otherwise than by the mistake that is named; "" if none is.

    Args:
        others: these outputs.
        spared: outputs that the mistake leaves right.
    """
    sentences = []
    for is_spared, reason in enumerate((MAYBE_ANOTHER, ANOTHER_BESIDE)):
        if names := [f"`{name}`" for name in others if (name in spared) == is_spared]:
            are = "is" if len(names) == 1 else "are"
            sentences.append(f"{listed(names)} {are} wrong, too{reason}")
    return " ".join(sentences)


def _beside_nan(record: Record, trials: Sequence[Trial], mistake: Mistake) -> str:
    """State that a mistake does not explain the NaN and infinities of an output; "" if it does."""
    beside = record.beside(mistake, trials)
    explained = {*_outputs_of_mistake(record, mistake, trials)}
    unexplained = explained.difference(outputs_alike(record.task, beside))
    if not any(is_blown_up(trial.actual.outputs[name]) for trial in trials for name in unexplained):
        return ""
    return (
        "Your NaN, or infinity, in other cases may come from this, or from another fault: see what "
        "mending this leaves."
    )


def _with_two(
    record: Record,
    trials: Sequence[Trial],
    verdict: Verdict,
    found: Sequence[tuple[Mistake, Mistake]],
) -> Verdict:
    """Name two mistakes at once; only one if several others are possible beside it.

    First comes one that makes the first difference by itself.
    """
    sure = [mistake for mistake in found[0] if all(mistake in pair for pair in found)]
    if not sure:
        return verdict
    if verdict.evidence:
        sure.sort(key=lambda mistake: not _begins(record, trials, mistake, verdict.evidence))
    if not sure[1:]:
        return replace(verdict, mistake=sure[0], relation=ANOTHER, right="")
    first = replace(sure[0], explanation=FIRST.format(sure[0].explanation))
    return replace(verdict, mistake=first, relation=SECOND.format(sure[1].explanation), right="")


# --- Relations to the right answer ----------------------------------------------------------------


def _describe_remains(
    record: Record, trials: Sequence[Trial], shown: Case | None, place: Pointer | str
) -> str:
    """State what is still right in an answer, and where it leaves all right answers."""
    shown = place.case if place else shown
    return _with_place(describe_values(record, trials, WEAKER_RELATIONS, shown), place)


def _with_place(words: str, place: Pointer | str) -> Pointer | str:
    """Add the line at which an answer leaves all right ones, if one is told."""
    return Pointer(f"{words} {place}".strip(), place.line, place.case) if place else words


def _describe_gradients(record: Record, trials: Sequence[Trial]) -> str:
    """State which gradients of an answer are right, and which are not; "" if a value is wrong."""
    outputs = [OutputComparison(record, trials, output) for output in record.task.outputs]
    if len(trials) < len(record.cases) or not all(output.right for output in outputs):
        return ""
    fits = {  # number of the case, gradient → whether it is right
        (number, key): _is_right(gradient, trial.actual.gradients.get(key))
        for number, trial in enumerate(trials)
        for key, gradient in trial.expected.gradients.items()
    }
    wrong = {number for (number, _), right in fits.items() if not right}
    if not wrong:
        return ""
    if len(wrong) <= MOST_LABELS and 2 * len(wrong) < len(trials):
        labels = "; ".join(trials[number].case.label for number in sorted(wrong))
        return f"All values are right, and all gradients too but in these cases: {labels}."
    inputs = [*dict.fromkeys(key.input for _, key in fits)]
    cut = {key.input for (_, key), right in fits.items() if not right}
    if len(cut) == len(inputs):
        if any(trial.actual.gradients for trial in trials):
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
    if actual is None or actual.shape != expected.shape or is_spoilt(expected, actual):
        return False
    fits = gradient_fits(expected, actual)
    return not fits.size or bool(fits.mean() >= 0.5)
