"""Trained networks, which never get every entry right.

The share of correct entries decides, and an answer makes a known mistake if it has most of the
wrong entries of that mistake. Where a network is asked for, a rule is refused.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_hook
from torch.optim.optimizer import register_optimizer_step_post_hook

from utils.checks.compare import Verdict, agree
from utils.checks.kinds.values import Values
from utils.checks.runner import AnswerError, is_decimal, returned_exactly
from utils.checks.tasks import Answer, Case, Mistake, Reason, Record, Trial

MOST = 0.75  # share of a mistake's wrong entries above which a model is said to make the mistake
SAME = 0.5  # share of an answer that may stay the same, by chance, if its network says nothing


class Model(Values):
    """Functions that return what a model makes of their inputs."""

    is_model = True
    is_related = False

    @property
    def of_ours(self) -> Values:
        return Values(self.spec)

    def judge(
        self, record: Record, trials: Sequence[Trial], error: AnswerError | None = None
    ) -> Verdict:
        task = record.task
        if error:
            known = self.mistake(record, trials) if len(trials) == len(record.cases) else None
            return Verdict(task, error.reason, error.message, known, where=error.where)
        right, enough = _share(trials, task.tolerance), task.full_marks_from or 1.0
        if right >= enough:
            return Verdict(task, Reason.PASSED, f"{_percent(right)} are right.", share=1.0)
        verdict = super().judge(record, trials)
        if verdict.reason == Reason.VALUES:
            message = f"{_percent(right)} are right; {_percent(enough)} earn all points."
            verdict = replace(verdict, message=message)
        return replace(verdict, share=right / enough, right="")

    def mistake(self, record: Record, trials: Sequence[Trial]) -> Mistake | None:
        """Find the known mistake with most of whose wrong entries the answer agrees.

        Of several, it is the one with which the answer shares most entries in all.
        """
        tolerance, explained = record.task.tolerance, {}
        for mistake in record.task.mistakes:
            theirs = record.beside(mistake, trials)
            if _share_of_wrong_entries(trials, theirs, tolerance) > MOST:
                explained[mistake] = _share(theirs, tolerance)
        return max(explained, key=explained.get, default=None)


class AsksNetwork(Model):
    """Functions that ask a network which the notebook has trained."""

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        given = []
        for answer in super().answers(definition, cases):
            given.append(answer)
            yield answer
        self._demand_network(definition, cases[0], given[0])

    def _demand_network(self, definition: Any, case: Case, answer: Answer) -> None:
        """Raise an error if most of an answer stays the same while every network returns zeros."""
        hook = register_module_forward_hook(_silent)
        try:
            without = returned_exactly(self.spec, definition, case)
        except AnswerError:  # it cannot go on without its network
            return
        finally:
            hook.remove()
        (before,), (after,) = answer.outputs.values(), without.outputs.values()
        if before.shape == after.shape and (before == after).mean() > SAME:
            raise AnswerError(
                Reason.NO_NETWORK,
                f"`{self.spec.id}` gives the same while all that networks return in it is set to "
                "0. What counts here is what a network has learned: let what yours returns decide.",
            )


class TrainsNetwork(Model):
    """Functions that train a network themselves."""

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        steps: list[int] = []
        hook = register_optimizer_step_post_hook(lambda *_: steps.append(1))
        try:
            yield from super().answers(definition, cases)
        finally:
            hook.remove()
        if not steps:
            raise AnswerError(
                Reason.NO_NETWORK,
                f"`{self.spec.id}` trains nothing: no optimizer takes a step in it. What counts "
                "here is what a network learns.",
            )


def _silent(module: nn.Module, inputs: Any, outputs: Any) -> Any:
    if isinstance(outputs, tuple | list):
        return tuple(_silent(module, inputs, output) for output in outputs)
    return torch.zeros_like(outputs) if is_decimal(outputs) else outputs


def _share(trials: Sequence[Trial], tolerance: float) -> float:
    """Return the share of entries that have the expected values, over all cases and outputs."""
    right = total = 0
    for trial in trials:
        for name, values in trial.expected.outputs.items():
            total += values.size
            right += int(agree(values, trial.actual.outputs[name], tolerance).sum())
    return right / total


def _share_of_wrong_entries(
    trials: Sequence[Trial], theirs: Sequence[Trial], tolerance: float
) -> float:
    """Return the share of a mistake's wrong entries that an answer has too.

    Entries that the mistake gets right do not count, because by chance an untrained model often has
    more entries in common with some mistake than with the right answer.

    Args:
        trials: the answer beside what is right.
        theirs: the answer beside the mistake's values.
        tolerance: of numbers.
    """
    alike = apart = 0
    for right, wrong in zip(trials, theirs, strict=True):
        for name, values in wrong.expected.outputs.items():
            differs = ~agree(values, right.expected.outputs[name], tolerance)
            apart += int(differs.sum())
            alike += int((differs & agree(values, wrong.actual.outputs[name], tolerance)).sum())
    return alike / apart if apart else 0.0


def _percent(share: float) -> str:
    """Format a share as a percentage, rounded down: 89.99 % must not look like 90 %."""
    return f"{math.floor(round(1000 * share, 6)) / 10:g} %"
