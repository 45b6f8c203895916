"""Check whether this machine is ready for the course: `python -m utils.preflight`.

It prints a line for each requirement: ok, or what to do. It has to run even on a broken set-up, so
it imports packages that may be missing only where it needs them, and runs code that may crash in
other processes.
"""

import atexit
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("notebooks", "exercises", ".")  # "." keeps the learner's guesses
LIMIT = Path("/sys/fs/cgroup/memory.max")  # bytes that a container may use; "max" if unlimited
GB = 10**9
MEMORY = 2.0  # GB: the largest notebook takes 1.5
DISK = 0.5  # GB, beyond what is installed
PORTS = range(8888, 8939)  # JupyterLab tries the first port and the fifty after it
SECONDS = 300  # until a process counts as hanging
INSTALL = "pip install -r requirements.txt, in the course's own environment"
CELLS = {
    "a kernel starts and runs a cell": "import sys; sys.prefix",
    "PyTorch computes": "import torch; (torch.eye(2) @ torch.ones(2)).sum().item()",
    "explorers are drawn": "from utils.widgets import SoftmaxExplorer; SoftmaxExplorer('abc')",
}
EXTENSIONS = ("anywidget", "@jupyter-widgets/jupyterlab-manager")


class NotReady(Exception):  # noqa: N818 - something to do, not a fault
    """A problem of this machine; the message also has the cure: what to do about it."""

    def __init__(self, problem: str, cure: str):
        super().__init__(f"{problem} -> {cure}")


# --- The checks: each yields a line for what works, and raises `NotReady` at the first problem ----


def python() -> Iterator[str]:
    """Check that Python has at least the version that pyproject.toml requires."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r'requires-python = ">=([\d.]+)"', project)[1]
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < tuple(map(int, required.split("."))):
        raise NotReady(f"Python {version} is too old", f"install {required} or newer, and use that")
    yield f"Python {version}"


def packages() -> Iterator[str]:
    """Check that every package of requirements.txt is installed in the version it names."""
    from packaging.requirements import Requirement

    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line[:1].isalpha()]
    problems = []
    for required in requirements:
        try:
            version = metadata.version(required.name)
        except metadata.PackageNotFoundError:
            problems.append(f"{required.name} is missing")
            continue
        if not required.specifier.contains(version, prereleases=True):
            problems.append(f"{required.name} is {version}, and has to be {required.specifier}")
    if problems:
        raise NotReady("; ".join(problems), INSTALL)
    yield f"{len(requirements)} packages, in the versions that requirements.txt names"


def memory() -> Iterator[str]:
    """Check that enough memory is free; in a container, no more than its limit counts as free."""
    import psutil

    limit = LIMIT.read_text().strip() if LIMIT.is_file() else "max"
    free = min(psutil.virtual_memory().available, float("inf" if limit == "max" else limit))
    yield _enough(free, MEMORY, "memory", "close other programs, or get a larger machine")


def disk() -> Iterator[str]:
    """Check that enough space is free on the disk of the course."""
    yield _enough(shutil.disk_usage(ROOT).free, DISK, "disk", f"make room on the disk of {ROOT}")


def _enough(free: float, needed: float, resource: str, cure: str) -> str:
    """Return a line with the free GB of a resource; raise `NotReady` if there is less than needed.

    Args:
        free: free bytes.
        needed: needed GB.
        resource: "memory" or "disk".
        cure: what to do if there is too little.
    """
    if free < needed * GB:
        raise NotReady(f"{free / GB:.1f} GB of {resource} are free, it takes {needed}", cure)
    return f"{free / GB:.1f} GB of {resource} are free"


def folders() -> Iterator[str]:
    """Check that the course can save: write a temporary file into each of its folders."""
    for folder in ((ROOT / name).resolve() for name in FOLDERS):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            problem = f"nothing can be saved in {folder}: {error.strerror}"
            raise NotReady(problem, "copy the whole course into a folder of your own") from None
    yield "notebooks and progress can be saved"


def port() -> Iterator[str]:
    """Find a free port on which JupyterLab can serve its page."""
    for number in PORTS:
        with socket.socket() as server:
            try:
                server.bind(("127.0.0.1", number))
            except OSError:
                continue
        yield f"port {number} is free"
        return
    raise NotReady(f"ports {PORTS[0]} to {PORTS[-1]} are all taken", "stop other servers")


def lab() -> Iterator[str]:
    """Check that JupyterLab loads the extensions that show explorers."""
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    listed = re.sub(r"\x1b\[\d*m", "", run.stdout + run.stderr)
    for name in EXTENSIONS:
        if not re.search(rf"{re.escape(name)} v\S+ +enabled +OK", listed):
            raise NotReady(f"JupyterLab does not load {name}, which shows explorers", INSTALL)
    yield "JupyterLab can show explorers"


def kernel() -> Iterator[str]:
    """Run the cells of `CELLS` in the kernel that notebooks use, and check their results."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    client = NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        kernel_name="python3",
        timeout=SECONDS,
        startup_timeout=SECONDS,
        allow_errors=True,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(ROOT / "notebooks")}},
    )
    try:
        client.execute(stderr=subprocess.DEVNULL)
    except DeadKernelError:  # the cell at which it died has no output
        pass
    except Exception as error:
        atexit.unregister(client._cleanup_kernel)  # it would complain that no kernel is running
        cure = "`jupyter kernelspec list` says where it lies: remove it, then " + INSTALL
        raise NotReady(f"the kernel python3 does not start: {_line(error)}", cure) from None
    for claim, cell in zip(CELLS, cells, strict=True):
        data = _result(claim, cell)
        if "prefix" in cell.source and data["text/plain"] != repr(sys.prefix):
            problem = f"the kernel runs in another Python, {data['text/plain']}"
            raise NotReady(problem, f"choose or install the kernel of {sys.prefix}")
        if "Explorer" in cell.source and "<script>" not in data["text/html"]:
            raise NotReady("an explorer comes without its script", INSTALL)
        yield claim


def _result(claim: str, cell) -> dict:
    """Return a cell's result, a dict from MIME type to data; raise `NotReady` if it has none.

    `claim` says what the cell was to prove, for the message.
    """
    for output in cell.outputs:
        if output.output_type == "error":
            raise NotReady(f"no: {claim}. {output.ename}: {output.evalue}", INSTALL)
        if output.output_type == "execute_result":
            return output.data
    raise NotReady(f"no: {claim}. The kernel died of it", INSTALL)


# --- The report -----------------------------------------------------------------------------------

CHECKS = (packages, memory, disk, folders, port, lab, kernel)


def run_check(check: Callable[[], Iterator[str]]) -> bool:
    """Run a check, print its lines as they come, and return whether it passed."""
    try:
        for line in check():
            print(_coloured("ok", 32), line, flush=True)
    except NotReady as problem:
        print(_coloured("NO", 31), problem, flush=True)
        return False
    except Exception as error:  # a broken set-up fails in ways that nobody foresees
        print(_coloured("NO", 31), f"{check.__name__}: {_line(error)} -> {INSTALL}", flush=True)
        return False
    return True


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _coloured(text: str, colour: int) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return f"{text}  " if plain else f"\033[{colour}m{text}\033[0m  "


def main() -> int:
    """Run all checks; return 0 if all passed, 1 otherwise."""
    sys.stdout.reconfigure(errors="replace")  # a terminal may lack letters of a folder's name
    if not run_check(python):
        return 1  # with a wrong Python, no other check would mean anything
    failed = [check for check in CHECKS if not run_check(check)]
    print(f"{len(failed)} to mend." if failed else "Ready.")
    return bool(failed)


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit("No options here. Can this machine grade? `python -m grading doctor` says.")
    sys.exit(main())
