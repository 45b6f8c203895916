"""The doctor names the layer that is missing, in real namespaces that lack it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grading.run import doctor
from grading.run.launcher import Launcher
from tests import needs

ROOT = Path(__file__).parents[2]
DOCTOR = [sys.executable, "-m", "grading", "doctor"]
# A system in a namespace, as an ordinary user of it who may not make further ones by root's rights.
INSIDE = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/"]
NO_MORE = ["sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh"]
# Like Docker's own profile: no new user namespaces.
FILTERED = f"""
import ctypes, os
from grading.run import seccomp
seccomp._REFUSED = {{"unshare": (272, 97)}}
seccomp._REFUSED_IF = (((56, 220), 0, 0x10000000, 0x10000000),)  # clone with CLONE_NEWUSER
ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # no new privileges, or the filter is refused
seccomp.refuse()
os.execv({sys.executable!r}, {DOCTOR!r})
"""


def run_doctor(*command: str, **environment: str) -> tuple[int, list[str]]:
    """Return the exit status of the doctor, and its lines."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@needs.sandbox
@pytest.mark.parametrize(
    "around", [[], pytest.param(INSIDE, marks=needs.ordinary_user)], ids=["here", "in a namespace"]
)
def test_where_the_sandbox_works_every_layer_does(around):
    status, lines = run_doctor(*around, *DOCTOR)
    assert (status, lines[-1]) == (0, "The sandbox works here.")
    assert {line.split()[0] for line in lines[:-1]} <= {"ok", "note", "→"}
    assert sum("refused" in line for line in lines) == len(doctor.FORBIDDEN)


def test_without_bubblewrap_it_says_how_to_get_it():
    status, lines = run_doctor(*DOCTOR, PATH="/nonexistent")
    assert (status, len(lines)) == (1, 4)
    assert lines[1] == "missing  bubblewrap          there is no bwrap on the PATH"
    assert "apt install bubblewrap" in lines[2]


@needs.sandbox
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "missing", "cure"),
    [
        ([*INSIDE, "--disable-userns", *DOCTOR], "user namespaces", "something around this system"),
        (
            [*INSIDE, "--cap-add", "CAP_SYS_RESOURCE", *NO_MORE, *DOCTOR],
            "user namespaces",
            "sudo sysctl user.max_user_namespaces=10000",
        ),
        ([*INSIDE, sys.executable, "-c", FILTERED], "user namespaces", "give it a seccomp profile"),
        (
            [*INSIDE, "--unshare-pid", "--proc", "/proc", "--tmpfs", "/proc/bus", *DOCTOR],
            "a /proc of its own",
            "let it be seen whole",
        ),
        (
            ["bwrap", "--unshare-user", "--bind", "/", "/", *DOCTOR],  # its one user is root
            "user",
            "an ordinary user of this container",
        ),
    ],
)
def test_it_names_the_layer_that_is_missing_and_the_cure(command, missing, cure):
    status, lines = run_doctor(*command)
    assert (status, lines[-1]) == (1, "The sandbox does not work here.")
    assert lines[-3].startswith(f"missing  {missing:19} ")
    assert cure in lines[-2]
    assert {line.split()[0] for line in lines[:-3]} <= {"ok", "note"}
    assert not any("worker " in line for line in lines)  # nothing is said of what was not tried


@needs.sandbox
@pytest.mark.nightly
@pytest.mark.skipif(
    not needs.may_read_everything(), reason="nobody here is root → run the tests as root"
)
def test_in_a_container_whose_user_is_root_outside_processes_are_not_limited():
    status, lines = run_doctor(*INSIDE, *DOCTOR)
    assert (status, lines[-1]) == (1, "The sandbox does not work here.")
    assert "not refused more than 64 processes and threads" in lines[-3]
    assert "limits do not bind root" in lines[-2]


@needs.unix
def test_what_nothing_refuses_is_told():
    with Launcher(safe=False) as launcher:
        findings = [*doctor.attempted(launcher)]
    assert [finding.state for finding in findings[:3]] == ["missing"] * 3
    assert str(findings[1]) == f"missing  {'worker':19} not refused your files: nothing stopped it"
