"""Dictionaries of choices."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from utils.checks.compare import Verdict
from utils.checks.kinds.values import Values
from utils.checks.runner import AnswerError, with_article
from utils.checks.tasks import Answer, CallSpec, Reason, Record, Task, Trial


class Choices(Values):
    """Dictionaries of choices. They hold no code, so they are read, and not called."""

    is_code = False
    without_steps = "is a dictionary of choices: it has no code to go through line by line."
    is_related = False

    def run(self, definition: Any, cases: Sequence, *_: Any) -> list[Answer]:
        """Return hashes of a learner's choices, so that no file of the course shows an answer."""
        return [Answer(_chosen(self.spec, definition)) for _ in cases]

    def judge(
        self, record: Record, trials: Sequence[Trial], error: AnswerError | None = None
    ) -> Verdict:
        verdict = super().judge(record, trials, error)
        if verdict.passed:
            return replace(verdict, message="Every choice is right.")
        if verdict.evidence:
            place = f"`{record.task.id}[{verdict.evidence.output!r}]`"
            return replace(verdict, message=f"{place} is not right.")
        return verdict

    def what_is_right(self, task: Task, trials: Sequence[Trial]) -> str:
        return ""  # whoever tries all choices should not hear which ones are right


def _chosen(spec: CallSpec, definition: Any) -> dict[str, np.ndarray]:
    if not isinstance(definition, dict):
        raise AnswerError(
            Reason.WRONG_TYPE,
            f"`{spec.id}` is {with_article(definition)}. The task asks for a dictionary.",
        )
    hashed = {}
    for key, options in spec.choices.items():
        choice = definition.get(key, ...)
        if choice is ...:
            raise AnswerError(Reason.NOTHING, f"`{spec.id}[{key!r}]` is not answered yet.")
        choice = str(choice).strip().lower()
        if choice not in options:
            raise AnswerError(
                Reason.CHOICE,
                f"`{spec.id}[{key!r}]` is {choice!r}. Choose one of: {', '.join(options)}.",
            )
        digest = hashlib.sha256(f"{spec.id} {key} {choice}".encode()).hexdigest()
        hashed[key] = np.array(digest[:16])
    return hashed
