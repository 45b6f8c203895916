"""Fork a worker for each submission into its own namespaces, watch the worker, and end it.

`Launcher` starts `python -m grading.run.server FD safe 2`, which imports torch once. The 2 means
that two workers are to run at a time, so that each gets half of the processors. For each job that
arrives on the socket, the server forks a guard, the process that supervises one worker. The guard
has bubblewrap make fresh namespaces (user, process, network, mount, ipc) and joins all of them but
the process namespace, which only its children enter. Its child is the worker, which cannot see the
guard. The guard watches until the worker is done or exceeds a limit. It then kills the first
process of the namespace, and the kernel kills all others. Finally the guard reports to the parent
how the worker ended: "done", "memory", "time", "clock" if the worker mostly waited for a processor
that others used, "unwanted" if the parent hung up, or "failed" if the guard failed. There are only
these two forks, because forking a process that holds torch is the most expensive step here.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grading.run import seccomp, worker
from grading.run.launcher import FILES, MEMORY, NOBODY, PATIENCE, PROCESSES

MOST_FILES = 10_000  # in /tmp, and in /dev/shm: empty files and links take memory too
OPEN_FILES = 64  # of each process: data waiting in pipes are not charged to any process
INTERVAL = 0.02  # seconds between two looks at a worker

_libc = ctypes.CDLL(None, use_errno=True)
_NAMESPACES = {"ipc": 0x08000000, "net": 0x40000000, "pid": 0x20000000, "mnt": 0x00020000}
_USER_NAMESPACE = 0x10000000
_OWNER = 0xB701  # the ioctl NS_GET_USERNS: the user namespace that owns another one
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_TICKS = os.sysconf("SC_CLK_TCK")  # per second of processor time
_CAPABILITIES_3 = 0x20080522
_WRITABLE = ("tmp", "dev/shm")
_DEVICES = ("null", "full", "random", "urandom")
_INSIDE = [
    *["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"],
    *["--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"],
    # Read-only, or a process could write into the memory of another that has fewer limits.
    *["--proc", "/proc", "--remount-ro", "/proc"],
    # No /dev/zero: mapped, it is memory not charged to any process.
    *["--perms", "755", "--tmpfs", "/dev"],
    *[w for name in _DEVICES for w in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")],
    *["--symlink", "/proc/self/fd", "/dev/fd", "--dir", "/dev/shm", "--remount-ro", "/dev"],
    *["--perms", "1777", "--size", str(FILES), "--tmpfs", "/dev/shm"],
    *["--perms", "1777", "--size", str(FILES), "--tmpfs", "/tmp", "--chdir", "/tmp"],
]


def serve(jobs: socket.socket, safe: bool, workers: int) -> None:
    """Take jobs until the parent is gone. A job is two sockets and a limit in seconds.

    Args:
        jobs: socket on which the jobs arrive.
        safe: whether to put each worker into namespaces, with limits.
        workers: number of workers that are to run at a time.
    """
    if os.getuid() == 0 and safe:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _set(_PR_SET_DUMPABLE, 1)  # or /proc/self would still be root's
    worker.warm_up()
    forked_with = _memory(os.open("/proc", os.O_RDONLY), "self") if safe else 0
    if safe:
        with _Namespaces():  # try it once: the launcher waits for "ready", or for the error
            pass
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    signal.signal(signal.SIGCHLD, _collect)
    jobs.sendall(b"ready")
    places: dict[int, int] = {}  # process id of a guard → its worker's place, from 0 on

    def is_alive(process: int) -> bool:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return True

    while True:
        message, descriptors, _, _ = socket.recv_fds(jobs, 64, 2)
        if not message:
            return
        connection, status = (socket.socket(fileno=descriptor) for descriptor in descriptors)
        places = {guard: place for guard, place in places.items() if is_alive(guard)}
        place = min(range(workers), key=[*places.values()].count)
        if guard := os.fork():
            places[guard] = place
        else:
            outcome = "failed"
            try:
                jobs.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _set(_PR_SET_PDEATHSIG, signal.SIGKILL)
                _set(_PR_SET_CHILD_SUBREAPER, 1)
                with contextlib.suppress(OSError):  # if memory runs out, kill submissions first
                    Path("/proc/self/oom_score_adj").write_text("1000")
                if safe:
                    share = _share_of_processors(place, workers)
                    outcome = _guard(connection, status, float(message), share, forked_with)
                else:
                    outcome = _guard_unsafe(connection, status, float(message))
            finally:
                with contextlib.suppress(OSError):
                    status.sendall(outcome.encode())
                os._exit(0)
        connection.close()
        status.close()


def _collect(*_: Any) -> None:
    """Wait for guards that have ended, so that none stays a zombie and their time is counted."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _share_of_processors(place: int, workers: int) -> list[int]:
    """Return the processors for one of several workers: its own, if there are enough for all."""
    processors = sorted(os.sched_getaffinity(0))
    start, end = (len(processors) * number // workers for number in (place, place + 1))
    return processors[start : max(end, start + 1)]


def _guard(
    connection: socket.socket,
    status: socket.socket,
    seconds: float,
    share: Sequence[int],
    forked_with: int,
) -> str:
    """Run one worker in fresh namespaces, and return how it ended.

    Two limits apply: on processor time, and on idle time, in which none of its processes wants a
    processor. Waiting for a processor does not count, because other workers may have caused it;
    only the `deadline` ends such waiting.
    """
    deadline, idle = time.monotonic() + PATIENCE * seconds, 0.0
    status.setblocking(False)
    with _Namespaces() as namespaces:
        namespaces.join()
        child = os.fork()
        if child == 0:
            try:
                os.sched_setaffinity(0, share)
                seccomp.refuse()
                _become_worker(connection)
            finally:
                os._exit(0)
        connection.close()
        looked = time.monotonic()
        while looked < deadline:
            if os.waitpid(child, os.WNOHANG)[0]:
                return "done"
            before, looked = looked, time.monotonic()
            memory, processor, wanting = namespaces.used(forked_with)
            if not wanting:
                idle += looked - before
            if memory > MEMORY or namespaces.files() > MOST_FILES:
                return "memory"
            if max(processor, idle) > seconds:
                return "time"
            if _closed(status):
                return "unwanted"
            pause = max(INTERVAL, time.monotonic() - looked)  # many processes take long to inspect
            select.select([status], [], [], pause)  # ends early if the parent hangs up
        return "clock"


def _guard_unsafe(connection: socket.socket, status: socket.socket, seconds: float) -> str:
    """Run one worker as an ordinary process, limited only by a deadline; return how it ended."""
    deadline = time.monotonic() + PATIENCE * seconds
    status.setblocking(False)
    child = os.fork()
    if child == 0:
        try:
            _set(_PR_SET_PDEATHSIG, signal.SIGKILL)  # there is no namespace to end with the guard
            _become_worker(connection)
        finally:
            os._exit(0)
    connection.close()
    outcome = "clock"
    while time.monotonic() < deadline and outcome == "clock":
        if os.waitpid(child, os.WNOHANG)[0]:
            outcome = "done"
        elif _closed(status):
            outcome = "unwanted"
        else:
            time.sleep(INTERVAL)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    return outcome


def _closed(status: socket.socket) -> bool:
    """Return whether the parent has closed its end of the status socket."""
    try:
        return not status.recv(1)
    except BlockingIOError:
        return False


def _become_worker(connection: socket.socket) -> None:
    """Close all files but the connection, set the limits, and run the learner's code."""
    os.setsid()  # a signal to its group reaches no other process
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.dup2(connection.fileno(), 3)
    os.closerange(4, 4096)
    _limit()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    worker.work(socket.socket(fileno=os.dup(3)))


def _limit(process: int = 0) -> None:
    """Limit the resources of one process (0: this one). The guard limits all processes together."""
    try:
        pages = int(Path("/proc", str(process or "self"), "statm").read_text().split()[0])
    except OSError:  # not Linux
        return
    own = pages * resource.getpagesize()
    for kind, limit in (
        (resource.RLIMIT_AS, own + MEMORY),
        (resource.RLIMIT_FSIZE, FILES),
        (resource.RLIMIT_NPROC, PROCESSES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.prlimit(process, kind, (limit, limit))


class _Namespaces:
    """Fresh namespaces, made by bubblewrap and kept alive by a `cat` that waits inside.

    The worker can reach both programs, so both have the worker's filter and limits.

    Raises:
        RuntimeError: bubblewrap could not make the namespaces.
    """

    def __enter__(self) -> "_Namespaces":
        read, write = os.pipe()
        filter_, filter_end = os.pipe()
        os.write(filter_end, seccomp.program())
        os.close(filter_end)
        # All that the server itself sees in /tmp is the course, if that lies there.
        course = [f"/tmp/{name}" for name in os.listdir("/tmp")]
        binds = [word for path in course for word in ("--ro-bind", path, path)]
        self._bubblewrap = subprocess.Popen(
            [*_INSIDE, *binds, "--info-fd", str(write), "--seccomp", str(filter_), "cat"],
            pass_fds=[write, filter_],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.close(write)
        os.close(filter_)
        with open(read) as information, contextlib.suppress(OSError):
            self._bubblewrap.stdin.write(b"?")
            self._bubblewrap.stdin.flush()
            if self._bubblewrap.stdout.read(1):  # `cat` answers, so the namespaces are complete
                self._first = json.load(information)["child-pid"]
                inside = Path("/proc", str(self._first), "root")  # the disk as seen from inside
                self._proc = os.open(inside / "proc", os.O_RDONLY)
                self._folders = [os.open(inside / name, os.O_RDONLY) for name in _WRITABLE]
                tree = Path("/proc", str(self._first), "task", str(self._first), "children")
                for process in (self._first, *map(int, tree.read_text().split())):
                    _limit(process)
                return self
        raise RuntimeError(self._bubblewrap.communicate()[1].decode(errors="replace").strip())

    def __exit__(self, *_) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._first, signal.SIGKILL)  # the kernel then kills everything inside
        with contextlib.suppress(ChildProcessError):
            while True:  # bubblewrap and the worker
                os.wait()

    def join(self) -> None:
        """Enter the namespaces, so that children of this process are born inside, unprivileged."""
        user = os.open(f"/proc/{self._first}/ns/user", os.O_RDONLY)
        others = {
            kind: os.open(f"/proc/{self._first}/ns/{kind}", os.O_RDONLY) for kind in _NAMESPACES
        }
        # bubblewrap makes a second user namespace, which owns none of the others.
        owner = fcntl.ioctl(others["mnt"], _OWNER)
        _enter(owner, _USER_NAMESPACE)
        for kind, descriptor in others.items():
            _enter(descriptor, _NAMESPACES[kind])
        if os.fstat(owner).st_ino != os.fstat(user).st_ino:
            _enter(user, _USER_NAMESPACE)
        _check(_libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()))
        _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))

    def used(self, forked_with: int) -> tuple[int, float, bool]:
        """Return the memory and processor time that all processes inside use together.

        Returns:
            Bytes of memory beyond `forked_with`, seconds of processor time, and whether any process
            runs or waits for a processor.
        """
        processes = [name for name in os.listdir(self._proc) if name.isdigit()]
        memory, processor, wanting = 0, 0.0, False
        for name in processes:
            with contextlib.suppress(OSError):  # the process has just ended
                memory += _memory(self._proc, name)
                seconds, state = self._seconds(name)
                processor += seconds
                wanting = wanting or state == b"R"
        if memory - forked_with > MEMORY:  # memory that forks share is counted repeatedly
            memory = sum(_share(self._proc, name) for name in processes)
        else:
            memory -= forked_with
        return memory, processor, wanting

    def files(self) -> int:
        """Count files, folders and links in /tmp or /dev/shm, whichever contains more."""
        states = map(os.statvfs, self._folders)
        return max(state.f_files - state.f_ffree for state in states)

    def _seconds(self, name: str) -> tuple[float, bytes]:
        """Return a process's seconds of processor time, including ended children, and its state."""
        fields = _read(self._proc, f"{name}/stat").rpartition(b")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS, fields[0]


def _memory(proc: int, name: str) -> int:
    """Return the bytes of memory charged to a process; 0 if the process has ended."""
    status = _fields(proc, f"{name}/status")
    if status[b"State"].split()[0] not in (b"Z", b"X"):
        return _bytes(status)
    # Its first thread has ended. Others may live on, and hold all the memory.
    folder = os.open(f"{name}/task", os.O_RDONLY, dir_fd=proc)
    try:
        threads = [f"{name}/task/{thread}/status" for thread in os.listdir(folder)]
    finally:
        os.close(folder)
    return max((_bytes(_fields(proc, path)) for path in threads), default=0)


def _share(proc: int, name: str) -> int:
    """Return a process's bytes like `_memory`, but with only its share of shared memory. Slow."""
    shared = 0
    with contextlib.suppress(OSError):  # a process that hides this is charged in full
        pages = _fields(proc, f"{name}/smaps_rollup")
        shared = _kilobytes(pages, b"Anonymous") - _kilobytes(pages, b"Pss_Anon")
    with contextlib.suppress(OSError):  # the process has just ended
        return _memory(proc, name) - 1024 * shared
    return 0


def _fields(proc: int, path: str) -> dict[bytes, bytes]:
    lines = _read(proc, path).splitlines()  # bytes: the name of a process need not be text
    return dict(line.split(b":", 1) for line in lines if b":" in line)


def _read(proc: int, path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY, dir_fd=proc), "rb") as file:
        return file.read()


def _bytes(status: dict[bytes, bytes]) -> int:
    kinds = (b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")
    return 1024 * sum(_kilobytes(status, kind) for kind in kinds)


def _kilobytes(fields: dict[bytes, bytes], name: bytes) -> int:
    return int(fields.get(name, b"0 kB").split()[0])


def _set(option: int, value: int) -> None:
    """Set an option of this process on Linux; other systems do not have these options."""
    if sys.platform == "linux":
        _libc.prctl(option, value)


def _enter(descriptor: int, kind: int) -> None:
    _check(_libc.setns(descriptor, kind))


def _check(outcome: int) -> None:
    if outcome != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2] == "safe", int(sys.argv[3]))
