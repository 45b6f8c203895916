"""The autograder for Gradescope, in folders laid out as in its container, with and without sandbox.

Gradescope's own container was not to be had: what it forbids, and what its disk grants to whom, is
played by bubblewrap, as root and with a folder /autograder.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest

from grading.__main__ import main
from grading.tests.made import NOTEBOOK, PATHS, TASKS, class_file, run_command
from solutions import build
from tests import needs

COURSE = Path(__file__).parents[2]
WORTH = TASKS | {"entropy": 6}  # as the class file says
# What a submission tries, in a function that is called with every case, and how each try ended.
ATTACK = """
import glob, os, pathlib, sys
root = next((path for path in ("/autograder", ROOT) if os.path.isdir(path)), "/autograder")
full = '{"score": 1000}'

def results(name):
    pathlib.Path(root, "results", name).write_text(full)

def replace():
    os.rename(root + "/results", root + "/former")
    os.makedirs(root + "/results")
    results("results.json")

DAEMON = []
ATTEMPTS = {
    "write": lambda: results("results.json"),
    "beside": lambda: results(".results.json"),
    "replace": replace,
    "read": lambda: os.listdir(root + "/source/records") or 1 / 0,
    "solutions": lambda: os.listdir(root + "/source/solutions") or 1 / 0,
    "grader": lambda: pathlib.Path(root, "source/grading/gradescope.py").write_text("print(1)"),
    "start": lambda: pathlib.Path(root, "run_autograder").write_text("exit 0"),
    "grades": lambda: os.listdir(root + "/grades") or 1 / 0,
}

def entropy(weights):
    ended = []
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
            ended.append(name + " done")
        except Exception as error:
            ended.append(name + " refused")
    if not DAEMON:  # goes on when the grader is done
        DAEMON.append(os.fork())
    while DAEMON == [0]:
        try:
            results("results.json")
        except OSError:
            pass
    raise RuntimeError("; ".join(ended))
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    week = class_file(folder / "week1.toml", Path("later.zip"), "[points]\nentropy = 6\n")
    here = os.getcwd()
    os.chdir(folder)
    try:
        assert main(["gradescope", str(week)]) == 0
    finally:
        os.chdir(here)
    return folder / "week1-gradescope.zip"


@pytest.fixture
def autograder(exported, tmp_path) -> Path:
    """Return the folder /autograder of a container, as Gradescope sets it up."""
    root = tmp_path / "autograder"
    with zipfile.ZipFile(exported) as archive:
        archive.extractall(root / "source")
        for name in ("setup.sh", "run_autograder"):
            assert stat.S_IMODE(archive.getinfo(name).external_attr >> 16) == 0o755
    for name in ("submission", "results", "venv/bin"):
        (root / name).mkdir(parents=True)
    root.chmod(0o777)  # nothing says what it is there
    (root / "results").chmod(0o777)
    shutil.copy(root / "source" / "run_autograder", root)
    python = root / "venv" / "bin" / "python"  # as setup.sh makes it
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for file in (python, root / "run_autograder"):
        file.chmod(0o755)
    return root


def handed_in(root: Path, **answers: str) -> None:
    """Put a solved notebook 01 into the folder of the submission, with other answers to tasks."""
    solved = build.learner_notebook(PATHS["01"], build.solved)
    for cell in solved.cells:
        for task, answer in answers.items():
            if f"def {task}" in cell.source:
                cell.source = answer
    nbformat.write(solved, root / "submission" / "my work.ipynb")


def results(root: Path, command: Sequence = ()) -> dict:
    """Run the autograder, by the end of another command; return what Gradescope would read."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    script = Path("/autograder" if command else root, "run_autograder")
    run = subprocess.run([*command, script], cwd="/", env=clean, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return {"stdout": run.stdout} | json.loads((root / "results" / "results.json").read_text())


def container(root: Path) -> list:
    """Return a command that runs another as root, with a folder /autograder and no bubblewrap."""
    python = (Path(sys.prefix), Path(sys.base_prefix))  # may lie in root's closed home
    needed = [
        *(("--perms", "0755", "--dir", above) for path in python for above in path.parents[-2::-1]),
        *(("--ro-bind", path, path) for path in python),
    ]
    return [
        *("bwrap", "--cap-add", "ALL", "--unshare-pid", "--die-with-parent"),
        *(word for name in ("/usr", "/etc") for word in ("--ro-bind", name, name)),
        *(
            word
            for name in ("/bin", "/lib", "/lib64")
            for word in ("--symlink", f"usr{name}", name)
        ),
        *("--dev", "/dev", "--proc", "/proc", "--perms", "1777", "--tmpfs", "/tmp"),
        *(word for each in needed for word in each),
        *("--ro-bind", "/dev/null", shutil.which("bwrap"), "--bind", root, "/autograder"),
    ]


def scores(told: dict) -> dict[str, float]:
    titles = {task.title: task.id for task in build.bank.tasks()[NOTEBOOK]}
    return {titles[test["name"].partition(" · ")[2]]: test["score"] for test in told["tests"]}


def digests(root: Path) -> dict[str, bytes]:
    source = (path for path in (root / "source").rglob("*") if "__pycache__" not in path.parts)
    return {str(path): path.read_bytes() for path in source if path.is_file()}


def test_the_export_holds_what_gradescope_asks_for(exported, tmp_path, monkeypatch, capsys):
    with zipfile.ZipFile(exported) as archive:
        names = archive.namelist()
        setup = archive.read("setup.sh").decode()
        assert archive.read("class.toml").decode().endswith("[points]\nentropy = 6\n")
    assert {"run_autograder", "requirements.txt", "grading/gradescope.py"} < {*names}
    assert not [name for name in names if {*name.split("/")} & {"tests", "__pycache__"}]
    assert subprocess.run(["bash", "-n"], input=setup, text=True).returncode == 0
    monkeypatch.chdir(tmp_path)
    status, errors = run_command(capsys, "gradescope", tmp_path / "none.toml")
    assert (status, [*tmp_path.iterdir()]) == (2, [])
    assert "There is no" in errors


@needs.sandbox
def test_a_solved_notebook_gets_the_points_of_the_class_file(autograder):
    handed_in(autograder)
    told = results(autograder)
    assert scores(told) == WORTH
    assert {test["status"] for test in told["tests"]} == {"passed"}
    assert told["output"] == "A person marks your answers in words: dark_column."
    assert {type(test[key]) for test in told["tests"] for key in ("name", "output")} == {str}
    (autograder / "submission" / "my work.ipynb").write_text("{")  # a second try by hand
    told = results(autograder)
    assert set(scores(told).values()) == {0}
    damaged, missing = told["output"].splitlines()
    assert damaged == "my work.ipynb: no notebook, or a damaged one: it is not JSON"
    assert missing == f"Nothing was handed in for {NOTEBOOK}."


@pytest.mark.parametrize(
    "is_there",
    [
        pytest.param(True, marks=needs.sandbox, id="sandbox"),
        pytest.param(False, marks=[needs.sandbox, needs.root], id="another user"),
    ],
)
def test_a_hostile_submission_writes_no_results(autograder, is_there):
    root = autograder if is_there else Path("/autograder")
    handed_in(autograder, entropy=ATTACK.replace("ROOT", repr(str(root))))
    before = digests(autograder)
    told = results(autograder, [] if is_there else container(autograder))
    assert ("Run as the user nobody" in told["stdout"]) == (not is_there)
    assert scores(told) == WORTH | {"entropy": 0}
    (said,) = (test["output"] for test in told["tests"] if "Entropy" in test["name"])
    assert said.count("refused") == 8, said
    assert "done" not in said
    assert digests(autograder) == before
    assert sorted(path.name for path in (autograder / "results").iterdir()) == ["results.json"]


@needs.sandbox
@needs.root
def test_without_a_sandbox_and_without_root_there_is_no_score(autograder):
    handed_in(autograder)
    subprocess.run(["chown", "-R", "65534:65534", autograder], check=True)
    ordinary = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    command = [*container(autograder), *ordinary, "/autograder/run_autograder"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert "there is none here: the program bwrap is not installed" in run.stderr
    assert "Traceback" not in run.stderr
    assert not [*(autograder / "results").iterdir()]
