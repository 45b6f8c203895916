"""What the calls of a learner's test take, and who pays for it."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from grading.run.answers import Answers, answer_here
from grading.run.limited_child import LimitedChild
from grading.tests.made import code, notebook, rows, write_files
from tests import needs
from utils.checks import bank, catch_the_bug

ATTACK = """
import sys
from utils.checks import catch_the_bug
catch_the_bug.refusal = lambda *_: ""

def test_attend(attend):
    q, k = torch.zeros(650, 1, 1, 1, 1), torch.zeros(1, 650, 1, 1, 1)
    attend(q, k, torch.zeros(1, 1, 650, 1, 1))
    assert attend.calls < 0
"""
HONEST = ("Bob", "Carl", "Dora")
ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from grading.__main__ import main
status = main(sys.argv[1:])
print(open("/proc/self/status").read())
sys.exit(status)
"""


def grade(folder: Path, *options: str, before: str = "") -> int:
    """Grade a class in a process of its own; return the most memory it has held, in MB."""
    command = [sys.executable, "-c", before + PROGRAM, folder / "class", "--out", folder / "out"]
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(re.search(r"VmHWM:\s+(\d+)", done.stdout)[1]) >> 10


@needs.sandbox
@pytest.mark.parametrize(
    "before",
    [
        "",
        # What the limit on sizes would let through, the limits of the process would stop.
        pytest.param(
            "from utils.checks import catch_the_bug\n"
            "catch_the_bug.LARGEST_RESULT = 10**12\ncatch_the_bug.MOST_AXES = 8\n",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_an_expensive_call_costs_nobody_else_anything(before, tmp_path):
    files = {"Ada.ipynb": notebook(*code("04", test_attend=dedent(ATTACK)))}
    files |= {f"{name}.ipynb": notebook(*code("04")) for name in HONEST}
    write_files(tmp_path / "class", files)
    for options in ([], ["--resume", "--again", "Ada"]):
        assert grade(tmp_path, *options, before=before) < 500
        found = {row["learner"]: row for row in rows(tmp_path / "out" / "files.csv")}
        assert found.keys() == {"Ada", *HONEST}
        for name in HONEST:
            assert (found[name]["reason"], found[name]["points"]) == ("graded", found[name]["of"])
        assert float(found["Ada"]["points"]) < float(found["Ada"]["of"])


@needs.sandbox
def test_what_takes_too_much_to_answer_raises_an_error_in_the_test(monkeypatch):
    """The process that it ends is replaced."""
    monkeypatch.setattr(catch_the_bug, "LARGEST_RESULT", 10**12)
    axes = [torch.zeros(650, 1, 1, 1, 1).transpose(0, axis) for axis in range(3)]
    small = [torch.ones(1, 2, 3)] * 3
    with Answers() as limited:
        assert b'"raised"' in limited.answer("test_attend", "right 1", axes, {}).frame
        answered = limited.answer("test_attend", "right 1", small, {})
        assert answered.frame == answer_here("test_attend", "right 1", small, {}).frame
        assert answered.seconds < 1


def _what_it_sees(*_: bytes) -> bytes:
    """Return what a limited process can reach of this machine."""
    import os
    import socket

    tried = {
        "exercises": lambda: (bank.FOLDER / "misconceptions.json").read_bytes(),
        "solutions": lambda: (ROOT / "solutions" / "build.py").read_bytes(),
        "writes": lambda: Path("/usr/x").write_text(""),
        "the network": socket.socket,
        "another process": lambda: os.kill(os.getppid() or 1 / 0, 0),
        "root": lambda: os.getuid() and 1 / 0,
        "privileges": lambda: (
            "CapEff:\t0000000000000000" in Path("/proc/self/status").read_text() and 1 / 0
        ),
    }
    reached = []
    for name, reach in tried.items():
        try:
            reach()
        except (OSError, ZeroDivisionError):
            continue
        reached.append(name)
    return " ".join(reached).encode()


@needs.sandbox
def test_a_limited_process_reaches_nothing():
    with LimitedChild(_what_it_sees, lambda: 5) as child:
        assert child.ask(b"") == b""


@needs.sandbox
def test_who_sleeps_is_ended(monkeypatch):
    from grading.run import limited_child

    def sleepy(request: bytes) -> bytes:
        import time

        time.sleep(100 * len(request))
        return b"awake"

    monkeypatch.setattr(limited_child, "PATIENCE", 1)
    with LimitedChild(sleepy, lambda: 1.5) as child:
        assert child.ask(b"x") is None
        assert child.ask(b"") == b"awake"
