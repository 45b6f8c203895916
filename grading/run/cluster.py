"""Get workers from sandboxes on the nodes of a Dask cluster, in place of a `Launcher` here.

All decisions are made in this process. On each Dask worker that exists or joins, an actor of the
class `Node` is created. It starts a sandbox, or says why it cannot. The actor passes on the bytes
that a parent and its worker would exchange on one machine, message by message.

If a machine falls silent, the kernel at the other end of the connection notices. How long that
takes is Dask's setting `distributed.comm.timeouts.tcp`, 30 seconds by default. The scheduler then
removes the node, and the node's work is lost. `SILENCE` and `MARGIN` are for programs that hang on
machines that still respond.
"""

import contextlib
import io
import logging
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError
from pkgutil import resolve_name
from typing import Any, BinaryIO

from grading.intake.submissions import CannotGrade
from grading.run import node
from grading.run.launcher import LAST_WORDS, PATIENCE, Ending

AT_A_TIME = 64  # submissions that wait for a node or run on one, so that no node is ever idle
INTERVAL = 0.5  # seconds between two looks at which nodes are there
LONGEST_WAIT = 300.0  # seconds to wait for any node that can grade
MARGIN = 60.0  # seconds to wait beyond those that a node itself waits for its worker
SILENCE = 60.0  # seconds to wait until the scheduler lists its nodes


class NodeLost(BaseException):
    """The loss of a node: everything that was sent to it must be sent again, from the beginning.

    Not an `Exception`, because the code that judges answers treats every `Exception` as the sign of
    an answer that makes no sense.
    """


class Cluster:
    """The nodes of a cluster, as a source of workers for several threads at once.

    Args:
        address: address of the scheduler.
        log: function that is called with each line that a person should read.

    Raises:
        CannotGrade: Dask is not installed, or no scheduler answers.
    """

    server_ended = False  # each node has its own server

    def __init__(self, address: str, log: Callable[[str], object]):
        try:
            import distributed
        except ImportError:
            raise CannotGrade(
                "--scheduler needs Dask, here and on the nodes: pip install -e .[cluster]"
            ) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")  # we compare versions ourselves
        self._connect = lambda: distributed.Client(address, timeout=10)
        self._address, self._log = address, log
        self._changed = threading.Condition()
        self._asked: dict[str, threading.Thread] = {}  # address → thread that waits for its reply
        self._free: list[tuple[str, Any]] = []  # address and actor
        self._busy: set[str] = set()
        self._silent: set[str] = set()  # nodes lost, but not logged yet
        self._left_out: set[str] = set()
        self._idle_since = time.monotonic()
        self._closed = threading.Event()
        try:
            self._client = self._connect()
        except (OSError, ValueError, TypeError) as problem:  # TypeError: no certificate
            raise CannotGrade(f"No Dask scheduler answers at {address}: {problem}") from None
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Cluster":
        self._watcher.start()
        return self

    def __exit__(self, *_) -> None:
        self._closed.set()
        self._watcher.join()
        with self._changed:
            self._asked.clear()
            self._log_lost()  # nodes lost since the last look
            self._changed.notify_all()
        self._hang_up()

    def launch(self, seconds: float) -> "RemoteWorker":
        """Return a new worker on the first free node; see `Launcher.launch`.

        Raises:
            CannotGrade: for `LONGEST_WAIT` seconds, no node that can grade has been there.
            NodeLost: the node was lost while it started the worker.
        """
        with self._changed:
            while not self._free:
                if self._closed.is_set():
                    raise ConnectionError("nobody waits for an answer any more")
                if time.monotonic() - self._idle_since > LONGEST_WAIT:
                    raise CannotGrade(
                        f"For {LONGEST_WAIT:.0f} seconds, the cluster at {self._address} has had "
                        "no worker that can grade. What is graded is kept: go on with --resume."
                    )
                self._changed.wait(INTERVAL)
            address, actor = self._free.pop(0)
            self._busy.add(address)
        worker = RemoteWorker(self, address, actor, PATIENCE * seconds + LAST_WORDS + MARGIN)
        worker.ask("launch", seconds)
        return worker

    def has(self, address: str) -> bool:
        """Return whether a node is at work and, as far as is known, still there."""
        return address in self._busy and not self._closed.is_set()

    def done(self, address: str, actor: Any) -> None:
        """Take back a node whose worker is no longer needed, so that it is free again."""
        with self._changed:
            if address in self._busy:
                self._busy.remove(address)
                self._free.append((address, actor))
                self._changed.notify()

    def lost(self, address: str) -> None:
        """Note that a node does not answer, so that it gets no more work and is logged as lost."""
        with self._changed:
            if address in self._busy:  # and has not been forgotten with all other nodes
                self._busy.remove(address)
                self._silent.add(address)

    def _watch(self) -> None:
        """Test nodes that join the cluster, and forget nodes that leave it, until it is closed."""
        while not self._closed.wait(INTERVAL):
            try:
                there = set(self._client.nthreads(callback_timeout=SILENCE))
            except Exception:  # a connection can fail in many ways
                self._reconnect()
                continue
            with self._changed:
                self._look(there)
                self._changed.notify_all()

    def _look(self, there: set[str]) -> None:
        self._silent |= {*self._asked, *self._busy, *(address for address, _ in self._free)} - there
        self._busy &= there
        self._left_out = (self._left_out | self._silent) & there
        self._log_lost()
        self._free = [pair for pair in self._free if pair[0] in there]
        self._asked = {address: waits for address, waits in self._asked.items() if address in there}
        known = {*self._asked, *self._busy, *self._left_out, *(pair[0] for pair in self._free)}
        for address in sorted(there - known):
            ask = threading.Thread(target=self._ask, args=(self._client, address), daemon=True)
            self._asked[address] = ask
            ask.start()
        if self._busy or self._free:
            self._idle_since = time.monotonic()

    def _log_lost(self) -> None:
        for address in sorted(self._silent):
            self._log(f"Node {address} is lost. What it had, another node grades.")
        self._silent.clear()

    def _ask(self, client: Any, address: str) -> None:
        """Ask a new node whether it can grade, and add it to the free nodes if so."""
        actor, refusal, lost = None, "", False
        there = {"workers": [address], "pure": False}
        try:
            # A Dask worker that is sent an object it cannot unpickle ends. So send its name first.
            name = f"{node.__name__}:{node.Node.__name__}"
            client.submit(resolve_name, name, **there).result(LONGEST_WAIT)
            actor = client.submit(node.Node, actor=True, **there).result(LONGEST_WAIT)
            refusal = actor.prepare(node.version(), node.rounding()).result(LONGEST_WAIT)
        except (OSError, CancelledError):  # a network error, or the scheduler is gone
            lost = True
        except Exception as problem:  # the class or its method does not exist there
            reason = (str(problem).splitlines() or [type(problem).__name__])[0]
            refusal = f"it has no course, or another version of it ({reason})"
        with self._changed:
            if self._asked.get(address) is not threading.current_thread():
                return  # whatever it replied, the node has left meanwhile
            del self._asked[address]
            if lost:
                self._silent.add(address)
            elif refusal:
                self._left_out.add(address)
                self._log(f"Node {address} is left out: {refusal}.")
            else:
                self._free.append((address, actor))
                self._changed.notify()

    def _reconnect(self) -> None:
        """Forget all nodes, since they are lost with the scheduler, and wait for the scheduler."""
        self._log(f"The scheduler at {self._address} is gone. Waiting for it to come back.")
        with self._changed:
            for known in (self._asked, self._free, self._busy, self._silent, self._left_out):
                known.clear()
        self._hang_up()
        while not self._closed.wait(INTERVAL):
            try:
                self._client = self._connect()
            except (OSError, ValueError):
                continue
            self._log(f"The scheduler at {self._address} is back.")
            return

    def _hang_up(self) -> None:
        with contextlib.suppress(Exception):  # nobody may be at the other end
            self._client.close(timeout=2)


class RemoteWorker(io.RawIOBase):
    """A worker on a node, with the interface of `launcher.Worker`. Data go out at the next read.

    Args:
        cluster: cluster that the node is given back to.
        address, actor: address of the node, and its `Node` actor.
        patience: seconds to wait for a reply.
    """

    def __init__(self, cluster: Cluster, address: str, actor: Any, patience: float):
        self._cluster, self._address, self._actor = cluster, address, actor
        self._patience = patience
        self._sent, self._received = bytearray(), memoryview(b"")
        self.connection = self

    def __exit__(self, *_) -> None:
        self._cluster.done(self._address, self._actor)

    def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the node's actor, and return its result.

        Raises:
            NodeLost: the node does not answer in time, or the method has failed.
        """
        deadline = time.monotonic() + self._patience
        try:
            answer = getattr(self._actor, method)(*arguments)
            while True:
                try:
                    return answer.result(INTERVAL)
                except TimeoutError:  # Dask itself may wait for a node that is gone for ever
                    if time.monotonic() > deadline or not self._cluster.has(self._address):
                        raise
        except Exception:  # of Dask, of the network, of the node
            self._cluster.lost(self._address)
            raise NodeLost(self._address) from None

    def sendall(self, data: bytes) -> None:
        self._sent += data

    def stream(self) -> BinaryIO:
        """Return a stream of the bytes that the worker sends."""
        return io.BufferedReader(self, 2**16)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        if not self._received:
            sent, self._sent = bytes(self._sent), bytearray()
            self._received = memoryview(self.ask("exchange", sent))
        count = min(len(buffer), len(self._received))
        buffer[:count] = self._received[:count]
        self._received = self._received[count:]
        return count

    def ending(self) -> Ending:
        """Return how the worker ended."""
        return self.ask("ending")
