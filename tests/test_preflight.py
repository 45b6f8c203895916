"""Test what pre-flight prints, and its exit status, on machines that are ready or not ready."""

import ast
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from utils import preflight

ROOT = Path(__file__).parents[1]
OTHER_PREFIX = (
    "import sys; sys.prefix = '/another'; from ipykernel.kernelapp import launch_new_instance; "
    "launch_new_instance()"
)


@pytest.fixture
def course(tmp_path):
    """Return a folder with a copy of all that pre-flight inspects."""
    folder = tmp_path / "course"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "utils", folder / "utils", ignore=ignored)
    for name in ("pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, folder)
    for name in ("notebooks", "exercises"):
        (folder / name).mkdir()
    return folder


def fly(course, check="", first=(), **environment):
    """Run pre-flight; return the lines that it prints, and its exit status.

    Args:
        course: the folder of the course.
        check: the name of the only check to run; if empty, all checks are run.
        first: folders that Python searches for modules before all others.
        environment: variables to set in addition to this process's own.
    """
    path = os.pathsep.join(map(str, [*first, course, os.environ.get("PYTHONPATH", "")]))
    only = f"from utils.preflight import *; sys.exit(not works({check}))"
    command = ["-c", only] if check else ["-m", "utils.preflight"]
    run = subprocess.run(
        [sys.executable, *command],
        cwd=course,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert run.stderr == ""
    return run.stdout.splitlines(), run.returncode


def test_a_machine_that_is_ready(course):
    lines, status = fly(course)
    assert lines[-1] == "Ready."
    assert {line[:5] for line in lines[:-1]} == {"ok   "}
    assert [line for line in lines if "PyTorch computes" in line]
    assert (len(lines), status) == (len(preflight.CURES) + 1, 0)


@pytest.mark.slow
def test_a_package_too_old_and_a_folder_that_is_not_there(course, tmp_path):
    old = tmp_path / "torch-1.0.dist-info"
    old.mkdir()
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 1.0\n")
    (course / "exercises").rmdir()
    lines, status = fly(course, first=[tmp_path])
    version, folder = (line for line in lines if line.startswith("NO   "))
    assert "torch is 1.0, and has to be ==" in version
    assert version.endswith("-> pip install -r requirements.txt, in the course's own environment")
    assert f"nothing can be saved in {course / 'exercises'}: No such file or directory" in folder
    assert (lines[-1], status) == ("2 to mend.", 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("torch", "kernel", "message"),
    [
        ("raise ImportError('libtorch.so: cannot open')", None, "ImportError: libtorch.so: cannot"),
        ("import os; os._exit(4)", None, "Kernel died -> pip install"),
        (None, "raise SystemExit(3)", "Kernel died before replying to kernel_info -> pip install"),
        (None, OTHER_PREFIX, "AssertionError: the kernel runs in another Python, /another -> "),
    ],
    ids=["no import", "the kernel dies", "the kernel ends at once", "of another environment"],
)
def test_a_kernel_in_which_torch_does_not_compute(course, tmp_path, torch, kernel, message):
    if torch:
        (tmp_path / "torch.py").write_text(torch)
    if kernel:  # before that of the environment
        folder = tmp_path / "kernels" / "python3"
        folder.mkdir(parents=True)
        argv = [sys.executable, "-c", kernel, "-f", "{connection_file}"]
        spec = {"argv": argv, "display_name": "", "language": "python"}
        (folder / "kernel.json").write_text(json.dumps(spec))
    lines, status = fly(course, "kernel", first=[tmp_path], JUPYTER_PATH=str(tmp_path))
    assert len(lines) == status == 1
    assert lines[0].startswith(f"NO   a kernel runs no cell of the course: {message}")


@pytest.mark.slow
def test_nothing_is_installed(course):
    bare = [sys.executable, "-S", "-m", "utils.preflight"]
    environment = {"PATH": os.environ["PATH"], "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    run = subprocess.run(bare, cwd=course, env=environment, capture_output=True, text=True)
    assert run.stderr == ""
    missing = "NO   packages: ModuleNotFoundError: No module named 'packaging' -> pip install"
    assert missing in run.stdout
    assert run.returncode == 1


@needs.ordinary_user
def test_a_folder_that_cannot_be_written(course):
    (course / "exercises").chmod(0o555)
    lines, status = fly(course, check="folders")
    assert f"nothing can be saved in {course / 'exercises'}: Permission denied" in lines[0]
    assert status == 1


def test_ports_memory_and_disk_that_are_taken(monkeypatch, tmp_path):
    (tmp_path / "memory.max").write_text("1000000000\n")
    monkeypatch.setattr(preflight, "GROUP", tmp_path)
    with pytest.raises(preflight.NotReady, match=r"^1\.0 GB of memory are free, it takes 2\.0$"):
        preflight.memory()
    monkeypatch.setattr(preflight, "DISK", 1e9)
    with pytest.raises(preflight.NotReady, match="GB of disk are free, it takes"):
        preflight.disk()
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        monkeypatch.setattr(preflight, "PORTS", [server.getsockname()[1]])
        with pytest.raises(preflight.NotReady, match="are all taken"):
            preflight.port()


def test_an_old_python_can_read_it():
    source = Path(preflight.__file__).read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 8))
