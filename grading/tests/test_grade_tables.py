"""The tables of the grades, what an LMS imports, what an instructor enters, what is kept."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from grading.grader import _about_gone, _lines_about
from grading.intake import class_file
from grading.intake.class_file import ClassFile, Person
from grading.intake.notebook_parser import Flag
from grading.intake.submissions import CannotGrade
from grading.report import tables
from grading.report.pages import learner_page, overview, page_names
from grading.report.store import Store
from grading.report.tables import Learner, learners
from grading.run.scoring import Outcome
from grading.tests.made import NOTEBOOK, TASKS, result, rows, table
from tests import needs
from utils.checks import bank
from utils.checks.tasks import Reason
from utils.notebook_file import asked

PARTS = TASKS | {"dark_column": 3}
POSSIBLE = sum(PARTS.values())


def written(write, path, class_, *more) -> list[dict[str, str]]:
    """Return the rows of a table after it was written: head → cell."""
    write(class_, path, *more)
    return rows(path)


def grades(tmp_path, *results) -> list[dict[str, str]]:
    return written(tables.write_grades, tmp_path / "grades.csv", learners(results))


def tasks_of(tmp_path, class_) -> list[dict[str, str]]:
    return written(tables.write_tasks, tmp_path / "tasks.csv", class_)


# --- grades.csv and files.csv ---------------------------------------------------------------------


def test_a_learner_has_one_row_and_the_better_file_counts(tmp_path):
    other = bank.tasks()["02_additive_attention"][0]
    second = {other.id: Outcome(other.points, other.points, Reason.PASSED, "", "", (), 0)}
    results = [
        result("ada", 2, file="ada/1.ipynb", words={}),
        result("ada", 1, file="ada/2.ipynb"),
        result("ada", file="ada/3.ipynb", notebook="02_additive_attention", tasks=second, words={}),
        result("ada", file="ada/4.ipynb", notebook="", problem="an empty file", tasks={}),
        result("bob", 0),
    ]
    ada, bob = grades(tmp_path, *results)
    assert (ada["Student"], ada["Grade"]) == ("ada", str(2 + other.points))
    ada, bob = tasks_of(tmp_path, learners(results))
    assert ada[f"{other.id} ({other.points})"] == str(other.points)
    assert bob[f"{other.id} ({other.points})"] == ""
    files = written(tables.write_files, tmp_path / "files.csv", learners(results))
    assert [(row["counts"], row["reason"]) for row in files] == [
        ("yes", "graded"),
        ("no", "graded, another file counts"),
        ("yes", "graded"),
        ("no", "an empty file"),
        ("yes", "graded"),
    ]


def test_canvas_takes_no_task_for_an_assignment(tmp_path):
    """It would take `entropy (3)` for its assignment number 3."""
    class_ = learners([result("lovelaceada", 2, "canvas", "4021"), result("x", 1, "canvas", "77")])
    possible, ada, _ = tasks_of(tmp_path, class_)
    assert list(ada) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *PARTS]
    assert [possible[part] for part in PARTS] == [str(points) for points in PARTS.values()]


def test_moodle_imports_the_grades(tmp_path):
    """It refuses a table without three of these columns, and looks every number up."""
    ada = result("Ada Lovelace", 2, "moodle", "9001", words={})
    ada, bob = grades(tmp_path, ada, result("Bob, \\", 1, words={}))
    assert ada == {
        "Identifier": "Participant 9001",
        "Full name": "Ada Lovelace",
        "Grade": "2",
        "Maximum grade": str(POSSIBLE),
        "Last modified (grade)": "",
    }
    assert (bob["Identifier"], bob["Grade"]) == ("Participant 0", "1")  # 0 is nobody's


# What reads a table in Canvas' `gradebook_importer.rb`, and in Moodle's `csvlib.class.php`.
READERS = {
    "canvas": [
        *("ruby", "-rcsv", "-rjson", "-e"),
        "puts JSON.generate(CSV.foreach(ARGV[0], encoding: 'UTF-8').to_a)",
    ],
    "moodle": [
        *("php", "-r"),
        r'$file = fopen($argv[1], "r"); fseek($file, strlen("\u{FEFF}"));'
        r'while ($row = fgetcsv($file, 0, ",", "\"", "\\")) $rows[] = $row; '
        "echo json_encode($rows);",
    ],
}
ODD = ['"Ada" Lovelace', "Müller; Zoë", "=1+1", "+1, -1", "فاطمة العلي", "小明 👩🏽‍🔬", "x" * 250]


@pytest.mark.parametrize(
    ("lms", "id", "points"),
    [
        pytest.param("canvas", "ID", "Week 1; (815)", marks=needs.ruby),
        pytest.param("moodle", "Identifier", "Grade", marks=needs.php),
    ],
)
def test_the_platform_s_own_reader_finds_everybody(tmp_path, lms, id, points):
    results = [result(name, at % 3, lms, f"400{at}", words={}) for at, name in enumerate(ODD)]
    path = tmp_path / "grades.csv"
    class_ = learners([*results, result("Bob, \\", 1)], ClassFile(column="Week 1; (815)"))
    tables.write_grades(class_, path)
    command = [*READERS[lms], str(path)]
    heads, *others = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert {len(row) for row in others} == {len(heads)}
    read = {row[heads.index(id)]: row[heads.index(points)] for row in others}
    before = "Participant " if lms == "moodle" else ""
    assert {f"{before}400{at}": str(at % 3) for at in range(len(ODD))}.items() <= read.items()


# --- Pending is not zero --------------------------------------------------------------------------

BROKEN = {"notebook": "", "tasks": {}, "words": {}, "problem": "an empty file"}


@pytest.mark.parametrize("lms", ["canvas", "moodle", ""])
def test_who_is_pending_has_an_empty_cell(tmp_path, lms):
    results = [
        result("answered", 1, lms, "1"),
        result("silent", 1, lms, "2", words={"dark_column": ""}),
        result("broken", 0, lms, "3", **BROKEN),
        result("twice", 1, lms, "4", words={"dark_column": ""}),
        result("twice", 0, lms, "4", "twice/broken.ipynb", **BROKEN),
    ]
    class_ = learners(results)
    tables.write_grades(class_, tmp_path / "grades.csv")
    heads, *others = table(tmp_path / "grades.csv")
    names, at = [learner.name for learner in class_], heads.index("Grade")
    assert names == ["answered", "broken", "silent", "twice"]
    assert [row[at] for row in others if row[0] != "Points Possible"] == ["", "", "1", "1"]
    assert tables.about_pending(class_) == (
        "2 of 4 learners are pending, and blank in grades.csv: 1 with answers in words to mark "
        "(marks.csv), 1 with files that could not be graded (files.csv)."
    )


def test_nobody_is_pending_once_a_person_has_decided(tmp_path):
    class_ = learners([result("ada", 2), result("bob", **BROKEN)])
    first = next(iter(TASKS))
    marked(tmp_path, class_, HEAD + f"ada,dark_column,0,\nbob,{first},0,An empty file.")
    assert tables.about_pending(class_) == ""
    assert [row["Grade"] for row in written(tables.write_grades, tmp_path / "g", class_)] == [
        "2",
        "0",
    ]


def test_a_question_that_is_dropped_keeps_nobody_pending(tmp_path):
    class_ = learners([result("ada", 2)], ClassFile(dropped=["dark_column"]))
    assert tables.about_pending(class_) == ""
    complaint = marked(tmp_path, class_, HEAD + "ada,dark_column,1,")[1]
    assert complaint == ["marks.csv, row 2: the task is gone: the class file drops 'dark_column'"]


def test_a_complaint_that_many_rows_share_is_one_line(tmp_path):
    class_ = learners(map(result, ("ada", "bob", "eve")), ClassFile(dropped=["dark_column"]))
    text = HEAD + "".join(f"{name},dark_column,1,\n" for name in ("ada", "bob", "eve"))
    assert marked(tmp_path, class_, text)[1] == [
        "marks.csv, 3 rows (2, 3, 4): the task is gone: the class file drops 'dark_column'"
    ]


# --- What is missing ------------------------------------------------------------------------------

THREE = ClassFile(
    notebooks=[name for name in bank.tasks() if name[:2] in ("01", "04", "06")],
    dropped=["dark_column"],
)


def test_a_notebook_that_nobody_handed_in_is_told_to_all_whom_it_concerns():
    passed = {
        task: Outcome(of, of, Reason.PASSED, "", f"{task} passed", (), of)
        for task, of in TASKS.items()
    }
    (ada,) = learners([result("ada", tasks=passed)], THREE)
    assert [name[:2] for name in ada.missing] == ["04", "06"]
    assert not ada.pending  # what is missing is zero
    page = learner_page(ada, [], True)
    assert "Nothing is handed in for 04 and 06." in page
    assert "Everything that was asked is right" not in page
    assert "1, nothing for 04 and 06" in overview([ada], {}, {"ada": "ada.html"}, True)
    assert "  nothing handed in for 04 and 06" in [*_lines_about(ada, [ada], Path())]
    (bob,) = learners([result("bob", tasks=passed)], replace(THREE, notebooks=[NOTEBOOK]))
    page = learner_page(bob, [], True)
    assert "Everything that was asked is right" in page
    assert "handed in for" not in page


def test_one_row_settles_an_unreadable_file_and_the_overview_says_which_are_open(tmp_path):
    files = [result("ada", file=f"ada/{name}", **BROKEN) for name in ("01.py", "04.py", "x.py")]
    (ada,) = learners(files, THREE)
    first = next(iter(TASKS))
    assert marked(tmp_path, [ada], f"{HEAD}ada,{first},1,By mail.")[1] == []
    assert len(ada.unread) == 2
    assert [name[:2] for name in ada.missing] == ["04", "06"]
    page = overview([ada], {}, {"ada": "ada.html"}, True)
    assert page.count("<td>open</td>") == 2
    assert page.count("<td>settled</td>") == 1
    (ada,) = learners(files, THREE)
    rows_ = f"ada,{first},1,By mail.\nada,x.py,0,No notebook.\nada,ada/04.py,0,Empty."
    assert marked(tmp_path, [ada], HEAD + rows_)[1] == []
    assert (ada.unread, ada.pending, ada.points) == ([], False, 1)
    assert "looked at by a person. No notebook." in learner_page(ada, [], True)
    (ada,) = learners(files, THREE)
    (complaint,) = marked(tmp_path, [ada], HEAD + "ada,x.py,2,Good.")[1]
    assert "2 points for a file: give them for a task of its notebook, or 0" in complaint
    (eve,) = learners([result("eve", file="eve_4021_77001_notes.pdf", **BROKEN)], THREE)
    assert marked(tmp_path, [eve], HEAD + "eve,notes.pdf,0,No notebook.")[1] == []
    assert eve.unread == []


def test_the_overview_says_who_is_not_on_the_roster():
    roster = [Person("Lovelace, Ada", "4021")]
    people = [result("lovelaceada", 1, "canvas", "4021"), result("eve", 1, "canvas", "4023")]
    for rules, told in ((ClassFile(roster=roster), True), (ClassFile(), False)):
        class_ = learners(people, replace(rules, notebooks=[NOTEBOOK]))
        page = overview(class_, {}, dict.fromkeys(one.key for one in class_), True)
        assert ("Not on the roster: <bdi>eve (4023)</bdi>." in page) == told


def test_a_new_task_is_told_with_its_cure_and_told_once(tmp_path):
    class_ = learners([result("ada")], ClassFile(notebooks=[NOTEBOOK]))
    *others, last = class_file.parts_of(NOTEBOOK)
    line = tables.about_new_parts(class_, {NOTEBOOK: others})
    assert f'dropped = ["{last}"]' in line
    assert "0 points for whoever has not written it" in line
    assert tables.about_new_parts(class_, {NOTEBOOK: [*others, last]}) == ""
    assert tables.about_new_parts(class_, {}) == ""  # the notebook itself is new
    dropped = learners([result("ada")], ClassFile(notebooks=[NOTEBOOK], dropped=[last]))
    assert tables.about_new_parts(dropped, {NOTEBOOK: others}) == ""


def test_people_and_canvas_read_the_roster_s_names(tmp_path):
    rules = ClassFile(roster=[Person("Lovelace, Ada", "4021")], notebooks=[NOTEBOOK])
    class_ = learners([result("lovelaceada", 1, "canvas", "4021")], rules)
    assert class_[0].label == "Ada Lovelace (4021)"
    assert "<bdi>Ada Lovelace</bdi>" in learner_page(class_[0], [], True)
    tables.write_grades(class_, tmp_path / "grades.csv")
    assert table(tmp_path / "grades.csv")[2][0] == "Lovelace, Ada"
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert rows(tmp_path / "marks.csv")[0]["learner"] == "Ada Lovelace (4021)"
    tables.write_files(class_, tmp_path / "files.csv")
    assert rows(tmp_path / "files.csv")[0]["learner"] == "Ada Lovelace (4021)"
    text = (tmp_path / "marks.csv").read_text(encoding="utf-8").replace(",3,,", ",3,2,")
    (tmp_path / "marks.csv").write_text(text, encoding="utf-8")
    assert tables.read_marks(tmp_path / "marks.csv", class_) == []
    assert class_[0].for_words == 2
    before = (tmp_path / "marks.csv").read_bytes()
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert (tmp_path / "marks.csv").read_bytes() == before


def test_files_that_are_gone_are_named_once_and_counted_then():
    assert [*_about_gone(["a", "b"], {"a"})] == [
        "Removed or renamed, and no longer in the grades: b",
        "Gone in earlier runs, and not in the grades (files.csv): 1",
    ]
    assert [*_about_gone([], set())] == []


# --- Late -----------------------------------------------------------------------------------------

FIRST, SECOND, THIRD = 2, 1, 0  # points
HANDED_IN = [  # the third is late, as Canvas says
    result("ada", FIRST, "canvas", "1", "ada_1_10_x.ipynb", order=10),
    result("ada", SECOND, "canvas", "1", "ada_1_11_x.ipynb", order=11),
    result("ada", THIRD, "canvas", "1", "ada_LATE_1_12_x.ipynb", order=12, late=True),
]


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (ClassFile(counts="best"), FIRST),
        (ClassFile(counts="last"), THIRD),
        (ClassFile(counts="on-time"), SECOND),
        (ClassFile(deduction=20), FIRST),
    ],
)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_file_that_counts_is_chosen_by_a_rule(rules, points, backwards):
    files = HANDED_IN[::-1] if backwards else HANDED_IN
    (ada,) = learners(files, rules)
    assert ada.points == points


def test_what_being_late_costs_is_taken_off_code_and_words(tmp_path):
    late = result("ada", 2, late=True)
    (ada,) = learners([late], ClassFile(deduction=20))
    marked(tmp_path, [ada], HEAD + f"ada,dark_column,3,\nada,{next(iter(TASKS))},1,A slip.")
    assert (ada.for_code, ada.for_words, ada.points) == (1, 3, 3.2)
    assert ada.deducted == pytest.approx(0.8)
    assert ada.standing(ada.files[0]) == "graded, late, 20 % of the points are taken off"


def test_a_late_file_loses_against_a_worse_one_that_is_not():
    files = [result("ada", 2, file="a", late=True), result("ada", 1, file="b")]
    for deduction, points in ((51, 1), (49, 1.02)):
        (ada,) = learners(files, ClassFile(deduction=deduction))
        assert ada.points == points


def test_who_is_always_late_has_nothing_where_only_the_others_count(tmp_path):
    late = result("ada", 2, late=True)
    class_ = learners([late, result("bob", 1)], ClassFile(counts="on-time"))
    assert [learner.points for learner in class_] == [0, 1]
    ada, _ = written(tables.write_files, tmp_path / "files.csv", class_)
    assert (ada["reason"], ada["counts"]) == ("graded, late, does not count", "no")


# --- Names ----------------------------------------------------------------------------------------


def test_no_cell_is_a_formula(tmp_path):
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "'+1", "＝x"]
    names += ["x;=1+1", 'x; "=1', "x\n=1"]
    flags = [Flag("=1+1", "x", 1)]
    class_ = learners(result(name, flags=flags, file=f"{name}/x.ipynb") for name in names)
    for name in ("grades.csv", "tasks.csv", "files.csv", "marks.csv"):
        getattr(tables, f"write_{name.removesuffix('.csv')}")(class_, tmp_path / name)
        cells = [cell for row in table(tmp_path / name) for cell in row]
        assert "'=cmd|' /C calc'!A0" in "".join(cells)
        # Where numbers have commas, a program splits the lines at semicolons, wherever quotes are.
        text = (tmp_path / name).read_text(encoding="utf-8-sig")
        cells += [cell for line in text.splitlines() for cell in line.split(";")]
        assert not [cell for cell in cells if cell.lstrip(' "')[:1] in tuple("=+-@\t\r＝＋－＠")]
    known = {row[0] for row in table(tmp_path / "marks.csv")[1:]}
    assert len(known) == len(names)  # each is somebody else's


def test_two_of_the_same_name_are_two_and_every_learner_has_a_page():
    same = [result("ada", 2, "canvas", "1"), result("ada", 1, "canvas", "2")]
    odd = ["ADA (1)", "ada_1-2", "ada_1", "<script>", "../..", "con", "Ⅳ", "IV"]
    odd += ["漢" * 300, "𠀀" * 300]
    class_ = learners([*same, *map(result, odd)])
    assert [learner.points for learner in class_ if learner.name == "ada"] == [2, 1]
    pages = page_names(class_)
    assert len(pages) == len(class_) == 12
    assert len({page.casefold() for page in pages.values()}) == 12
    for page in pages.values():
        assert "/" not in page
        assert len(f"{page}.part".encode()) < 255


# --- What is kept of each file --------------------------------------------------------------------


@pytest.mark.parametrize("reason", Reason)
def test_what_is_kept_comes_back(tmp_path, reason):
    outcome = Outcome(1, 2, reason, "a mistake", "Not yet", ["a line"], 2, [[1]], [[0]], [0, 0])
    flag = Flag("entropy", "uses `scaled_dot_product_attention`", 3)
    texts = {"remarks": ["cell 1: 1 / 0"], "elsewhere": ["cell 2: Because."]}
    kept = result("ada", tasks={"entropy": outcome}, flags=[flag], late=True, order=3, **texts)
    store = Store(tmp_path)
    store.start(seed=1, source="class", safe=True)
    store.save(kept)
    assert store.load("ada.ipynb") == kept
    assert [*store.all()] == [kept]
    assert type(store.load("ada.ipynb").tasks["entropy"].reason) is Reason


def test_grades_of_another_version_are_refused(tmp_path):
    Store(tmp_path).start(seed=1, source="class", safe=True)
    path = tmp_path / "private" / "run.json"
    run = json.loads(path.read_text())
    for other in (run | {"format": 1}, {key: run[key] for key in run if key != "format"}):
        path.write_text(json.dumps(other))
        with pytest.raises(CannotGrade, match=r"another version of the grader\. Name a new folder"):
            Store(tmp_path)


# --- marks.csv ------------------------------------------------------------------------------------


@pytest.fixture
def class_() -> list[Learner]:
    silent = result("silent", words={"dark_column": ""})
    return learners([*map(result, ("ada", "Zoë", "=cmd")), silent])


def marked(tmp_path, class_, data) -> tuple[dict[str, tuple[float, str]], list[str]]:
    """Return the marks that learners get from a marks.csv of this content, and the complaints."""
    path = tmp_path / "marks.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    complaints = tables.read_marks(path, class_)
    marks = {learner.key: learner.marks["dark_column"] for learner in class_ if learner.marks}
    return marks, complaints


def test_everybody_who_answered_has_a_row_to_be_marked(tmp_path, class_):
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert table(tmp_path / "marks.csv") == [
        ["learner", "question", "asked", "answer", "of", "points", "remark"],
        ["'=cmd", "dark_column", DARK, "So.", "3", "", ""],
        ["Zoë", "dark_column", DARK, "So.", "3", "", ""],
        ["ada", "dark_column", DARK, "So.", "3", "", ""],
    ]


HEAD = "learner,question,points,remark\n"
DARK = asked(NOTEBOOK)["dark_column"]


def test_an_answer_is_the_present_one_until_it_has_a_mark(tmp_path):
    path = tmp_path / "marks.csv"
    tables.write_marks(learners([result("ada"), result("bob")]), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("So.,3,,", "So.,3,2,", 1), encoding="utf-8")  # ada's
    class_ = learners([result(name, words={"dark_column": "=1\nNew."}) for name in ("ada", "bob")])
    assert tables.read_marks(path, class_) == []
    tables.write_marks(class_, path)
    ada, bob = rows(path)
    assert (ada["answer"], ada["points"]) == ("So.", "2")
    assert (bob["answer"], bob["points"]) == ("'=1\nNew.", "")
    assert "The model ignores *cat*" in bob["asked"]


@pytest.mark.parametrize(
    ("data", "marks"),
    [
        (HEAD + "ada,dark_column,2,good", {"ada": (2, "good")}),
        (HEAD + 'ada,dark_column,"1,5",\nZoë,dark_column,0,', {"ada": (1.5, ""), "Zoë": (0, "")}),
        ("\ufeff" + HEAD.replace("\n", "\r\n") + "'=cmd,dark_column,-1,\r\n", {"=cmd": (-1, "")}),
        (HEAD + "=cmd,dark_column,1,", {"=cmd": (1, "")}),
        ("learner;question;points;remark\nada;dark_column;2,5;a, b", {"ada": (2.5, "a, b")}),
        ("Learner\tQuestion\tPoints\tRemark\tBy\nada\tdark_column\t2\t\tme", {"ada": (2, "")}),
        ("points,question,learner,remark\n1,dark_column,ada,", {"ada": (1, "")}),
        ((HEAD + "Zoë,dark_column,1,“so”").encode("cp1252"), {"Zoë": (1, "“so”")}),
        ((HEAD.replace(",", "\t") + "Zoë\tdark_column\t1\t").encode("utf-16"), {"Zoë": (1, "")}),
        (HEAD + "silent,dark_column,1,said it aloud", {"silent": (1, "said it aloud")}),
        (HEAD + "\nada,dark_column,,not yet\n\n", {}),
        (HEAD + "ada,dark_column\nada", {}),
    ],
)
def test_marks_are_taken_from_whatever_a_spreadsheet_saves(tmp_path, class_, data, marks):
    assert marked(tmp_path, class_, data) == (marks, [])


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("eve,dark_column,2,", "row 2: nobody is called 'eve', or several are"),
        ("ada,dark_matter,2,", "no question, task or ungraded file is called 'dark_matter'"),
        ("ada,dark_column,good,", "row 2: 'good' is not a number"),
        ("ada,dark_column,nan,", "row 2: 'nan' is not a number"),
        ("ada,dark_column,1e999,", "row 2: '1e999' is not a number"),
        ("ada,dark_column,1,5,good", "row 2: more cells than heads"),
        ("ada,dark_column,30,", "30 points of 'ada' for 'dark_column' do not count: it is worth 3"),
        ("ada,dark_column,-4,", "-4 points of 'ada' for 'dark_column' do not count: it is worth 3"),
        ("ada,entropy,1,", "other points for 'entropy' need a reason: write it under remark"),
        ("ada,entropy,-1,no", "-1 points of 'ada' for 'entropy' do not count: it is worth 3"),
        ("ada,entropy,4,yes", "4 points of 'ada' for 'entropy' do not count: it is worth 3"),
        ("ada,luong_step,1,why", "task or ungraded file is called 'luong_step'"),  # of another one
        ("Zoë,dark_column,1,\nZoë,dark_column,2,", "row 3: a second mark of 'Zoë'"),
    ],
)
def test_marks_that_make_no_sense_are_complained_of_and_kept(tmp_path, class_, row, complaint):
    marks, (actual,) = marked(tmp_path, class_, HEAD + row)
    assert complaint in actual
    assert marks == ({"Zoë": (1, "")} if "Zoë" in row else {})
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert row.split("\n")[-1].split(",") in table(tmp_path / "marks.csv")


def test_a_complaint_calls_a_learner_as_the_table_does(tmp_path):
    rules = ClassFile(roster=[Person("Lovelace, Ada", "4021")])
    class_ = learners([result("lovelaceada", id="4021", lms="canvas")], rules)
    (complaint,) = marked(tmp_path, class_, HEAD + "Ada Lovelace (4021),dark_column,4,")[1]
    assert "row 2: 4 points of 'Ada Lovelace (4021)' for" in complaint


@pytest.mark.parametrize("data", ["", "ada,dark_column,2,good", "learner,points\nada,2", "\0\0"])
def test_a_table_that_is_none_any_more_is_left_alone(tmp_path, class_, data):
    marks, (complaint,) = marked(tmp_path, class_, data)
    assert (marks, "marks.csv is left as it is" in complaint) == ({}, True)
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert (tmp_path / "marks.csv").read_text() == data


def test_new_answers_are_added_below_what_an_instructor_has(tmp_path, class_):
    path = tmp_path / "marks.csv"
    text = "by;learner;question;points;remark\nme;Zoë;dark_column;-1,50;=good\n;eve;old;?;keep me\n"
    marked(tmp_path, class_, text)
    tables.write_marks(class_, path)
    added = ["'=cmd", "ada"]
    assert path.read_text(encoding="utf-8-sig").splitlines() == [
        *text.splitlines(),
        *[f";{name};dark_column;;" for name in added],
    ]
    before = path.read_bytes()
    tables.write_marks(class_, path)
    assert path.read_bytes() == before


def test_points_for_a_task_can_be_overridden(tmp_path):
    class_ = learners([result("ada", 2), result("bob", 1), result("eve", notebook="", tasks={})])
    first = next(iter(TASKS))
    rows_ = f"ada,{first},0,Copied.\nbob,{first},1.5,Nearly.\neve,{first},1,By mail."
    assert marked(tmp_path, class_, f"{HEAD}{rows_}\nbob,dark_column,-1,")[1] == []
    assert [learner.points for learner in class_] == [0, 0.5, 1]
    assert class_[1].overrides == {first: (1.5, "Nearly.")}
    seen = [row[f"{first} ({TASKS[first]})"] for row in tasks_of(tmp_path, class_)]
    assert seen == ["0", "1.5", "1"]


def test_whoever_may_have_answered_in_the_wrong_place_can_be_marked(tmp_path):
    where = {"words": {"dark_column": ""}, "elsewhere": ["cell 9: Because of the values."]}
    tables.write_marks(learners([result("ada", **where)]), tmp_path / "marks.csv")
    (row,) = rows(tmp_path / "marks.csv")
    assert (row["learner"], row["question"], row["answer"]) == ("ada", "dark_column", "")
