"""What a learner can make dear has a limit of its own: each test fails without that limit."""

from pathlib import Path

import numpy as np
import pytest

from grading import grader
from grading.intake import limited_reader, notebook_parser
from grading.intake.submissions import Unreadable
from grading.report import pages, similarity
from grading.report.store import Store
from grading.run import dialog
from grading.run.answers import TOO_MUCH, Answered
from grading.run.dialog import Assignment, Budget, Dialog
from grading.run.limited_child import MEMORY, LimitedChild
from grading.run.scoring import Result, score_submission
from grading.tests.made import notebook, rows, submission, write_files
from tests import needs
from utils.checks import bank
from utils.checks.tasks import Reason
from utils.checks.trace import MOST_RESULTS, MOST_STEPS, NUMBERS

NOTEBOOK = "01_attention_concepts"
TASKS = [task.id for task in bank.tasks()[NOTEBOOK]]


def test_all_files_of_a_learner_share_one_budget(tmp_path, monkeypatch):
    budgets = {}

    def seen(submission, *rest):
        budgets.setdefault(submission.learner, []).append(rest[-1])
        return Result.for_file(submission, "seen")

    monkeypatch.setattr(grader, "score_submission", seen)
    files = dict.fromkeys(["ada/1.ipynb", "ada/2.ipynb", "bob/1.ipynb"], notebook("x = 1"))
    write_files(tmp_path / "class", files)
    grader.grade(tmp_path / "class", tmp_path / "out", seed=5, workers=1, safe=False)
    (first, second), (other,) = budgets["ada"], budgets["bob"]
    assert first is second is not other


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


def test_calls_that_take_too_long_in_all_are_answered_no_more(assignment):
    slow = Answered(b"", 0.4 * dialog.ANSWERING)
    asked = Dialog([notebook_parser.Cell(1, "")], assignment, [], lambda *_: slow)
    assert [asked._answered()[0] for _ in range(4)] == [b"", b"", b"", TOO_MUCH]


def test_whose_time_is_spent_gets_no_worker(assignment):
    asked = Dialog([notebook_parser.Cell(1, "")], assignment, ["entropy"], budget=Budget(clock=0.0))
    asked.run(launcher=None)
    assert asked.replies["entropy"].public.error.reason == Reason.TIME


def test_letters_that_turn_the_text_are_left_out_of_a_workers_words():
    assert dialog._printable("\u202egnp\u2066 \u200bx") == "gnp x"


ONE_LINE = {
    "numbers": np.array([1]),
    "sources": np.array(["x"]),
    "computes": np.array([True]),
    "results": np.zeros((1, NUMBERS)),
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
        {"sources": "x"},
    ],
)
def test_a_worker_that_tells_of_lines_that_no_answer_has_is_not_believed(change):
    assert dialog._lines(ONE_LINE).sources.tolist() == ["x"]
    with pytest.raises(ValueError, match="lines"):
        dialog._lines(ONE_LINE | change)


@needs.sandbox
def test_what_costs_the_grader_itself_too_much_costs_one_file(tmp_path, monkeypatch):
    def greedy(submission, *_):
        if submission.learner == "ada":
            bytearray(2 * grader.MEMORY)
        return Result.for_file(submission, "seen")

    monkeypatch.setattr(grader, "score_submission", greedy)
    write_files(tmp_path / "class", dict.fromkeys(["ada.ipynb", "bob.ipynb"], notebook("x = 1")))
    grader.grade(tmp_path / "class", tmp_path / "out", seed=5, workers=1, safe=False)
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
    grader.grade(tmp_path / "class", tmp_path / "out", seed=5, workers=1)
    (row,) = rows(tmp_path / "out" / "files.csv")
    assert row["reason"] == "it sees []"


@needs.sandbox
def test_who_takes_too_much_memory_is_ended():
    def hold(size: bytes) -> bytes:
        return b"held" if bytearray(int(size)) else b""

    with LimitedChild(hold, lambda: 5) as child:
        assert child.ask(b"%d" % (2 * MEMORY)) is None
        assert child.ask(b"%d" % (MEMORY // 4)) == b"held"


def test_files_that_cannot_be_read_are_paid_for_like_cells_that_never_end():
    def read(_):
        raise Unreadable(limited_reader.TOO_MUCH)

    budget, problems = Budget(late=3 * limited_reader.SECONDS), []
    for _ in range(3):
        result = score_submission(submission(b""), {}, None, read=read, budget=budget)
        problems.append(result.problem)
    assert problems[:2] == [limited_reader.TOO_MUCH] * 2
    assert problems[2] != limited_reader.TOO_MUCH
