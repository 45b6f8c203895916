"""Start the server inside bubblewrap and get workers from it, or say why that is impossible.

The server and all processes that it forks see the system's libraries, Python, `utils` and this
folder, read-only, and nothing else on the disk. They have no network. If root starts them, they run
as the user `nobody`, because root is not bound by limits on the number of processes.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from grading.run import seccomp

HERE = Path(__file__).parent
COURSE = HERE.parents[1]
OURS = (COURSE / "utils", HERE.parent / "__init__.py", HERE)  # what a worker sees of the course
# Settings of torch, oneDNN, MKL and NumPy that change the last digits of their results.
ROUNDING = re.compile("ATEN_CPU_CAPABILITY|(ONEDNN|MKL|OPENBLAS|NPY)_")
LAST_WORDS = 5.0  # seconds to wait for the report of how a worker ended
PATIENCE = 10  # seconds by the clock for each second of processor time: other programs run too
MEGABYTE = 2**20
MEMORY = 2048 * MEGABYTE  # bytes for all processes of a submission together
FILES = 64 * MEGABYTE  # bytes for each file, for /tmp, and for /dev/shm
PROCESSES = 64  # of a submission, including threads
NOBODY = 65534
SYSTEM = (
    *("/usr", "/bin", "/lib", "/lib32", "/lib64", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/fonts"),
)
HOW_TO_GET_ONE = """\
Submissions are strangers' programs, so they run in a sandbox, and there is none here: {reason}.
  Linux          install bubblewrap: apt install bubblewrap, or dnf install bubblewrap. Where it
                 is there and not allowed to work (Ubuntu from 24.04 on), allow it until the next
                 start: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0
  Windows        grade inside WSL2, and install bubblewrap there
  macOS, others  grade in a Linux virtual machine, or in a container that may make namespaces
What is missing, layer by layer, says python -m grading doctor.
If you trust every submission, --unsafe grades without one. Each can then read and change whatever
you can; every report will say so."""


class Ending(StrEnum):
    """How a worker has ended: what its guard reports."""

    DONE = "done"  # by itself
    MEMORY = "memory"  # it took more memory than it may
    TIME = "time"  # it took more processor time than it may, or idled for as long
    CLOCK = "clock"  # it mostly waited for a processor that others used
    UNWANTED = "unwanted"  # the parent hung up
    FAILED = "failed"  # the guard itself failed


class NoSandbox(RuntimeError):  # noqa: N818 - something to install, not a fault
    """The lack of a sandbox. The message says how to get one; `reason` says what is missing."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(HOW_TO_GET_ONE.format(reason=reason))


class Worker:
    """A worker, as its parent process sees it.

    Args:
        connection: socket to the worker, through which a learner's code may send anything.
        status: socket to the worker's guard, which reports how the worker ended.
    """

    def __init__(self, connection: socket.socket, status: socket.socket):
        self.connection, self._status = connection, status

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_) -> None:
        self._status.close()  # its guard then ends the worker
        self.connection.close()

    def stream(self) -> BinaryIO:
        """Return a stream of the bytes that the worker sends."""
        return self.connection.makefile("rb")

    def ending(self) -> Ending:
        """Return how the worker ended, or `DONE` if it is still alive but silent."""
        try:
            return Ending(self._status.recv(16).decode() or Ending.FAILED)
        except TimeoutError:
            return Ending.DONE


class Launcher:
    """A running server, as a source of workers for several threads at once.

    Args:
        safe: whether to use the sandbox; if not, workers are ordinary processes of yours.
        workers: number of workers that are to run at a time. In the sandbox, each has its own share
            of the processors and uses no other, whatever its neighbours do.
        apart: whether workers without a sandbox are processes of the user `nobody`, not yours.

    The server takes seconds to import what it needs, and only `__enter__` waits for it.

    Raises:
        NoSandbox: bubblewrap is not installed, or it is not allowed to work.
    """

    def __init__(self, safe: bool = True, workers: int = 1, apart: bool = False):
        self._safe, self._workers, self._closed = safe, workers, False
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        self._user = nobody if apart and not safe else {}
        self._lock = threading.Lock()
        self._start_server()

    def __enter__(self) -> "Launcher":
        self._wait_for_server()
        return self

    def __exit__(self, *_) -> None:
        self._closed = True
        self._stop_server()

    @property
    def server_ended(self) -> bool:
        """Whether the server has ended, and all workers with it."""
        return self._server.poll() is not None

    def launch(self, seconds: float) -> Worker:
        """Return a new worker, limited to `seconds` of processor time and `seconds` of idling."""
        connection, far_connection = socket.socketpair()
        status, far_status = socket.socketpair()
        with far_connection, far_status, self._lock:
            far = [far_connection.fileno(), far_status.fileno()]
            job = [f"{seconds:.1f}".encode().ljust(16)]
            try:
                socket.send_fds(self._jobs, job, far)
            except OSError:
                if self._closed:  # nobody waits for an answer any more
                    raise
                self._stop_server()  # the server has died: perhaps the machine ran out of memory
                self._start_server()
                self._wait_for_server()
                socket.send_fds(self._jobs, job, far)
        connection.settimeout(PATIENCE * seconds + LAST_WORDS)  # its guard ends the worker earlier
        status.settimeout(LAST_WORDS)
        return Worker(connection, status)

    def _start_server(self) -> None:
        command = bubblewrap() if self._safe else []
        if self._safe:
            try:
                seccomp.program()
            except seccomp.UnknownProcessor as problem:
                raise NoSandbox(str(problem)) from None
        self._jobs, theirs = socket.socketpair()
        command += [sys.executable, "-m", "grading.run.server", str(theirs.fileno())]
        command += ["safe" if self._safe else "unsafe", str(self._workers)]
        environment = {"PATH": os.defpath, "PYTHONPATH": str(COURSE), "OMP_NUM_THREADS": "1"}
        environment |= {"HOME": "/tmp", "LANG": "C.UTF-8", "MPLBACKEND": "agg"}
        # The worker has to round as the parent does, or a test with `==` could decide otherwise.
        environment |= {name: value for name, value in os.environ.items() if ROUNDING.match(name)}
        self._server = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            env=environment,
            cwd=None if self._safe else COURSE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **self._user,
            start_new_session=True,  # Ctrl-C is for the parent; the server ends with the parent
        )
        theirs.close()

    def _wait_for_server(self) -> None:
        if self._jobs.recv(5) != b"ready":
            self._jobs.close()
            lines = self._server.communicate()[1].decode(errors="replace").strip().splitlines()
            raise NoSandbox(f"bubblewrap ended with “{lines[-1] if lines else 'nothing'}”")

    def _stop_server(self) -> None:
        self._jobs.close()
        self._server.communicate()  # waits for its end, and closes its pipe


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bubblewrap() -> list[str]:
    """Return the bubblewrap command that shows the server only the files that it needs.

    Raises:
        NoSandbox: the program `bwrap` is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandbox("the program bwrap is not installed")
    command = [program, "--unshare-net", "--unshare-ipc", "--die-with-parent", "--new-session"]
    command += ["--unshare-uts", "--hostname", "sandbox"]  # not this machine's own name
    command += ["--perms", "1777", "--tmpfs", "/tmp"]  # first: the course may lie in there
    # The whole of /proc, so that the namespaces inside may have one of their own.
    command += [*visible(), "--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev"]
    return [*command, "--chdir", "/"]


def visible() -> list[str]:
    """Return bubblewrap's options that show the system's libraries, Python and our part of it."""
    command = []
    made = {Path("/tmp")}
    needed = [Path(path) for path in SYSTEM if os.path.lexists(path)]
    packages = Path(find_spec("torch").submodule_search_locations[0]).parent
    python = {sys.prefix, sys.base_prefix, Path(sys.executable).parent, packages}
    for path in sorted(map(Path, {*python, *OURS})):
        if path.exists() and not any(path.is_relative_to(known) for known in needed):
            needed.append(path)
    for path in needed:
        for parent in reversed(path.parents[:-1]):
            if parent not in made:  # readable by all, unlike those that bubblewrap makes itself
                command += ["--dir", str(parent)]
                made.add(parent)
        if path.is_symlink() and str(path) in SYSTEM:  # to /usr; a link to an environment leads out
            command += ["--symlink", os.readlink(path), str(path)]
        else:
            command += ["--ro-bind", str(path), str(path)]
    return command
