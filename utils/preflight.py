"""Check whether this machine is ready for the course: `python -m utils.preflight`.

It prints a line for each question: ok, or what to do. It has to run even on a broken set-up, so it
imports packages that may be missing only where it needs them, and runs code that may crash in other
processes.
"""

import atexit
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GROUP = Path("/sys/fs/cgroup")  # the limits of a container, seen from inside
GB = 10**9
MEMORY = 2.0  # GB: the largest notebook takes 1.5
DISK = 0.5  # GB, beyond what is installed
PORTS = range(8888, 8939)  # JupyterLab tries the first port and the fifty after it
SECONDS = 300  # until a process counts as hanging
INSTALL = "pip install -r requirements.txt, in the course's own environment"
CELL = f"""import sys
assert sys.prefix == {sys.prefix!r}, f"the kernel runs in another Python, {{sys.prefix}}"
import torch
torch.eye(2) @ torch.ones(2)
from utils.widgets import SoftmaxExplorer
assert "<script>" in SoftmaxExplorer("abc")._repr_mimebundle_()["text/html"]"""
EXTENSIONS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


class NotReady(Exception):  # noqa: N818 - something to do, not a fault
    """What is wrong with this machine, in words for its owner."""


# --- The questions: each returns what works, or raises `NotReady` ---------------------------------


def python() -> str:
    """Has Python at least the version that pyproject.toml requires?"""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r'requires-python = ">=([\d.]+)"', project)[1]
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < tuple(map(int, required.split("."))):
        raise NotReady(f"Python {version} is too old, it has to be {required} or newer")
    return f"Python {version}"


def packages() -> str:
    """Is every package of requirements.txt installed in the version that it names?"""
    from packaging.requirements import Requirement

    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    problems = []
    for required in [Requirement(line) for line in lines if line[:1].isalpha()]:
        try:
            version = metadata.version(required.name)
        except metadata.PackageNotFoundError:
            problems.append(f"{required.name} is missing")
            continue
        if not required.specifier.contains(version, prereleases=True):
            problems.append(f"{required.name} is {version}, and has to be {required.specifier}")
    if problems:
        raise NotReady("; ".join(problems))
    return "packages in the versions that requirements.txt names"


def memory() -> str:
    """Is enough memory free?"""
    return _enough(free_memory(), MEMORY, "memory")


def free_memory() -> float:
    """Return the free bytes; in a container, no more than its limit counts as free."""
    import psutil

    return min(psutil.virtual_memory().available, limit("memory.max"))


def limit(name: str) -> float:
    """Return a limit of this container, infinite if it has none or this is no container."""
    file = GROUP / name
    text = file.read_text().strip() if file.is_file() else "max"
    return float("inf" if text == "max" else text)


def disk() -> str:
    """Is enough space free on the disk of the course?"""
    return _enough(shutil.disk_usage(ROOT).free, DISK, "disk")


def _enough(free: float, needed: float, resource: str) -> str:
    """Compare free bytes with the GB that are needed."""
    if free < needed * GB:
        raise NotReady(f"{free / GB:.1f} GB of {resource} are free, it takes {needed}")
    return f"{free / GB:.1f} GB of {resource} are free"


def folders() -> str:
    """Can the course save? "." keeps the learner's guesses."""
    for folder in ((ROOT / name).resolve() for name in ("notebooks", "exercises", ".")):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise NotReady(f"nothing can be saved in {folder}: {error.strerror}") from None
    return "notebooks and progress can be saved"


def port() -> str:
    """Is there a port on which JupyterLab can serve its page?"""
    for number in PORTS:
        with socket.socket() as server:
            try:
                server.bind(("127.0.0.1", number))
            except OSError:
                continue
        return f"port {number} is free"
    raise NotReady(f"ports {PORTS[0]} to {PORTS[-1]} are all taken")


def lab() -> str:
    """Does JupyterLab load the extensions that show explorers?"""
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    listed = _uncoloured(run.stdout + run.stderr)
    for name in EXTENSIONS:
        if not re.search(rf"{re.escape(name)} v\S+ +enabled +OK", listed):
            raise NotReady(f"JupyterLab does not load {name}, which shows explorers")
    return "JupyterLab can show explorers"


def _uncoloured(text: str) -> str:
    return re.sub(r"\x1b\[\d*m", "", text)


def kernel() -> str:
    """Does the kernel that notebooks use start, compute with PyTorch, and make an explorer?"""
    import nbformat
    from nbclient import NotebookClient

    client = NotebookClient(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)]),
        kernel_name="python3",
        timeout=SECONDS,
        startup_timeout=SECONDS,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(ROOT / "notebooks")}},
    )
    try:
        client.execute(stderr=subprocess.DEVNULL)
    except Exception as error:
        atexit.unregister(client._cleanup_kernel)  # it would complain that no kernel is running
        last_line = _uncoloured(str(error)).strip().splitlines()[-1]
        raise NotReady(f"a kernel runs no cell of the course: {last_line}") from None
    return "a kernel starts, PyTorch computes, explorers are drawn"


# --- The report -----------------------------------------------------------------------------------

CURES = {  # question → what to do if the answer is no
    python: "install a newer one, and use that",
    packages: INSTALL,
    memory: "close other programs, or get a larger machine",
    disk: f"make room on the disk of {ROOT}",
    folders: "copy the whole course into a folder of your own",
    port: "stop other servers",
    lab: INSTALL,
    kernel: f"{INSTALL}; if `jupyter kernelspec list` shows a python3 elsewhere, remove it first",
}


def works(question: Callable[[], str]) -> bool:
    """Print the answer to a question, with the cure if it is no, and return whether it is yes."""
    try:
        print("ok  ", question(), flush=True)
    except Exception as error:  # a broken set-up fails in ways that nobody foresees
        name = (
            "" if isinstance(error, NotReady) else f"{question.__name__}: {type(error).__name__}: "
        )
        print(f"NO   {name}{error} -> {CURES[question]}", flush=True)
        return False
    return True


def main() -> int:
    """Ask all questions; return 0 if the machine is ready, 1 otherwise."""
    sys.stdout.reconfigure(errors="replace")  # a terminal may lack letters of a folder's name
    first, *others = CURES
    if not works(first):
        return 1  # with a wrong Python, no other answer would mean anything
    failed = sum(not works(question) for question in others)
    print(f"{failed} to mend." if failed else "Ready.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
