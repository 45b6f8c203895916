"""Starts the server inside bubblewrap, or says why that cannot be.

The server and all that it forks see the system's libraries, Python, `utils` and this folder,
read-only, and nothing else of the disk. There is no network. Started by root, they are the user
`nobody`: limits on the number of processes do not bind root.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
COURSE = HERE.parents[1]
OURS = (COURSE / "utils", HERE.parent / "__init__.py", HERE)  # what a worker sees of the course
SYSTEM = (
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/fonts",
)
HOW_TO_GET_ONE = """\
Submissions are strangers' programs, so they run in a sandbox, and there is none here: {reason}.
  Linux          install bubblewrap: apt install bubblewrap, or dnf install bubblewrap. Where it
                 is there and not allowed to work (Ubuntu from 24.04 on), allow it until the next
                 start: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0
  Windows        grade inside WSL2, and install bubblewrap there
  macOS, others  grade in a Linux virtual machine, or in a container that may make namespaces
If you trust every submission, --unsafe grades without one. Each can then read and change whatever
you can; every report will say so."""


class NoSandbox(RuntimeError):  # noqa: N818 - it is no fault, but something to install
    """There is no sandbox here, and how to get one."""

    def __init__(self, reason: str):
        super().__init__(HOW_TO_GET_ONE.format(reason=reason))


def start_server(safe: bool = True) -> tuple[subprocess.Popen, socket.socket]:
    """Start the warm server: its process, and the socket that takes jobs.

    Args:
        safe: in the sandbox. Otherwise it is an ordinary process of yours.

    Raises:
        NoSandbox: there is no bubblewrap, or it may not do its work.
    """
    command = _bubblewrap() if safe else []
    ours, theirs = socket.socketpair()
    command += [sys.executable, "-m", "grading.sandbox.server", str(theirs.fileno())]
    command += ["safe" if safe else "unsafe"]
    environment = {"PATH": os.defpath, "PYTHONPATH": str(COURSE), "OMP_NUM_THREADS": "1"}
    environment |= {"HOME": "/tmp", "LANG": "C.UTF-8", "MPLBACKEND": "agg"}
    process = subprocess.Popen(
        command,
        pass_fds=[theirs.fileno()],
        env=environment,
        cwd=COURSE if not safe else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is the parent's; the server ends with the parent
    )
    theirs.close()
    if ours.recv(5) != b"ready":
        ours.close()
        reason = process.communicate()[1].decode(errors="replace").strip().splitlines()
        raise NoSandbox(f"bubblewrap ended with “{reason[-1] if reason else 'nothing'}”")
    return process, ours


def _bubblewrap() -> list[str]:
    """The command that shows the server nothing but what it needs."""
    program = shutil.which("bwrap")
    if program is None:
        raise NoSandbox("the program bwrap is not installed")
    command = [program, "--unshare-net", "--unshare-ipc", "--die-with-parent", "--new-session"]
    command += ["--perms", "1777", "--tmpfs", "/tmp"]  # first: the course may lie in there
    made = {Path("/tmp")}
    for path in _needed():
        for parent in reversed(path.parents[:-1]):
            if parent not in made:  # readable by all, which bubblewrap's own are not
                command += ["--dir", str(parent)]
                made.add(parent)
        if path.is_symlink():
            command += ["--symlink", os.readlink(path), str(path)]
        else:
            command += ["--ro-bind", str(path), str(path)]
    # Whole, so that the sandboxes inside may have a /proc of their own.
    command += ["--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev"]
    return [*command, "--chdir", "/"]


def _needed() -> Iterator[Path]:
    """What of the disk Python needs, no path inside another."""
    paths = [Path(path) for path in SYSTEM if os.path.lexists(path)]
    packages = find_spec("torch").submodule_search_locations[0]
    python = {sys.prefix, sys.base_prefix, Path(sys.executable).parent, Path(packages).parent}
    for path in sorted(map(Path, {*python, *OURS})):
        if path.exists() and not any(path.is_relative_to(known) for known in paths):
            paths.append(path)
    yield from paths
