"""On a real Dask cluster of several processes: the same bytes, whatever becomes of its nodes."""

import os
import pickle
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from grading import classroom, grader
from grading.__main__ import main
from grading.run import cluster
from grading.run.launcher import COURSE
from grading.tests.made import (
    code,
    content,
    notebook,
    results_in,
    run_command,
    wait_until,
    write_files,
)
from tests import needs
from utils.checks import bank

pytestmark = [needs.sandbox, needs.dask, pytest.mark.nightly]

SEED = 918_273_645_546_372_819
NODE = r"tcp://127\.0\.0\.1:\d+"


@pytest.fixture(scope="module")
def class_(tmp_path_factory) -> Path:
    """Write honest notebooks, among them a test that asks back, an attack and an empty file."""
    folder = tmp_path_factory.mktemp("class")
    classroom.write(folder, 16)
    attack = notebook("import os; os._exit(0)", *code("01"))
    return write_files(
        folder, {"eve.ipynb": attack, "bob.ipynb": notebook(*code("04")), "a.ipynb": b""}
    )


@pytest.fixture(scope="module")
def local(class_, tmp_path_factory) -> dict[str, bytes]:
    """Return what a run on this machine writes."""
    out = tmp_path_factory.mktemp("grades") / "local"
    assert main([str(class_), "--out", str(out), "--seed", str(SEED)]) == 0
    return content(out)


class Machines:
    """A Dask cluster on this machine: a scheduler and workers, each a process of its own.

    Args:
        folder: for what Dask writes.
        host: of the scheduler.
    """

    def __init__(self, folder: Path, host: str = "tcp://127.0.0.1"):
        self._folder, self._host, self._started = folder, host, []
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.address = f"{host}:{self._port}"

    def scheduler(self, *inside: str) -> subprocess.Popen:
        """Start the scheduler, with what comes before its command."""
        return self._start(inside, "scheduler", self._host, "--port", str(self._port))

    def worker(self, *inside: str, host: str = "", **environment: object) -> subprocess.Popen:
        """Start a worker, likewise; by default on the scheduler's host."""
        own = (self.address, "--nthreads", "1", "--no-nanny")
        own += ("--local-directory", str(self._folder))
        return self._start(inside, "worker", host or self._host, *own, **environment)

    def _start(
        self, inside: Sequence[str], what: str, host: str, *words: str, **environment: object
    ) -> subprocess.Popen:
        command = [*inside, sys.executable, "-m", "dask", what, *words, "--host", host]
        settings = {"PYTHONPATH": COURSE, **environment}
        self._started.append(
            subprocess.Popen(
                [*command, "--no-dashboard"],
                cwd=self._folder,
                env=os.environ | {name: str(value) for name, value in settings.items()},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        return self._started[-1]

    def __enter__(self) -> "Machines":
        return self

    def __exit__(self, *_) -> None:
        for process in self._started:
            process.kill()
        for process in self._started:
            process.wait()


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

    def recorded(function: Callable) -> Callable:
        def record(self, *arguments, **options):
            sent.append(pickle.dumps((arguments, options)))
            return function(self, *arguments, **options)

        return record

    monkeypatch.setattr(cluster.RemoteWorker, "ask", recorded(cluster.RemoteWorker.ask))
    monkeypatch.setattr(distributed.Client, "submit", recorded(distributed.Client.submit))
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
    assert all(values in everything for values in inputs)  # so that can be seen here
    assert not any(values in everything for values in expected - inputs)


def _as_bytes(values: dict) -> Iterator[bytes]:
    """Yield the bytes of the arrays that are no few plain numbers."""
    arrays = [np.asarray(value) for value in values.values() if hasattr(value, "shape")]
    return (
        array.tobytes() for array in arrays if array.dtype.kind == "f" and len(np.unique(array)) > 3
    )


class Run:
    """The command line, at work on a cluster: what it prints can be read meanwhile.

    Args:
        class_: the submissions.
        out: where the grades go.
        address: of the scheduler.
        inside: what comes before the command.
    """

    def __init__(self, class_: Path, out: Path, address: str, *inside: str):
        self._out, self._output = out, out.with_suffix(".output")
        command = [*inside, sys.executable, "-m", "grading", class_, "--out", out]
        command += ["--seed", str(SEED), "--scheduler", address]
        with self._output.open("w") as file:
            self.process = subprocess.Popen(command, cwd=COURSE, stderr=file)

    def wait_for_results(self, count: int) -> None:
        self._wait(lambda: results_in(self._out) >= count)

    def wait_for_line(self, pattern: str) -> None:
        self._wait(lambda: re.search(f"{pattern}\n", self._output.read_text()))

    def _wait(self, true: Callable) -> None:
        wait_until(lambda: self.process.poll() is not None or true())
        assert self.process.poll() is None, self._output.read_text()

    def end(self) -> tuple[str, dict[str, bytes]]:
        """Wait for its end; return what it has printed, and what it has written."""
        self.process.wait(timeout=300)
        assert self.process.returncode == 0, self._output.read_text()
        return self._output.read_text(), content(self._out)


@pytest.fixture
def start(class_, tmp_path) -> Iterator[Callable[..., Run]]:
    """Start the command line, and end what a failing test leaves behind."""
    started = []

    def start_one(address: str, *inside: str) -> Run:
        started.append(Run(class_, tmp_path / "out", address, *inside))
        return started[-1]

    yield start_one
    for run in started:
        run.process.kill()
        run.process.wait()


def lost(node: str = NODE) -> str:
    return rf"Node {node} is lost\. What it had, another node grades\."


def test_lost_slow_and_unfit_nodes_cost_one_line_each(local, machines, tmp_path, start):
    other, old = tmp_path / "other", tmp_path / "old"
    for name in ("utils", "grading"):
        shutil.copytree(COURSE / name, other / name)
    with (other / "utils" / "masks.py").open("a") as file:
        file.write("# another version\n")
    write_files(
        old, {f"grading/{name}.py": b"" for name in ("__init__", "run/__init__", "run/node")}
    )
    machines.scheduler()
    run = start(machines.address)
    machines.worker(PATH=tmp_path)  # without bwrap
    machines.worker(PYTHONPATH=other)
    machines.worker(PYTHONPATH=old)
    for why in (
        r"it has no sandbox: the program bwrap is not installed\.",
        r"it has another version of the course, Python, torch or NumPy\.",
        r"it has no course, or another version of it \(.*'Node'\)\.",
    ):
        run.wait_for_line(rf"Node {NODE} is left out: {why}")
    killed = machines.worker()
    run.wait_for_results(2)
    killed.send_signal(signal.SIGSTOP)  # with a submission that has to be graded yet
    slow = machines.worker()
    run.wait_for_results(5)
    slow.send_signal(signal.SIGSTOP)
    killed.kill()
    run.wait_for_line(lost())
    slow.send_signal(signal.SIGCONT)
    output, written_ = run.end()
    assert written_ == local
    assert output.count("Node ") == 4


def test_a_scheduler_that_restarts_loses_nothing(local, machines, start):
    before = machines.scheduler(), machines.worker()
    run = start(machines.address)
    run.wait_for_results(4)
    for process in before:
        process.kill()
        process.wait()
    run.wait_for_line(f"The scheduler at {machines.address} is gone. Waiting for it to come back.")
    machines.scheduler()
    machines.worker()
    run.wait_for_line(f"The scheduler at {machines.address} is back.")
    output, written_ = run.end()
    assert written_ == local
    assert output.count("The scheduler") == 2
    # Its worker was killed too, and that may have been noticed first.
    assert output.count("Node ") == len(re.findall(lost(), output)) <= 1
    assert "Traceback" not in output


class Network(Machines):
    """The same on three machines: that of the scheduler, and lines from it to two for workers."""

    def __init__(self, folder: Path):
        super().__init__(folder, "tcp://10.0.0.1")
        self._names = [f"course-{os.getpid()}-{number}" for number in (1, 2, 3)]

    def __enter__(self) -> "Network":
        head, *others = self._names
        for name in self._names:
            _ip(f"netns add {name}")
            _ip(f"-n {name} link set lo up")
        for number, name in enumerate(others, 2):
            _ip(f"-n {head} link add to{number} type veth peer name to1 netns {name}")
            for place, own, peer in ((head, 1, number), (name, number, 1)):
                _ip(f"-n {place} addr add 10.0.0.{own} peer 10.0.0.{peer} dev to{peer}")
                _ip(f"-n {place} link set to{peer} up")
        return self

    def __exit__(self, *_) -> None:
        super().__exit__()
        for name in self._names:
            _ip(f"netns delete {name}")

    def on(self, number: int) -> list[str]:
        """Return what comes before a command for the machine with this number."""
        return f"ip netns exec {self._names[number - 1]}".split()

    def cut(self, number: int) -> None:
        """Cut the line at the worker's end: the others hear nothing any more, not even an end."""
        _ip(f"-n {self._names[number - 1]} link set to1 down")


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True)


@needs.networks
def test_a_node_whose_line_is_cut_costs_one_line(local, tmp_path, start, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP", "12s")  # in place of 30
    (tmp_path / "machines").mkdir()
    with Network(tmp_path / "machines") as network:
        network.scheduler(*network.on(1))
        network.worker(*network.on(2), host="tcp://10.0.0.2")
        run = start(network.address, *network.on(1))
        run.wait_for_results(4)
        network.cut(2)  # with a submission that has to be graded yet
        network.worker(*network.on(3), host="tcp://10.0.0.3")
        output, written_ = run.end()
    assert written_ == local
    assert len(re.findall(lost(r"tcp://10\.0\.0\.2:\d+"), output)) == 1
    assert output.count("Node ") == 1


def test_a_cluster_that_cannot_grade_is_one_line(machines, tmp_path, monkeypatch, capsys):
    source = write_files(tmp_path / "class", {"ada.ipynb": notebook(*code("01"))})
    arguments = [source, "--out", tmp_path / "out", "--resume", "--scheduler", machines.address]
    status, errors = run_command(capsys, *arguments)
    assert (status, errors.count("\n")) == (2, 1)
    assert f"No Dask scheduler answers at {machines.address}" in errors
    status, errors = run_command(capsys, *arguments[:-1], machines.address.replace("tcp", "tls"))
    assert (status, errors.count("\n")) == (2, 1)
    assert "check your TLS configuration" in errors
    status, errors = run_command(capsys, *arguments, "--unsafe")
    assert (status, errors.count("\n")) == (2, 1)
    machines.scheduler()
    monkeypatch.setattr(cluster, "LONGEST_WAIT", 1.0)
    line = "has had no worker that can grade. What is graded is kept: go on with --resume."
    wait_until(lambda: line in run_command(capsys, *arguments)[1])
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, errors = run_command(capsys, *arguments)
    assert (status, errors.count("\n")) == (2, 1)
    assert "pip install -e .[cluster]" in errors


def test_without_a_scheduler_nothing_of_dask_is_imported():
    script = (
        f"import sys, {grader.__name__}; assert not {{'dask', 'distributed'}} & {{*sys.modules}}"
    )
    subprocess.run([sys.executable, "-c", script], cwd=COURSE, check=True)
