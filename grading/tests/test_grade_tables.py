"""The tables of the grades, what an LMS imports, what an instructor enters, what is kept."""

import csv
import io
import json

import pytest

from grading import tables
from grading.marking import Outcome, Result
from grading.pages import page_names
from grading.results import Store
from grading.signs import Sign
from grading.submissions import CannotGrade
from grading.tables import Learner, learners
from utils.checks import bank
from utils.checks.reasons import Reason

NOTEBOOK = "01_attention_concepts"
TASKS = {task.id: task.points for task in bank.tasks()[NOTEBOOK]}


def result(learner, points=0, lms="", id="", file="", **facts) -> Result:
    """A result in which the first task has earned its points."""
    tasks = {
        task: Outcome(points * (number == 0), of, Reason.VALUES, "", "", (), 0)
        for number, (task, of) in enumerate(TASKS.items())
    }
    known = {"notebook": NOTEBOOK, "tasks": tasks, "words": {"dark_column": "So."}} | facts
    return Result(learner, lms, id, file or f"{learner}.ipynb", **known)


def rows(path) -> list[list[str]]:
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def grades(tmp_path, *results) -> list[dict[str, str]]:
    tables.write_grades(learners(results), tmp_path / "grades.csv")
    heads, *others = rows(tmp_path / "grades.csv")
    return [dict(zip(heads, row, strict=True)) for row in others]


# --- grades.csv and files.csv ---------------------------------------------------------------------


def test_a_learner_has_one_row_and_the_better_file_counts(tmp_path):
    other = bank.tasks()["02_additive_attention"][0]
    second = {other.id: Outcome(other.points, other.points, Reason.PASSED, "", "", (), 0)}
    found = [
        result("ada", 2, file="ada/1.ipynb"),
        result("ada", 1, file="ada/2.ipynb"),
        result("ada", file="ada/3.ipynb", notebook="02_additive_attention", tasks=second),
        result("ada", file="ada/4.ipynb", notebook="", problem="an empty file", tasks={}),
        result("bob", 0),
    ]
    ada, bob = grades(tmp_path, *found)
    assert (ada["Student"], ada["Grade"]) == ("ada", str(2 + other.points))
    assert ada[f"{other.id} ({other.points})"] == str(other.points)
    assert bob[f"{other.id} ({other.points})"] == ""
    tables.write_files(learners(found), tmp_path / "files.csv")
    heads, *files = rows(tmp_path / "files.csv")
    assert [row[heads.index("counts")] for row in files] == ["yes", "no", "yes", "no", "yes"]
    assert [row[heads.index("reason")] for row in files] == [
        *["graded"] * 3,
        "an empty file",
        "graded",
    ]


def test_canvas_imports_the_grades(tmp_path):
    possible, ada, _ = grades(
        tmp_path, result("lovelaceada", 2, "canvas", "4021"), result("x", 1, "canvas", "77")
    )
    assert list(ada)[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert list(ada)[5:] == [*TASKS, "Grade"]  # `entropy (3)` would be its assignment number 3
    assert possible["Student"] == "Points Possible"
    assert [possible[task] for task in TASKS] == [str(points) for points in TASKS.values()]
    assert (ada["Student"], ada["ID"], ada["Grade"]) == ("lovelaceada", "4021", "2")


def test_moodle_imports_the_grades(tmp_path):
    (ada,) = grades(tmp_path, result("Ada Lovelace", 2, "moodle", "9001"))
    assert ada["Identifier"] == "Participant 9001"
    assert (ada["Full name"], ada["Grade"]) == ("Ada Lovelace", "2")


def test_no_cell_is_a_formula(tmp_path):
    names = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)"]
    found = [result(name, flags=[Sign("=1+1", "x", 1)], file=f"{name}/x.ipynb") for name in names]
    class_ = learners(found)
    for write, name in [
        (tables.write_grades, "grades.csv"),
        (tables.write_files, "files.csv"),
        (tables.write_marks, "marks.csv"),
    ]:
        write(class_, tmp_path / name)
        cells = [cell for row in rows(tmp_path / name) for cell in row]
        assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
        assert "'=cmd|' /C calc'!A0" in "".join(cells)


def test_two_of_the_same_name_are_two_and_every_learner_has_a_page():
    same = [result("ada", 2, "canvas", "1"), result("ada", 1, "canvas", "2")]
    odd = [
        "ADA (1)",
        "ada_1-2",
        "ada_1",
        "<script>",
        "../..",
        "con",
        "Ⅳ",
        "IV",
        "漢" * 300,
        "𠀀" * 300,
    ]
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
    sign = Sign("entropy", "uses scaled_dot_product_attention", 3)
    kept = result("ada", tasks={"entropy": outcome}, flags=[sign], remarks=["cell 1: 1 / 0"])
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
    found = [
        result("ada"),
        result("Zoë"),
        result("=cmd"),
        result("silent", words={"dark_column": ""}),
    ]
    return learners(found)


def marked(tmp_path, class_, data) -> tuple[dict[str, tuple[float, str]], list[str]]:
    """The marks that learners get, and the complaints, where an instructor has saved that."""
    path = tmp_path / "marks.csv"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    complaints = tables.read_marks(path, class_)
    return {
        learner.key: learner.marks["dark_column"] for learner in class_ if learner.marks
    }, complaints


def test_everybody_who_answered_has_a_row_to_be_marked(tmp_path, class_):
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert rows(tmp_path / "marks.csv") == [
        ["learner", "question", "points", "remark"],
        ["'=cmd", "dark_column", "", ""],
        ["Zoë", "dark_column", "", ""],
        ["ada", "dark_column", "", ""],
    ]


HEAD = "learner,question,points,remark\n"


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
        ("eve,dark_column,2,", "line 2: nobody is called 'eve'"),
        ("ada,dark_matter,2,", "line 2: no question is called 'dark_matter'"),
        ("ada,dark_column,good,", "line 2: could not convert string to float: 'good'"),
        ("ada,dark_column,nan,", "line 2: 'nan' is not a number"),
        ("ada,dark_column,1e999,", "line 2: '1e999' is not a number"),
        ("ada,dark_column,1,5,good", "line 2: more cells than heads"),
        ("Zoë,dark_column,1,\nZoë,dark_column,2,", "line 3: a second mark of 'Zoë'"),
    ],
)
def test_marks_that_make_no_sense_are_told_and_kept(tmp_path, class_, row, complaint):
    marks, (told,) = marked(tmp_path, class_, HEAD + row)
    assert complaint in told
    assert marks == ({"Zoë": (1, "")} if "Zoë" in row else {})
    tables.write_marks(class_, tmp_path / "marks.csv")
    assert row.split("\n")[-1].split(",") in rows(tmp_path / "marks.csv")


@pytest.mark.parametrize("data", ["", "ada,dark_column,2,good", "learner,points\nada,2", "\0\0"])
def test_a_table_that_is_none_any_more_is_left_alone(tmp_path, class_, data):
    marks, (told,) = marked(tmp_path, class_, data)
    assert (marks, "marks.csv is left as it is" in told) == ({}, True)
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


def test_marks_count(tmp_path):
    found = [result("ada", 2), result("bob", 1)]
    class_ = learners(found)
    marked(tmp_path, class_, HEAD + "ada,dark_column,1.5,\nbob,dark_column,-1,")
    tables.write_grades(class_, tmp_path / "grades.csv")
    heads, *others = rows(tmp_path / "grades.csv")
    at = heads.index("dark_column")
    assert [(row[at], row[-1]) for row in others] == [("1.5", "3.5"), ("-1", "0")]
