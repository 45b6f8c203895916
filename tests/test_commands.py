"""Test that `make` says in one line what a machine lacks, and hands on what it is told."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).parents[1]

pytestmark = needs.make


def run_make(folder, *arguments, **environment):
    """Copy the files that the set-up reads to a folder, and run `make` there.

    Args:
        folder: the folder.
        arguments: arguments of `make`.
        environment: variables to set in addition to this process's own.

    Returns:
        The completed process, with its output as text.
    """
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def without_make_s_own(stderr):
    """Return the lines of an error output that `make` itself did not write."""
    return [line for line in stderr.splitlines() if not line.startswith("make")]


@pytest.mark.parametrize("target", ["lab", "test"])
@pytest.mark.parametrize("python", ["old-python", "no-python-at-all"])
def test_an_old_python_is_refused(tmp_path, target, python):
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")  # as Python 3.10 answers the question for its version
    old.chmod(0o755)
    result = run_make(tmp_path, target, f"PYTHON={tmp_path / python}")
    assert result.returncode != 0
    (line,) = without_make_s_own(result.stderr)
    assert line.startswith("This course needs Python 3.11 or newer")
    assert line.endswith("Name a newer one: make lab PYTHON=python3.12")
    assert not (tmp_path / ".venv").exists()


@pytest.mark.slow
def test_a_missing_network_is_one_line(tmp_path):
    nobody = "http://127.0.0.1:9/simple"
    result = run_make(
        tmp_path, "test", PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=nobody, PIP_RETRIES="0"
    )
    assert result.returncode != 0
    (line,) = without_make_s_own(result.stderr)
    assert line.startswith("Could not install the requirements. Is the network up?")
    assert "setuptools" in (tmp_path / ".venv" / "install.log").read_text()
    assert not (tmp_path / ".venv" / "ready").exists()  # the next try sets up again


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["CLASS=week 1.toml"], '-m grading "week 1.toml"'),
        (["CLASS=a.toml", "OPTIONS=--again Ada"], '-m grading "a.toml" --again Ada'),
        (["SUBMISSIONS=in"], '-m grading "in" --out "grades"'),
        (["SUBMISSIONS=in", "GRADES=out"], '-m grading "in" --out "out"'),
    ],
)
def test_make_hands_on_a_class_file_or_a_folder(tmp_path, words, command):
    result = run_make(tmp_path, "-n", "--no-print-directory", "grade", *words)
    assert result.stdout.splitlines()[-1].rstrip().endswith(command)
