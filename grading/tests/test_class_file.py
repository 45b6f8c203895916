"""One file says what a class is graded by, and what is wrong in it is said at once."""

import os
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from grading.__main__ import main
from grading.intake import class_file
from grading.intake.class_file import ClassFile, Person, read
from grading.intake.limited_reader import read_here
from grading.intake.submissions import CannotGrade
from grading.report import pages
from grading.report.tables import learners, read_marks
from grading.run.scoring import Outcome
from grading.tests.made import (
    NOTEBOOK,
    TASKS,
    code,
    in_a_zip,
    notebook,
    result,
    rows,
    run_command,
    stub,
    write_files,
)
from tests import needs
from utils.checks.tasks import Reason

FIRST, WORTH = next(iter(TASKS.items()))
FULL = sum(TASKS.values())
DUE = datetime(2030, 1, 31, 23, 59).timestamp()
HOUR, DAY = 3600, 86400


def written(folder: Path, text: str) -> Path:
    (folder / "week1.toml").write_text(text, encoding="utf-8")
    return folder / "week1.toml"


# --- Reading --------------------------------------------------------------------------------------

WEEK = """
handed_in = "in"
grades = "grades"
notebooks = ["01", "02_additive_attention"]
dropped = ["dark_column"]
counts = "last"
deadline = 2030-01-31 23:59:00
grace = 15
deduction = 12.5
roster = "roster.csv"
column = "Week 1 (815)"
course = "https://hub.example.org/lab/tree/course/"
[points]
entropy = 5
[extensions]
"Ada Lovelace" = 2030-02-02
"""


def test_everything_is_read(tmp_path):
    (tmp_path / "roster.csv").write_text("Name,Section\nAda Lovelace,A\n")
    known = read(written(tmp_path, WEEK))
    assert (known.handed_in, known.grades) == (tmp_path / "in", tmp_path / "grades")
    assert known.notebooks == [NOTEBOOK, "02_additive_attention"]
    assert (known.deadline, known.grace, known.deduction) == (DUE, 15 * 60, 12.5)
    assert known.extensions == {"Ada Lovelace": datetime(2030, 2, 2, 23, 59, 59).timestamp()}
    assert known.roster == [Person("Ada Lovelace", "", "A")]
    assert (known.column, known.counts) == ("Week 1 (815)", "last")
    assert known.course == "https://hub.example.org/lab/tree/course"
    assert (known.parts["entropy"], "dark_column" in known.parts) == (5, False)


def test_every_mistake_is_named_at_once_with_its_cure(tmp_path):
    wrong = WEEK.replace("counts =", "count =").replace("2030-01-31 23:59:00", '"31 January"')
    wrong = wrong.replace("12.5", "120").replace("entropy = 5", "entropi = 5\nfour_patterns = 0")
    wrong = wrong.replace('"01", ', '"01", "002_additive", ').replace("grace = 15", "grace = -1")
    wrong = wrong.replace("https://", "hub:").replace("2030-02-02", "3")
    wrong = wrong.replace('"Week 1 (815)"', "815").replace('handed_in = "in"\n', "")
    with pytest.raises(CannotGrade) as problem:
        read(written(tmp_path, wrong))
    lines = str(problem.value).split("\n  ")
    assert lines[0] == f"{tmp_path / 'week1.toml'} has 12 mistakes:"
    assert "count: there is no such key. Did you mean counts?" in lines
    for begin, cure in [
        ("handed_in: it is missing", ""),
        ("notebooks: no notebook is '002_additive'", "Did you mean 02_additive_attention?"),
        ("deadline: write a day, or a day and a time, without quotes", "2030-01-31 23:59:00"),
        ("grace: a number of minutes is needed", "such as 10, not -1"),
        ("deduction: a number of per cent a day, from 0 to 100, is needed", "not 120"),
        (f"roster: {tmp_path / 'roster.csv'} cannot be used", "No such file"),
        ("column: a text in quotes is needed", ""),
        ("course: 'hub:hub.example.org/lab/tree/course/' is no address", "https://"),
        ("points.four_patterns: 0 is no number above 0", "`dropped` drops it"),
        ("points: no task or question is called 'entropi'", "Did you mean entropy?"),
        ("extensions.Ada Lovelace: write a day", "2030-02-02 12:00:00"),
    ]:
        (line,) = (line for line in lines if line.startswith(begin))
        assert cure in line


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("deadline = 2030-01-31 23:59:00", "deadline = 31.01.2030"),
        ("deadline = 2030-01-31 23:59:00", "deadline = 2030-02-31"),
        ('"Ada Lovelace" = 2030-02-02', "Zoë = 2030-02-02"),
        ('"Ada Lovelace" = 2030-02-02', "Ada Lovelace = 2030-02-02"),
        ('handed_in = "in"', "handed_in = week1.zip"),
        ('handed_in = "in"', "handed_in = “in”"),
        ('handed_in = "in"', 'handed_in = "in'),
        ("deduction = 12.5", "deduction = 12,5"),
        ('dropped = ["dark_column"]', "dropped = [dark_column]"),
    ],
)
def test_of_what_is_no_toml_the_line_is_named_and_how_to_write_it(tmp_path, line, wrong):
    text = WEEK.replace(line, wrong)
    with pytest.raises(CannotGrade) as problem:
        read(written(tmp_path, text))
    place = f"(at line {text.splitlines().index(wrong) + 1}, column "
    message = str(problem.value)
    assert message.startswith(f"{tmp_path / 'week1.toml'} is no TOML: ")
    assert place in message
    assert message.endswith(class_file.HOW_TO_WRITE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('dropped = [\n  "dark_column",', "is no TOML: .* in straight quotes"),
        (WEEK.replace('["dark_column"]', '"dark_column"'), "dropped: a list of texts is needed"),
        (WEEK.replace("[points]\nentropy", "points"), "points: a table is needed"),
        (WEEK.replace('["01", "02_additive_attention"]', "[]"), "notebooks: name at least one"),
        (WEEK.replace("dark_column", "entropy"), "points: entropy cannot have points and be"),
        (WEEK.replace("deadline", "# deadline"), "grace: there is no deadline"),
        (WEEK.replace('"last"', '"first"'), "counts: 'first' is none of"),
        (WEEK.replace("12.5", "true"), "deduction: .* such as 10, not True"),
        (WEEK.replace("12.5", "nan"), "deduction: .* such as 10, not nan"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, text, problem):
    (tmp_path / "roster.csv").write_text("Name\nAda Lovelace\n")
    with pytest.raises(CannotGrade, match=problem):
        read(written(tmp_path, text))


CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (815)
Points Possible,,,,,27
"Lovelace, Ada",4021,s1,ada,Monday,
"Müller, Zoë",4022,s2,zoe,Friday,
"Student, Test",4999,,x,Friday,
"""
MOODLE = """Identifier,Full name,Status,Grade,Maximum grade,Last modified (submission)
Participant 9001,Ada Lovelace,Submitted,,27,"Friday, 1 February 2030, 12:59 AM"
Participant 9002,Ada Lovelace,No submission,,27,-
"""


def roster(folder: Path, text: str | bytes) -> ClassFile:
    data = text if isinstance(text, bytes) else text.encode()
    (folder / "roster.csv").write_bytes(data)
    return read(written(folder, WEEK))


def test_a_platform_s_own_table_is_a_roster(tmp_path):
    canvas = roster(tmp_path, CANVAS)
    assert [person.id for person in canvas.roster] == ["4021", "4022"]
    assert canvas.person("lovelaceada", "4021").section == "Monday"
    assert canvas.person("lovelaceada", "4099") is None  # another of that name
    assert canvas.person("lovelaceada", "").id == "4021"  # where there are no numbers
    moodle = roster(tmp_path, MOODLE)
    assert moodle.person("Ada Lovelace", "9001").time == DUE + HOUR
    assert moodle.person("Ada Lovelace", "9002").time is None
    american = roster(tmp_path, MOODLE.replace("1 February 2030", "February 1, 2030"))
    assert american.roster == moodle.roster
    assert moodle.person("Ada Lovelace", "") is None  # which of the two?


def test_a_roster_of_a_german_spreadsheet_is_read(tmp_path):
    own = roster(tmp_path, "Name;Group\r\nZoë Müller;B\r\n".encode("cp1252"))
    assert own.person("zoë müller", "").section == "B"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Surname\nX\n", "no column Name"),
        ("Name\nAda\nAda\n", "Ada, Ada: a name or number twice"),
        (MOODLE.replace("Friday", "Freitag"), "1 February 2030, 12:59 AM' is no time. Set Moodle"),
    ],
)
def test_a_roster_that_is_none_says_so(tmp_path, text, problem):
    with pytest.raises(CannotGrade, match=f"roster: roster.csv cannot be used: .*{problem}"):
        roster(tmp_path, text)


# --- What it decides ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "days"),
    [(-DAY, 0), (0, 0), (15 * 60, 0), (16 * 60, 1), (DAY, 1), (DAY + 1, 2), (9 * DAY, 9)],
)
def test_days_are_counted_from_the_deadline_once_the_grace_is_over(after, days):
    rules = ClassFile(deadline=DUE, grace=15 * 60, deduction=30)
    (ada,) = learners([result("ada", 2, words={}, time=DUE + after)], rules)
    assert ada.files[0].days_late == days
    assert ada.points == max(0, round(2 * (1 - 0.3 * days), 2))


def test_an_extension_is_one_learner_s_own_deadline():
    rules = ClassFile(deadline=DUE, deduction=50, extensions={"ada": DUE + DAY, "zoë": DUE + DAY})
    late = [result(name, 2, words={}, time=DUE + HOUR) for name in ("Ada", "bob")]
    assert [learner.points for learner in learners(late, rules)] == [2, 1]
    called = [result(name, 2, "canvas", "7", words={}, late=True) for name in ("bob", "zoë")]
    assert [learner.points for learner in learners(called, rules)] == [1, 2]


def test_moodle_s_worksheet_says_when_it_was_handed_in(tmp_path):
    rules = roster(tmp_path, MOODLE)
    ada, other = learners([result("Ada Lovelace", 2, "moodle", "9001", words={})], rules)
    assert (ada.files[0].days_late, ada.id, other.id) == (0, "9001", "9002")  # by her extension
    rules = ClassFile(deadline=DUE, roster=rules.roster)
    ada, _ = learners([result("Ada Lovelace", 2, "moodle", "9001", words={})], rules)
    assert ada.files[0].days_late == 1


def test_an_extension_that_fits_two_learners_is_refused(tmp_path):
    rules = roster(tmp_path, MOODLE)
    with pytest.raises(CannotGrade, match="Ada Lovelace may be several learners"):
        rules.check_people([("Ada Lovelace", "9001")])


def test_who_is_missing_and_who_is_a_stranger_is_told(tmp_path):
    rules = roster(tmp_path, CANVAS)
    lines = rules.check_people([("lovelaceada", "4021"), ("eve", "4023")])
    assert lines == ["Not on the roster: eve (4023)"]  # and the extension is Ada's
    named = rules.with_names([("lovelaceada", "4021"), ("eve", "4023")])
    assert named == {("lovelaceada", "4021", "Lovelace, Ada", "Ada Lovelace"), ("eve", "4023")}
    assert [person.name for person in rules.missing([("lovelaceada", "4021")])] == ["Müller, Zoë"]
    assert rules.check_people([("bob", "1")])[0].startswith("Not on the roster: bob")
    lines = rules.check_people([("Zoë Müller final (2)", "")])
    assert lines[-1].startswith("If Zoë Müller final (2) is Müller, Zoë, who seems to have")
    alone = ClassFile(extensions={"Ada Lovelace": DUE})
    assert alone.check_people([("bob", "")]) == [
        "Extensions for learners who have handed in nothing: Ada Lovelace"
    ]


@pytest.mark.parametrize(
    "name",
    ["lovelaceada (4021)", "Lovelace, Ada", "Ada Lovelace", "4021", "'4021", "??????? (4021)"],
)
def test_a_mark_finds_its_learner_by_any_name(tmp_path, name):
    rules = roster(tmp_path, CANVAS)
    class_ = learners([result("lovelaceada", lms="canvas", id="4021", words={})], rules)
    path = tmp_path / "marks.csv"
    path.write_text(f'learner,question,points,remark\n"{name}",entropy,2,shown to me\n')
    assert read_marks(path, class_) == []
    (ada,) = (learner for learner in class_ if learner.id == "4021")
    assert ada.overrides["entropy"].points == 2


def test_an_extension_for_nobody_on_the_roster_is_refused(tmp_path):
    rules = replace(roster(tmp_path, CANVAS), extensions={"Ada Lovelacce": DUE})
    with pytest.raises(CannotGrade, match="Ada Lovelacce: nobody on the roster is called so"):
        rules.check_people([("lovelaceada", "4021")])


# --- A class graded by it -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> Path:
    """A week with one file: the folder that holds it, with the grades in `out`."""
    folder = tmp_path_factory.mktemp("week")
    right = notebook(*code("01"), words={"dark_column": "So."})
    source = write_files(
        folder / "in",
        {f"{name}.ipynb": right for name in ("Ada Lovelace", "Bob", "Eve")}
        | {"Sue.ipynb": stub("02")},
    )
    for name, at in [("Ada Lovelace", DUE + HOUR), ("Bob", DUE - HOUR), ("Eve", DUE + HOUR)]:
        os.utime(source / f"{name}.ipynb", (at, at))
    (folder / "roster.csv").write_text("Name,Section\nAda Lovelace,A\nBob,B\nEve,B\nSue,\nTom,B\n")
    week = WEEK.replace(', "02_additive_attention"', "").replace(
        'grades = "grades"', 'grades = "out"'
    )
    assert main([str(written(folder, week)), "--seed", "7", "--unsafe"]) == 0
    return folder


def test_a_week_is_graded_by_one_file(graded):
    grades = {row["Student"]: row for row in rows(graded / "out" / "grades.csv")}
    full = FULL + 5 - TASKS["entropy"]
    assert {row["Points possible"] for row in grades.values()} == {str(full)}
    assert grades["Bob"]["Grade"] == grades["Ada Lovelace"]["Grade"] == str(full)
    assert float(grades["Eve"]["Grade"]) == round(full * 0.875, 2)
    assert grades["Tom"]["Grade"] == ""
    assert [row["Section"] for row in grades.values()] == ["A", "B", "B", "", "B"]
    tasks = {row["Student"]: row for row in rows(graded / "out" / "tasks.csv")}
    assert tasks["Bob"]["entropy (5)"] == "5"
    assert not [head for head in tasks["Bob"] if head.startswith("dark_column")]
    files = {row["file"]: row["reason"] for row in rows(graded / "out" / "files.csv")}
    assert "02_additive_attention, which does not count for this class" in files["Sue.ipynb"]


@pytest.mark.parametrize(
    ("points", "of", "reason", "told"),
    [
        (3, 1.0, Reason.PASSED, "✓ Entropy: passed, 1 of 1 point"),
        (3, 4.5, Reason.PASSED, "✓ Entropy: passed, 4.5 of 4.5 points"),
        (2, 6.0, Reason.VALUES, "✗ Entropy: not yet, 4 of 6 points so far"),
        (0, 6.0, Reason.VALUES, "✗ Entropy: not yet"),
    ],
)
def test_other_points_are_told_where_feedback_begins(points, of, reason, told):
    outcome = Outcome(points, 3, reason, "", "Entropy", (), points)
    rules = ClassFile(points={"entropy": of})
    (ada,) = learners([result("ada", tasks={"entropy": outcome})], rules)
    assert ada.files[0].tasks["entropy"].heading == told


def test_pages_follow_the_file(graded):
    page = (graded / "out" / "learners" / "Eve.html").read_text(encoding="utf-8")
    assert "Entropy: passed, 5 of 5 points" in page
    assert "dark_column" not in page
    overview = (graded / "out" / "overview.html").read_text(encoding="utf-8")
    assert "Tom" in overview
    wrong = result("ada")
    (ada,) = learners([wrong], ClassFile(course="https://hub.example.org/lab/tree/course"))
    page = pages.learner_page(ada, [], True)
    assert f"https://hub.example.org/lab/tree/course/notebooks/{NOTEBOOK}.ipynb#" in page
    assert "localhost" not in page
    assert "while the course is open" not in page


def test_the_file_as_it_is_now_decides(graded, capsys):
    path = graded / "week1.toml"
    before = path.read_text()
    path.write_text(before.replace("12.5", "100"))
    capsys.readouterr()
    assert main(["show", "Eve", "--out", str(path)]) == 0
    assert "Eve: 0 of" in capsys.readouterr().out
    status, errors = run_command(capsys, graded / "in")
    assert (status, "Name a folder with --out, or give a class file." in errors) == (2, True)
    status, errors = run_command(capsys, path, "--out", "elsewhere")
    assert (status, "leave --out away" in errors) == (2, True)
    assert run_command(capsys, path, "--unsafe")[0] == 0  # goes on, without --resume
    eve = next(row for row in rows(graded / "out" / "grades.csv") if row["Student"] == "Eve")
    assert eve["Grade"] == "0"
    path.write_text(before)


def test_a_class_file_that_was_moved_is_told_and_followed(graded, capsys):
    path, out = graded / "week1.toml", graded / "out"
    moved = graded.parent / f"{graded.name} moved"
    moved.mkdir()
    text = path.read_text().replace('"in"', f'"{graded / "in"}"').replace('"out"', f'"{out}"')
    text = text.replace('"roster.csv"', f'"{graded / "roster.csv"}"')
    (moved / "week1.toml").write_text(text)
    path.rename(graded / "away")
    for words in (["show", "Eve"], ["regrade"]):
        status, errors = run_command(capsys, *words, "--out", out)
        assert status == 2
        assert f"the class file {path}, which is there no more" in errors
        assert "new place in place of the folder, such as --out WHERE/week1.toml" in errors
        assert "`handed_in`, `grades` and `roster` in it start from" in errors
    assert main(["show", "Eve", "--out", str(moved / "week1.toml")]) == 0
    assert main(["show", "Eve", "--out", str(out)]) == 0  # its new place is known
    (graded / "away").rename(path)


# --- A new one ------------------------------------------------------------------------------------


@needs.sandbox
def test_a_new_file_is_written_from_what_was_handed_in(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"learner{number}.ipynb" for number in range(5)]
    write_files(tmp_path / "week 1", dict.fromkeys(names, stub("01")) | {"x.ipynb": stub("02")})
    assert main(["new", "week 1"]) == 0
    text = Path("week 1.toml").read_text(encoding="utf-8")
    assert "6 learners, 6 files" in text
    assert "entropy 3" in text
    assert "dark_column 3" in text
    known = read(Path("week 1.toml"))
    assert known.notebooks == [NOTEBOOK]
    assert (known.handed_in, known.grades) == (Path("week 1"), Path("week 1-grades"))
    status, errors = run_command(capsys, "new", "week 1")
    assert (status, "is there already" in errors) == (2, True)


@needs.sandbox
def test_every_key_that_a_new_file_has_switched_off_can_be_switched_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "in", {"ada.ipynb": stub("01")})
    (tmp_path / "roster.csv").write_text("Name\nAda Lovelace\n")
    main(["new", "in"])
    path = tmp_path / "in.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    on = [line.removeprefix("# ") if " = " in line else line for line in lines]
    path.write_text("\n".join(on), encoding="utf-8")
    assert read(path).extensions == {"Ada Lovelace": DUE + 2 * DAY}
    keys = {line.partition(" = ")[0] for line in on if " = " in line}
    assert keys >= {*ClassFile.__dataclass_fields__} - {"path"} - {"points", "extensions"}


def looked_through(folder: Path, files: dict[str, bytes]) -> list[str]:
    """Return the notebooks that a new class file names for these files."""
    text = class_file.new(write_files(folder, files), read_here)
    return read(written(folder.parent, text)).notebooks


def test_a_new_file_keeps_each_notebook_that_a_third_handed_in(tmp_path):
    one, four, six = (stub(number) for number in ("01", "04", "06"))
    files = {f"learner{at}/1.ipynb": one for at in range(6)}
    files |= {f"learner{at}/2.ipynb": four for at in range(2)} | {"learner5/3.ipynb": six}
    assert [name[:2] for name in looked_through(tmp_path / "a", files)] == ["01", "04"]
    handed_in = {f"u{at}/ps1/{name}": one for at in range(4) for name in ("01.ipynb",)}
    handed_in |= {f"u{at}/ps1/timestamp.txt": b"2029-01-30 10:12:13 UTC" for at in range(4)}
    assert looked_through(tmp_path / "submitted", handed_in) == [NOTEBOOK]
    zips = {f"learner{at}.zip": in_a_zip(one) for at in range(3)}
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("01.ipynb", one)
        archive.writestr("04.ipynb", four)
    zips["eve.zip"] = zips["tom.zip"] = (tmp_path / "both.zip").read_bytes()
    assert [name[:2] for name in looked_through(tmp_path / "z", zips)] == ["01", "04"]


@needs.sandbox
def test_a_new_file_for_nothing_of_the_course_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "in", {"ada.ipynb": b"{}"})
    assert main(["new", "in"]) == 0
    assert "No notebook of the course is among the files" in capsys.readouterr().out


def test_a_roster_with_first_and_last_names_is_read(tmp_path):
    own = roster(tmp_path, "Last Name,First Name,Username,Student ID\nLovelace,Ada,u0001,77\n")
    assert own.person("Ada Lovelace", "").names == ("Lovelace, Ada", "Ada Lovelace")
    assert own.person("u0001", "u0001").id == "77"
