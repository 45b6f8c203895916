"""On a real Dask cluster of several processes: the same bytes, whatever becomes of its nodes."""

import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from grading import classroom, cluster, grader
from grading.__main__ import main
from grading.bench import Machines
from grading.sandbox import COURSE
from grading.tests.test_grading import (
    code,
    content,
    notebook,
    results_in,
    said,
    start,
    wait_until,
    written,
)
from tests import needs
from utils.checks import bank

__all__ = ["start"]  # a fixture
pytestmark = [needs.sandbox, needs.dask]

SEED = 918_273_645_546_372_819
NODE = r"tcp://127\.0\.0\.1:\d+"


@pytest.fixture(scope="module")
def class_(tmp_path_factory) -> Path:
    """Honest notebooks, with answers that are called again; a test that asks back; an attack."""
    folder = tmp_path_factory.mktemp("class")
    classroom.write(folder, 16)
    attack = notebook(["import os; os._exit(0)", *code("01")])
    return written(folder, {"eve.ipynb": attack, "bob.ipynb": notebook(code("04")), "a.ipynb": b""})


@pytest.fixture(scope="module")
def local(class_, tmp_path_factory) -> dict[str, bytes]:
    """What a run on this machine writes."""
    out = tmp_path_factory.mktemp("grades") / "local"
    assert main([str(class_), "--out", str(out), "--seed", str(SEED)]) == 0
    return content(out)


@pytest.fixture
def machines(tmp_path) -> Iterator[Machines]:
    (tmp_path / "machines").mkdir()
    with Machines(tmp_path / "machines") as made:
        yield made


def test_what_a_cluster_grades_is_the_same_and_nothing_expected_leaves(
    class_, local, machines, tmp_path, monkeypatch
):
    import distributed

    sent: list[bytes] = []

    def heard(function: Callable) -> Callable:
        def noted(self, *arguments, **options):
            sent.append(pickle.dumps((arguments, options)))
            return function(self, *arguments, **options)

        return noted

    monkeypatch.setattr(cluster.RemoteWorker, "ask", heard(cluster.RemoteWorker.ask))
    monkeypatch.setattr(distributed.Client, "submit", heard(distributed.Client.submit))
    machines.scheduler()
    machines.worker()
    machines.worker()
    out = tmp_path / "out"
    arguments = [class_, "--out", out, "--seed", SEED, "--scheduler", machines.address]
    assert main([*map(str, arguments)]) == 0
    assert content(out) == local

    everything = b"".join(sent)
    assert str(SEED).encode() not in everything
    assert SEED.to_bytes(8, "little") not in everything
    inputs, expected = set(), set()
    for name in ("01_attention_concepts", "04_scaled_dot_product_attention"):
        for record in bank.load_all(out / "private/1/records" / name).values():
            for case, answer in zip(record.cases, record.expected, strict=True):
                inputs |= {*_as_bytes(case.inputs)}
                expected |= {*_as_bytes(answer.outputs)}
    assert len(inputs) > 20
    assert len(expected - inputs) > 20
    assert not {one for one in inputs if one not in everything}  # so that can be seen here
    assert not {one for one in expected - inputs if one in everything}


def _as_bytes(values: dict) -> Iterator[bytes]:
    """Those of the arrays that are no few plain numbers."""
    arrays = [np.asarray(value) for value in values.values() if hasattr(value, "shape")]
    return (one.tobytes() for one in arrays if one.dtype.kind == "f" and len(np.unique(one)) > 3)


def test_lost_slow_and_unfit_nodes_cost_one_line_each(class_, local, machines, tmp_path, start):
    other = tmp_path / "other"
    for name in ("utils", "grading"):
        shutil.copytree(COURSE / name, other / name)
    with (other / "utils" / "masks.py").open("a") as file:
        file.write("# another version\n")
    machines.scheduler()
    lost, slow = machines.worker(), machines.worker()
    machines.worker(PATH=tmp_path)  # without bwrap
    machines.worker(PYTHONPATH=other)
    out = tmp_path / "out"
    grading = start(class_, "--out", out, "--seed", SEED, "--scheduler", machines.address)
    wait_until(lambda: results_in(out) > 3)
    lost.kill()
    slow.send_signal(signal.SIGSTOP)
    time.sleep(3)
    slow.send_signal(signal.SIGCONT)
    told = grading.communicate(timeout=300)[1]
    assert grading.returncode == 0, told
    assert content(out) == local
    patterns = [
        rf"Node {NODE} is left out: it has another version of the course, Python, torch or NumPy\.",
        rf"Node {NODE} is left out: it has no sandbox: the program bwrap is not installed\.",
        rf"Node {NODE} is gone\. What it had, another node grades\.",
    ]
    assert [len(re.findall(f"{one}\n", told)) for one in patterns] == [1, 1, 1]
    assert told.count("Node ") == 3


def test_a_scheduler_that_restarts_loses_nothing(class_, local, machines, tmp_path, start):
    scheduler = machines.scheduler()
    machines.worker()
    out = tmp_path / "out"
    grading = start(class_, "--out", out, "--seed", SEED, "--scheduler", machines.address)
    wait_until(lambda: results_in(out) > 3)
    scheduler.kill()
    scheduler.wait()
    time.sleep(1)
    machines.scheduler()
    machines.worker()
    told = grading.communicate(timeout=300)[1]
    assert grading.returncode == 0, told
    assert content(out) == local
    assert told.count(f"The scheduler at {machines.address} is gone. Waiting for it to come") == 1
    assert told.count(f"The scheduler at {machines.address} is back.") == 1
    assert "Traceback" not in told


def test_a_cluster_that_cannot_grade_is_one_line(machines, tmp_path, monkeypatch, capsys):
    source = written(tmp_path / "class", {"ada.ipynb": notebook(code("01"))})
    arguments = [source, "--out", tmp_path / "out", "--resume", "--scheduler", machines.address]
    status, told = said(capsys, *arguments)
    assert (status, told.count("\n")) == (2, 1)
    assert f"No Dask scheduler answers at {machines.address}" in told
    status, told = said(capsys, *arguments, "--unsafe")
    assert (status, told.count("\n")) == (2, 1)
    machines.scheduler()
    monkeypatch.setattr(cluster, "LONGEST_WAIT", 1.0)
    line = "has had no worker that can grade. What is graded is kept: go on with --resume."
    wait_until(lambda: line in said(capsys, *arguments)[1])
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, told = said(capsys, *arguments)
    assert (status, told.count("\n")) == (2, 1)
    assert "pip install -e .[cluster]" in told


def test_without_a_scheduler_nothing_of_dask_is_imported():
    script = (
        f"import sys, {grader.__name__}; assert not {{'dask', 'distributed'}} & {{*sys.modules}}"
    )
    subprocess.run([sys.executable, "-c", script], cwd=COURSE, check=True)
