"""Test whether the sandbox works on this machine: `python -m grading doctor`.

Each layer is tried in the way that the sandbox uses it, from the lowest to a real worker that
attempts what no submission may do. What rests on a missing layer is neither tried nor reported.
"""

import contextlib
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grading.run.launcher import (
    COURSE,
    FILES,
    MEGABYTE,
    MEMORY,
    NOBODY,
    PROCESSES,
    Launcher,
    NoSandbox,
    processors,
)
from utils.preflight import free_memory, limit

SECONDS = 60.0  # of processor time for the worker, which needs less than one
LARGEST_REPLIES = 2**20
SETTINGS = {  # of the kernel → the value that forbids namespaces to ordinary users, a cure
    "kernel.unprivileged_userns_clone": ("0", "sudo sysctl kernel.unprivileged_userns_clone=1"),
    "user.max_user_namespaces": ("0", "sudo sysctl user.max_user_namespaces=10000"),
    "kernel.apparmor_restrict_unprivileged_userns": (
        "1",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that "
        "allows `userns` to bwrap",
    ),
}
SECCOMP = (
    "if this is a container, give it a seccomp profile that allows unshare, clone, mount and setns "
    "(Docker, Podman: --security-opt seccomp=unconfined)"
)
HIDDEN = (
    "part of /proc is covered, as in containers: let it be seen whole (Docker: --security-opt "
    "systempaths=unconfined; Podman: --security-opt unmask=ALL; Kubernetes: procMount: Unmasked)"
)
AROUND = (
    "no setting that can be seen from here forbids it: something around this system does, such as "
    "a container, or bubblewrap with --disable-userns"
)
TOO_MANY = f"more than {PROCESSES} processes and threads"
BOUND = (
    "such limits do not bind root: if this is a container, let an ordinary user start it, or one "
    "that is not root outside"
)
FORBIDDEN = {  # what a worker must not do → a cell that tries it, the error that must stop it
    "the network": ("import socket\nsocket.socket()", "PermissionError"),
    "your files": (f"open({str(COURSE / 'grading' / 'grader.py')!r})", "FileNotFoundError"),
    "other processes": (
        "import os\nif sum(map(str.isdigit, os.listdir('/proc'))) < 5:\n    raise LookupError",
        "LookupError",
    ),
    f"more than {MEMORY // MEGABYTE:,} MB of memory": (f"bytearray({2 * MEMORY})", "MemoryError"),
    f"files of more than {FILES // MEGABYTE} MB": (
        f"open('/tmp/large', 'wb').truncate({2 * FILES})",
        "OSError: [Errno 27]",
    ),
    TOO_MANY: (
        f"import threading\nfor _ in range({2 * PROCESSES}):\n"
        "    threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "RuntimeError",
    ),
}


@dataclass(frozen=True)
class Finding:
    """The state of one layer of the sandbox.

    Args:
        state: "ok", "missing", or "note" for a lack that does not stop the sandbox from working.
        found: what came of trying it.
        cure: what to do about it.
    """

    state: str
    layer: str
    found: str = ""
    cure: str = ""

    def __str__(self) -> str:
        cure = f"\n{'':29}→ {self.cure}" if self.cure else ""
        return f"{self.state:8} {self.layer:19} {self.found}".rstrip() + cure


def findings() -> Iterator[Finding]:
    """Try one layer of the sandbox after another, up to the first that is missing."""
    for layer, (lack, cure) in LAYERS.items():
        state = "note" if layer in ("memory", "processes") else "missing"
        if not (found := lack()):
            yield Finding("ok", layer)
            continue
        yield Finding(state, layer, found, cure or _what_forbids_namespaces())
        if state == "missing":
            return
    try:
        with Launcher() as launcher:
            yield Finding("ok", "server", "started, and has made a worker's namespaces")
            yield from attempted(launcher)
    except NoSandbox as problem:
        cure = "look whether whoever grades may read Python, its packages and the course"
        yield Finding("missing", "server", problem.reason, cure)


def _system() -> str:
    return "" if platform.system() == "Linux" else f"this is {platform.system()}"


def _program() -> str:
    return "" if shutil.which("bwrap") else "there is no bwrap on the PATH"


def _fails(*command: str) -> str:
    """Run a command as the workers' user, `nobody` if root grades: limits do not bind root.

    Returns:
        Its error message, or "" if it succeeds.
    """
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    try:
        done = subprocess.run(command, cwd="/", capture_output=True, **user)
    except OSError as error:
        return error.strerror or str(error)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return (lines or [f"exit status {done.returncode}"])[-1] if done.returncode else ""


def _namespaces(*options: str) -> Callable[[], str]:
    return lambda: _fails("bwrap", *options, "--ro-bind", "/", "/", "true")


def _what_forbids_namespaces() -> str:
    """Return the cures of all that can be seen from here to forbid namespaces."""
    cures = []
    for name, (bad, cure) in SETTINGS.items():
        with contextlib.suppress(OSError):  # not every kernel has all of them
            if Path("/proc/sys", *name.split(".")).read_text().strip() == bad:
                cures.append(cure)
    if "\nSeccomp:\t2" in Path("/proc/self/status").read_text():
        cures.append(SECCOMP)
    return "; ".join(cures) or AROUND


def _memory() -> str:
    room, workers = max(int(free_memory() // MEMORY), 1), processors()
    return f"enough for {room} workers, not for {workers} at a time" if room < workers else ""


def _processes() -> str:
    most, needed = limit("pids.max"), processors() * PROCESSES
    return f"{most:,.0f} may run, {needed} are needed at full speed" if most < needed else ""


LAYERS = {  # layer → how to find out what it lacks; the cure, or "" where settings tell it
    "Linux": (_system, "grade on Linux: inside WSL2, or in a virtual machine"),
    "bubblewrap": (_program, "apt install bubblewrap, or dnf install bubblewrap"),
    "user": (
        lambda: _fails("true"),
        "run the grader as an ordinary user of this container, or map more users into it "
        "(/etc/subuid and /etc/subgid)",
    ),
    "user namespaces": (_namespaces("--unshare-user"), ""),
    "other namespaces": (_namespaces("--unshare-all"), ""),
    "a /proc of its own": (_namespaces("--unshare-all", "--proc", "/proc"), HIDDEN),
    "memory": (_memory, "give --workers that number, or get more memory"),
    "processes": (_processes, "raise pids.max, or take fewer --workers"),
}


def attempted(launcher: Launcher) -> Iterator[Finding]:
    """Have a worker attempt every act in `FORBIDDEN`, and report whether each was refused."""
    from grading.run import protocol  # imports torch, which takes seconds

    cells = [[number, code] for number, (code, _) in enumerate(FORBIDDEN.values())]
    ended = dict.fromkeys(range(len(cells)), "nothing stopped it")
    with launcher.launch(SECONDS) as worker, worker.stream() as stream:
        worker.connection.sendall(protocol.pack({"cells": cells, "seconds": SECONDS, "tasks": []}))
        message: dict = {}
        try:
            while "end" not in message:
                message, _ = protocol.unpack(stream, LARGEST_REPLIES)
                if "cell" in message:
                    ended[message["cell"]] = message["error"]
        except (OSError, ValueError):
            yield Finding("missing", "worker", f"it ended before its answer: {worker.ending()}")
            return
    for (what, (_, expected)), end in zip(FORBIDDEN.items(), ended.values(), strict=True):
        refused = end.startswith(expected)
        found = f"refused {what}" if refused else f"not refused {what}: {end}"
        cure = BOUND if what == TOO_MANY and not refused else ""
        yield Finding("ok" if refused else "missing", "worker", found, cure)
