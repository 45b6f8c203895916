"""Keep a learner's code within limits: of time and memory, and of what is left of it behind."""

import _thread
import contextlib
import io
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from types import FrameType

import torch
from IPython.utils.capture import capture_output

REPEAT = 0.002  # seconds between two interrupts: a bare `except:` swallows many


class OutOfTime(BaseException):
    """The end of a time limit. Not an `Exception`, so that `except Exception` lets it pass."""


class time_limit:  # noqa: N801, as other context managers are called
    """A context manager that raises `OutOfTime` in the main thread after a time limit.

    It does so repeatedly until the block is left, because a bare `except:` in a loop would swallow
    the first exception; but never while the block is being entered or left, which must not fail.

    Args:
        seconds: time limit for the block, in processor time of the main thread: several threads at
            once use that of the process faster than the clock.
        patience: times the limit by the clock, for what waits and does not work.
        processor: whether to measure this process's processor time, and nothing else.
    """

    def __init__(self, seconds: float, patience: float = 1.0, processor: bool = False):
        self._seconds, self._clock, self._processor = seconds, patience * seconds, processor
        # Only the main thread can be interrupted.
        self._applies = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._applies:
            self._busy_until = time.thread_time() + self._seconds
            self._deadline = time.monotonic() + self._clock
            if hasattr(signal, "setitimer"):
                self._end = _alarm(self._seconds, self._stop, self._processor)
            else:
                self._end = _watcher(self._clock, self._stop)

    def __exit__(self, *_: object) -> None:
        if self._applies:
            self._end()

    def _stop(self, _signal: int, frame: FrameType | None) -> None:
        is_up = time.thread_time() >= self._busy_until or time.monotonic() >= self._deadline
        if not (self._processor or is_up):
            return
        ways = (type(self).__enter__.__code__, type(self).__exit__.__code__)
        while frame:
            if frame.f_code in ways:
                return
            frame = frame.f_back
        raise OutOfTime


def _alarm(seconds: float, stop: Callable, processor: bool) -> Callable[[], None]:
    """Call `stop` repeatedly once the time is up, by a timer; by the clock, also during a sleep.

    Returns:
        A function that ends the calls.
    """
    timer = signal.ITIMER_PROF if processor else signal.ITIMER_REAL
    number = signal.SIGPROF if processor else signal.SIGALRM
    before = signal.signal(number, stop)
    signal.setitimer(timer, seconds, REPEAT)

    def end() -> None:
        signal.setitimer(timer, 0)
        signal.signal(number, before)

    return end


def _watcher(seconds: float, stop: Callable) -> Callable[[], None]:
    """Replace `_alarm` on systems without its timer, such as Windows: a thread sends Ctrl-C."""
    deadline, left = time.monotonic() + seconds, threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if time.monotonic() < deadline:  # a person pressed Ctrl-C
            raise KeyboardInterrupt
        stop(number, frame)

    def watch() -> None:
        left.wait(seconds)
        while not left.wait(REPEAT):
            _thread.interrupt_main()

    before = signal.signal(signal.SIGINT, interrupted)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()

    def end() -> None:
        left.set()
        watcher.join()
        signal.signal(signal.SIGINT, before)

    return end


@contextlib.contextmanager
def limited(limit: int, most: int) -> Iterator[None]:
    """Limit a resource of this process within a block, by a soft limit."""
    import resource

    before, hard = resource.getrlimit(limit)
    resource.setrlimit(limit, (min({most, before, hard} - {resource.RLIM_INFINITY}), hard))
    try:
        yield
    finally:
        resource.setrlimit(limit, (before, hard))


class Printed(io.TextIOBase):
    """A stream that counts lines and stores none, so that no flood of output fills the memory."""

    lines = 0

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        return len(text)


@contextlib.contextmanager
def redirected(printed: Printed) -> Iterator[None]:
    """Redirect both standard streams to a counter of lines."""
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield


@contextlib.contextmanager
def isolated_side_effects(printed: Printed) -> Iterator[None]:
    """Discard an answer's side effects: printed lines, warnings, figures, random state, gradients.

    Inputs are on the CPU, and so are new tensors, whatever the notebook's default device is. A time
    limit that strikes inside `no_grad` may leave gradients off.
    """
    on_cpu = torch.get_default_device().type == "cpu"
    with (
        redirected(printed),
        warnings.catch_warnings(action="ignore"),
        torch.random.fork_rng(devices=[]),
        torch.set_grad_enabled(torch.is_grad_enabled()),
        _discarded_figures(),
        contextlib.nullcontext() if on_cpu else torch.device("cpu"),
    ):
        yield


@contextlib.contextmanager
def _discarded_figures() -> Iterator[None]:
    """Discard the figures that an answer draws, without showing them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = pyplot.get_fignums() if pyplot else []
    with capture_output(stdout=False, stderr=False, display=True):
        yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        for number in set(pyplot.get_fignums()) - set(before):
            pyplot.close(number)
