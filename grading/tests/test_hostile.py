"""Hostile submissions earn what their honest parts deserve, and reach nothing outside.

At each push one attack is tried for each mechanism of the kernel, the wire and the judge; the table
attacks.txt names it. All of them, and what takes long, are tried at night.
"""

import contextlib
import io
import json
import os
import platform
import re
import secrets
import socket
import struct
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from textwrap import dedent

import numpy as np
import pytest
import torch

from grading import grader
from grading.assignments import fresh_records
from grading.grader import Options
from grading.run import dialog, protocol, scoring, worker
from grading.run.grading import Assignment, Budget, Grading
from grading.run.launcher import PATIENCE, Launcher, NoSandbox, Worker
from grading.run.scoring import score_submission
from grading.tests import hostile
from grading.tests.hostile import ATTACKS, ENTROPY, PIECES
from grading.tests.made import PlayedLauncher, hurried, notebook, rows, submission, write_files
from grading.tests.test_fuzz import all_right
from solutions.build import SOURCE, code_of
from tests import needs
from utils.checks import bank
from utils.checks.tasks import Reason

pytestmark = needs.sandbox

nightly = pytest.mark.nightly
RIGHT, BURN = PIECES["RIGHT"], PIECES["BURN"]
NAME = "01_attention_concepts"
SECONDS = 1.0  # that a cell or a task may run
SPARE = 2.0
REPOSITORY = bank.FOLDER.parent
# What Python writes, and, beside themselves, solution notebooks that run beside these tests.
WRITTEN = re.compile(
    r"/__pycache__/|^/(solutions|exercises)/((progress|guesses)\.json|my_language_model)"
)


def assignments_of(name):
    public = bank.load_all(bank.FOLDER / name).values()
    fresh = fresh_records(name, secrets.randbits(40))
    return {name: Assignment(name, hurried(public, SECONDS), hurried(fresh, SECONDS))}


@pytest.fixture(scope="module")
def assignments():
    return assignments_of(NAME)


@pytest.fixture(scope="module")
def token():
    """Return a word in the environment of the server and its descendants, to find them by."""
    return secrets.token_hex(8)


@pytest.fixture(scope="module")
def launcher(token):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialog, "SPARE", SPARE)
        patch.setattr(os, "defpath", f"{os.defpath}:/{token}")
        with Launcher() as started:
            yield started


@pytest.fixture(scope="module")
def canary():
    """Make files that whoever sees them may change: a home, results, other submissions."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("home/secret", "results/learner.json", "submissions/other.ipynb"):
            path = Path(folder, name)
            path.parent.mkdir()
            path.write_text(secrets.token_hex(8))
        for path in (Path(folder), *Path(folder).rglob("*")):
            path.chmod(0o777)
        yield Path(folder)


@pytest.fixture(scope="module")
def listening(token):
    """Open sockets that wait for a connection: on the loopback device, and without a device."""
    with socket.create_server(("127.0.0.1", 0)) as loopback, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(f"\0{token}")
        unix.listen()
        for listener in (loopback, unix):
            listener.setblocking(False)
        yield loopback, unix


def outside(canary: Path) -> dict[str, object]:
    """Return what changes when a file is changed, created or deleted."""
    state = {str(path): path.read_bytes() for path in canary.rglob("*") if path.is_file()}
    for folder in (REPOSITORY / "utils", bank.FOLDER, REPOSITORY / "solutions"):
        for path in folder.rglob("*"):
            inside = path.as_posix().removeprefix(REPOSITORY.as_posix())
            if path.is_file() and not WRITTEN.search(inside):
                state[str(path)] = path.stat().st_mtime_ns, path.stat().st_size
    return state


def processes(token: str) -> set[str]:
    """Return the processes that have the token in their environment, and their children."""
    found, parents = set(), {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parents[entry.name] = (
                    (entry / "stat").read_bytes().rpartition(b")")[2].split()[1].decode()
                )
                if token.encode() in (entry / "environ").read_bytes():
                    found.add(entry.name)
        except OSError:  # it has just ended
            continue
    return found | {number for number, parent in parents.items() if parent in found}


def settled(token: str, before: set[str], seconds: float = 10) -> set[str]:
    """Return the new processes that are left after those about to end had time to do so."""
    until = time.monotonic() + seconds
    while (left := processes(token) - before) and time.monotonic() < until:
        time.sleep(0.05)
    return left


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if attack.mechanism else nightly)
        for name, attack in ATTACKS.items()
    ],
)
def test_a_hostile_submission_earns_what_it_deserves_and_reaches_nothing(
    name, assignments, launcher, token, canary, listening, monkeypatch
):
    attack, secret = ATTACKS[name], secrets.token_hex(8)
    monkeypatch.setenv("CANARY", secret)
    public = assignments[NAME].public["read_alignment"]
    known = [
        (case.inputs["weights"].tolist(), *(values.tolist() for values in answer.outputs.values()))
        for case, answer in zip(public.cases, public.expected, strict=True)
    ]
    filled_in = {
        "«SECRET»": secret,
        "«CANARY»": str(canary),
        "«REPOSITORY»": str(REPOSITORY),
        "«PORT»": str(listening[0].getsockname()[1]),
        "«SOCKET»": token,
        "«PUBLIC»": repr(known),
    }
    cells = list(attack.cells)
    for place, text in filled_in.items():
        cells = [cell.replace(place, text) for cell in cells]
    files = outside(canary)
    running, start = processes(token), time.monotonic()

    result = score_submission(submission(notebook(*cells)), Grading(assignments, launcher))

    assert time.monotonic() - start < 2 * PATIENCE * (2 * SECONDS + SPARE)
    assert result.problem == ""
    assert list(result.tasks) == list(assignments[NAME].public)
    assert result.points <= attack.earns if attack.at_most else result.points == attack.earns
    text = repr(result)
    assert attack.says in text
    secrets_ = [secret, *(path.read_text() for path in canary.rglob("*") if path.is_file())]
    text = text.replace(repr(result.code), "")
    assert [known for known in secrets_ if known in text] == []
    own = {Path(tempfile.gettempdir())}  # the sandbox has one of its own by this name
    for place in {REPOSITORY, REPOSITORY.parent, Path(sys.prefix), Path.home()} - own:
        assert not re.search(rf"{re.escape(str(place))}(?![\w-])", text)
    assert settled(token, running) == set()
    assert outside(canary).items() ^ files.items() == set()
    for listener in listening:
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_what_the_attacks_replace_is_there():
    """An attack on a name that is gone would prove nothing."""
    text = "\n".join(cell for attack in ATTACKS.values() for cell in attack.cells)
    for name in hostile.REPLACED:
        assert name.rpartition(".")[2] in text
        resolve_name(name)


@nightly
def test_a_gradient_that_is_not_there_earns_nothing(launcher):
    where_a_network_learns = assignments_of("02_additive_attention")

    def points(*cells):
        result = score_submission(
            submission(notebook(*cells)), Grading(where_a_network_learns, launcher)
        )
        assert result.problem == ""
        return result.points

    (without_path,) = hostile.GRADIENTS["right values without a gradient"].cells
    assert points(without_path.replace(".detach()", "")) == 3
    for name, attack in hostile.GRADIENTS.items():
        assert (name, points(*attack.cells)) == (name, 0)


@nightly
@pytest.mark.parametrize("name", hostile.UNSHARED)
def test_memory_that_children_no_longer_share_is_counted(name, launcher):
    (cell, _) = hostile.UNSHARED[name].cells
    with launcher.launch(seconds=60) as worker, worker.stream() as stream:
        request = {"cells": [(1, cell)], "seconds": 60.0, "tasks": []}
        worker.connection.sendall(protocol.pack(request))
        stream.read()
        assert worker.ending() == "memory"


@contextlib.contextmanager
def running(launcher: Launcher, *cells: str, seconds: float) -> Iterator[Worker]:
    """Start a worker that runs the last of some cells, whose own limit is out of reach."""
    with launcher.launch(seconds) as worker, worker.stream() as stream:
        request = {"cells": [*enumerate(cells)], "seconds": 600.0, "tasks": []}
        worker.connection.sendall(protocol.pack(request))
        for number in range(len(cells)):
            assert protocol.unpack(stream, 10_000)[0] == {"at": number}
        yield worker


def ending(worker: Worker) -> str:
    """Return how a worker ends that nobody disturbs."""
    while worker.connection.recv(2**16):
        pass
    return worker.ending()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if "nobody waits for" in name else nightly)
        for name in hostile.BURNING
    ],
)
def test_processor_time_is_counted_wherever_it_is_taken(name, launcher):
    """What is not counted would go on until the clock ends it."""
    with running(launcher, *hostile.BURNING[name].cells, seconds=2) as worker:
        assert ending(worker) == "time"


@nightly
def test_who_waits_for_a_processor_does_not_run_out_of_time():
    """Fifty processes of a neighbour are on the same processor: only the clock ends it."""
    crowd = """
    ready, go = os.pipe()
    for _ in range(50):
        if os.fork() == 0:
            os.setsid()  # some kernels give a session as much as another, however many are in it
            os.close(go)
            os.read(ready, 1)
            burn()
    os.close(go)
    """
    crowd = BURN, dedent(crowd), "burn()"
    with (
        Launcher(workers=1000) as launcher,
        running(launcher, *crowd, seconds=600),
        running(launcher, "while True: pass", seconds=1) as worker,
    ):
        assert ending(worker) == "clock"


def test_who_sleeps_runs_out_of_time(launcher):
    """Also where it looks as if it waited for the disk, as a parent does until its child is up."""
    hide = BURN + "\nctypes.CDLL(None).vfork() or time.sleep(600)"
    for cell in ("import time; time.sleep(600)", hide):
        with running(launcher, cell, seconds=0.5) as worker:
            assert ending(worker) == "time"


def test_each_worker_has_its_share_of_the_processors():
    there = os.sched_getaffinity(0)
    cells = ["import os; raise OSError(*os.sched_getaffinity(0))", "import time; time.sleep(600)"]
    with Launcher(workers=2) as launcher, contextlib.ExitStack() as open_:
        shares = []
        for _ in range(2):
            worker = open_.enter_context(launcher.launch(seconds=60))
            request = {"cells": [*enumerate(cells)], "seconds": 60.0, "tasks": []}
            worker.connection.sendall(protocol.pack(request))
            stream = open_.enter_context(worker.stream())
            _, failed = (protocol.unpack(stream, 10_000)[0] for _ in range(2))
            shares.append({int(number) for number in re.findall(r"\d+", failed["error"])})
    assert set.union(*shares) == there
    assert set.intersection(*shares) == (there if len(there) == 1 else set())


def test_submissions_that_run_at_the_same_time_do_not_meet(assignments, launcher):
    """One leaves traces wherever it can and waits; the other looks for them."""
    trace = secrets.token_hex(8)
    leave = f"""
    import ctypes, os, socket, time
    ctypes.CDLL(None).prctl(15, b"{trace[:15]}", 0, 0, 0)
    for folder in ("/tmp", "/dev/shm"): open(folder + "/{trace}", "w").close()
    time.sleep(0.9)
    """
    look = f"""
    import os, time
    until = time.monotonic() + 0.8
    while time.monotonic() < until:
        seen = os.listdir("/tmp") + os.listdir("/dev/shm")
        seen += [open(f"/proc/{{n}}/comm").read() for n in os.listdir("/proc") if n.isdigit()]
        if any("{trace[:15]}" in name for name in seen): raise RuntimeError("seen")
    """
    results = at_the_same_time(
        [[dedent(source), RIGHT] for source in (leave, look)], assignments, launcher
    )
    assert [(result.points, result.remarks) for result in results] == [(ENTROPY, [])] * 2


def at_the_same_time(submissions, assignments, launcher):
    """Return the results of submissions that are graded at the same time, in order."""
    with ThreadPoolExecutor(len(submissions)) as pool:
        files = [submission(notebook(*cells)) for cells in submissions]
        return list(
            pool.map(lambda file: score_submission(file, Grading(assignments, launcher)), files)
        )


def honest():
    """Return the cells of the solution."""
    return code_of(SOURCE / f"{NAME}.ipynb")


def test_hostile_submissions_cost_honest_ones_nothing(assignments, launcher):
    names = ["all processors at once", "memory of many children", "fifty children", "garbage"]
    attackers = [ATTACKS[name].cells for name in names]
    *_, result = at_the_same_time([*attackers, honest()], assignments, launcher)
    assert (result.points, result.remarks) == (result.of, [])
    result = score_submission(submission(notebook(*honest())), Grading(assignments, launcher))
    assert (result.points, result.remarks) == (result.of, [])


def test_what_never_ends_costs_its_learner_and_nobody_else(assignments, launcher):
    """One worker beside others, one alone; then this learner has had all the time there is."""
    endless = submission(notebook(*ATTACKS["an interrupt that is ignored"].cells))
    fine = submission(notebook(*honest()))
    grading = Grading(assignments, launcher)
    grading.budgets["Ada"] = Budget(late=5.0)
    began = time.monotonic()
    assert score_submission(endless, grading, alone=False) is None
    assert not grading.budgets["Ada"].spent
    result = score_submission(endless, grading)
    assert result.problem == ""
    assert time.monotonic() - began < PATIENCE * 2 * (2 * SECONDS + SPARE)
    for learner, problem in (("Ada", scoring.USED_UP), ("Bob", "")):
        result = score_submission(replace(fine, learner=learner), grading)
        assert (result.problem, result.points) == (problem, 0 if problem else result.of)


COMPILED = """
entropy = torch.compile(entropy, fullgraph=True)

@torch.compile(dynamic=True)
def double(numbers):
    return 2 * numbers

layer = torch.nn.Linear(2, 2)
layer.compile()
assert double(torch.compile(layer)(torch.ones(2))).shape == (2,)
"""


def test_what_is_compiled_is_run_as_it_is(assignments, launcher):
    """A compiler would need programs and time that a worker does not have."""
    result = score_submission(submission(notebook(RIGHT, COMPILED)), Grading(assignments, launcher))
    assert (result.points, result.remarks) == (ENTROPY, [])


def test_nobody_prints_fewer_lines_than_none(assignments):
    public = assignments[NAME].public["entropy"]
    answers = [worker.plain(answer) for answer in public.expected[:1]]
    error = ["error", "So.", "", ""]
    part = {"error": error, "answers": answers, "printed": -7, "doubts": []}
    frames = protocol.pack({"task": "entropy", "parts": [part]})
    result = score_submission(
        submission(notebook(*honest())), Grading(assignments, PlayedLauncher(frames))
    )
    assert "So." in result.tasks["entropy"].lines
    assert "-7" not in repr(result)


def test_an_unknown_processor_is_refused(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(NoSandbox, match="known for the processors x86_64 and aarch64"):
        Launcher()


def test_where_the_server_is_ended_another_takes_over(assignments, monkeypatch):
    monkeypatch.setattr(dialog, "SPARE", 10.0)
    with Launcher() as launcher:
        launcher._server.kill()
        launcher._server.wait()
        result = score_submission(submission(notebook(RIGHT)), Grading(assignments, launcher))
        assert (result.problem, result.points) == ("", ENTROPY)


@pytest.fixture
def little_time(monkeypatch):
    """Give less time to answer."""
    monkeypatch.setattr(dialog, "SPARE", SPARE)
    monkeypatch.setattr(
        "grading.assignments.Assignment",
        lambda name, *sets: Assignment(
            name, *(hurried(records.values(), SECONDS) for records in sets)
        ),
    )


@nightly
@pytest.mark.usefixtures("little_time")
def test_busy_neighbours_cost_an_honest_learner_nothing(tmp_path, monkeypatch):
    """What takes half of a cell's seconds takes many where forty others are busy."""
    crowd = "for _ in range(20):\n    if os.fork() == 0: burn()\nburn()"
    work = """
    import time
    def work(seconds):
        start = time.process_time()
        while time.process_time() < start + seconds: pass
    work(0.5)
    """
    answer = """
    right = entropy
    def entropy(weights):
        work(0.02)
        return right(weights)
    """
    class_ = {name: [BURN + "\n" + crowd, RIGHT] for name in "ab"}
    class_["honest"] = [dedent(work), *honest(), dedent(answer)]
    write_files(
        tmp_path / "class",
        {f"{name}.ipynb": notebook(*cells) for name, cells in class_.items()},
    )
    at_work, seen = set(), []

    def watched(submission, grading, alone):
        at_work.add(submission.file)
        result = score_submission(submission, grading, alone)
        seen.append((submission.learner, alone, result is not None, len(at_work)))
        at_work.remove(submission.file)
        return result

    monkeypatch.setattr(grader, "score_submission", watched)
    grader.grade(tmp_path / "class", tmp_path / "out", Options(seed=5, workers=3))
    (row,) = (row for row in rows(tmp_path / "out/files.csv") if row["file"] == "honest.ipynb")
    assert row["points"] == row["of"]
    for name in "ab":  # beside others without a result, and then with one, when all others are done
        turns = [turn[1:3] for turn in seen if turn[0] == name]
        assert turns == [(False, False), (True, True)]
    assert {count for _, alone, _, count in seen if alone} == {1}
    assert [alone for _, alone, *_ in seen] == sorted(alone for _, alone, *_ in seen)


@nightly
def test_memory_does_not_grow_with_the_class(assignments, launcher, token):
    alone = settled(token, set(), seconds=2)  # the server, when it waits

    def held():
        """Return the bytes charged to this process and to those of the server."""
        assert settled(token, alone) == set()
        texts = [Path(f"/proc/{process}/status").read_text() for process in [*alone, "self"]]
        return sum(1024 * int(re.search(r"RssAnon:\s+(\d+)", text)[1]) for text in texts)

    names = ["JSON that is wide", "texts that grow", "garbage"]
    class_ = [*(ATTACKS[name].cells for name in names), honest()]
    for _ in range(3):
        at_the_same_time(class_, assignments, launcher)
    before = held()
    for _ in range(12):
        at_the_same_time(class_, assignments, launcher)
    assert held() - before < 20 * 2**20


# --- The parent, with a worker played by the test ------------------------------------------


@pytest.mark.parametrize("reason", ["unheard of", *Reason])
def test_a_worker_gives_no_reasons_but_its_own(assignments, reason):
    """And whatever else it says costs it this task alone."""
    part = {"error": [reason, "So.", "There.", ""], "answers": [], "printed": 0, "doubts": []}
    first = protocol.pack({"task": "entropy", "parts": [part]})
    others = b"".join(map(protocol.pack, all_right(assignments[NAME])))
    data = submission(notebook(*honest()))
    result = score_submission(data, Grading(assignments, PlayedLauncher(first + others)))
    outcome = result.tasks["entropy"]
    # That no network answered is said beside all answers only, and here there are none.
    allowed = reason in {known for known in Reason if known.from_worker} - {Reason.NO_NETWORK}
    assert (outcome.reason, outcome.points) == (reason if allowed else Reason.WIRE, 0)
    assert ("So." in outcome.lines) == allowed
    assert result.points == result.of - ENTROPY


def frame(content, header=None, blob=b""):
    """Return a frame whose arrays are described by a header, whatever that is."""
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    if header is None:
        return protocol.LENGTHS.pack(len(text), 0) + text
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    data = struct.pack("<Q", len(header)) + header + blob
    return protocol.LENGTHS.pack(len(text), len(data)) + text + data


def unpacked(data, limit=10**6):
    return protocol.unpack(io.BytesIO(data), limit)


def described(*shape, dtype="F64", offsets=(0, 8)):
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


ONE = {"array": "0"}
NUMBER = {"0": described()}
REFUSED = {  # what is wrong → the frame, and a part of the error
    "no JSON": (frame(b"{"), "not JSON"),
    "deep": (frame(b"[" * 10_000 + b"]" * 10_000), "not JSON|nested"),
    "missing": (frame(ONE), "missing"),
    "no name": (frame({"array": ["0"]}, NUMBER, bytes(8)), "missing"),
    "named twice": (frame([ONE, ONE], NUMBER, bytes(8)), "named twice"),
    "named by nobody": (frame([], NUMBER, bytes(8)), "no place"),
    "header of another kind": (frame(ONE, [1]), "no arrays"),
    "no header": (frame(ONE, b"\xff\xfe"), "no arrays"),
    "header beyond the end": (frame(ONE, b"") + b"", "no arrays"),
    "two of one name": (
        frame(ONE, b'{"0":%(a)s,"0":%(a)s}' % {b"a": json.dumps(described()).encode()}, bytes(16)),
        "no arrays",
    ),
    "bytes shared by two": (
        frame([ONE, {"array": "1"}], {"0": described(), "1": described()}, bytes(8)),
        "no arrays",
    ),
    "bytes missing": (frame(ONE, NUMBER, bytes(4)), "no arrays"),
    "bytes left over": (frame(ONE, NUMBER, bytes(12)), "no arrays"),
    "negative": (frame(ONE, {"0": described(-1)}, bytes(8)), "no arrays"),
    "overflow": (frame(ONE, {"0": described(2**40, 2**40)}, bytes(8)), "no arrays"),
    "unknown type": (frame(ONE, {"0": described(dtype="O")}, bytes(8)), "no arrays"),
    "type not carried": (frame(ONE, {"0": described(dtype="C64")}, bytes(8)), "an array of C64"),
    "nine axes": (frame(ONE, {"0": described(*[1] * 9)}, bytes(8)), "impossible shape"),
    **{
        f"zero among large sizes {shape}": (
            frame(ONE, {"0": described(*shape, dtype="U8", offsets=(0, 0))}),
            "impossible shape",
        )
        for shape in ([0, 2**31], [0, 2**16, 2**16], [2**16, 2**15, 0, 1])
    },
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_frame_that_is_none_is_refused(wrong):
    data, message = REFUSED[wrong]
    with pytest.raises(protocol.WireError, match=message):
        unpacked(data)


def test_a_frame_holds_what_was_packed():
    row = torch.arange(6.0).reshape(1, 2, 3)
    message = {
        "arrays": [np.zeros((0, 3)), np.array(2.0), np.arange(3)[::-1], np.array([True])],
        "words": np.array(["a", "bcd"]),
        "tensors": [row, row.mT.contiguous().mT, row[..., ::2], torch.tensor(1)],
        "rest": [None, True, 2, 0.5, "x", {"y": []}],
    }
    actual, size = unpacked(protocol.pack(message))
    assert size > 0
    assert actual["rest"] == message["rest"]
    for name in ("arrays", "words"):
        np.testing.assert_equal([*actual[name]], [*message[name]])
    for sent, received in zip(message["tensors"], actual["tensors"], strict=True):
        torch.testing.assert_close(received, sent, rtol=0, atol=0)
    assert actual["tensors"][1].stride() == message["tensors"][1].stride()


def test_what_arrives_fills_no_more_than_it_may():
    texts = [{"texts": ["x" * 1000] + [""] * 1000}] * 100
    wide = b"[" + b"[]," * 300_000 + b"[]]"
    many = {
        str(number): described(dtype="U8", offsets=(number, number + 1)) for number in range(20_000)
    }
    for data in (frame(texts), frame(wide), frame([], many, bytes(20_000))):
        tracemalloc.start()
        with pytest.raises(protocol.WireError, match="too large"):
            unpacked(data, 2**23)
        assert tracemalloc.get_traced_memory()[1] < 2 * 2**23
        tracemalloc.stop()


def test_the_documentation_counts_them():
    text = (bank.FOLDER.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert f" {len(ATTACKS)} kinds of hostile submission" in text
