"""Run a learner's cells and call their definitions, in a sandbox. Nothing here decides a grade.

After the first cell has run, this process is under the learner's control, so the parent trusts none
of its messages. It knows the inputs, but no expected values. The parent answers the calls that a
learner's test makes, so no implementation under test is here.
"""

import builtins
import contextlib
import functools
import gc
import json
import linecache
import os
import signal
import socket
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import torch

import utils.checks
import utils.experiments.laboratory
import utils.plots
import utils.pretrained
from grading.run import protocol
from utils.checks.kinds import kind_of, networks
from utils.checks.kinds.referee import Decision
from utils.checks.limits import OutOfTime, Printed, redirected, time_limit
from utils.checks.notebook import NOT_DEFINED
from utils.checks.runner import AnswerError, Rerun
from utils.checks.tasks import Answer, CallSpec, Case, Reason
from utils.checks.trace import Lines

LARGEST_REQUEST = 2**30
# Processor time: a busy machine must cost nobody points. The guard ends sleeps and child processes.
processor_limit = functools.partial(time_limit, processor=True)


def work(connection: socket.socket) -> None:
    """Read the request, run its cells, and send the replies to its tasks one by one."""

    def send(**message: Any) -> None:
        connection.sendall(protocol.pack(message))

    with connection.makefile("rb") as stream:

        def receive() -> Any:
            return protocol.unpack(stream, LARGEST_REQUEST)[0]

        request = receive()
        names = _run(request["cells"], request["seconds"], send)
        for task in request["tasks"]:
            spec = CallSpec(**task["spec"])
            parts = [[Case(**case) for case in part] for part in task["parts"]]
            send(at=spec.id)
            referee = functools.partial(RemoteReferee, spec.id, send, receive)
            call_again = Rerun(spec, names.get(spec.id))
            send(task=spec.id, parts=_replies(spec, parts, names, referee))
            while (more := receive())["cases"]:
                cases = [Case(**case) for case in more["cases"]]
                if more["traced"]:
                    tried = [lines and _plain_lines(lines) for lines in call_again.trace(cases)]
                else:
                    tried = call_again(cases, more["seed"])
                send(task=spec.id, tried=[each if _can_be_sent(each) else None for each in tried])
        send(end=True)


def _plain_lines(lines: Lines) -> dict[str, Any]:
    return lines._asdict() | {"origins": [sorted(of_output) for of_output in lines.origins]}


class RemoteReferee:
    """A stand-in for a test's referee: sends the test's calls and decisions to the parent."""

    def __init__(self, task: str, send: Callable, receive: Callable, case: Case):
        self._task, self._send, self._receive = task, send, receive
        self.seeds, self._apart = case.inputs["seeds"], case.inputs["apart"]
        self.answer = Answer({})  # the parent builds the real one

    def call(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        with _clock_stopped():
            self._send(task=self._task, call=[arguments, list(named.items())])
            return self._receive()

    def decide(self, turn: Callable[[], Decision]) -> Decision:
        """Run a turn; the first of each implementation in a fork, where nothing is left of others.

        A test that kept results could let the implementations vote; but only a bug that is found in
        every round counts, and in the first there is nobody to ask.

        Raises:
            AnswerError, OutOfTime: as the turn raises them.
        """
        if not self._apart:
            return turn()
        self._apart -= 1
        read, write = os.pipe()
        left, interval = signal.getitimer(signal.ITIMER_PROF)
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_PROF, left, interval)  # a fork has no timer
            _say_outcome(turn, write)
        os.close(write)
        with open(read, "rb") as stream:
            said = stream.read()
        usage = os.wait4(child, 0)[2]
        if left:
            taken = usage.ru_utime + usage.ru_stime
            signal.setitimer(signal.ITIMER_PROF, max(left - taken, interval), interval)
        if not said:
            os._exit(0)  # the test has ended its process
        outcome = json.loads(said)
        sys.stdout.lines += outcome["printed"]
        if outcome["late"]:
            raise OutOfTime
        if outcome["error"]:
            raise AnswerError(*outcome["error"])
        return Decision(*outcome["decision"])

    def decided(self, decision: Decision) -> None:
        with _clock_stopped():
            self._send(task=self._task, decision=decision)


def _say_outcome(turn: Callable[[], Decision], write: int) -> NoReturn:
    """Run a turn, write its outcome into a pipe as JSON, and end this process."""
    try:
        torch.set_num_threads(1)  # others have not survived the fork
        stream = sys.stdout  # a test may put another in its place
        before = stream.lines
        outcome: dict[str, Any] = {"decision": None, "error": None, "late": False}
        try:
            outcome["decision"] = turn()
        except AnswerError as error:
            outcome["error"] = [error.reason, error.message, error.where]
        except OutOfTime:
            signal.setitimer(signal.ITIMER_PROF, 0)
            outcome["late"] = True
        with _clock_stopped():
            printed = stream.lines - before
            os.write(write, json.dumps(outcome | {"printed": printed}).encode())
    finally:
        os._exit(0)


@contextlib.contextmanager
def _clock_stopped() -> Iterator[None]:
    """Hold back time limits while a message is sent: half a message would garble all later ones."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPROF])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGPROF])


def _run(
    cells: Sequence[tuple[int, str]], seconds: float, send: Callable[..., None]
) -> dict[str, Any]:
    """Run the cells in order, then those once more that lacked a name defined later.

    Returns:
        Name → value, for all names that the notebook has defined.
    """
    module = types.ModuleType("__main__")
    names = vars(module)
    sys.modules["__main__"] = module
    names.update(__builtins__=builtins, get_ipython=lambda: None, display=lambda *_, **__: None)
    for name in utils.checks.__all__:  # `work` calls the learner's definitions later
        setattr(utils.checks, name, lambda *_, **__: None)
    for name in utils.plots.FIGURES:
        draw = getattr(utils.plots, name)
        setattr(utils.plots, name, functools.partial(_LazyFigure, draw))

    # It trains for its learner's eyes; the parent tries experiments in worlds that are made up.
    utils.experiments.laboratory.Trained.decide = lambda *_: None
    for module in (utils.pretrained, utils.pretrained.store):  # too large for a worker
        module.is_here = lambda: False
    networks.note_training()
    torch.compile = _eager  # a compiler needs programs, files and time that no worker has
    torch.nn.Module.compile = lambda *_, **__: None

    def run_all(cells: Sequence[tuple[int, str]], once_more: bool) -> list[tuple[int, str]]:
        too_early = []
        for number, source in cells:
            send(at=number)
            error, late, lacks_name = _run_cell(number, source, names, seconds)
            if late or bool(error) != once_more:
                send(cell=number, error=error, late=late)
            if lacks_name:
                too_early.append((number, source))
        return too_early

    run_all(run_all(cells, once_more=False), once_more=True)
    return names


def _eager(model: Callable | None = None, **options: Any) -> Callable:
    """Return a function or module as it is: a stand-in for `torch.compile`, also as a decorator."""
    return functools.partial(_eager, **options) if model is None else model


class _LazyFigure:
    """A figure that is drawn only when it is first used, because hardly any is used here."""

    def __init__(self, draw: Callable, *arguments: Any, **options: Any):
        self._draw = functools.cache(lambda: draw(*arguments, **options))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._draw(), name)


def _run_cell(
    number: int, source: str, names: dict[str, Any], seconds: float
) -> tuple[str, bool, bool]:
    """Run one cell.

    Returns:
        The error, a line of text or "", whether the cell ran out of time, and whether it lacked a
        name.
    """
    file = f"<cell {number}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        with redirected(Printed()), processor_limit(seconds):
            exec(compile(source, file, "exec"), names)
    except OutOfTime:
        return f"it was still running after {seconds:g} seconds, and was stopped", True, False
    except BaseException as error:  # also SystemExit
        return _words(error), False, type(error) is NameError
    return "", False, False


def _words(error: BaseException) -> str:
    try:
        text = str(error).partition("\n")[0][:200]
    except BaseException:  # a faulty `__str__`
        text = ""
    return f"{type(error).__name__}: {text}"


def _replies(
    spec: CallSpec,
    parts: Sequence[Sequence[Case]],
    names: dict[str, Any],
    referee: Callable[[Case], RemoteReferee],
) -> list[dict[str, Any]]:
    """Return the reply of a learner's definition to each set of cases, up to the first error."""
    replies = []
    for cases in parts:
        printed = Printed()
        try:
            reply: dict[str, Any] = {}
            try:
                kind = kind_of(spec, referee)
                if spec.id not in names:
                    raise AnswerError(Reason.NOT_DEFINED, NOT_DEFINED.format(spec.id))
                given = kind.run(names[spec.id], cases, printed, processor_limit)
            except AnswerError as error:
                given = error.earlier
                reply["error"] = [error.reason, error.message, error.where, error.raised]
            reply |= {"answers": [plain(answer) for answer in given], "printed": printed.lines}
            reply["doubts"] = [*kind.doubts]
            protocol.pack(reply)  # raises an error if the reply cannot be sent
        except BaseException as error:  # learners' objects can fail in unforeseen ways
            message = f"`{spec.id}` gives something that cannot be compared. {_words(error)}"
            reply = {
                "error": [Reason.TYPE, message, "", ""],
                "answers": [],
                "printed": printed.lines,
                "doubts": [],
            }
        replies.append(reply)
        if "error" in reply and reply["error"][0] != Reason.NO_NETWORK:
            break
    return replies


def _can_be_sent(outputs: Mapping[str, np.ndarray] | None) -> bool:
    try:
        protocol.pack(outputs)
    except protocol.WireError:
        return False
    return True


def plain(answer: Answer) -> dict[str, Any]:
    """Return an answer as a dictionary that `protocol` can send."""
    gradients = [[*key, gradient] for key, gradient in answer.gradients.items()]
    return {"outputs": answer.outputs, "gradients": gradients}


def warm_up() -> None:
    """Import what notebooks import, and use each part once, so that every fork finds it ready."""
    import utils.metrics
    import utils.running_example
    import utils.seq2seq
    import utils.training

    torch.set_num_threads(1)  # threads do not survive a fork
    weight = torch.randn(4, 4, requires_grad=True)
    (torch.randn(2, 3, 4) @ weight).softmax(-1).sum().backward()
    torch.testing.assert_close(weight, weight)  # a test may use it, and it imports a lot
    utils.plots.concept_heatmap(torch.eye(2), ["a", "b"], ["c", "d"], "warm")
    gc.collect()
    gc.freeze()  # so that a fork's garbage collection does not touch, and copy, these pages
