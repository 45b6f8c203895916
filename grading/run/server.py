"""Fork a worker for each submission into its own namespaces, watch the worker, and end it.

`Launcher` starts `python -m grading.run.server FD safe 2`, which imports torch once. The 2 means
that two workers are to run at a time, so that each gets half of the processors. For each job that
arrives on the socket, the server forks a guard, the process that supervises one worker. The guard
has bubblewrap make fresh namespaces (user, process, network, mount, ipc) and joins all of them but
the process namespace, which only its children enter. Its child is the worker, which cannot see the
guard. The guard watches until the worker is done or exceeds a limit. It then kills the first
process of the namespace, and the kernel kills all others. Finally the guard reports to the parent
how the worker ended, as an `Ending`. There are only these two forks, because forking a process that
holds torch is the most expensive step here.
"""

import contextlib
import os
import resource
import select
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

from grading.run import namespaces, seccomp, worker
from grading.run.launcher import MEMORY, PATIENCE, Ending
from grading.run.namespaces import Namespaces

MOST_FILES = 10_000  # in /tmp, and in /dev/shm: empty files and links take memory too
INTERVAL = 0.02  # seconds between two looks at a worker

_TICKS = os.sysconf("SC_CLK_TCK")  # per second of processor time


def serve(jobs: socket.socket, safe: bool, workers: int) -> None:
    """Take jobs until the parent is gone. A job is two sockets and a limit in seconds.

    Args:
        jobs: socket on which the jobs arrive.
        safe: whether to put each worker into namespaces, with limits.
        workers: number of workers that are to run at a time.
    """
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]  # the parent's own limit is lower
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
    if safe:
        namespaces.become_ordinary()
    worker.warm_up()
    forked_with = _memory(os.open("/proc", os.O_RDONLY), "self") if safe else 0
    if safe:
        with _fresh():  # try it once: the launcher waits for "ready", or for the error
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
            outcome = Ending.FAILED
            try:
                jobs.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                namespaces.end_with_parent()
                namespaces.end_first()
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
) -> Ending:
    """Run one worker in fresh namespaces, and return how it ended.

    Two limits apply: on processor time, and on idle time, in which none of its processes wants a
    processor. Waiting for a processor does not count, because other workers may have caused it;
    only the `deadline` ends such waiting.
    """
    deadline, idle = time.monotonic() + PATIENCE * seconds, 0.0
    status.setblocking(False)
    with _fresh() as inside:
        inside.join()
        namespaces.drop_privileges()
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
                return Ending.DONE
            before, looked = looked, time.monotonic()
            memory, processor, wanting = _used(inside.proc, forked_with)
            if not wanting:
                idle += looked - before
            if memory > MEMORY or _files(inside.folders) > MOST_FILES:
                return Ending.MEMORY
            if max(processor, idle) > seconds:
                return Ending.TIME
            if _closed(status):
                return Ending.UNWANTED
            pause = max(INTERVAL, time.monotonic() - looked)  # many processes take long to inspect
            select.select([status], [], [], pause)  # ends early if the parent hangs up
        return Ending.CLOCK


def _guard_unsafe(connection: socket.socket, status: socket.socket, seconds: float) -> Ending:
    """Run one worker as an ordinary process, limited only by a deadline; return how it ended."""
    deadline = time.monotonic() + PATIENCE * seconds
    status.setblocking(False)
    child = os.fork()
    if child == 0:
        try:
            namespaces.end_with_parent()  # there is no namespace to end with the guard
            _become_worker(connection)
        finally:
            os._exit(0)
    connection.close()
    outcome = Ending.CLOCK
    while time.monotonic() < deadline and outcome == Ending.CLOCK:
        if os.waitpid(child, os.WNOHANG)[0]:
            outcome = Ending.DONE
        elif _closed(status):
            outcome = Ending.UNWANTED
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
    namespaces.limit()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    worker.work(socket.socket(fileno=os.dup(3)))


def _fresh() -> Namespaces:
    """Return fresh namespaces that show what this process sees of the disk, read-only."""
    # All that the server itself sees in /tmp is the course, if that lies there.
    course = [f"/tmp/{name}" for name in os.listdir("/tmp")]
    binds = [word for path in course for word in ("--ro-bind", path, path)]
    return Namespaces(["--ro-bind", "/", "/"], binds)


def _used(proc: int, forked_with: int) -> tuple[int, float, bool]:
    """Return the memory and processor time that all processes in a /proc use together.

    Returns:
        Bytes of memory beyond `forked_with`, seconds of processor time, and whether any process
        runs or waits for a processor.
    """
    processes = [name for name in os.listdir(proc) if name.isdigit()]
    memory, processor, wanting = 0, 0.0, False
    for name in processes:
        with contextlib.suppress(OSError):  # the process has just ended
            memory += _memory(proc, name)
            seconds, state = _seconds(proc, name)
            processor += seconds
            wanting = wanting or state == b"R"
    if memory - forked_with > MEMORY:  # memory that forks share is counted repeatedly
        memory = sum(_share(proc, name) for name in processes)
    else:
        memory -= forked_with
    return memory, processor, wanting


def _files(folders: Sequence[int]) -> int:
    """Count files, folders and links in the one of some file systems that contains the most."""
    states = map(os.statvfs, folders)
    return max(state.f_files - state.f_ffree for state in states)


def _seconds(proc: int, name: str) -> tuple[float, bytes]:
    """Return a process's seconds of processor time, including ended children, and its state."""
    fields = _read(proc, f"{name}/stat").rpartition(b")")[2].split()
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


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2] == "safe", int(sys.argv[3]))
