"""Let a learner's test call one implementation after another, and note which of them it rejects.

A test "blames" (rejects) an implementation by failing. The test gets a `Proxy`, which passes each
call on to a `Referee` and returns the reply. In a notebook, the referee is in the same process. In
the grader, the referee stays in the parent process: the worker, in which the test runs, sends calls
over the wire, and neither holds an implementation nor learns which one has its turn.
"""

import builtins
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from utils.checks import implementations
from utils.checks.tasks import Answer, Case

MOST_CALLS = 20  # calls of one implementation in a turn
MOST_NUMBERS = 2_000  # numbers among the arguments of one call
MOST_AXES = 4  # of a tensor
# Axes of different tensors may meet in one result, which then is as large as their product.
MOST_MET = 5
LARGEST_RESULT = 2**23  # the product of the `MOST_MET` longest axes of a call
LARGEST_WHOLE = 1_000  # a whole number may be a length, and take memory
CARRIED = (torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool)
ROUNDING = 1e-5  # difference of results that no test should notice
LONGEST_MESSAGE = 500  # characters of an exception
FAILS = ["RuntimeError", "it fails with these arguments, and a right one does not"]


class Decision(NamedTuple):
    """The outcome of a test for one implementation.

    Args:
        blames: whether the test failed, and so rejects the implementation.
        message: text of the exception with which the test failed.
        where: the learner's line that raised the exception.
    """

    blames: bool
    message: str = ""
    where: str = ""


def answer_to(
    task_id: str, name: str, arguments: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, Any], bool]:
    """Call one of a task's implementations by its name.

    Only values tell implementations apart. What one raises shows how it is written and no bug: to a
    call that the right implementation refuses, all reply as that one does, and all that fail where
    it does not reply alike.

    Returns:
        What `answer_of` returns, and whether no right implementation returns that.
    """
    known = implementations.of(task_id)
    expected, *others = (answer_of(right, arguments, named) for right in known.right)
    if "raised" in expected:
        return expected, False
    reply = answer_of(known.implementations[name], arguments, named)
    shown = not any(_alike(each, reply) for each in (expected, *others))
    return {"raised": FAILS} if "raised" in reply else reply, shown


def answer_of(
    implementation: Callable, arguments: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Call an implementation; return {"returned": …} or {"raised": [class, text]}."""
    try:
        with (
            torch.no_grad(),
            torch.random.fork_rng(devices=[]),  # a module draws its weights
            warnings.catch_warnings(action="ignore"),
        ):
            return {"returned": copied(implementation(*arguments, **named))}
    except Exception as error:
        message = str(error).partition("\n")[0][:LONGEST_MESSAGE]
        return {"raised": [type(error).__name__, message]}


class Referee:
    """The part that answers a test's calls, by the implementation whose turn it is.

    Each implementation has a turn in every round, and all turns of a round have the same random
    seed. A broken implementation comes first, so that no test can take the first as its standard.
    The first turn of each comes before all second ones; a grader runs it apart.

    Args:
        task_id: name of the task whose implementations are called.
        case: case with the implementations' names, and a seed for each round.
        shuffle: random generator that draws the order of turns; None keeps the order of the case.
        answer: function that calls an implementation, with the parameters and results of
            `answer_to`; its first result may be packed.
    """

    def __init__(
        self,
        task_id: str,
        case: Case,
        shuffle: Random | None = None,
        answer: Callable[..., Any] | None = None,
    ):
        self._task, self._answer = task_id, answer or answer_to
        self._names, self._seeds = case.inputs["lineup"], case.inputs["seeds"]
        known = implementations.of(task_id)
        self._turns = [(row, name) for row in range(len(self._seeds)) for name in self._names]
        if shuffle:
            shuffle.shuffle(self._turns)
            broken = next(turn for turn in self._turns if turn[1] in known.broken)
            first = {name: turn for turn in reversed(self._turns) for name in [turn[1]]}
            self._turns.sort(key=lambda turn: (turn != broken, turn != first[turn[1]]))
        self._decisions: list[Decision] = []
        self._shown: list[bool] = []  # of each turn, whether the calls showed its bug
        self._calls, self._shows = 0, False

    @property
    def seeds(self) -> list[int]:
        """Return the random seed of each turn."""
        return [self._seeds[row] for row, _ in self._turns]

    @property
    def apart(self) -> int:
        """Return how many turns, from the beginning, are the first of their implementation."""
        return len(self._names)

    def call(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call the implementation in turn; return its reply, as `answer` gives it.

        Raises:
            ValueError: the call is not allowed, see `refusal`.
        """
        self._calls += 1
        if why := refusal(self._calls, [*arguments, *named.values()]):
            raise ValueError(why)
        _, name = self._turns[len(self._decisions)]
        reply, shows = self._answer(self._task, name, arguments, named)
        self._shows = self._shows or shows
        return reply

    def decide(self, turn: Callable[[], Decision]) -> Decision:
        """Run a turn. (A grader's stand-in runs some of them in processes of their own.)"""
        return turn()

    def decided(self, decision: Decision) -> None:
        """Store the final outcome of the current turn, and go on to the next turn."""
        self._decisions.append(decision)
        self._shown.append(self._shows)
        self._calls, self._shows = 0, False

    @property
    def done(self) -> bool:
        """Return whether the learner's test has run on all implementations in all rounds."""
        return len(self._decisions) == len(self._turns)

    @property
    def answer(self) -> Answer:
        """Return all decisions, each (rounds, implementations): `blames`, `shown` and messages.

        `shown` states whether an implementation returned other values than the right one in a call.
        """
        turns = dict(zip(self._turns, zip(self._decisions, self._shown, strict=True), strict=True))
        rounds = [[turns[row, name] for name in self._names] for row in range(len(self._seeds))]
        outputs = {
            "blames": [[bool(decision.blames) for decision, _ in of_round] for of_round in rounds],
            "shown": [[shown for _, shown in of_round] for of_round in rounds],
            "messages": [[decision[1:] for decision, _ in of_round] for of_round in rounds],
        }
        return Answer({name: np.array(values) for name, values in outputs.items()})


def _alike(left: Any, right: Any) -> bool:
    """Decide whether two replies are equal except for rounding."""
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        same = left.shape == right.shape and left.dtype == right.dtype
        return same and torch.allclose(left, right, ROUNDING, ROUNDING, equal_nan=True)
    if isinstance(left, dict) and "returned" in left:
        return "returned" in right and _alike(left["returned"], right["returned"])
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_alike, left, right))
    return left == right


class Proxy:
    """The function that a test gets in place of an implementation; a referee answers its calls."""

    def __init__(self, referee: Referee):
        self._referee = referee
        self.calls, self.refused = 0, ""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.calls += 1
        self.refused = self.refused or refusal(self.calls, [*arguments, *named.values()])
        if self.refused:
            raise ValueError(self.refused)
        named = {name: copied(value) for name, value in named.items()}
        reply = self._referee.call(copied(arguments), named)
        if "raised" in reply:
            name, message = reply["raised"]
            known = getattr(builtins, name, None)
            is_error = isinstance(known, type) and issubclass(known, Exception)
            raise (known if is_error else RuntimeError)(message)
        returned = reply["returned"]
        return tuple(returned) if isinstance(returned, list) else returned


def refusal(calls: int, values: Sequence[Any]) -> str:
    """Return why a call is not allowed, in words that complete "`attend` …"; "" if it is allowed.

    Args:
        calls: number of calls in this turn, with this one.
        values: all arguments of the call.
    """
    if calls > MOST_CALLS:
        return f"may be called {MOST_CALLS} times in a test, not more"
    leaves = [leaf for value in values for leaf in _leaves(value)]
    if not all(map(_can_be_carried, leaves)):
        return "takes tensors, numbers, `True`, `False`, `None`, and lists of those"
    if sum(map(_size, leaves)) > MOST_NUMBERS:
        return f"takes {MOST_NUMBERS:,} numbers at most in one call: small inputs show as much"
    shapes = [leaf.shape for leaf in leaves if isinstance(leaf, Tensor)]
    if any(len(shape) > MOST_AXES for shape in shapes):
        return f"takes tensors with {MOST_AXES} axes at most"
    longest = sorted(itertools.chain(*shapes))[-MOST_MET:]
    if math.prod(length or 1 for length in longest) > LARGEST_RESULT:
        return "takes tensors with shorter axes only: all of them may meet in one result"
    if any(map(_is_too_large, leaves)):
        return f"takes whole numbers from -{LARGEST_WHOLE:,} to {LARGEST_WHOLE:,}"
    return ""


def copied(value: Any) -> Any:
    """Copy a value as the wire would: without gradients, stored row by row, tuples as lists."""
    if isinstance(value, Tensor):
        return value.detach().clone(memory_format=torch.contiguous_format)
    return [copied(item) for item in value] if isinstance(value, list | tuple) else value


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the items of nested lists, and None for each list, so that empty lists count too."""
    if isinstance(value, list | tuple):
        yield None
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _size(value: Any) -> int:
    """Count the numbers in a value; an axis of length 0 counts as 1, as others may be long."""
    return math.prod(size or 1 for size in value.shape) if isinstance(value, Tensor) else 1


def _can_be_carried(value: Any) -> bool:
    """Decide whether the wire to a worker can carry a value."""
    if isinstance(value, Tensor):
        plain = value.device.type == "cpu" and value.layout == torch.strided
        return plain and value.dtype in CARRIED
    return value is None or type(value) in (bool, int, float)


def _is_too_large(value: Any) -> bool:
    """Decide whether a value holds a whole number that could be a huge length."""
    if isinstance(value, Tensor):
        whole = not value.is_floating_point()
        return whole and any(map(_is_too_large, value.flatten().tolist()))
    return isinstance(value, int) and abs(value) > LARGEST_WHOLE
