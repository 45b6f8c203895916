"""Answer requests in a process with limits, whose death does not harm the grader.

What learners can make expensive runs here: reading what they handed in, and answering the calls of
their tests. The process is a fork of the grader, in namespaces of its own, and answers one request
after another. Another fork watches over it, and replaces it if it dies. The watching fork is made
before the grader has threads and workers, because a fork inherits the locks of threads and the
sockets of workers.
"""

import contextlib
import gc
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Self

from grading.run.launcher import NoSandbox, visible
from utils.checks.limits import limited

MEMORY = 2**30  # bytes, beyond what the process has before the first request
LARGEST_REPLY = 2**26  # bytes
PATIENCE = 20  # seconds by the clock for each second of processor time, before it is ended
_REPLY, _DIED, _NO_SANDBOX = b"+", b"-", b"!"


class Gone(Exception):  # noqa: N818 - something to do, not a fault
    """The end of the process that watches over the limited one, which nothing replaces."""


class LimitedChild:
    """A process that answers requests, one at a time, for several threads.

    Args:
        answer: function of a request's parts that returns the answer.
        seconds: of processor time that a request may take.
        safe: whether to put the process into namespaces of its own.
        prepare: function that is called once, before the first request.

    Raises:
        NoSandbox: bubblewrap is not installed.
    """

    def __init__(
        self,
        answer: Callable[..., bytes],
        seconds: float,
        safe: bool = True,
        prepare: Callable[[], object] = lambda: None,
    ):
        if safe and shutil.which("bwrap") is None:
            raise NoSandbox("the program bwrap is not installed")
        self._answer, self._seconds = answer, seconds
        self._safe, self._prepare = safe, prepare
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._used = False
        self._connection, far = multiprocessing.Pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                self._watch(far)
            finally:
                os._exit(0)
        far.close()
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()  # the process then ends, after the request at hand
        os.waitpid(self.process, 0)

    def ask(self, *request: bytes) -> bytes | None:
        """Send a request; return the answer, or None if it takes more than it may.

        Raises:
            Gone: the process that watches over the limited one has ended.
            NoSandbox: bubblewrap could not make the namespaces.
        """
        with self._lock:
            try:
                used = self._used
                reply = self._asked(request)
                if used and reply is None:  # try a fresh process, undamaged by other requests
                    reply = self._asked(request)
            except (EOFError, OSError):
                raise Gone from None
        return reply

    def _asked(self, request: tuple[bytes, ...]) -> bytes | None:
        self._connection.send_bytes(bytes([len(request)]))
        for part in request:
            self._connection.send_bytes(part)
        if not self._connection.poll(PATIENCE * self._seconds):
            os.kill(self.process, signal.SIGUSR1)
        reply = self._connection.recv_bytes(LARGEST_REPLY)
        self._used = reply[:1] == _REPLY
        if reply[:1] == _NO_SANDBOX:
            raise NoSandbox(reply[1:].decode(errors="replace"))
        return reply[1:] if self._used else None

    # --- In the process that watches --------------------------------------------------------------

    def _watch(self, connection: Connection) -> None:
        """Replace the limited process whenever it dies, until the grader hangs up."""
        from grading.run import namespaces  # not on Windows, where tests import this module

        os.setsid()  # Ctrl-C is for the grader
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        os.closerange(3, connection.fileno())
        os.closerange(connection.fileno() + 1, 4096)
        self._prepare()
        gc.freeze()
        while connection.poll(None):  # the first request, or the end
            try:
                if guard := os.fork():
                    signal.signal(signal.SIGUSR1, lambda *_: os.kill(guard, signal.SIGKILL))
                    if os.waitpid(guard, 0)[1] == 0:
                        return
                    connection.send_bytes(_DIED)
                    continue
                namespaces.end_with_parent()
                namespaces.end_first()
                self._guard(connection)
            except EOFError:
                return

    def _guard(self, connection: Connection) -> None:
        """Have requests answered in fresh namespaces; end with 0 when the grader has hung up."""
        from grading.run import namespaces, seccomp

        status = 1
        try:
            with contextlib.ExitStack() as stack:
                if self._safe:
                    inside = stack.enter_context(namespaces.Namespaces([], visible()))
                    inside.join()
                child = os.fork()
                if child == 0:
                    if self._safe:
                        namespaces.become_ordinary()
                        namespaces.drop_privileges()
                        os.setsid()
                        seccomp.refuse()
                        namespaces.limit(memory=2 * MEMORY)
                    namespaces.end_with_parent()
                    self._serve(connection)
                status = os.waitpid(child, 0)[1]
        except (RuntimeError, OSError) as problem:
            while (parts := connection.recv_bytes()) and parts[0]:
                for _ in range(parts[0]):
                    connection.recv_bytes()
                connection.send_bytes(_NO_SANDBOX + str(problem).encode())
        finally:
            os._exit(1 if status else 0)

    def _serve(self, connection: Connection) -> None:
        """Answer each request; the limits pause while a message is sent."""
        import resource

        try:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            memory = pages * resource.getpagesize() + MEMORY
            while True:
                try:
                    request = [connection.recv_bytes() for _ in range(*connection.recv_bytes())]
                except EOFError:
                    os._exit(0)
                seconds = int(time.process_time() + self._seconds) + 1
                with limited(resource.RLIMIT_AS, memory), limited(resource.RLIMIT_CPU, seconds):
                    answer = self._answer(*request)
                connection.send_bytes(_REPLY + answer)
        finally:
            os._exit(1)
