"""Test catching up: learners get solved exercises, keep their own work, and earn no points."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from solutions.build import learner_notebook, notebooks, solved
from solutions.catch_up import catch_up, main
from solutions.facts import ROOT
from tests import needs
from utils.checks import bank

FIRST = notebooks()[0].name
FIRST_TASKS = bank.tasks()[notebooks()[0].stem]
MINE = f"mine_{FIRST}"


@pytest.fixture
def exercises(tmp_path) -> Path:
    """Return the folder of a learner who has answered in the first of three notebooks."""
    for path in notebooks()[:3]:
        shutil.copy(bank.FOLDER / path.name, tmp_path)
    write(tmp_path / FIRST, "mine = 1")
    return tmp_path


def write(path, source):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-1].source = source
    nbformat.write(notebook, path)


def last_cell(path):
    return nbformat.read(path, as_version=4).cells[-1].source


def progress(exercises):
    return json.loads((exercises / "progress.json").read_text("utf-8"))


def test_what_comes_before_is_solved_and_what_was_there_is_kept(exercises):
    untouched = (exercises / notebooks()[2].name).read_bytes()
    lines = [*catch_up("03", exercises)]
    assert lines[0] == f"{FIRST}: solved; yours is now {MINE}"
    assert len(lines) == 2
    assert last_cell(exercises / MINE) == "mine = 1"
    text = (exercises / FIRST).read_text("utf-8")
    assert "SOLUTION" not in text
    assert "Rubric" not in text
    assert "your code here" not in text
    assert (exercises / notebooks()[2].name).read_bytes() == untouched


def test_once_more_changes_nothing_and_no_kept_file_is_lost(exercises):
    assert len([*catch_up("02", exercises)]) == 1
    given = (exercises / FIRST).read_bytes()
    assert [*catch_up("02", exercises)] == [f"{FIRST}: solved already"]
    assert (exercises / FIRST).read_bytes() == given
    for number in (2, 3):
        write(exercises / FIRST, f"mine = {number}")
        name = f"mine_{FIRST[:-6]}_{number}.ipynb"
        assert [*catch_up("02", exercises)] == [f"{FIRST}: solved; yours is now {name}"]
        assert last_cell(exercises / name) == f"mine = {number}"
    assert last_cell(exercises / MINE) == "mine = 1"


def test_a_file_that_is_no_notebook_is_kept_and_a_missing_one_is_made(exercises):
    (exercises / FIRST).write_text("[]")
    assert [*catch_up("02", exercises)] == [f"{FIRST}: solved; yours is now {MINE}"]
    assert (exercises / MINE).read_text() == "[]"
    (exercises / FIRST).unlink()
    assert [*catch_up("02", exercises)] == [f"{FIRST}: solved"]
    assert len(nbformat.read(exercises / FIRST, as_version=4).cells) > 10


def test_what_was_earned_stays_and_what_was_given_is_marked(exercises):
    done, part, *others = FIRST_TASKS
    earned = {
        done.id: {"points": done.points, "kinds": ["softmax-over-queries"]},
        part.id: {"points": part.points - 1, "kinds": []},
        "elsewhere": {"points": 1, "kinds": []},
    }
    (exercises / "progress.json").write_text(json.dumps(earned))
    [*catch_up("02", exercises)]
    kept = progress(exercises)
    assert kept[done.id] == {**earned[done.id], "given": False}
    assert kept[part.id] == {**earned[part.id], "given": True}
    assert kept["elsewhere"] == {**earned["elsewhere"], "given": False}
    assert [kept[task.id]["points"] for task in others] == [0] * len(others)
    assert all(kept[task.id]["given"] for task in others)


def test_whoever_has_done_everything_keeps_it_in_place(exercises):
    points = {task.id: task.points for task in FIRST_TASKS}
    (exercises / "progress.json").write_text(json.dumps(points))
    assert [*catch_up("02", exercises)] == [f"{FIRST}: all done, left as it is"]
    assert last_cell(exercises / FIRST) == "mine = 1"


@pytest.mark.slow
def test_given_solutions_pass_their_checks_and_earn_nothing(exercises):
    [*catch_up("02", exercises)]
    notebook = nbformat.read(exercises / FIRST, as_version=4)
    where = {"metadata": {"path": exercises}}
    quiet = ["--log-level=ERROR"]
    NotebookClient(notebook, timeout=300, resources=where, extra_arguments=quiet).execute()
    checks = [cell for cell in notebook.cells if cell.source.startswith("check(")]
    assert len(checks) == len(FIRST_TASKS)
    for cell in checks:
        feedback = cell.outputs[0].data["text/plain"]
        assert feedback.startswith("✓")
        assert "given to you, so it adds no points" in feedback
    assert {entry["points"] for entry in progress(exercises).values()} == {0}
    shown = [cell for cell in notebook.cells if cell.source.startswith("progress(")]
    assert "| given" in shown[0].outputs[0].data["text/plain"]


@needs.ordinary_user
def test_a_folder_that_cannot_be_written_stays_as_it_is(exercises):
    exercises.chmod(0o555)
    before = {path.name for path in exercises.iterdir()}
    with pytest.raises(OSError, match="so nothing was changed"):
        [*catch_up("02", exercises)]
    assert {path.name for path in exercises.iterdir()} == before


@pytest.mark.parametrize("upto", ["", "01", "4", "entropy"])
def test_a_number_that_is_none_is_refused(exercises, upto):
    with pytest.raises(ValueError, match=f"to go on with, 02 to 11, not '{upto}'"):
        [*catch_up(upto, exercises)]


def test_the_command_says_so_in_one_line(monkeypatch):
    monkeypatch.setattr("sys.argv", ["catch_up", "12"])
    with pytest.raises(SystemExit, match=r"^Name the notebook .* 02 to 11, not '12'\.$"):
        main()


@needs.make
def test_without_solutions_it_is_one_clear_line(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv").mkdir()
    for name in ("requirements.txt", "pyproject.toml", ".venv/ready"):
        (tmp_path / name).touch()
    command = ["make", "catch-up", "UPTO=04"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    line = "Catching up needs solutions/, which this copy of the course does not have."
    assert done.stderr.splitlines()[0] == line
    assert done.returncode


def test_every_notebook_can_be_given():
    for path in notebooks():
        given = learner_notebook(path, solved)
        stubs = learner_notebook(path)
        assert [cell.cell_type for cell in given.cells] == [cell.cell_type for cell in stubs.cells]
        assert "your code here" not in nbformat.writes(given)
        compiled = [cell.source for cell in given.cells if cell.cell_type == "code"]
        assert compile("\n\n".join(compiled), path.name, "exec")
