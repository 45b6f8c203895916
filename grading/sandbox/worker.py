"""Runs a learner's cells and answers, in a sandbox. Nothing that happens here decides a grade.

This is a stranger's process as soon as the first cell has run: whatever it sends is checked by the
parent. It knows the inputs, and no expected value.
"""

import builtins
import contextlib
import functools
import gc
import linecache
import socket
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

import utils.checks
import utils.plots
from grading.sandbox import wire
from utils.checks.calling import OutOfTime, Printed, Trouble, answers, time_limit
from utils.checks.tasks import Case, Task

LARGEST_REQUEST = 2**30
NOT_NEEDED = {"title": "", "points": 0, "difficulty": 1, "minutes": 0, "hints": [], "mistakes": []}


def work(connection: socket.socket) -> None:
    """Read the request, run the cells, answer the tasks one by one."""
    with connection.makefile("rb") as stream:
        request, _ = wire.unpack(stream.read, LARGEST_REQUEST)

    def say(**message: Any) -> None:
        connection.sendall(wire.pack(message))

    names = _run(request["cells"], request["seconds"], say)
    for asked in request["tasks"]:
        say(at="task", which=asked["task"]["id"])
        say(task=asked["task"]["id"], parts=_parts(asked, names))
    say(end=True)


def _run(cells: Sequence[tuple[int, str]], seconds: float, say) -> dict[str, Any]:
    """Run the cells in order; and once more those that missed a name which came later.

    Returns:
        The names of the notebook.
    """
    module = types.ModuleType("__main__")
    names = vars(module)
    sys.modules["__main__"] = module
    names.update(__builtins__=builtins, get_ipython=lambda: None, display=lambda *_, **__: None)
    for name in ("check", "hint", "progress"):  # answers are asked for below
        setattr(utils.checks, name, lambda *_, **__: None)
    for name, draw in vars(utils.plots).copy().items():
        if getattr(draw, "__annotations__", {}).get("return") is utils.plots.AccessibleFigure:
            setattr(utils.plots, name, functools.partial(_Figure, draw))
    too_early = []
    for number, source in cells:
        say(at="cell", which=number)
        if error := _run_cell(number, source, names, seconds):
            say(cell=number, error=error)
        if error.startswith("NameError"):
            too_early.append((number, source))
    for number, source in too_early:
        say(at="cell", which=number)
        if not _run_cell(number, source, names, seconds):
            say(cell=number, error="")
    return names


class _Figure:
    """A figure that is drawn as soon as anybody looks at it: here, hardly any is."""

    def __init__(self, draw: Callable, *given: Any, **named: Any):
        self._draw = functools.cache(lambda: draw(*given, **named))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._draw(), name)


def _run_cell(number: int, source: str, names: dict[str, Any], seconds: float) -> str:
    """Run one cell. What goes wrong comes back as a line of text."""
    file = f"<cell {number}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    printed = Printed()
    quiet = contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed)
    try:
        with quiet[0], quiet[1], time_limit(seconds):
            exec(compile(source, file, "exec"), names)
    except OutOfTime:
        return f"it was still running after {seconds:g} seconds, and was stopped"
    except BaseException as error:  # SystemExit too
        return _words(error)
    return ""


def _words(error: BaseException) -> str:
    try:
        text = str(error).partition("\n")[0][:200]
    except BaseException:  # an odd `__str__`
        text = ""
    return f"{type(error).__name__}: {text}"


def _parts(asked: dict[str, Any], names: dict[str, Any]) -> list[dict[str, Any]]:
    """What the learner's object returns for each set of cases; a trouble ends the list."""
    task = Task(**asked["task"], **NOT_NEEDED)
    parts = []
    for cases in asked["parts"]:
        printed = Printed()
        try:
            if task.id not in names:
                raise Trouble("not defined", "")
            found = answers(task, names[task.id], [Case(**case) for case in cases], printed)
            outcomes = [{"outputs": one.outputs, "gradients": one.gradients} for one in found]
            wire.pack(outcomes)  # whether it can be sent at all
            parts.append({"answers": outcomes, "printed": printed.lines})
        except Trouble as trouble:
            return [*parts, {"trouble": [trouble.reason, trouble.message, trouble.where]}]
        except BaseException as error:  # there are odder objects than anybody thinks of
            message = f"`{task.id}` gives something that cannot be compared. {_words(error)}"
            return [*parts, {"trouble": ["type", message, ""]}]
    return parts


def warm_up() -> None:
    """Import what notebooks import and use each part once, so that every fork has it ready."""
    import sklearn.datasets  # noqa: F401

    import utils.metrics
    import utils.running_example
    import utils.seq2seq
    import utils.training

    torch.set_num_threads(1)  # threads do not survive a fork
    weight = torch.randn(4, 4, requires_grad=True)
    (torch.randn(2, 3, 4) @ weight).softmax(-1).sum().backward()
    utils.plots.concept_heatmap(torch.eye(2), ["a", "b"], ["c", "d"], "warm")
    gc.collect()
    gc.freeze()  # a fork then leaves these pages alone
