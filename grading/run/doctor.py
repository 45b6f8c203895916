"""Test whether the sandbox works on this machine: `python -m grading doctor`.

Each layer is tried in the way that the sandbox uses it, from the lowest layer to a real worker that
attempts what no submission may do. If a layer is missing, layers that depend on it are neither
tried nor reported.
"""

import contextlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence
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
    bubblewrap,
    processors,
)

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
PROC = "a /proc of its own"
LAYERS = {  # layer → bubblewrap's options, each with more than the one before
    "user namespaces": ["--unshare-user"],
    "other namespaces": ["--unshare-all"],
    PROC: ["--unshare-all", "--proc", "/proc"],
}
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
        state: "ok", "missing", or "note" for a fact that does not stop the sandbox from working.
        found: result of trying the layer, or of reading the settings.
        cure: advice on how to mend it, if it needs mending.
    """

    state: str
    layer: str
    found: str
    cure: str = ""

    def __str__(self) -> str:
        cure = f"\n{'':29}→ {self.cure}" if self.cure else ""
        return f"{self.state:8} {self.layer:19} {self.found}{cure}"


def findings() -> Iterator[Finding]:
    """Try one layer of the sandbox after another, up to the first that is missing."""
    for layers in (_program, _user, _settings, _namespaces, _memory, _worker):
        for finding in layers():
            yield finding
            if finding.state == "missing":
                return


def _program() -> Iterator[Finding]:
    if platform.system() != "Linux":
        cure = "grade on Linux: inside WSL2, or in a virtual machine"
        yield Finding("missing", "Linux", f"this is {platform.system()}", cure)
        return
    program = shutil.which("bwrap")
    if program is None:
        cure = "apt install bubblewrap, or dnf install bubblewrap"
        yield Finding("missing", "bubblewrap", "there is no bwrap on the PATH", cure)
        return
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    yield Finding("ok", "bubblewrap", f"{program}, {version}")


def _user() -> Iterator[Finding]:
    """If root grades, test whether workers can run as `nobody`: process limits do not bind root."""
    if os.getuid() != 0:
        yield Finding("ok", "user", f"number {os.getuid()}, not root")
    elif message := _try(["true"]):
        cure = (
            "run the grader as an ordinary user of this container, or map more users into it "
            "(/etc/subuid and /etc/subgid)"
        )
        yield Finding("missing", "user", f"root cannot become user {NOBODY} here: {message}", cure)
    else:
        yield Finding("ok", "user", f"root, and workers become user {NOBODY}")


def _try(command: Sequence[str]) -> str:
    """Run a command as the workers' user; return its error message, or "" if it succeeds."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    try:
        done = subprocess.run(command, cwd="/", capture_output=True, **user)
    except OSError as error:
        return error.strerror or str(error)
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return (lines or [f"exit status {done.returncode}"])[-1] if done.returncode else ""


def _settings() -> Iterator[Finding]:
    """Read the kernel's settings for namespaces. Whether namespaces can be made is tried next."""
    found = [f"{name} = {value}" for name in SETTINGS if (value := _setting(name))]
    if _filtered():
        found.append("a seccomp filter is on (of a container, say)")
    yield Finding("note", "settings", ", ".join(found) or "none of those known restricts anything")


def _setting(name: str) -> str:
    """Read a setting of the kernel; return "" if the kernel has no setting of that name."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    return ""


def _filtered() -> bool:
    return "\nSeccomp:\t2" in Path("/proc/self/status").read_text()


def _namespaces() -> Iterator[Finding]:
    for layer, options in LAYERS.items():
        message = _try([shutil.which("bwrap"), *options, "--ro-bind", "/", "/", "true"])
        if not message:
            yield Finding("ok", layer, "made")
            continue
        cures = [cure for name, (bad, cure) in SETTINGS.items() if _setting(name) == bad]
        cure = "; ".join([*cures, *[SECCOMP] * _filtered()]) or AROUND
        cure = HIDDEN if layer == PROC else cure
        yield Finding("missing", layer, f"bubblewrap says “{message}”", cure)


def _lines(path: str) -> list[str]:
    return Path(path).read_text(errors="replace").splitlines()


def _memory() -> Iterator[Finding]:
    """Check whether memory and process limits suffice for one worker per processor at full use."""
    sizes = dict(line.split(":") for line in _lines("/proc/meminfo"))
    free, workers = 1024 * int(sizes["MemAvailable"].split()[0]), processors()
    free = min([free, *_of_group("memory.max")])
    room = max(free // MEMORY, 1)
    found = (
        f"{free // MEGABYTE:,} MB are free; {workers} at a time, one for each processor, may take "
        f"{workers * MEMORY // MEGABYTE:,} MB"
    )
    cure = "" if room >= workers else f"--workers {room}, or more memory"
    yield Finding("note" if cure else "ok", "memory", found, cure)
    for most in _of_group("pids.max"):
        few = most < workers * PROCESSES
        found = f"this control group may have {most:,}, {workers} workers {workers * PROCESSES}"
        yield Finding("note" if few else "ok", "processes", found, "raise pids.max" if few else "")


def _of_group(limit: str) -> list[int]:
    """Return a limit of this process's control group (version 2) in a list, empty if unlimited."""
    own = [line.partition("::")[2] for line in _lines("/proc/self/cgroup") if line.startswith("0:")]
    mounts = [line.split() for line in _lines("/proc/self/mounts")]
    tops = [mount[1] for mount in mounts if mount[2] == "cgroup2"]
    with contextlib.suppress(OSError, ValueError):  # "max" means no limit
        return [int(Path(tops[0], own[0].lstrip("/"), limit).read_text())] if own and tops else []
    return []


def _worker() -> Iterator[Finding]:
    """Try the whole sandbox: both layers of bubblewrap, and a worker that tries forbidden acts."""
    # As the user who grades: root becomes nobody only inside the server's own bubblewrap.
    done = subprocess.run([*bubblewrap(), "true"], capture_output=True, text=True)
    if done.returncode:
        message = done.stderr.strip() or str(done.returncode)
        yield Finding("missing", "outer bubblewrap", f"bubblewrap says “{message}”")
        return
    yield Finding("ok", "outer bubblewrap", "shows the server what it needs")
    with contextlib.ExitStack() as until_then:
        try:
            launcher = until_then.enter_context(Launcher())
        except NoSandbox as problem:
            cure = "look whether whoever grades may read Python, its packages and the course"
            yield Finding("missing", "server", problem.reason, cure)
            return
        yield Finding("ok", "server", "started, and has made a worker's namespaces")
        yield from attempted(launcher)


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
