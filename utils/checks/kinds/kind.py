"""What all kinds of answers have in common: each is run, judged and explained."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from utils.checks.compare import Verdict
from utils.checks.diagnosis.behaviours import RerunCases
from utils.checks.diagnosis.lines import TraceCases
from utils.checks.runner import AnswerError, Printed, Rerun, collect, with_article
from utils.checks.tasks import Answer, CallSpec, Case, Reason, Record, Trial


class Kind:
    """A kind of answers: how one is run, judged and explained.

    A grader runs answers in a worker, which has the specification of the calls and no more. It
    judges and explains them in its own process.

    Attributes:
        is_code: whether an answer is code, and not a dictionary of choices.
        is_model: whether only a share of an answer's entries can be right, as of a trained network.
            Then fresh cases decide.
        is_refereed: whether an answer calls implementations, for which a referee answers.
        is_told_by_calls: whether calls with other inputs tell what is wrong with an answer.
        mistake_comes_first: whether a known mistake says more than the message, so stands above it.
    """

    is_code = True
    is_model = False
    is_refereed = False
    is_told_by_calls = False
    mistake_comes_first = True

    def __init__(self, spec: CallSpec):
        self.spec = spec

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
        """Yield what a definition returns in each case, calling it only when that is asked for."""
        raise NotImplementedError

    @property
    def of_ours(self) -> "Kind":
        """The kind of what the course defines itself, which may get its values from anywhere."""
        return self

    def rerun(self, definition: Any) -> Rerun:
        """Return what calls a definition again. Make it before the first call: its time starts."""
        return Rerun(self.spec, definition)

    # --- Judge, and explain -----------------------------------------------------------------------

    def judge(
        self, record: Record, trials: Sequence[Trial], error: AnswerError | None = None
    ) -> Verdict:
        """Return the verdict on an answer, from the values that it returned in the cases.

        Args:
            record: the task, and what is known of it.
            trials: the cases in which the answer returned something.
            error: the reason why later cases have no returned values, if they have none.
        """
        raise NotImplementedError

    def explain(
        self,
        record: Record,
        trials: Sequence[Trial],
        verdict: Verdict,
        rerun: RerunCases | None,
        trace: TraceCases | None,
    ) -> Verdict:
        """Return a verdict with what more can be said of the answer, if there is more."""
        return verdict

    def diagnose(
        self,
        record: Record,
        answers: Sequence[Answer],
        error: AnswerError | None = None,
        rerun: RerunCases | None = None,
        trace: TraceCases | None = None,
    ) -> Verdict:
        """Judge an answer, and explain the verdict; if that fails itself, the plain verdict stands.

        Args:
            record: the task, its cases and the expected values.
            answers: returned values, in the order of the cases.
            error: the reason why later cases have no returned values, if they have none.
            rerun: function that calls the answer with other inputs; None if it cannot be called.
            trace: function that tells what the answer's lines compute; None if it cannot be called.
        """
        trials = record.trials(answers)
        verdict = self.judge(record, trials, error)
        try:
            return self.explain(record, trials, verdict, rerun, trace)
        except Exception:  # a fault of ours, which learners must not hear of as one of theirs
            return verdict
