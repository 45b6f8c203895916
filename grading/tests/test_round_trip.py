"""From a platform and back to it, and what stays while a class is graded in several goes.

Scoring is played here: the bytes of a file are its points. `test_grading.py` has the real one.
"""

import errno
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from grading import assignments, grader
from grading.__main__ import main
from grading.intake.submissions import CannotGrade
from grading.names import Names
from grading.report.store import Store
from grading.run.drawing import Drawing
from grading.run.grading import Budget, Grading
from grading.run.scoring import Result
from grading.tests.made import (
    NOTEBOOK,
    TASKS,
    class_file,
    outcomes,
    rows,
    run_command,
    table,
)
from tests import needs
from utils.checks import bank

pytestmark = needs.sandbox  # files are read in it
FIRST, WORTH = next(iter(TASKS.items()))
WORTH_ALL = sum(TASKS.values()) + 3  # with the question


@pytest.fixture(autouse=True)
def scored(monkeypatch) -> list[str]:
    """Return the files that were scored, in order; none of them is run."""
    files = []

    def score(submission, grading, alone):
        data = submission.read()
        files.append(submission.file)
        result = Result.for_file(submission)
        result.digest, result.notebook = hashlib.sha256(data).hexdigest(), NOTEBOOK
        result.words = {"dark_column": ""}
        result.tasks = outcomes(int(data))
        return result

    monkeypatch.setattr(grader, "score_submission", score)
    monkeypatch.setattr(grader, "Launcher", lambda *_: nullcontext())
    return files


def handed_in(folder: Path, **points: int) -> Path:
    for name, earned in points.items():
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.ipynb").write_text(str(earned))
    return folder


def zipped(path: Path, names: dict[str, int]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, earned in names.items():
            archive.writestr(name, str(earned))
    return path


def grades(out: Path, column: str = "Grade") -> dict[str, str]:
    return {row["Student"]: row[column] for row in rows(out / "grades.csv")}


def pages_of(out: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in (out / "learners").iterdir())


# --- There and back -------------------------------------------------------------------------------


def canvas_gives(name: str, user: int, file: int, called: str, late: bool = False) -> str:
    """Name a file as Canvas does: `lib/content_zipper.rb`."""
    name = re.sub(r"_(\d+)_", r"\1", name).lower()
    own = "_".join([name, *["LATE"] * late, str(user)])
    own, called = re.sub(r"[^\w]", "", own), re.sub(r"[/:*?<>|]", "_", called)
    return f"{own}_{file}_{called}"


def canvas_takes(name: str) -> tuple[str, str] | None:
    """Return the learner and the file that Canvas finds in a name: `abstract_assignment.rb`."""
    parts = [part for part in name.split("_") if part != "LATE"]
    numbers = [part for part in parts if re.fullmatch("[0-9]+", part)]
    if parts[0] == "anon":
        return parts[1], parts[2]
    if re.match("link", parts[-1]) or len(numbers) < 2:
        return None
    return numbers[0], numbers[1]


CANVAS = [
    ("Lovelace, Ada", 4021, 77001, "01_attention_concepts.ipynb", False, 2),
    ("Lovelace, Ada", 4022, 77002, "link.ipynb", False, 1),  # another of that name
    ("Müller, Zoë", 4023, 77003, "1_2_3.ipynb", True, 2),
    ("العلي, فاطمة", 4024, 77004, "واجب.ipynb", False, 1),
    ("O'Neill, =1+1", 4025, 77005, "my notebook (1).ipynb", False, 2),
]


def test_canvas_gets_its_grades_and_its_pages_back(tmp_path):
    files = {canvas_gives(*row[:5]): row[5] for row in CANVAS}
    source, out = zipped(tmp_path / "submissions.zip", files), tmp_path / "out"
    week = class_file(tmp_path / "week.toml", source, 'column = "Week 1 (815)"')
    main([str(week), "--seed", "1"])

    heads, possible, *learners = table(out / "grades.csv")
    assert heads[0] == "Student"
    assert heads[1] == "ID"
    assert "Section" in heads[-2]
    assert heads[-1] == "Week 1 (815)"
    assert possible[0] == "Points Possible"
    assert float(possible[-1]) == sum(TASKS.values()) + 3
    assert {row[1]: row[-1] for row in learners} == {str(row[1]): str(row[5]) for row in CANVAS}

    with zipfile.ZipFile(out / "feedback.zip") as archive:
        names = archive.namelist()
        taken = {canvas_takes(name): archive.read(name) for name in names}
    assert sorted(taken) == sorted((str(row[1]), str(row[2])) for row in CANVAS)
    for page in taken.values():  # Canvas hands it on as what was handed in: a notebook
        notebook = nbformat.reads(page.decode(), as_version=4)
        nbformat.validate(notebook)
        assert "points for code" in notebook.cells[0].outputs[0].data["text/html"]
    assert "1 of" in taken["4022", "77002"].decode()


def test_canvas_without_names_gets_its_pages_back(tmp_path):
    files = {"anon_aB3dE_77001_x.ipynb": 2, "LATE_anon_12345_77002_x.ipynb": 1}
    out = tmp_path / "out"
    main([str(zipped(tmp_path / "a.zip", files)), "--out", str(out)])
    names = zipfile.ZipFile(out / "feedback.zip").namelist()
    assert sorted(map(canvas_takes, names)) == [("12345", "77002"), ("aB3dE", "77001")]
    assert {row["ID"] for row in rows(out / "grades.csv")} == {""}  # never a wrong number


def moodle_gives(name: str, participant: int, called: str, folders: bool) -> str:
    """Name a file as Moodle does: `mod/assign/classes/downloader.php`."""
    prefix = f"{name.replace('_', ' ')}_{participant}_assignsubmission_file"
    return f"{prefix}{'/' if folders else '_'}{called}"


def moodle_takes(path: str) -> tuple[str, str]:
    """Return the participant, and the name that the file gets: `importziplib.php`."""
    parts = path.split("_", 4)
    assert (parts[2], parts[3]) == ("assignfeedback", "file")
    assert "/" not in parts[4]
    return parts[1], parts[4]


MOODLE = [
    ("Ada Lovelace", 9001, "01.ipynb", 2),
    ("Ada Lovelace", 9002, "01.ipynb", 1),
    ("Zoë_Müller", 9003, "a_b_c_7_8.ipynb", 2),
    ("فاطمة العلي", 9004, "واجب.ipynb", 1),
]


@pytest.mark.parametrize("folders", [True, False])
def test_moodle_gets_its_pages_back(tmp_path, folders):
    files = {moodle_gives(*row[:3], folders): row[3] for row in MOODLE}
    out = tmp_path / "out"
    main([str(zipped(tmp_path / "a.zip", files)), "--out", str(out)])
    with zipfile.ZipFile(out / "feedback.zip") as archive:
        taken = {moodle_takes(name): archive.read(name).decode() for name in archive.namelist()}
    assert {participant for participant, _ in taken} == {str(row[1]) for row in MOODLE}
    assert {name for _, name in taken} == {"feedback.html"}
    assert "Zoë Müller" in taken["9003", "feedback.html"]


def test_the_same_grades_give_the_same_zip_and_a_plain_class_has_none(tmp_path):
    files = {canvas_gives(*row[:5]): row[5] for row in CANVAS}
    source = zipped(tmp_path / "a.zip", files)
    for name in ("first", "again"):
        main([str(source), "--out", str(tmp_path / name), "--seed", "1"])
    first, again = ((tmp_path / name / "feedback.zip").read_bytes() for name in ("first", "again"))
    assert first == again
    main([str(handed_in(tmp_path / "in", ada=2)), "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out" / "feedback.zip").exists()


def test_a_rule_for_late_files_that_does_nothing_says_so(tmp_path, capsys):
    moodle = zipped(tmp_path / "m.zip", {moodle_gives(*row[:3], True): row[3] for row in MOODLE})
    plain = handed_in(tmp_path / "in", ada=2)
    canvas = zipped(tmp_path / "c.zip", {canvas_gives(*row[:5]): row[5] for row in CANVAS})
    for source, words in [
        (moodle, "does nothing: Moodle's files tell no times."),
        (canvas, "Canvas tells who is late, not by how much"),
        (plain, "does nothing without a deadline"),
    ]:
        (folder := tmp_path / f"{source.name}-week").mkdir()
        week = class_file(folder / "week.toml", source, "deduction = 20")
        assert words in run_command(capsys, week)[1]
        class_file(week, source, 'counts = "last"')
        assert "does nothing" not in run_command(capsys, week)[1]
    class_file(week, plain, "deadline = 2020-01-01\ndeduction = 5")
    assert "does nothing" not in run_command(capsys, week)[1]
    assert grades(folder / "out") == {"ada": "0"}


# --- In several goes ------------------------------------------------------------------------------


def test_files_that_are_gone_leave_the_grades_and_are_listed(tmp_path, capsys, scored):
    source, out = handed_in(tmp_path / "in", ada=2, bob=1, eve=1), tmp_path / "out"
    main([str(source), "--out", str(out)])
    (source / "bob.ipynb").unlink()
    (source / "eve.ipynb").rename(source / "Eve.ipynb")
    scored.clear()
    status, errors = run_command(capsys, source, "--out", out, "--resume")
    assert status == 0
    assert "Removed or renamed, and no longer in the grades: bob.ipynb, eve.ipynb" in errors
    assert grades(out) == {"Eve": "1", "ada": "2"}
    assert scored == ["Eve.ipynb"]
    files = {row["file"]: row for row in rows(out / "files.csv")}
    assert sorted(files) == ["Eve.ipynb", "ada.ipynb", "bob.ipynb", "eve.ipynb"]
    assert files["bob.ipynb"]["reason"] == "removed or renamed since it was graded"
    handed_in(source, bob=1)  # it is back
    run_command(capsys, source, "--out", out, "--resume")
    assert grades(out)["bob"] == "1"
    assert scored == ["Eve.ipynb"]


def test_another_folder_does_not_empty_the_grades(tmp_path, capsys):
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    main([str(source), "--out", str(out)])
    before = (out / "grades.csv").read_bytes()
    status, errors = run_command(
        capsys, handed_in(tmp_path / "other", bob=1), "--out", out, "--resume"
    )
    assert (status, errors.count("\n")) == (2, 1)
    assert "Nothing that was graded into" in errors
    assert (out / "grades.csv").read_bytes() == before


def test_one_learner_is_marked_anew_and_nobody_else(tmp_path, scored, capsys):
    source, out = handed_in(tmp_path / "in", ada=2, bob=1), tmp_path / "out"
    main([str(source), "--out", str(out), "--seed", "3"])
    handed_in(source, bob=2, carl=1)
    scored.clear()
    assert run_command(capsys, source, "--out", out, "--again", "Ada")[0] == 0
    assert scored == ["ada.ipynb"]
    assert grades(out) == {"ada": "2", "bob": "1"}
    assert Store(out).run["seed"] == 3


def test_points_by_a_person_stay_and_the_page_gives_the_reason(tmp_path, capsys):
    source, out = handed_in(tmp_path / "in", ada=2, bob=1), tmp_path / "out"
    main([str(source), "--out", str(out)])
    marks = f"learner,question,points,remark\nada,{FIRST},0.5,Copied from <bob>.\n"
    marks += "ada,dark_column,1.5,Only <one> reason.\neve,dark_column,1,\n"
    (out / "marks.csv").write_text(marks)
    for arguments in (["--resume"], ["--again", "ada"], ["--resume"]):
        status, errors = run_command(capsys, source, "--out", out, *arguments)
        assert status == 0
        assert "marks.csv, row 4: nobody is called 'eve', or several are. Copy" in errors
        assert grades(out) == {"ada": "2", "bob": "1"}
        assert [row["dark_column (3)"] for row in rows(out / "tasks.csv")] == ["1.5", ""]
        assert "0.5 points, given by a person. Copied from &lt;bob&gt;." in pages_of(out)
        assert "1.5 points</h3>\n<p>Only &lt;one&gt; reason.</p>" in pages_of(out)
        assert marks in (out / "marks.csv").read_text(encoding="utf-8-sig").replace("\r\n", "\n")


@pytest.mark.parametrize("file", [False, True])
def test_what_is_possible_is_not_for_one_learner_to_raise(tmp_path, capsys, monkeypatch, file):
    own = grader.score_submission

    def score(submission, grading, alone):
        result = own(submission, grading, alone)
        if submission.file.endswith("other.ipynb"):
            result.notebook = "02_additive_attention"
            of_others = next(iter(result.tasks.values()))
            result.tasks = {task.id: of_others for task in bank.tasks()[result.notebook]}
        return result

    monkeypatch.setattr(grader, "score_submission", score)
    source, out = tmp_path / "in", tmp_path / "out"
    handed_in(source, **{f"learner{number}": 1 for number in range(8)})
    handed_in(source / "ada", other=2, own=1)
    arguments = [class_file(tmp_path / "c.toml", source)] if file else [source, "--out", out]
    errors = run_command(capsys, *arguments)[1]
    assert grades(out)["ada"] == "1"
    assert {row["Points possible"] for row in rows(out / "grades.csv")} == {str(WORTH_ALL)}
    assert "graded, does not count" in pages_of(out)
    line = f"{WORTH_ALL} points are possible, from what at least a third handed in: {NOTEBOOK}."
    assert (line in errors) is not file
    assert ("Not counted: 02_additive_attention (1 of 9)." in errors) is not file


def test_show_tells_what_is_known_of_a_learner(tmp_path, capsys):
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    main([str(source), "--out", str(out)])
    (out / "marks.csv").write_text("learner,question,points,remark\nada,dark_column,3,Good.\n")
    capsys.readouterr()
    assert main(["show", "ADA", "--out", str(out)]) == 0
    errors = capsys.readouterr().out
    assert errors.splitlines()[:2] == ["ada: 5 of 20 points", "  ada.ipynb: graded"]
    assert f"    {FIRST}: 2 of {WORTH}, " in errors
    assert "  dark_column: 3 by you. Good." in errors
    (page,) = re.findall(r"\S+\.html", errors)
    assert Path(page).is_file()
    reader, writer = os.pipe()
    os.close(reader)  # as `| head` does when it has read enough
    command = [sys.executable, "-m", "grading", "show", "ada", "--out", out]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_two_graders_do_not_share_a_folder(tmp_path, capsys, monkeypatch):
    """The other one is another process, which is then killed without warning."""
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    script = (
        "import sys\nfrom pathlib import Path\nfrom grading.report.store import Store\n"
        f"with Store(Path({str(out)!r})).alone():\n"
        "    print('held', flush=True)\n    sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout.readline() == "held\n"
        for arguments in ([source, "--out", out], [source, "--out", out, "--resume"]):
            status, errors = run_command(capsys, *arguments)
            assert (status, errors.count("\n")) == (2, 1)
            assert f"Another grader is at work in {out}. Wait until it is done" in errors
        assert not Store(out).run  # no seed was drawn
    finally:
        other.kill()
        other.communicate()
    assert run_command(capsys, source, "--out", out)[0] == 0
    with Store(out).alone(), pytest.raises(CannotGrade, match="Another grader"):
        grader.regrade(out)


@pytest.fixture
def with_records(monkeypatch) -> None:
    """Have every file ask for the records of its notebook, for which nothing is trained."""
    score, records = grader.score_submission, [*bank.load_all(bank.FOLDER / NOTEBOOK).values()]

    def score_with_records(submission, grading, alone):
        assert grading.assignments[NOTEBOOK]
        return score(submission, grading, alone)

    monkeypatch.setattr(assignments, "fresh_records", lambda *_: records)
    monkeypatch.setattr(grader, "score_submission", score_with_records)


@pytest.mark.usefixtures("with_records")
@pytest.mark.parametrize("place", ["results", "records", "overview.html.part"])
def test_a_full_disk_is_called_so_and_costs_nothing(tmp_path, monkeypatch, capsys, place):
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    enough, open_ = [], Path.open

    def full(path, mode="r", *more, **options):
        inside = path.relative_to(out).parts if path.is_relative_to(out) else ()
        if place in inside and "r" not in mode and not enough:
            raise OSError(errno.ENOSPC, "No space left on device")
        return open_(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", full)
    status, errors = run_command(capsys, source, "--out", out)
    assert status == 2
    assert errors.splitlines()[-1] == (
        "The disk is full. What is graded is kept: make room, and go on with --resume."
    )
    enough.append(True)
    assert run_command(capsys, source, "--out", out, "--resume")[0] == 0
    assert grades(out) == {"ada": "2"}


def correct_a_task(monkeypatch):
    """Let the first task be worth a point more from now on."""
    load = bank.load_all

    def corrected(path):
        records = load(path)
        task = replace(records[FIRST].task, points=WORTH + 1)
        return records | {FIRST: replace(records[FIRST], task=task)}

    monkeypatch.setattr(bank, "load_all", corrected)


@pytest.mark.usefixtures("with_records")
def test_one_learner_takes_a_regrade_only_so_long_and_stops_it_for_nobody(
    tmp_path, monkeypatch, capsys
):
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    assert run_command(capsys, source, "--out", out)[0] == 0
    correct_a_task(monkeypatch)
    store = Store(out)
    with store.alone(), Drawing(assignments.draw) as drawing:
        correction = grader._Correction(store, Names(out), drawing)
        (again,) = correction.submissions()
        grading = Grading(correction.now, launcher=None)  # which is not needed
        grading.budgets["ada"] = Budget(late=0.0)
        kept = correction.score(grading, again, True)
    assert kept == store.load("ada.ipynb")
    assert "ada.ipynb keeps its points: the files of this learner" in capsys.readouterr().err


@pytest.mark.usefixtures("with_records")
def test_a_class_is_not_graded_by_two_measures(tmp_path, monkeypatch, capsys):
    source, out = handed_in(tmp_path / "in", ada=2), tmp_path / "out"
    assert run_command(capsys, source, "--out", out)[0] == 0
    correct_a_task(monkeypatch)
    status, errors = run_command(capsys, handed_in(source, bob=1), "--out", out, "--resume")
    assert status == 2
    assert "have changed since they were graded" in errors
