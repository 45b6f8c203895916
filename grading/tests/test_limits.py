"""What a learner can make dear has a limit of its own: each test fails without that limit."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
import torch

from grading import grader
from grading.grader import Options
from grading.intake import limited_reader, notebook_parser
from grading.intake.limited_reader import Reader, read_here
from grading.intake.submissions import CannotGrade, Unreadable
from grading.report import pages, similarity
from grading.report.store import Store
from grading.run import dialog, limited_child, protocol
from grading.run.answers import TOO_MUCH, Answers, answer_here
from grading.run.dialog import Dialog
from grading.run.grading import Assignment, Budget, Grading
from grading.run.limited_child import MEMORY, LimitedChild
from grading.run.scoring import Result, score_submission
from grading.tests.made import NOTEBOOK, code, in_a_zip, notebook, rows, submission, write_files
from tests import needs
from utils import notebook_file
from utils.checks import bank
from utils.checks.kinds import referee
from utils.checks.tasks import Answer, Reason
from utils.checks.trace import MOST_RESULTS, MOST_STEPS, NUMBERS

ROOT = Path(__file__).parents[2]
TASKS = [task.id for task in bank.tasks()[NOTEBOOK]]
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


# --- What all files of a learner may take ---------------------------------------------------------


def test_of_files_that_do_not_count_no_code_is_held(tmp_path, monkeypatch):
    """A learner may hand in a thousand."""
    store = Store(tmp_path)
    store.start(seed=1, source="", safe=True)
    for number in range(3):
        store.save(
            Result(
                "ada", "", "", f"{number}", notebook=NOTEBOOK, code={TASKS[0]: "x"}, order=number
            )
        )
    held = []
    monkeypatch.setattr(pages, "write_pages", lambda class_, *_: held.extend(class_))
    grader.report(tmp_path)
    assert [bool(result.code) for result in held[0].files].count(True) == 1


@pytest.mark.parametrize(("words", "most"), [(6_000, similarity.MOST), (30_000, 3)])
def test_of_a_bulky_file_so_much_is_compared(words, most):
    """Of cells that are too long, nothing; of many that are not, ten thousand runs of five."""
    cells = [" ".join(f"{task}x{word}" for word in range(words)) for task in range(len(TASKS))]
    assert (len(cells[0]) > similarity.LONGEST) == (words > 6_000)
    prose = {f"{place}": "so it is " * 10_000 for place in range(5)}
    code = dict(zip(TASKS, cells, strict=True))
    bulky = Result("eve", "", "", "eve", notebook=NOTEBOOK, code=code, words=prose)
    assert len(similarity._ngrams_of(bulky)) == most


@pytest.fixture(scope="module")
def assignment():
    public = {"entropy": bank.load("entropy")}
    return Assignment(NOTEBOOK, public, public)


def test_whose_time_is_spent_gets_no_worker(assignment):
    asked = Dialog([notebook_file.Cell(1, "")], assignment, ["entropy"])
    asked.run(None, Budget(clock=0.0))
    assert asked.replies["entropy"].public.error.reason == Reason.TIME


DRAW = """
import sys
from pathlib import Path
from grading.assignments import Assignments, draw
from grading.names import Names
from grading.run.drawing import Drawing
from utils.checks import bank
out = Path(sys.argv[1])
with Drawing(draw) as drawing:
    made = Assignments(out / "records", 12345, Names(out), drawing.draw)
    held = [made[name] for name in [*bank.tasks()][:10]]
print(open("/proc/self/status").read())
"""


@pytest.mark.nightly
@needs.sandbox
def test_the_grader_stays_small_while_all_notebooks_are_drawn(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", DRAW, tmp_path], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert int(re.search(r"VmHWM:\s+(\d+)", run.stdout)[1]) < 430 * 1024  # 370 of torch and records


class Giant:
    """A worker that answers each call with other inputs by so many bytes."""

    def __init__(self, task: str, size: int):
        outputs = {name: np.ones(size // 8) for name in bank.load(task).task.outputs}
        self._frame, self.asked, self.connection = b"", 0, self
        self._frame_for = lambda count: protocol.pack({"tried": [outputs] * count})

    def sendall(self, request: bytes) -> None:
        count = len(protocol.unpack(io.BytesIO(request), 2**30)[0]["cases"])
        self.asked += bool(count)
        self._frame = io.BytesIO(self._frame_for(count))

    def read(self, count: int) -> bytes:
        return self._frame.read(count)


@pytest.mark.parametrize(("size", "refused"), [(80, False), (31 * 2**20, True)])
def test_a_reply_to_another_call_is_as_small_as_ours(assignment, size, refused):
    asked = Dialog([notebook_file.Cell(1, "")], assignment, ["entropy"])
    record = assignment.public["entropy"]
    wrong = [
        Answer({name: values + 1 for name, values in answer.outputs.items()})
        for answer in record.expected
    ]
    reply = dialog.Reply(wrong)
    asked.replies["entropy"] = dialog.Replies(reply, reply)
    worker = Giant("entropy", size)
    with pytest.raises(protocol.WireError) if refused else contextlib.nullcontext():
        asked._call_again("entropy", worker, worker)
    assert worker.asked


def test_letters_that_turn_the_text_are_left_out_of_a_workers_words():
    assert dialog._printable("\u202egnp\u2066 \u200bx") == "gnp x"


ONE_LINE = {
    "numbers": np.array([1]),
    "sources": np.array(["x"]),
    "computes": np.array([True]),
    "results": np.zeros((1, NUMBERS)),
    "again": np.array([False]),
    "rests": np.array([[0]], dtype=np.uint8),
    "origins": [[1]],
}


@pytest.mark.parametrize(
    "change",
    [
        {
            name: np.repeat(values, MOST_STEPS * MOST_RESULTS + 1, 0)
            for name, values in ONE_LINE.items()
        },
        {"results": np.zeros((1, NUMBERS + 1))},
        {"numbers": np.array([0.5])},
        {"rests": np.zeros((1, 2), dtype=np.uint8)},
        {"sources": "x"},
        {"origins": [["x"]]},
        {"origins": 1},
    ],
)
def test_a_worker_that_tells_of_lines_that_no_answer_has_is_not_believed(change):
    assert dialog._lines(ONE_LINE).sources.tolist() == ["x"]
    with pytest.raises(ValueError, match="lines"):
        dialog._lines(ONE_LINE | change)


@pytest.mark.parametrize(("runs", "wide"), [(MOST_STEPS, MOST_STEPS // 8), (MOST_STEPS + 1, 0)])
def test_what_rests_on_what_is_taken_of_as_many_runs_as_can_be_looked_at(runs, wide):
    lines = {name: np.repeat(values, runs, 0) for name, values in ONE_LINE.items()}
    lines |= {"origins": [[1]], "rests": np.zeros((runs, wide), dtype=np.uint8)}
    assert not dialog._lines(lines).uses().any()
    with pytest.raises(ValueError, match="lines"):
        dialog._lines(lines | {"rests": np.zeros((runs, wide + 1), dtype=np.uint8)})


@needs.sandbox
def test_what_costs_the_grader_itself_too_much_costs_one_file(tmp_path, monkeypatch):
    def greedy(submission, *_):
        if submission.learner == "ada":
            bytearray(2 * grader.MEMORY)
        return Result.for_file(submission, "seen")

    monkeypatch.setattr(grader, "score_submission", greedy)
    write_files(tmp_path / "class", dict.fromkeys(["ada.ipynb", "bob.ipynb"], notebook("x = 1")))
    grader.grade(tmp_path / "class", tmp_path / "out", Options(seed=5, workers=1, safe=False))
    reasons = {row["learner"]: row["reason"] for row in rows(tmp_path / "out" / "files.csv")}
    assert "MemoryError" in reasons["ada"]
    assert reasons["bob"] == "seen"


@needs.sandbox
def test_what_reads_the_files_of_a_class_reaches_nothing(tmp_path, monkeypatch):
    def look(data, file):
        there = [path for path in (bank.FOLDER, Path(__file__)) if path.exists()]
        raise Unreadable(f"it sees {there}")

    monkeypatch.setattr(notebook_parser, "read", look)
    monkeypatch.setattr(limited_reader, "_prepare", lambda: None)
    write_files(tmp_path / "class", {"ada.ipynb": notebook("x = 1")})
    grader.grade(tmp_path / "class", tmp_path / "out", Options(seed=5, workers=1))
    (row,) = rows(tmp_path / "out" / "files.csv")
    assert row["reason"] == "it sees []"


@needs.sandbox
def test_who_takes_too_much_memory_is_ended():
    def hold(size: bytes) -> bytes:
        return b"held" if bytearray(int(size)) else b""

    with LimitedChild(hold, 5) as child:
        assert child.ask(b"%d" % (2 * MEMORY)) is None
        assert child.ask(b"%d" % (MEMORY // 4)) == b"held"


def test_files_that_cannot_be_read_are_paid_for_like_cells_that_never_end():
    def read(_):
        raise limited_reader.TooMuch

    grading, problems = Grading({}, None, read), []
    grading.budgets["Ada"] = Budget(late=3 * limited_reader.SECONDS)
    for _ in range(3):
        result = score_submission(submission(b""), grading)
        problems.append(result.problem)
    assert problems[:2] == [limited_reader.TOO_MUCH] * 2
    assert problems[2] != limited_reader.TOO_MUCH


# --- Answering the calls of a test --------------------------------------------------------------

ATTACK = """
import sys
from utils.checks.kinds import referee
referee.refusal = lambda *_: ""

def test_attend(attend):
    q, k = torch.zeros(650, 1, 1, 1, 1), torch.zeros(1, 650, 1, 1, 1)
    attend(q, k, torch.zeros(1, 1, 650, 1, 1))
    assert attend.calls < 0
"""
HONEST = ("Bob", "Carl", "Dora")


@needs.sandbox
@pytest.mark.parametrize(
    "before",
    [
        "",
        # What the limit on sizes would let through, the limits of the process would stop.
        pytest.param(
            "from utils.checks.kinds import referee\n"
            "referee.LARGEST_RESULT = 10**12\nreferee.MOST_AXES = 8\n",
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
    monkeypatch.setattr(referee, "LARGEST_RESULT", 10**12)
    axes = [torch.zeros(650, 1, 1, 1, 1).transpose(0, axis) for axis in range(3)]
    small = [torch.ones(1, 2, 3)] * 3
    with Answers() as limited:
        assert b'"raised"' in limited.answer("test_attend", "right 1", axes, {}).frame
        answered = limited.answer("test_attend", "right 1", small, {})
        assert answered.frame == answer_here("test_attend", "right 1", small, {}).frame
        assert answered.seconds < 1


@needs.sandbox
def test_threads_that_the_grader_has_used_keep_no_call_waiting(monkeypatch):
    """Whoever regrades has made records before."""
    monkeypatch.setattr(limited_child, "PATIENCE", 5)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        torch.rand(10**6).exp()
        with Answers() as limited:
            answered = limited.answer("test_attend", "right 1", [torch.ones(1, 2, 3)] * 3, {})
    finally:
        torch.set_num_threads(before)
    assert answered.frame != TOO_MUCH


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
    with LimitedChild(_what_it_sees, 5) as child:
        assert child.ask(b"") == b""


@needs.sandbox
def test_who_sleeps_is_ended(monkeypatch):
    def sleepy(request: bytes) -> bytes:
        import time

        time.sleep(100 * len(request))
        return b"awake"

    monkeypatch.setattr(limited_child, "PATIENCE", 1)
    with LimitedChild(sleepy, 1.5) as child:
        assert child.ask(b"x") is None
        assert child.ask(b"") == b"awake"


# --- Reading files --------------------------------------------------------------------------------

EXERCISE = bank.FOLDER / "01_attention_concepts.ipynb"
ANSWER = "def entropy(weights):\n    return weights.sum(-1)"


def filled(start: bytes, part: bytes, end: bytes, megabytes: int) -> bytes:
    return start + part * ((megabytes * 2**20 - len(start) - len(end)) // len(part)) + end


@pytest.fixture(scope="module")
def too_much() -> dict[str, bytes]:
    return {
        "lists": filled(b'{"cells": [', b"[],", b"[]]}", 25),
        "dictionaries": filled(b'{"cells": [', b'{"a":[]},', b"[]]}", 50),
        "magics": notebook("a;" * 98_000 + "\n" + "!ls\n" * 49, ANSWER),
    }


@pytest.fixture(scope="module")
def reading():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_reader, "SECONDS", 2)
        with Reader() as started:
            yield started


@needs.sandbox
@pytest.mark.parametrize(
    "data", [EXERCISE.read_bytes(), notebook(ANSWER, "x = '\ud800'", "!ls"), notebook("\r%%time\r")]
)
def test_it_reads_what_this_process_would_read(reading, data):
    outcomes = []
    for read in (read_here, reading.read):
        try:
            outcomes.append(read(submission(data)))
        except Unreadable as problem:
            outcomes.append(str(problem))
    expected, actual = outcomes
    assert actual == expected


@needs.sandbox
def test_whoever_takes_too_much_to_read_costs_nobody_else_anything(reading, too_much):
    for name in ("dictionaries", "magics"):  # memory and time; at night the lists too
        with pytest.raises(Unreadable, match="reading it takes more than"):
            reading.read(submission(too_much[name]))
        with pytest.raises(Unreadable, match="reading it takes more than"):
            reading.read(submission(in_a_zip(too_much[name])))
        assert reading.read(submission(EXERCISE.read_bytes()))[1].name == EXERCISE.stem


@needs.sandbox
def test_what_others_have_left_in_the_reader_is_not_held_against_a_file(monkeypatch):
    """It dies of the second file, whichever that is."""
    read, files = notebook_parser.read, []

    def dying(data, file):
        files.append(file)
        return os._exit(7) if files.count("ada.ipynb") > 1 else read(data, file)

    monkeypatch.setattr(notebook_parser, "read", dying)
    with Reader() as weak:
        for _ in range(4):
            assert weak.read(submission(EXERCISE.read_bytes()))[1].name == EXERCISE.stem


@needs.sandbox
def test_it_ends_with_the_grader(reading):
    with Reader() as other:
        process = other.process
    with pytest.raises(ProcessLookupError):
        os.killpg(process, 0)
    with pytest.raises(CannotGrade, match="--resume"):
        other.read(submission(b"{}"))


@pytest.mark.nightly
@needs.sandbox
def test_the_grader_itself_stays_small(tmp_path, too_much):
    """Half a gigabyte, most of which is torch and what else it has imported."""
    files = too_much | {"honest": notebook(ANSWER)}
    write_files(tmp_path / "class", {f"{name}.ipynb": data for name, data in files.items()})
    assert grade(tmp_path) < 500
    reasons = {row["learner"]: row["reason"] for row in rows(tmp_path / "out" / "files.csv")}
    assert reasons == dict.fromkeys(too_much, limited_reader.TOO_MUCH) | {"honest": "graded"}
