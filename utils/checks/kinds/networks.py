"""Trained networks, which never get every entry right.

The share of correct entries decides, and an answer makes a known mistake if it has most of the
wrong entries of that mistake. Where a network is asked for, a rule is refused.
"""

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.weak import WeakTensorKeyDictionary

from utils.checks.compare import Verdict, agree
from utils.checks.kinds.values import Values
from utils.checks.runner import AnswerError, is_decimal, returned_exactly
from utils.checks.tasks import Answer, Case, Doubt, Mistake, Reason, Record, Trial

MOST = 0.75  # share of a mistake's wrong entries above which a model is said to make the mistake
SAME = 0.5  # share of an answer that may stay the same, by chance, if its network is disturbed
NEARLY = 0.9  # share of an answer that hardly stays the same, by chance, without what was learned
FEW = 4  # examples below which exchanging half of them proves nothing
SMALL = 200  # parameters; the smallest networks that can learn these tasks have more
SPENT = 0.9  # of an answer's time, for a training and a second call in which nothing is learned
MORE = 5.0  # seconds that the second call may take beyond as many as the training


class Model(Values):
    """Functions that return what a model makes of their inputs."""

    is_model = True
    is_related = False
    without_steps = "rests on what a network has learned, and not on what its own lines say."

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

    def _doubt_small(self, parameters: Collection[Tensor]) -> None:
        if sum(parameter.numel() for parameter in parameters) < SMALL:
            self.doubts.append(Doubt.SMALL)


class AsksNetwork(Model):
    """Functions that ask a network which the notebook has trained."""

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        given = []
        for answer in super().answers(definition, cases):
            given.append(answer)
            yield answer
        self._demand_network(definition, cases[0], given[0])

    def _demand_network(self, definition: Any, case: Case, answer: Answer) -> None:
        """Raise an error if an answer stays the same, whatever its networks return or have learned.

        Half of the examples get from every network what it returns for their neighbours. So nothing
        but the answer to each example tells that something is amiss, and an answer that tries its
        network on numbers of its own finds it as it was. A rule may also stand in a network's
        `forward`, beside parameters: it stays what it is when these are shuffled.
        """
        (before,) = answer.outputs.values()
        examples = len(before) if before.ndim else 1
        asked = Asked()
        try:
            with _after_each_call(asked.note):
                returned_exactly(self.spec, definition, case)
            with _after_each_call(asked.disturbance(examples)):
                disturbed = returned_exactly(self.spec, definition, case)
            with _parameters_replaced(_shuffling()):
                unlearned = returned_exactly(self.spec, definition, case)
            with _parameters_replaced(_as_it_began):
                untaught = returned_exactly(self.spec, definition, case)
        except AnswerError:  # it may have asked whether its network is whole, or be too careful
            self.doubts.append(Doubt.FAILS)
            return
        tries = disturbed, unlearned, untaught
        after, without, began = (each for answer in tries for each in answer.outputs.values())
        if not before.shape == after.shape == without.shape == began.shape:
            return
        same = (before == after).mean()
        kept = (before == without).mean() > NEARLY and np.unique(before).size > 1
        by_half = asked.is_by_example(examples)
        if kept or same > ((1 + SAME) / 2 if by_half else SAME):
            raise AnswerError(
                Reason.NO_NETWORK,
                f"`{self.spec.id}` gives the same whatever networks return in it, or have learned. "
                "What counts here is what a network has learned: let what yours returns decide.",
            )
        if not by_half:
            self.doubts.append(Doubt.ELSEWHERE)
        elif same < SAME / 2:
            self.doubts.append(Doubt.APART)
        if (before == began).mean() > NEARLY:
            self.doubts.append(Doubt.UNTAUGHT)
        self._doubt_small(asked.parameters)


class TrainsNetwork(Model):
    """Functions that train a network themselves."""

    def answers(self, definition: Any, cases: Sequence[Case]) -> Iterator[Answer]:
        start, given = time.process_time(), []
        stepped: list[Optimizer] = []  # once for each step
        hook = register_optimizer_step_post_hook(lambda optimizer, *_: stepped.append(optimizer))
        steps = 0  # for the first case
        try:
            for answer in super().answers(definition, cases):
                steps = steps or len(stepped)
                given.append(answer)
                yield answer
        finally:
            hook.remove()
        trained = {each for optimizer in {*stepped} for each in _parameters_of(optimizer)}
        if not trained:
            raise AnswerError(
                Reason.NO_NETWORK,
                f"`{self.spec.id}` trains nothing: no optimizer takes a step in it. What counts "
                "here is what a network learns.",
            )
        self._doubt_small(trained)
        taken = time.process_time() - start
        longest = min(2 * taken + MORE, SPENT * self.spec.seconds)
        self._demand_training(definition, cases[0], given[0], steps, start + longest)

    def _demand_training(
        self, definition: Any, case: Case, answer: Answer, steps: int, deadline: float
    ) -> None:
        """Raise an error if most of an answer stays the same where no network learns anything."""
        try:
            with _training_in_vain(steps, deadline) as undone:
                untrained = returned_exactly(self.spec, definition, case)
        except AnswerError:  # it may have asked whether its network learns, or taken too long
            self.doubts.append(Doubt.FAILS)
            return
        (before,), (after,) = answer.outputs.values(), untrained.outputs.values()
        if before.shape == after.shape and (before == after).mean() > SAME:
            raise AnswerError(
                Reason.NO_NETWORK,
                f"`{self.spec.id}` gives the same if its optimizers' steps are undone. What counts "
                "here is what a network learns in them: let that decide.",
            )
        if len(undone) < steps:  # so its last answers, too, came from disturbed networks
            self.doubts.append(Doubt.FAILS)


# --- Networks that are disturbed ------------------------------------------------------------------


class Asked:
    """What an answer asks networks with parameters in one call, and how to disturb a second call.

    Attributes:
        calls: how often a network, or a part of one, was called.
        parameters: the parameters of all that were called.
    """

    def __init__(self):
        self.calls, self.parameters = 0, set[Tensor]()
        self._shapes: list[torch.Size] = []

    def note(self, module: nn.Module, inputs: Any, outputs: Any) -> None:
        """Note one call, in a forward hook."""
        self.calls += 1
        self.parameters.update(module.parameters())
        _changed(outputs, lambda output: self._shapes.append(output.shape))

    def is_by_example(self, examples: int) -> bool:
        """Decide whether each example is asked for, in a call for all or in one of its own."""
        return examples >= FEW and (self._has_axis(examples) or self.calls >= examples)

    def _has_axis(self, examples: int) -> bool:
        return any(_axis_of(examples, shape) is not None for shape in self._shapes)

    def disturbance(self, examples: int) -> Callable[[nn.Module, Any, Any], Any]:
        """Return a forward hook that disturbs what belongs to the first half of the examples.

        If what a call belongs to cannot be told, because networks are not asked for each example,
        it disturbs every output.
        """
        if examples >= FEW and self._has_axis(examples):
            return lambda module, inputs, outputs: _changed(outputs, partial(_exchanged, examples))
        places = itertools.count()
        last = self.calls // 2 if self.is_by_example(examples) else math.inf
        return lambda module, inputs, outputs: (
            _changed(outputs, _rolled) if next(places) < last else outputs
        )


@contextlib.contextmanager
def _after_each_call(hook: Callable[[nn.Module, Any, Any], Any]) -> Iterator[None]:
    """Call a forward hook after each call of a module that has parameters."""
    handle = register_module_forward_hook(
        lambda module, *more: hook(module, *more) if _can_learn(module) else None
    )
    try:
        yield
    finally:
        handle.remove()


_began = WeakTensorKeyDictionary()  # parameter → its values before the first step on it


def note_training() -> None:
    """Note, from now on, what parameters are before an optimizer takes its first step on them."""

    def note(optimizer: Optimizer, *_: Any) -> None:
        for parameter in _parameters_of(optimizer):
            if parameter not in _began:
                _began[parameter] = parameter.detach().clone()

    register_optimizer_step_pre_hook(note)


def _as_it_began(parameter: Tensor) -> Tensor:
    """Return what a parameter was before its training; for one of a copy, what the original was.

    The best network of a training may be such a copy. An original is told by its shape.
    """
    if parameter in _began:
        return _began[parameter]
    alike = (values for values in _began.values() if values.shape == parameter.shape)
    return next(alike, parameter.data)


def _shuffling() -> Callable[[Tensor], Tensor]:
    """Return a function that shuffles a parameter's values, as if nothing had been learned."""
    dice = torch.Generator().manual_seed(0)

    def shuffled(parameter: Tensor) -> Tensor:
        order = torch.randperm(parameter.numel(), generator=dice)
        return parameter.data.flatten()[order].view(parameter.shape)

    return shuffled


@contextlib.contextmanager
def _parameters_replaced(values_for: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Give the parameters of each module that is called other values.

    They are those of the call: an answer may ask a copy of its network that it makes each time.
    """
    before: dict[Tensor, Tensor] = {}

    def replaced(module: nn.Module, inputs: Any) -> None:
        for parameter in module.parameters():
            if parameter not in before:
                values = values_for(parameter)
                before[parameter], parameter.data = parameter.data, values

    hook = register_module_forward_pre_hook(replaced)
    try:
        yield
    finally:
        hook.remove()
        for parameter, values in before.items():
            parameter.data = values


class _Enough(BaseException):
    """The end of the time for a second call; `except Exception` in an answer lets it pass."""


@contextlib.contextmanager
def _training_in_vain(steps: int, deadline: float) -> Iterator[Sequence[Optimizer]]:
    """Undo the steps of all optimizers; meanwhile networks return their first outputs, disturbed.

    So a training that took half a minute takes a second or two. When it is over, networks return
    what they make of their inputs with the parameters that they began with.

    Args:
        steps: how many there are in the training.
        deadline: processor time of this process at which the next call or step raises `_Enough`.

    Yields:
        The optimizers whose steps have been undone, once for each step.
    """
    call, kept = nn.Module.__call__, {}
    undone: list[Optimizer] = []

    def first_call_again(module: nn.Module, *inputs: Any, **named: Any) -> Any:
        in_time()
        if not _can_learn(module) or len(undone) >= steps:
            return call(module, *inputs, **named)
        shapes: list[torch.Size] = []
        _changed([*inputs, named], lambda each: shapes.append(each.shape), decimals=False)
        key = module, *shapes
        if key not in kept:
            kept[key] = _changed(call(module, *inputs, **named), Tensor.detach)
        ours = [each.sum() for each in module.parameters() if each.requires_grad]
        untold = 0 * sum(ours)  # so that every parameter has a gradient, as after any call
        return _changed(kept[key], lambda output: _rolled(output.clone()) + untold)

    def undo(optimizer: Optimizer, *_: Any) -> None:
        in_time()
        undone.append(optimizer)
        for parameter in _parameters_of(optimizer):
            parameter.grad = None

    def in_time() -> None:
        if time.process_time() > deadline:
            raise _Enough

    hook = register_optimizer_step_pre_hook(undo)
    nn.Module.__call__ = first_call_again
    try:
        yield undone
    finally:
        nn.Module.__call__ = call
        hook.remove()


def _can_learn(module: nn.Module) -> bool:
    return next(module.parameters(), None) is not None


def _parameters_of(optimizer: Optimizer) -> Iterator[Tensor]:
    return (each for group in optimizer.param_groups for each in group["params"])


def _changed(value: Any, change: Callable[[Tensor], Any], decimals: bool = True) -> Any:
    """Return a network's output, or a collection of those, with each tensor changed.

    Args:
        decimals: whether only tensors of decimals are changed.
    """
    if type(value) in (tuple, list):
        return type(value)(_changed(each, change, decimals) for each in value)
    if type(value) is dict:
        return {name: _changed(each, change, decimals) for name, each in value.items()}
    is_changed = is_decimal(value) if decimals else isinstance(value, Tensor)
    return change(value) if is_changed else value


def _axis_of(examples: int, shape: torch.Size) -> int | None:
    """Return the first axis that has a place, or several, for each example; None if none has."""
    fits = (axis for axis, size in enumerate(shape) if size and size % examples == 0)
    return next(fits, None)


def _exchanged(examples: int, output: Tensor) -> Tensor:
    """Give each example of the first half what belongs to the one before it."""
    axis = _axis_of(examples, output.shape)
    if axis is None:
        return output
    each = output.unflatten(axis, (examples, -1)).movedim(axis, 0)
    half = examples // 2
    moved = torch.cat([each[:half].roll(1, 0), each[half:]])
    return moved.movedim(0, axis).flatten(axis, axis + 1)


def _rolled(output: Tensor) -> Tensor:
    """Move all entries of an output by one place: the numbers are of the same size."""
    return output.flatten().roll(1).view(output.shape)


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
