"""Make fresh namespaces (user, process, network, mount, ipc) by bubblewrap, and enter them.

A process that enters them is limited like everything inside. It cannot move into the process
namespace itself: only its children are born there.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from grading.run import seccomp
from grading.run.launcher import FILES, MEMORY, NOBODY, PROCESSES

OPEN_FILES = 64  # of each process: data waiting in pipes are not charged to any process

_libc = ctypes.CDLL(None, use_errno=True)
_NAMESPACES = {"ipc": 0x08000000, "net": 0x40000000, "pid": 0x20000000, "mnt": 0x00020000}
_USER_NAMESPACE = 0x10000000
_OWNER = 0xB701  # the ioctl NS_GET_USERNS: the user namespace that owns another one
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_CAPABILITIES_3 = 0x20080522
_WRITABLE = ("tmp", "dev/shm")
_DEVICES = ("null", "full", "random", "urandom")
_BUBBLEWRAP = [
    *["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"],
    *["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
]
_ORDINARY_USER = ["--unshare-user", "--disable-userns"]
_DEVICES_AND_TMP = [
    # Read-only, or a process could write into the memory of another that has fewer limits.
    *["--proc", "/proc", "--remount-ro", "/proc"],
    # No /dev/zero: mapped, it is memory not charged to any process.
    *["--perms", "755", "--tmpfs", "/dev"],
    *[w for name in _DEVICES for w in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")],
    *["--symlink", "/proc/self/fd", "/dev/fd", "--dir", "/dev/shm", "--remount-ro", "/dev"],
    *["--perms", "1777", "--size", str(FILES), "--tmpfs", "/dev/shm"],
    *["--perms", "1777", "--size", str(FILES), "--tmpfs", "/tmp", "--chdir", "/tmp"],
]


class Namespaces:
    """Fresh namespaces, made by bubblewrap and kept alive by a `cat` that waits inside.

    Whoever is inside can reach both programs, so both have a worker's filter and limits.

    Args:
        disk: bubblewrap's options that say what is to be seen of the disk, apart from /tmp.
        in_tmp: options for what is to be seen in /tmp.

    Raises:
        RuntimeError: bubblewrap could not make the namespaces.
    """

    def __init__(self, disk: Sequence[str], in_tmp: Sequence[str] = ()):
        # Root needs no user namespace, and in one it could not become another user any more.
        user = _ORDINARY_USER if os.getuid() else []
        self._command = [*_BUBBLEWRAP, *user, *disk, *_DEVICES_AND_TMP, *in_tmp]

    def __enter__(self) -> "Namespaces":
        read, write = os.pipe()
        filter_, filter_end = os.pipe()
        os.write(filter_end, seccomp.program())
        os.close(filter_end)
        self._bubblewrap = subprocess.Popen(
            [*self._command, "--info-fd", str(write), "--seccomp", str(filter_), "cat"],
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
                self.proc = os.open(inside / "proc", os.O_RDONLY)
                self.folders = [os.open(inside / name, os.O_RDONLY) for name in _WRITABLE]
                tree = Path("/proc", str(self._first), "task", str(self._first), "children")
                for process in (self._first, *map(int, tree.read_text().split())):
                    limit(process)
                return self
        raise RuntimeError(self._bubblewrap.communicate()[1].decode(errors="replace").strip())

    def __exit__(self, *_) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._first, signal.SIGKILL)  # the kernel then kills everything inside
        with contextlib.suppress(ChildProcessError):
            while True:  # bubblewrap and the worker
                os.wait()

    def join(self) -> None:
        """Enter the namespaces, so that children of this process are born inside."""
        own, user = (
            os.open(f"/proc/{process}/ns/user", os.O_RDONLY) for process in ("self", self._first)
        )
        others = {
            kind: os.open(f"/proc/{self._first}/ns/{kind}", os.O_RDONLY) for kind in _NAMESPACES
        }
        # bubblewrap makes a second user namespace, which owns none of the others.
        owner = fcntl.ioctl(others["mnt"], _OWNER)
        if not os.path.sameopenfile(owner, own):
            _enter(owner, _USER_NAMESPACE)
        for kind, descriptor in others.items():
            _enter(descriptor, _NAMESPACES[kind])
        if not os.path.sameopenfile(owner, user):
            _enter(user, _USER_NAMESPACE)


def drop_privileges() -> None:
    """Give up all capabilities of this process, for good."""
    _check(_libc.capset((ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()))
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def become_ordinary() -> None:
    """Become the user `nobody` if this is root, whom some limits do not bind."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    _set(_PR_SET_DUMPABLE, 1)  # or /proc/self would still be root's


def end_with_parent() -> None:
    """Have this process killed when its parent ends, and adopt what its own children leave."""
    _set(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _set(_PR_SET_CHILD_SUBREAPER, 1)


def end_first() -> None:
    """Have the kernel end this process and its children first where memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def limit(process: int = 0, memory: int = MEMORY) -> None:
    """Limit the resources of one process (0: this one). A guard limits all processes together."""
    try:
        pages = int(Path("/proc", str(process or "self"), "statm").read_text().split()[0])
    except OSError:  # not Linux
        return
    own = pages * resource.getpagesize()
    for kind, most in (
        (resource.RLIMIT_AS, own + memory),
        (resource.RLIMIT_FSIZE, FILES),
        (resource.RLIMIT_NPROC, PROCESSES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.prlimit(process, kind, (most, most))


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
