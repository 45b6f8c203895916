"""Runs a learner's code, and brings back data or one clear reason why there is none.

This is the only module of the checks in which a learner's code runs. It knows no expected value.
"""

import _thread
import contextlib
import copy
import hashlib
import inspect
import io
import linecache
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from utils.checks.tasks import Answer, Case, Task

OUR_SEED = 812849633550336  # nobody else's, so that a learner's manual_seed can be noticed
AGAIN = 0.002  # seconds between two calls to order: a bare `except:` swallows many


class Trouble(Exception):  # noqa: N818 - it is the learner's, not ours
    """Why there is no answer.

    Args:
        reason: one word for tables.
        message: one sentence or two for the learner, with the way out.
        where: for an exception, the learner's line and the inputs with which it came up.
    """

    def __init__(self, reason: str, message: str, where: str = ""):
        super().__init__(message)
        self.reason, self.message, self.where = reason, message, where


class Printed(io.TextIOBase):
    """Takes what is printed and keeps only a count of lines: a storm must not fill the memory."""

    lines = 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


class OutOfTime(BaseException):
    """Not an `Exception`, so that a learner's `except Exception` does not swallow it."""


def answers(task: Task, learned: Any, cases: Sequence[Case], printed: Printed) -> list[Answer]:
    """What the learner's object returns for every case.

    Args:
        task: what was asked.
        learned: what the learner's notebook holds under the name `task.id`.
        cases: the inputs; they are copied before each call.
        printed: counts what the learner's code prints.

    Raises:
        Trouble: there is no answer to compare.
    """
    if task.kind == "choices":
        return [Answer(_chosen(task, learned)) for _ in cases]
    _check_kind(task, learned)
    quiet = (contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed))
    with quiet[0], quiet[1], warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        try:
            with time_limit(task.seconds):
                return [_answer(task, learned, case) for case in cases]
        except OutOfTime:
            raise Trouble(
                "time",
                f"`{task.id}` was still running after {task.seconds:g} seconds and was stopped. "
                "Is there a loop that never ends? The notebook is fine: mend it and check again.",
            ) from None


def _answer(task: Task, learned: Any, case: Case) -> Answer:
    torch.default_generator.manual_seed(OUR_SEED)  # `torch.manual_seed` does more, and is slow
    inputs = _copies(case)
    returned = _call(_callable(task, learned, case), inputs, case)
    for (name, before), after in zip(case.inputs.items(), inputs, strict=True):
        if not _unchanged(before, after):
            raise Trouble(
                "in-place",
                f"`{task.id}` changes its input `{name}`. Whoever called it still needs that: "
                f"work on a copy, `{name}.clone()`, and avoid `+=` and methods that end in `_`.",
            )
    if torch.initial_seed() != OUR_SEED:
        raise Trouble(
            "seed",
            f"`{task.id}` sets the seed of all random numbers, which changes every other part of "
            "a program. Take `manual_seed` out of it.",
        )
    return Answer(_arrays(task, returned), _gradients(task, learned, case))


def _check_kind(task: Task, learned: Any) -> None:
    if task.kind == "module":
        if not (inspect.isclass(learned) and issubclass(learned, nn.Module)):
            raise Trouble(
                "kind",
                f"`{task.id}` is {_a(learned)}. The task asks for a class: "
                f"`class {task.id}(nn.Module): …`.",
            )
    elif inspect.isclass(learned) or not callable(learned):
        raise Trouble(
            "kind",
            f"`{task.id}` is {_a(learned)}. The task asks for a function: `def {task.id}(…): …`.",
        )


def _callable(task: Task, learned: Any, case: Case) -> Callable:
    if task.kind == "function":
        return learned
    module = _call(lambda: learned(**case.build), [], case)
    own = dict(module.named_parameters())
    for name, values in case.parameters.items():
        if name not in own or own[name].shape != values.shape:
            found = {key: tuple(one.shape) for key, one in own.items()}
            raise Trouble(
                "parameters",
                f"`{task.id}` needs a parameter `{name}` of shape {tuple(values.shape)}. "
                f"It has {found or 'none'}.",
            )
        own[name].data = values.clone()
    return module.eval()


def _call(function: Callable, inputs: Sequence[Any], case: Case) -> Any:
    try:
        return function(*inputs)
    except (OutOfTime, KeyboardInterrupt):
        raise
    except BaseException as error:  # SystemExit too: exit() in an answer must not end the kernel
        first_line = str(error).partition("\n")[0]  # torch may add pages about its own insides
        message = f"{type(error).__name__}: {first_line}"
        raise Trouble("error", message, f"{_line_of(error)}{_called_with(case)}") from None


def _called_with(case: Case) -> str:
    shapes = [
        f"`{name}` {tuple(one.shape)}"
        for name, one in case.inputs.items()
        if isinstance(one, Tensor)
    ]
    return f"It was called with {case.label}{': ' if shapes else ''}{', '.join(shapes)}."


def _line_of(error: BaseException) -> str:
    """The innermost line that the learner wrote: cells of a notebook have no file on disk."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        text = linecache.getline(frame.filename, frame.lineno).strip()
        if text and not Path(frame.filename).exists():
            return f"In your code, `line {frame.lineno}: {text}`. "
    return ""


def _copies(case: Case) -> list[Any]:
    return [
        one.clone() if isinstance(one, Tensor) else copy.deepcopy(one)
        for one in case.inputs.values()
    ]


def _unchanged(before: Any, after: Any) -> bool:
    if not isinstance(before, Tensor):
        return before == after
    if torch.equal(before, after):
        return True
    return torch.equal(before.nan_to_num(), after.nan_to_num())  # NaN is not equal to itself


def _arrays(task: Task, returned: Any) -> dict[str, np.ndarray]:
    if returned is None:
        raise Trouble(
            "nothing",
            f"`{task.id}` returns nothing yet. Write your code where the `...` stands; if you "
            "have, look for a missing `return`.",
        )
    several = len(task.outputs) > 1
    if several and not (isinstance(returned, tuple | list) and len(returned) == len(task.outputs)):
        raise Trouble(
            "type",
            f"`{task.id}` should return {len(task.outputs)} tensors, "
            f"`{', '.join(task.outputs)}`, and returns {_a(returned)}.",
        )
    values = dict(zip(task.outputs, returned if several else [returned], strict=True))
    return {name: _array(task, name, value) for name, value in values.items()}


def _array(task: Task, name: str, value: Any) -> np.ndarray:
    if value is ...:
        raise Trouble("nothing", f"In `{task.id}`, `{name}` is still to be written.")
    if task.returns == "texts":
        return _texts(task, name, value)
    if not isinstance(value, Tensor):
        raise Trouble(
            "type",
            f"`{task.id}` should return `{name}` as a tensor, and returns {_a(value)}. "
            "Stay with tensors from the inputs on; where numbers are made one by one, "
            "`torch.stack` puts them together.",
        )
    if value.device.type != "cpu":
        raise Trouble(
            "device",
            f"`{task.id}` returns `{name}` on the device `{value.device}`, but its inputs are on "
            "`cpu`. Make new tensors where the inputs are: `device=inputs.device`.",
        )
    value = value.detach().clone()  # what the learner does to it later must not change it here
    return (value.double() if value.is_floating_point() else value).numpy()


def _texts(task: Task, name: str, value: Any) -> np.ndarray:
    found = _a(value)
    if isinstance(value, list | tuple | np.ndarray):
        others = [one for one in value if not isinstance(one, str)]
        if not others:
            return np.array([str(one) for one in value], dtype=str)
        found += f" that holds {_a(others[0])}"
    raise Trouble(
        "type",
        f"`{task.id}` should return `{name}` as a list of texts, one string for each, and returns "
        f"{found}.",
    )


@torch.enable_grad()  # whatever the notebook has switched off
def _gradients(task: Task, learned: Any, case: Case) -> dict[str, np.ndarray]:
    """The gradient of each output back to each input and parameter that it depends on."""
    function = _callable(task, learned, case)
    leaves = {
        name: one.clone().requires_grad_()
        for name, one in case.inputs.items()
        if isinstance(one, Tensor) and one.is_floating_point()
    }
    if task.kind == "module":
        own = dict(function.named_parameters())
        leaves |= {name: own[name] for name in case.parameters}
    if not leaves:
        return {}
    inputs = [leaves[name].clone() if name in leaves else one for name, one in case.inputs.items()]
    found = {}
    try:
        returned = _call(function, inputs, case)
        outputs = returned if len(task.outputs) > 1 else [returned]
        for name, output in zip(task.outputs, outputs, strict=True):
            if output.requires_grad:
                total = (output * factors(output)).sum()
                flows = torch.autograd.grad(
                    total, [*leaves.values()], allow_unused=True, retain_graph=True
                )
                for leaf, flow in zip(leaves, flows, strict=True):
                    if flow is not None:
                        found[f"{name} ← {leaf}"] = flow.detach().double().numpy()
    except Exception:  # it ran on plain tensors: with `.numpy()`, say, which needs them detached
        return {}
    return found


def factors(output: Tensor) -> Tensor:
    """A factor for each entry of an output: the plain sum of weights is 1, whatever they are."""
    return torch.arange(1.0, output.numel() + 1, dtype=output.dtype).cos().reshape(output.shape)


def _chosen(task: Task, learned: Any) -> dict[str, np.ndarray]:
    """The choices, sealed: so that nobody reads an answer in the course's files by accident."""
    if not isinstance(learned, dict):
        raise Trouble("kind", f"`{task.id}` is {_a(learned)}. The task asks for a dictionary.")
    sealed = {}
    for key, options in task.choices.items():
        choice = learned.get(key, ...)
        if choice is ...:
            raise Trouble("nothing", f"`{task.id}[{key!r}]` is not answered yet.")
        choice = str(choice).strip().lower()
        if choice not in options:
            raise Trouble(
                "choice",
                f"`{task.id}[{key!r}]` is {choice!r}. Choose one of: {', '.join(options)}.",
            )
        digest = hashlib.sha256(f"{task.id} {key} {choice}".encode()).hexdigest()
        sealed[key] = np.array(digest[:16])
    return sealed


def _a(value: Any) -> str:
    if inspect.isclass(value):
        return "a class"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `OutOfTime` in the main thread, again and again until the block is left.

    Again and again, since a bare `except:` inside a loop would swallow the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can be interrupted
        return
    left = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if not left.is_set():
            raise OutOfTime

    clock = _alarm if hasattr(signal, "setitimer") else _watcher
    with clock(seconds, stop):
        try:
            yield
        finally:
            left.set()


@contextlib.contextmanager
def _alarm(seconds: float, stop: Callable) -> Iterator[None]:
    """Calls `stop` when the time is up, and again and again; it interrupts a sleep too."""
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        while signal.getitimer(signal.ITIMER_REAL)[0]:
            with contextlib.suppress(OutOfTime):  # the clock may strike once more while it is set
                signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _watcher(seconds: float, stop: Callable) -> Iterator[None]:
    """The same where the system has no such clock, as on Windows: a thread presses Ctrl-C."""
    deadline, left = time.monotonic() + seconds, threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if time.monotonic() < deadline:  # somebody else has pressed it
            raise KeyboardInterrupt
        stop(number, frame)

    def watch() -> None:
        left.wait(seconds)
        while not left.wait(AGAIN):
            _thread.interrupt_main()

    before = signal.signal(signal.SIGINT, interrupted)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        left.set()
        watcher.join()
        signal.signal(signal.SIGINT, before)
