"""Is this machine ready for the course? `python -m utils.preflight`, or `make preflight`.

A line for each thing that is needed: ok, or what to do. As it must not fail where anything else
does, what may be missing is imported late, and what may die runs in other processes.
"""

import argparse
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
FOLDERS = ("notebooks", "exercises", ".")  # "." keeps what was guessed
LIMIT = Path("/sys/fs/cgroup/memory.max")  # what a container may have; "max" where it has no limit
GB = 10**9
MEMORY = 2.0  # GB: the largest notebook takes 1.5
DISK = 0.5  # GB, beyond what is installed
PORTS = range(8888, 8939)  # JupyterLab tries fifty behind the first
SECONDS = 300  # for what hangs
INSTALL = "pip install -r requirements.txt, in the course's own environment"
CELLS = {
    "a kernel starts and runs a cell": "import sys; sys.prefix",
    "PyTorch computes": "import torch; (torch.eye(2) @ torch.ones(2)).sum().item()",
    "explorers are drawn": "from utils.widgets import SoftmaxExplorer; SoftmaxExplorer('abc')",
}
WIDGET = "application/vnd.jupyter.widget-view+json"
IN_LAB = ("anywidget", "@jupyter-widgets/jupyterlab-manager")
SANDBOX = """
import sys
from grading.run.doctor import findings
for finding in findings():
    if finding.state == "missing":
        sys.exit(f"{finding.layer}: {finding.found}")
"""


class NotReady(Exception):  # noqa: N818 - something to do, not a fault
    """A problem with this machine, and what to do about it."""

    def __init__(self, problem: str, cure: str):
        super().__init__(f"{problem} -> {cure}")


# --- Each of these yields what is as it should be, and raises at the first thing that is not ------


def python() -> Iterator[str]:
    """Check the version of Python."""
    stated = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = re.search(r'requires-python = ">=([\d.]+)"', stated)[1]
    present = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < tuple(map(int, wanted.split("."))):
        raise NotReady(f"Python {present} is too old", f"install {wanted} or newer, and use that")
    yield f"Python {present}"


def packages() -> Iterator[str]:
    """Check the versions of the packages."""
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wrong = []
    for needed in map(Requirement, project["dependencies"]):
        try:
            present = metadata.version(needed.name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{needed.name} is missing")
            continue
        if not needed.specifier.contains(present, prereleases=True):
            wrong.append(f"{needed.name} is {present}, and has to be {needed.specifier}")
    if wrong:
        raise NotReady("; ".join(wrong), INSTALL)
    yield f"{len(project['dependencies'])} packages, in the versions that pyproject.toml names"


def memory() -> Iterator[str]:
    """Check the free memory, within the limit of a container."""
    import psutil

    limit = LIMIT.read_text().strip() if LIMIT.is_file() else "max"
    free = min(psutil.virtual_memory().available, float("inf" if limit == "max" else limit))
    yield _enough(free, MEMORY, "memory", "close other programs, or get a larger machine")


def disk() -> Iterator[str]:
    """Check the free space on the disk."""
    yield _enough(shutil.disk_usage(ROOT).free, DISK, "disk", f"make room on the disk of {ROOT}")


def _enough(free: float, needed: float, what: str, cure: str) -> str:
    if free < needed * GB:
        raise NotReady(f"{free / GB:.1f} GB of {what} are free, it takes {needed}", cure)
    return f"{free / GB:.1f} GB of {what} are free"


def folders() -> Iterator[str]:
    """Check that the folders of the course can be written."""
    for folder in ((ROOT / name).resolve() for name in FOLDERS):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            problem = f"nothing can be saved in {folder}: {error.strerror}"
            raise NotReady(problem, "copy the whole course into a folder of your own") from None
    yield "notebooks and progress can be saved"


def port() -> Iterator[str]:
    """Check that a port is free for JupyterLab."""
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
    """Check that JupyterLab loads what shows explorers."""
    command = [sys.executable, "-m", "jupyterlab.labextensions", "list"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    listed = re.sub(r"\x1b\[\d*m", "", done.stdout + done.stderr)
    for name in IN_LAB:
        if not re.search(rf"{re.escape(name)} v\S+ +enabled +OK", listed):
            raise NotReady(f"JupyterLab does not load {name}, which shows explorers", INSTALL)
    yield "JupyterLab can show explorers"


def kernel() -> Iterator[str]:
    """Check that the kernel starts, computes and draws an explorer."""
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
        atexit.unregister(client._cleanup_kernel)  # it would end what never began, and complain
        cure = "`jupyter kernelspec list` says where it lies: remove it, then " + INSTALL
        raise NotReady(f"the kernel python3 does not start: {_line(error)}", cure) from None
    for what, cell in zip(CELLS, cells, strict=True):
        data = _result(what, cell)
        if "prefix" in cell.source and data["text/plain"] != repr(sys.prefix):
            problem = f"the kernel runs in another Python, {data['text/plain']}"
            raise NotReady(problem, f"choose or install the kernel of {sys.prefix}")
        if "Explorer" in cell.source and WIDGET not in data:
            raise NotReady("an explorer comes without its widget", INSTALL)
        yield what


def _result(what: str, cell) -> dict:
    """Return the result of a cell by MIME type, or raise `NotReady`."""
    for output in cell.outputs:
        if output.output_type == "error":
            raise NotReady(f"no: {what}. {output.ename}: {output.evalue}", INSTALL)
        if output.output_type == "execute_result":
            return output.data
    raise NotReady(f"no: {what}. The kernel died of it", INSTALL)


def sandbox() -> Iterator[str]:
    """Check that the grader's sandbox works."""
    if not (ROOT / "grading").is_dir():
        raise NotReady("this copy of the course has no grading/", "grade with the whole repository")
    command = [sys.executable, "-c", SANDBOX]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        reason = (done.stderr.strip() or "no word").splitlines()[-1]
        raise NotReady(reason, "`python -m grading doctor` says what would mend it")
    yield "submissions can be graded in the sandbox"


# --- Run one by one -------------------------------------------------------------------------------

ALWAYS = (packages, memory, disk, folders, port, lab, kernel)


def report(check: Callable[[], Iterator[str]]) -> bool:
    """Print the lines of a check as they come; return whether all is as it should be."""
    try:
        for fine in check():
            print(_coloured("ok", 32), fine, flush=True)
    except NotReady as problem:
        print(_coloured("NO", 31), problem, flush=True)
        return False
    except Exception as error:  # a broken set-up breaks in more ways than anybody foresees
        print(_coloured("NO", 31), f"{check.__name__}: {_line(error)} -> {INSTALL}", flush=True)
        return False
    return True


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _coloured(text: str, colour: int) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return f"{text}  " if plain else f"\033[{colour}m{text}\033[0m  "


def main() -> int:
    """Run all checks; return 0 if all is ready, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m utils.preflight", description=__doc__)
    parser.add_argument("--grading", action="store_true", help="ask for the grader's sandbox too")
    asked = [*ALWAYS, sandbox] if parser.parse_args().grading else [*ALWAYS]
    sys.stdout.reconfigure(errors="replace")  # a name of a folder need not fit the terminal
    if not report(python):
        return 1  # nothing else would mean anything
    missed = [check for check in asked if not report(check)]
    print(f"{len(missed)} to mend." if missed else "Ready.")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
