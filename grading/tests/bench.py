"""The grader on a made-up class, watched from outside; its peers on the same class; its sandbox.

`make bench-grading`; `ONLY=honest`, or the name of another measurement below, runs one of them.

To see whether a change has cost speed, check the course out a second time as it was before:

    git worktree add ../before COMMIT
    BESIDE=../before make bench-grading ONLY=beside

The peers need an environment of their own. To repeat the comparison:

    python3 -m venv peers
    peers/bin/pip install nbgrader==0.9.6 otter-grader==7.0.0 -r requirements.txt
    PEERS=peers make bench-grading

The notebooks are exercise 01 with its own cells. For nbgrader, each task has a cell with tests
behind it; for otter-grader, a test file. Both compare what the learner returns for the public cases
with expected numbers, and nothing else: no fresh cases, no gradients, no known mistakes.

    nbgrader generate_assignment concepts    once, in the folder of the course
    nbgrader autograde concepts              all notebooks, one after another
    otter run --autograder autograder.zip NOTEBOOK

`otter grade` runs the same in a container for each notebook, which takes longer; it needs Docker.
"""

import csv
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import zipfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import torch
from torch import Tensor

from grading import classroom
from grading.run import protocol
from grading.run.launcher import Launcher
from solutions.build import SOURCE
from utils.checks import bank
from utils.checks.tasks import Record

NOTEBOOK = "01_attention_concepts"
FEW, MANY = 20, 220  # notebooks: what a notebook costs is the difference
SOLVED = 16  # copies of each notebook's solution
COMPARED, TURNS = 200, 2  # notebooks that another version grades too; how often, taking turns
FOR_PEERS = 6  # notebooks: they take seconds for each
CLASS, HOSTILE = 1000, 0.05
MARKS = (100, 500, 1000)  # notebooks after which the memory is read
ON_CLUSTER, IN_TURNS = 100, 3  # notebooks; how often each way of grading them has its turn
WAYS = [("here", 1), ("here", 2), ("Dask", 1), ("Dask", 2), ("Dask", 3), ("Dask", 4)]  # workers
SHARD, SHARDS = 500, (1, 2, 4)  # notebooks in each; how many are merged
FORKED, FRESH = 60, 5  # starts of a worker that are timed: by the warm server, and from nothing
ROOT = Path(__file__).parents[2]


def honest() -> dict:
    """Honest notebooks a minute, and with PEERS=environment, those of nbgrader and otter-grader."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "few", FEW, seed=1)
        files = classroom.write(folder / "many", MANY)
        few = graded(folder / "few", folder / "few grades")
        many = graded(folder / "many", folder / "many grades")
        processor = (many["processor"] - few["processor"]) / (MANY - FEW)
        figures = {
            "notebooks": MANY,
            "workers": os.cpu_count(),
            "seconds_to_prepare": round(many["prepared"], 1),
            "seconds_of_tables_and_pages": round(many["reported"], 1),
            "a_minute": round(60 * (MANY - 1) / many["graded"]),
            "a_minute_with_preparation": round(60 * MANY / many["seconds"]),
            "processor_seconds_each": round(processor, 3),
        }
        print(f"\n{MANY} honest notebooks of exercise 01, {os.cpu_count()} at a time")
        for name, figure in figures.items():
            print(f"{name.replace('_', ' '):32}{figure:>10,}")
        if environment := os.environ.get("PEERS"):
            points = _points(folder / "many grades")
            figures |= beside_peers(
                Path(environment).absolute(), files[:FOR_PEERS], folder, figures["a_minute"], points
            )
        else:
            print("nbgrader and otter-grader: not asked for (PEERS names their environment)")
    return figures


def hostile() -> dict:
    """A class of 1,000 with one in twenty that attacks: minutes, and memory as it goes on."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", CLASS, HOSTILE)
        found = graded(folder / "class", folder / "grades")
        rows = len(_points(folder / "grades"))
    print(f"\n{CLASS:,} notebooks, {HOSTILE:.0%} hostile: {found['seconds'] / 60:.1f} minutes, ")
    print(f"{rows:,} rows; the most memory so far, in MB")
    print(f"{'notebooks':>10}{'parent':>10}{'server':>10}")
    for count, (parent, server) in found["memory"].items():
        print(f"{count:10,}{parent:10,}{server:10,}")
    return {
        "notebooks": CLASS,
        "rows": rows,
        "minutes": round(found["seconds"] / 60, 2),
        "megabytes_of_parent_and_server": found["memory"],
    }


def solved() -> dict:
    """For each notebook, a class that has solved it: how many a minute, and the points."""
    workers = os.cpu_count()
    print(f"\n{SOLVED} solved notebooks of each exercise, {workers} at a time")
    print(f"{'notebook':40}{'a minute':>10}{'processor s each':>18}{'points':>8}{'of':>5}")
    figures = {}
    for path in sorted(SOURCE.glob("0*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            few = graded(write_solved(path, folder / "few", 2), folder / "few grades")
            many = graded(write_solved(path, folder / "many", SOLVED), folder / "many grades")
            points = set(_points(folder / "many grades").values())
        total = sum(
            record.task.points for record in bank.load_all(bank.FOLDER / path.stem).values()
        )
        each = (many["processor"] - few["processor"]) / (SOLVED - 2)
        a_minute = 60 * (SOLVED - 2) / (many["seconds"] - few["seconds"])
        print(f"{path.stem:40}{a_minute:10.1f}{each:18.2f}{_range(points):>8}{total:5}")
        figures[path.stem] = {"a_minute": round(a_minute, 1), "processor_seconds": round(each, 2)}
    return figures


def _range(numbers: set[int]) -> str:
    return "–".join(dict.fromkeys(map(str, (min(numbers), max(numbers)))))


def write_solved(path: Path, folder: Path, learners: int) -> Path:
    """A class in which everybody handed in the same solutions."""
    folder.mkdir()
    for name in islice(classroom.names(), learners):
        shutil.copy(path, folder / f"{name}_{path.name}")
    return folder


def beside() -> dict:
    """The same honest class by this version and, in turns, by that in the folder BESIDE."""
    if not (before := os.environ.get("BESIDE")):
        print("beside: not asked for (BESIDE names a folder with another version of the course)")
        return {}
    found: dict[str, list[dict]] = {"before": [], "now": []}
    trees = {"before": Path(before).absolute(), "now": ROOT}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", COMPARED)
        for turn in range(TURNS):
            for name, tree in trees.items():
                out = folder / f"{name} {turn}"
                found[name].append(graded(folder / "class", out, tree=tree))
        tables = {name: (folder / f"{name} 0/grades.csv").read_bytes() for name in trees}
        points = {name: _points(folder / f"{name} 0") for name in trees}
    print(f"\n{COMPARED} honest notebooks of exercise 01, graded {TURNS} times by each version")
    ratios = {}
    for what in ("graded", "seconds", "processor"):
        least = {name: min(run[what] for run in runs) for name, runs in found.items()}
        ratios[what] = round(least["before"] / least["now"], 2)
        print(
            f"{what:10} before {least['before']:7.1f} s, now {least['now']:7.1f} s: "
            f"throughput {ratios[what]:.2f} of before"
        )
    same = {
        "same_bytes": tables["before"] == tables["now"],
        "same_points": points["before"] == points["now"],
    }
    print(f"grades.csv the same bytes: {same['same_bytes']}; points: {same['same_points']}")
    return ratios | same


def sandboxes() -> dict:
    """What starting a worker costs: a fork of the warm server, beside a sandbox from nothing."""
    _, server = forked(0)
    seconds, processor = forked(FORKED)
    costs = {
        "forked by the warm server": (seconds / FORKED, (processor - server) / FORKED),
        "fresh, no more than `import torch`": tuple(cost / FRESH for cost in fresh(FRESH)),
    }
    print(f"\n{'A worker from start to end':36}{'seconds':>10}{'of a processor':>16}")
    for name, (seconds, processor) in costs.items():
        print(f"{name:36}{seconds:10.3f}{processor:16.3f}")
    return {name: [round(cost, 3) for cost in both] for name, both in costs.items()}


def forked(count: int) -> tuple[float, float]:
    """Workers with nothing to do, one after another.

    Returns:
        The seconds that they take, and the processor seconds, those of a new server included.
    """
    before = _processor_time()
    with Launcher() as launcher:
        start = time.perf_counter()
        for _ in range(count):
            with launcher.launch(60) as worker:
                worker.connection.sendall(protocol.pack({"cells": [], "seconds": 1.0, "tasks": []}))
                while worker.connection.recv(2**16):
                    pass
                assert worker.ending() == "done"
        seconds = time.perf_counter() - start
    return seconds, _processor_time() - before


def fresh(count: int) -> tuple[float, float]:
    """The same for a new sandbox and a new Python each, which import torch and do nothing."""
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/"]
    command += ["--dev", "/dev", "--proc", "/proc", sys.executable, "-c"]
    command += ["import time, torch; print(time.process_time())"]  # bwrap's child is not ours
    environment, processor = os.environ | {"OMP_NUM_THREADS": "1"}, 0.0
    start = time.perf_counter()
    for _ in range(count):
        processor += float(subprocess.check_output(command, env=environment))
    return time.perf_counter() - start, processor


def graded(folder: Path, out: Path, *options: object, tree: Path = ROOT) -> dict[str, Any]:
    """Grade a class by the command line of the course in `tree`, and watch.

    Returns:
        Seconds to the first result ("prepared"), from there to the last ("graded"), from there to
        the end ("reported"), in all ("seconds"), and of all processors ("processor"), from the
        first result to the last of the grader's own process ("own"); and the largest memory of
        parent and server so far, in MB, at some counts of results ("memory").
    """
    before = _processor_time()
    start = time.time()
    command = [sys.executable, "-m", "grading", folder, "--out", out, "--seed", "1"]
    command += map(str, options)
    environment = os.environ | {"PYTHONPATH": str(tree)}
    said = out.with_suffix(".said")
    with said.open("w") as file:
        grader = subprocess.Popen(
            command, cwd=tree, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
    results, memory, most, own = out / "private/1/results", {}, [0, 0], [0.0]
    every = sum(path.is_file() for path in folder.rglob("*"))
    while grader.poll() is None:
        server = _child(_child(grader.pid))  # behind bubblewrap
        most = [*map(max, most, (_largest(grader.pid), _largest(server)))]
        count = len(list(results.glob("*.json")))
        if 0 < count < every:
            own.append(_own_time(grader.pid))
        memory |= {mark: most for mark in MARKS if count >= mark and mark not in memory}
        time.sleep(0.1)
    end = time.time()
    if grader.returncode:
        sys.exit(said.read_text())
    times = sorted(path.stat().st_mtime for path in results.glob("*.json"))
    return {
        "prepared": times[0] - start,
        "graded": times[-1] - times[0],
        "reported": end - times[-1],
        "seconds": end - start,
        "processor": _processor_time() - before,
        "own": own[-1] - own[min(1, len(own) - 1)],
        "memory": memory,
    }


def _processor_time() -> float:
    """Seconds of all processors that ended children of this process have taken."""
    import resource  # not on Windows, where tests import this module

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _own_time(process: int) -> float:
    """Seconds of all processors that a running process has taken, without its children."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _child(process: int | None) -> int | None:
    """The oldest child of a process, if there is one."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def _largest(process: int | None) -> int:
    """The most memory that a process has held, in MB; 0 where there is no such process."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")), 0)


def _points(out: Path) -> dict[str, int]:
    """File → points."""
    results = map(json.loads, (path.read_text() for path in out.glob("private/1/results/*.json")))
    return {
        result["file"]: sum(task["points"] for task in result["tasks"].values())
        for result in results
    }


# --- A cluster ------------------------------------------------------------------------------------


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
        """The scheduler, started by what comes before its command."""
        return self._start(inside, "scheduler", self._host, "--port", str(self._port))

    def worker(self, *inside: str, host: str = "", **environment: object) -> subprocess.Popen:
        """A worker, likewise; by default on the scheduler's host."""
        own = (self.address, "--nthreads", "1", "--no-nanny")
        own += ("--local-directory", str(self._folder))
        return self._start(inside, "worker", host or self._host, *own, **environment)

    def _start(
        self, inside: Sequence[str], what: str, host: str, *words: str, **environment: object
    ) -> subprocess.Popen:
        command = [*inside, sys.executable, "-m", "dask", what, *words, "--host", host]
        settings = {"PYTHONPATH": ROOT, **environment}
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


def cluster() -> dict:
    """The same class by workers here and by Dask's; and what it costs to merge shards."""
    found: dict[tuple[str, int], list[dict]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", ON_CLUSTER, flawless=True)
        for turn in range(IN_TURNS):
            for where, workers in WAYS:
                out = folder / f"{where} {workers} {turn}"
                if where == "here":
                    run = graded(folder / "class", out, "--workers", workers)
                else:
                    run = by_dask(folder / "class", out, workers)
                found[where, workers].append(run)
        assert len({path.read_bytes() for path in folder.glob("*/grades.csv")}) == 1
    print(f"\n{ON_CLUSTER} flawless notebooks of exercise 01, once grading has begun: mean and")
    print(f"standard deviation of {IN_TURNS} runs, in turns with the others")
    print(f"{'workers':10}{'a minute':>14}{'over one here':>16}{'client’s processor s each':>28}")
    first, figures = [run["graded"] for run in found["here", 1]], {}
    for (where, workers), runs in found.items():
        figures[f"{where} {workers}"] = spreads = [
            _spread([60 * (ON_CLUSTER - 1) / run["graded"] for run in runs], 0),
            _spread([one / run["graded"] for one, run in zip(first, runs, strict=True)], 2),
            _spread([run["own"] / (ON_CLUSTER - 1) for run in runs], 3),
        ]
        print(f"{where:8}{workers:2}{spreads[0]:>14}{spreads[1]:>16}{spreads[2]:>28}")
    return figures | {"merge": merging()}


def by_dask(class_: Path, out: Path, workers: int) -> dict[str, Any]:
    """What `graded` returns, with so many of Dask's workers."""
    with tempfile.TemporaryDirectory() as folder, Machines(Path(folder)) as machines:
        machines.scheduler()
        for _ in range(workers):
            machines.worker()
        return graded(class_, out, "--scheduler", machines.address)


def _spread(values: Sequence[float], places: int) -> str:
    return f"{statistics.mean(values):.{places}f} ± {statistics.stdev(values):.{places}f}"


def merging() -> dict:
    """Results → the processor seconds that it takes to merge them, and the most memory in MB."""
    figures = {}
    print(f"\nmerge, in shards of {SHARD}\n{'results':>8}{'processor s':>14}{'MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        classroom.write(folder / "class", SHARD * max(SHARDS))
        shards = [folder / f"{number}" for number in range(1, max(SHARDS) + 1)]
        for shard in shards:
            graded(folder / "class", shard, "--shard", f"{shard.name}/{len(shards)}")
        for count in SHARDS:
            for shard in shards[:count]:  # the shards of a smaller class
                path = shard / "private/run.json"
                path.write_text(json.dumps(json.loads(path.read_text()) | {"shards": count}))
            command = [sys.executable, "-m", "grading", "merge", *shards[:count]]
            merge = subprocess.Popen([*command, "--out", folder / f"{count} merged"], cwd=ROOT)
            _, status, usage = os.wait4(merge.pid, 0)
            merge.returncode = os.waitstatus_to_exitcode(status)
            assert merge.returncode == 0
            seconds, most = usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10
            print(f"{count * SHARD:8,}{seconds:14.1f}{most:8,}")
            figures[count * SHARD] = [round(seconds, 1), most]
    return figures


# --- Peers ----------------------------------------------------------------------------------------


def beside_peers(
    environment: Path, files: Sequence[Path], folder: Path, ours: float, points: dict[str, int]
) -> dict:
    """The same notebooks by nbgrader and otter-grader: how many a minute, and the points."""
    graders = {"nbgrader": Nbgrader, "otter": Otter}
    figures = {}
    print(f"\nThe first {len(files)} of them by the peers, and in all the points of those")
    print(f"{'':12}{'a minute':>10}{'ours over it':>14}{'points':>8}")
    print(f"{'ours':12}{ours:10.1f}{'':14}{sum(points[file.name] for file in files):8}")
    for name, peer in graders.items():
        a_minute, earned = peer(environment / "bin", folder / name).grade(files)
        print(f"{name:12}{a_minute:10.1f}{ours / a_minute:14.1f}{earned:8g}")
        figures[name] = {"a_minute": round(a_minute, 1), "ratio": round(ours / a_minute, 1)}
    return {"notebooks_for_peers": len(files)} | figures


def comparisons(record: Record) -> Iterator[str]:
    """For each public case, lines that fail where `given` does not return what is expected."""
    task = record.task
    if task.answer_type == "choices":
        sealed = {key: str(digest) for key, digest in record.expected[0].outputs.items()}
        yield (
            "import hashlib\n"
            f"for key, digest in {sealed!r}.items():\n"
            f"    choice = str(given[key]).strip().lower()\n"
            f"    text = f'{task.id} {{key}} {{choice}}'.encode()\n"
            "    assert hashlib.sha256(text).hexdigest()[:16] == digest"
        )
        return
    for case, expected in zip(record.cases, record.expected, strict=True):
        inputs = ", ".join(_written(value) for value in case.inputs.values())
        outputs = ", ".join(_written(values) for values in expected.outputs.values())
        yield (
            "import torch\n"
            f"found = given({inputs})\n"
            "found = found if isinstance(found, tuple) else (found,)\n"
            f"for answer, expected in zip(found, ({outputs},), strict=True):\n"
            "    assert torch.allclose(answer.double(), expected.double(), atol=1e-5)"
        )


def _written(value: Any) -> str:
    """An input or an output as code, with plain numbers."""
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    if not isinstance(value, Tensor):
        return repr(value)
    return f"torch.tensor({value.tolist()}, dtype={value.dtype}).reshape({tuple(value.shape)})"


class Peer:
    """One of the other graders, with the assignment as it wants it.

    Args:
        programs: where it is installed.
        folder: to be made, for all that it needs.
    """

    def __init__(self, programs: Path, folder: Path):
        self.programs, self.folder = programs, folder
        self.records = bank.load_all(bank.FOLDER / NOTEBOOK)
        folder.mkdir()

    def run(self, program: str, *words: str | Path) -> float:
        """The seconds that a command takes."""
        paths = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": paths, "PYTHONPATH": str(ROOT)}
        command, start = [self.programs / program, *words], time.perf_counter()
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{program} {words[0]} failed:\n{done.stdout}\n{done.stderr}")
        return time.perf_counter() - start


class Nbgrader(Peer):
    """nbgrader, in the folder of a course."""

    def __init__(self, programs: Path, folder: Path):
        super().__init__(programs, folder)
        (folder / "nbgrader_config.py").write_text("c = get_config()\n")
        blank = nbformat.read(bank.FOLDER / f"{NOTEBOOK}.ipynb", as_version=4)
        self._tasks = [self._task(cell) for cell in blank.cells]
        self._write(blank, "source")
        self.run("nbgrader", "generate_assignment", "concepts")

    def grade(self, files: Sequence[Path]) -> tuple[float, float]:
        """How many a minute, its start not counted; and the points of all together."""
        for number, file in enumerate(files):
            self._write(nbformat.read(file, as_version=4), f"submitted/learner{number}")
        self.run("nbgrader", "autograde", "concepts", "--student", "learner0")  # warm-up
        seconds = self.run("nbgrader", "autograde", "concepts")  # the others
        seconds -= self.run("nbgrader", "autograde", "concepts")  # nobody is left
        self.run("nbgrader", "export")
        with (self.folder / "grades.csv").open(newline="") as file:
            earned = sum(float(row["score"]) for row in csv.DictReader(file))
        return 60 * (len(files) - 1) / seconds, earned

    def _task(self, cell: nbformat.NotebookNode) -> str:
        """The task that a cell checks, in the notebook that learners find; "" for others."""
        for task in self.records:
            if cell.cell_type == "code" and cell.source == f'check("{task}")':
                return task
        return ""

    def _write(self, notebook: nbformat.NotebookNode, place: str) -> None:
        """A notebook with nbgrader's metadata, and a cell with tests behind each check."""
        folder = self.folder / place / "concepts"
        folder.mkdir(parents=True)
        cells = []
        for cell, task in zip(notebook.cells, self._tasks, strict=True):
            cells.append(cell)
            if task:
                code = "\n".join([f"given = {task}", *comparisons(self.records[task])])
                points = self.records[task].task.points
                metadata = {
                    **{"schema_version": 3, "grade_id": task, "points": points, "task": False},
                    **{"grade": True, "solution": False, "locked": True, "cell_type": "code"},
                }
                tests = nbformat.v4.new_code_cell(code, id=f"tests-{len(cells)}")
                tests.metadata["nbgrader"] = metadata
                cells.append(tests)
        notebook.cells = cells
        nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")


class Otter(Peer):
    """otter-grader, with a file of tests for each task."""

    def __init__(self, programs: Path, folder: Path):
        super().__init__(programs, folder)
        with zipfile.ZipFile(folder / "autograder.zip", "w") as archive:
            archive.writestr("otter_config.json", json.dumps({"show_stdout": False}))
            for task, record in self.records.items():
                code = "\n".join([f'given = env["{task}"]', *comparisons(record)])
                lines = [
                    *("from otter.test_files import test_case", "OK_FORMAT = False"),
                    *(f"name = {task!r}", f"points = {record.task.points}"),
                    *("@test_case()", "def test_public(env):", textwrap.indent(code, "    ")),
                ]
                archive.writestr(f"tests/{task}.py", "\n".join(lines))

    def grade(self, files: Sequence[Path]) -> tuple[float, float]:
        """How many a minute, and the points of all together."""
        seconds, earned = [], 0.0
        for file in files:
            seconds.append(
                self.run("otter", "run", "--no-logo", "--autograder", "autograder.zip", file)
            )
            tests = json.loads((self.folder / "results.json").read_text())["tests"]
            earned += sum(test.get("score", 0) for test in tests)
        return 60 / statistics.mean(seconds[1:]), earned  # the first warms up


if __name__ == "__main__":
    measures = {
        measure.__name__: measure
        for measure in (honest, solved, hostile, sandboxes, beside, cluster)
    }
    names = sys.argv[1:] or list(measures)
    if unknown := set(names) - set(measures):
        sys.exit(f"No such measurement: {', '.join(unknown)}. There are {', '.join(measures)}.")
    for name in names:
        print(json.dumps({name: measures[name]()}))
