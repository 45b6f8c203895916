"""Whatever a name or a text from outside holds: it steers no terminal, turns no line, ends nothing.

Each of these names is a learner's to choose: of a file, of a folder in a zip, of an account.
"""

import ast
import io
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from grading.intake import class_file
from grading.intake.class_file import ClassFile, read
from grading.intake.submissions import CannotGrade, find
from grading.report import pages, tables
from grading.run.scoring import Outcome
from grading.tests.made import NOTEBOOK, TASKS, notebook, result, run_command, write_files
from grading.text import CONTROL, INVISIBLE, LONGEST, clean, say, shown, toml, visible
from tests import needs
from utils.checks.tasks import Reason

ROOT = Path(__file__).parents[2]
TITLE, CLEAR, COPY = "\x1b]0;PWNED\x07", "\x1b[2J", "\x1b]52;c;aGk=\x07"  # of a terminal
NASTY = {
    "escapes": f"a{TITLE}{CLEAR}{COPY}",
    "turned": "\u202eadA",
    "hidden": "A\u200bda",
    "C1": "a\x9b2J",
    "lines": "a\nb\r\u2028c\x85d",
    "nothing": "a\0b",
    "no UTF-8": "a\udcffb",
    "half a letter": "a\ud800b",
    "long": "a" * 100_000,
    "tags": "a\U000e0041",
}
FIRST = next(iter(TASKS))
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def is_clean(text: str) -> bool:
    """Return whether a text holds nothing that steers a terminal or turns what follows."""
    left = text.replace("\n", "").replace("\r", "").replace("\t", "")
    left.encode()  # half a letter cannot be written
    return not CONTROL.search(left) and not INVISIBLE.search(left)


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_the_door_cleans_what_comes_through_it(name):
    assert is_clean(visible(name))
    once = clean(name)
    assert is_clean(once)
    assert len(once.splitlines()) == 1
    assert len(once) <= LONGEST
    assert clean(once) == once
    assert is_clean(shown(name))
    assert len(shown(name)) < 100


def test_long_names_stay_apart_and_honest_ones_stay_as_they_are():
    assert clean("a" * 1000) != clean("a" * 1001)
    for name in ("Chloë O'Neill", "小明 李", "علي", "x" * LONGEST):
        assert clean(name) == name
    assert shown(10**5000).startswith("a")  # Python writes no number of so many digits
    assert visible("two\r\nlines\twith a tab") == "two\nlines\twith a tab"


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_toml_reads_back_what_the_class_file_writes(name):
    text = f"at = {toml(name)}"
    if "\udcff" in name or "\ud800" in name:
        return  # refused by `new`, below
    assert tomllib.loads(text) == {"at": name}
    assert is_clean(text)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "utf-16"])
def test_every_name_can_be_printed_on_every_terminal(encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    for name in (*NASTY.values(), "Chloë 小明"):
        say(name, stream)
    assert is_clean(stream.buffer.getvalue().decode(encoding))


def test_only_the_door_prints():
    """The commands print through `say`, so that no new line forgets to clean."""
    files = [*ROOT.glob("grading/**/*.py"), ROOT / "workshop" / "hub" / "collect.py"]
    assert len(files) > 40
    for path in files:
        if "tests" in path.parts or path.name in ("text.py", "classroom.py"):
            continue
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if type(node) is ast.Call]
        printing = [call.lineno for call in calls if ast.unparse(call.func) == "print"]
        assert not printing, f"{path}, lines {printing}: say() cleans what it prints"


# --- Where names come from ------------------------------------------------------------------------


@pytest.fixture
def gradescope(tmp_path):
    """Return a function that writes an export of Gradescope with a learner of some name.

    Its metadata has escapes, which become letters only after it was read.
    """

    def written(name: str) -> Path:
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            quoted = json.dumps(name)
            metadata = f"submission_1:\n  :submitters:\n  - :name: {quoted}\n    :sid: {quoted}\n"
            archive.writestr("export/submission_metadata.yml", metadata)
            archive.writestr("export/submission_1/01.ipynb", notebook())
            archive.writestr("export/submission_2/01.ipynb", notebook())
        return path

    return written


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_names_in_a_platforms_own_file_are_clean(gradescope, name):
    lines = []
    for each in find(gradescope(name), lines.append):
        assert is_clean(each.learner + each.id)
        assert len(each.learner.splitlines()) == 1


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY)
def test_names_of_the_roster_are_clean_on_tables_and_pages(tmp_path, name):
    roster = tmp_path / "roster.csv"
    quoted = name.replace("\r", "")
    roster.write_text(f'Name,ID,Section\n"{quoted}",1,"{quoted}"\nBob,2,A\n', errors="replace")
    rules = ClassFile(notebooks=[NOTEBOOK], roster=class_file.read_roster(roster))
    assert len(rules.roster) == 2
    class_ = tables.learners([result("Bob", id="2")], rules)
    tables.write_grades(class_, tmp_path / "grades.csv")
    tables.write_tasks(class_, tmp_path / "tasks.csv")
    for written in ("grades.csv", "tasks.csv"):
        assert is_clean((tmp_path / written).read_text(encoding="utf-8-sig"))
    links = pages.page_names(class_)
    assert is_clean(pages.overview(class_, {}, links, True))
    assert all(is_clean(pages.learner_page(learner, [], True)) for learner in class_)
    assert all(map(is_clean, tables.about_possible(class_)))


def test_answers_and_messages_are_on_pages_as_in_marks_csv(tmp_path):
    answer = f"Because\u202e of {TITLE}this.\n\n\tAnd that."
    outcome = Outcome(0, 3, Reason.VALUES, "", f"T{TITLE}", [f"no {TITLE}\u202e `x`"], 0)
    file = result("ada", words={"dark_column": answer}, tasks={FIRST: outcome})
    file.remarks, file.elsewhere = [f"cell 1: {TITLE}\u202e"], [f"cell 2: {TITLE}"]
    class_ = tables.learners([file], ClassFile(notebooks=[NOTEBOOK]))
    class_[0].marks["dark_column"] = tables.ManualMark(1, f"Good\u202e {TITLE}")
    page = pages.learner_page(class_[0], [], True)
    overview = pages.overview(class_, {}, pages.page_names(class_), True)
    for html in (page, overview):
        assert is_clean(html)
        assert "Because of \ufffd]0;PWNED\ufffdthis." in html
    del class_[0].marks["dark_column"]
    tables.write_marks(class_, tmp_path / "marks.csv")
    text = (tmp_path / "marks.csv").read_text(encoding="utf-8-sig")
    assert is_clean(text)
    assert "Because of \ufffd]0;PWNED\ufffdthis." in text


@needs.sandbox
@needs.unix
@pytest.mark.parametrize(
    "name",
    [
        'x"\ndropped = ["entropy"]\n#',
        "x\ndeduction = 100\n#",
        "a\nb",
        "x\x7fy",
        "x\u202ey",
        "x\\ny",
        "Übung $(touch pwned)",
    ],
)
def test_new_writes_what_can_be_read_back_whatever_the_folder_is_called(
    tmp_path, monkeypatch, capsys, name
):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path / "handed in" / name, {"ada.ipynb": notebook(), "bob.ipynb": notebook()})
    status, printed = run_command(capsys, "new", tmp_path / "handed in" / name)
    assert status == 0
    assert is_clean(printed)
    (path,) = tmp_path.glob("*.toml")
    text = path.read_text(encoding="utf-8")
    assert is_clean(text)
    assert is_clean(path.name)
    content = tomllib.loads(text)
    assert content["handed_in"] == str(tmp_path / "handed in" / name)
    assert (content["dropped"], "deduction" in content) == ([], False)


@needs.sandbox
@needs.unix
def test_new_refuses_a_name_that_no_class_file_can_hold_and_leaves_nothing(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / os.fsdecode(b"x\xff")
    write_files(folder, {"ada.ipynb": notebook(), "bob.ipynb": notebook()})
    status, printed = run_command(capsys, "new", folder)
    assert status == 2
    assert "Rename the folder" in printed
    assert not [*tmp_path.glob("*.toml")]


# --- Class files with absurd values ---------------------------------------------------------------

GOOD = 'handed_in = "in"\ngrades = "out"\nnotebooks = ["01"]\n'
NINES = "9" * 400
ABSURD = {  # a line → words of the answer
    f"x = {'[' * 5000}{']' * 5000}": "hundreds of levels deep",
    f"x = {'{a = ' * 900}1{'}' * 900}": "hundreds of levels deep",
    f"deduction = {NINES}": "a number of per cent a day",
    f"deduction = {'9' * 5000}": "cannot be read",
    f"deadline = 2030-01-01\ngrace = {NINES}": "a number of minutes",
    "deadline = 2030-01-01\ngrace = 1e308": "a number of minutes",
    f"[points]\nentropy = {NINES}": "is more than 10,000",
    "[points]\nentropy = 1e308": "is more than 10,000",
    "[points]\nentropy = inf": "no number above 0",
    "deadline = 0001-01-01": "write a day, or a day and a time",
    "[extensions]\nAda = 0001-01-01": "write a day, or a day and a time",
    'roster = "~nosuchuser/x"': "nobody here has that home",
    'roster = "a\\u0000b"': "no disk has such a path",
    'roster = "/dev/zero"': "no ordinary file",
    f'roster = "{"x" * 300}"': "cannot be used",
    '[extensions]\n"" = 2030-01-01': "a name or a number is needed",
    f"{'a.' * 50_000}b = 1": "more than 50 dots",
    f'"{TITLE!r}" = 1'.replace("'", "").replace("\\x", "\\u00"): "there is no such key",
    "\n".join(f"key{number} = 1" for number in range(50_000)): "more than 20 mistakes",
    f"{'k' * 100_000} = 1": "there is no such key",
    "#" * 2**20: "larger than 1 MB",
}


@needs.unix
@pytest.mark.parametrize(("lines", "words"), ABSURD.items(), ids=[*map(str, range(len(ABSURD)))])
def test_an_absurd_class_file_gets_words_and_no_traceback(tmp_path, capsys, lines, words):
    path = tmp_path / "week1.toml"
    path.write_text(GOOD + lines + "\n", encoding="utf-8")
    status, printed = run_command(capsys, path)
    assert status == 2
    assert words in printed
    assert is_clean(printed)
    assert len(printed) < 10_000


@pytest.mark.parametrize("key", ["handed_in", "grades"])
@pytest.mark.parametrize("place", ["~nosuchuser/x", "a\\u0000b", "x" * 100_000])
def test_a_place_that_cannot_be_is_told(tmp_path, key, place):
    path = tmp_path / "week1.toml"
    other = {"handed_in": "in", "grades": "out"} | {key: place}
    lines = "\n".join(f'{name} = "{value}"' for name, value in other.items())
    path.write_text(f'{lines}\nnotebooks = ["01"]\n', encoding="utf-8")
    with pytest.raises(CannotGrade, match=f"{key}: .* cannot be used"):
        read(path)


# --- What surrounds the grader --------------------------------------------------------------------


@needs.unix
@pytest.mark.parametrize(
    ("command", "settings", "words"),
    [
        ("grading", {"PYTHONOPTIMIZE": "1"}, "PYTHONOPTIMIZE"),
        ("grading", {"PYTHONOPTIMIZE": "2"}, "PYTHONOPTIMIZE"),
        ("grading", ASCII, "LC_ALL=C.UTF-8"),
        ("workshop.hub.collect", ASCII, "LC_ALL=C.UTF-8"),
    ],
)
def test_a_python_that_cannot_grade_is_refused_in_words(tmp_path, command, settings, words):
    run = subprocess.run(
        [sys.executable, "-m", command, str(tmp_path), str(tmp_path / "out")],
        env={**os.environ, **settings},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode in (1, 2)
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told_with_what_is_kept(monkeypatch, capsys):
    def refuse(path):
        raise PermissionError(13, "Permission denied", "/grades/grades.csv.part")

    monkeypatch.setattr(class_file, "read", refuse)
    status, printed = run_command(capsys, "week1.toml")
    assert status == 2
    assert "/grades/grades.csv.part: permission denied. What is graded is kept" in printed
