"""A class of 40, as nine platforms hand it over: who they are, what came twice, their grades."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from grading import classroom, grader
from grading.intake import exports, platforms
from grading.intake.class_file import ClassFile, Person, read_roster
from grading.intake.platforms import PLATFORMS
from grading.intake.submissions import CannotGrade, Submission, find, key_of
from grading.report import tables
from grading.report.tables import learners
from grading.tests.made import in_a_zip, result, table, write_files

FILE = "01_attention_concepts.ipynb"
AGAIN = 5  # of the class have handed in twice
FIRST, SECOND = "2029-01-30 10:12:13", "2029-01-31 21:26:00"  # when
CLASS = [*islice(classroom.names(), 37), "John Smith", "John Smith", "Ada (Countess) Lovelace-King"]
Files = dict[str, str]


class Handed(NamedTuple):
    """A file that somebody has handed in."""

    number: int  # of the learner
    name: str
    at: datetime
    order: int

    @property
    def account(self) -> str:
        return f"u{self.number:04}"


def handed_in() -> Iterator[Handed]:
    for number, name in enumerate(CLASS):
        for order, at in enumerate([FIRST, SECOND][: 2 if number < AGAIN else 1]):
            yield Handed(number, name, datetime.fromisoformat(at), order)


def canvas() -> Files:
    return {f"{one.name}_{4000 + one.number}_{7000 + at}_{FILE}": "" for at, one in numbered()}


def moodle() -> Files:
    return {
        f"{one.name}_{9000 + one.number}_assignsubmission_file/{one.order}/{FILE}": ""
        for _, one in numbered()
    }


def brightspace() -> Files:
    when = "{0:%b} {0.day}, {0:%Y} {1}{0:%M %p}"
    files = {
        f"{397063 + one.number}-2557369 - {one.name} - "
        f"{when.format(one.at, one.at.hour % 12)}/{FILE}": ""
        for _, one in numbered()
    }
    return files | {"index.html": "<html>"}


def blackboard() -> Files:
    files = {}
    for _, one in numbered():
        start = f"Week 1_{one.account}_attempt_{one.at:%Y-%m-%d-%H-%M-%S}"
        files[f"{start}_{FILE}"] = ""
        files[f"{start}.txt"] = f"Name: {one.name} ({one.account})\nAssignment: Week 1\n"
    return files


def google() -> Files:
    return {f"{one.name} - {one.order or ''}{FILE}": "" for _, one in numbered()}


def gradescope() -> Files:
    last = {one.number: one for _, one in numbered()}  # the export has active submissions only
    files = {f"assignment_1_export/submission_{7 * at}/{FILE}": "" for at in last}
    said = "".join(
        f"submission_{7 * at}:\n  :submitters:\n  - :name: {one.name}\n    :sid: '{4000 + at}'\n"
        f"    :email: {one.account}@example.org\n  :created_at: {one.at}.000000000 Z\n"
        "  :results:\n    output: |\n      :submitters:\n      - :name: Eve\n"
        for at, one in last.items()
    )
    return files | {"assignment_1_export/submission_metadata.yml": f"---\n{said}"}


def nbgrader() -> Files:
    last = {one.account: one for _, one in numbered()}
    return {
        f"submitted/{account}/ps1/{file}": text
        for account, one in last.items()
        for file, text in [
            (FILE, ""),
            ("timestamp.txt", f"{one.at}.5 UTC"),
            ("submission_secret.txt", "a1b2"),
        ]
    }


def github() -> Files:
    accounts = {one.account for _, one in numbered()}
    return {
        f"week1-submissions/week1-{account}/{file}": ""
        for account in accounts
        for file in (f"exercises/{FILE}", "README.md", ".git/config")
    }


def folders() -> Files:
    return {f"week1/{one.name} {one.number}/{one.order}/{FILE}": "" for _, one in numbered()}


def numbered() -> list[tuple[int, Handed]]:
    return [*enumerate(handed_in())]


LAYOUTS = {
    "canvas": canvas,
    "moodle": moodle,
    "brightspace": brightspace,
    "blackboard": blackboard,
    "google": google,
    "gradescope": gradescope,
    "nbgrader": nbgrader,
    "github": github,
    "": folders,
}
WITH_IDS = ["Student", "ID", "Grade", "Points possible", "Section"]
BY_NAME = ["Student", "Grade", "Points possible", "Section"]
# layout → learners, how many of them have two files, whether times are known, and the table's heads
EXPECTED = {
    "canvas": (40, 5, False, ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 1"]),
    "moodle": (
        *(40, 5, False),
        ["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)"],
    ),
    "brightspace": (
        *(40, 5, True),
        ["OrgDefinedId", "Username", "Week 1 Points Grade", "End-of-Line Indicator"],
    ),
    "blackboard": (40, 5, True, ["Username", "Week 1"]),
    "google": (39, 5, True, BY_NAME),  # two of one name, of which a line tells
    "gradescope": (40, 0, True, WITH_IDS),
    "nbgrader": (40, 0, True, WITH_IDS),
    "github": (40, 0, False, WITH_IDS),
    "": (40, 5, True, BY_NAME),
}


def exported(folder: Path, layout: str) -> Path:
    files = {name: text.encode() for name, text in LAYOUTS[layout]().items()}
    if layout == "google":  # Google Drive's zip file tells two files of one name apart
        files[f"John Smith - {FILE.replace('.', '(1).')}"] = b""
    return write_files(folder / "in", files)


def graded(submissions: list[Submission]) -> list:
    """Return a result for each file, the right one for a file of a later time."""
    return [
        result(each.learner, 1, each.lms, each.id, each.file, order=each.order, time=each.time)
        for each in submissions
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_class_is_read_and_its_grades_are_written(layout, tmp_path):
    lines = []
    submissions = find(exported(tmp_path, layout), lines.append)
    count, twice, times, heads = EXPECTED[layout]
    assert {each.lms for each in submissions} == {layout}
    of_each: dict[str, list[Submission]] = {}
    for each in submissions:
        of_each.setdefault(key_of(each.learner, each.id), []).append(each)
    assert len(of_each) == count
    both = [files for key, files in of_each.items() if len(files) == 2 and "John" not in key]
    assert len(both) == twice
    assert all(each.time is not None for each in submissions) == times
    if layout in ("brightspace", "blackboard"):
        at = datetime.fromisoformat(SECOND).timestamp()
        assert {max(each.time for each in files) for files in both} == {at}
    if layout in ("gradescope", "nbgrader"):
        known = {each.time - (layout == "nbgrader") / 2 for each in submissions}
        assert known == {
            datetime.fromisoformat(f"{at}+00:00").timestamp() for at in (FIRST, SECOND)
        }
    class_ = learners(graded(submissions), ClassFile(column="Week 1", dropped=["dark_column"]))
    tables.write_grades(class_, tmp_path / "grades.csv")
    assert table(tmp_path / "grades.csv")[0] == heads
    names = {each.learner for each in submissions}
    if layout in ("canvas", "moodle", "brightspace", "blackboard", "google", "gradescope"):
        assert names == set(CLASS)
    told = {"google": "of one learner or of two", "brightspace": "told apart by", "github": "taken"}
    assert told.get(layout, "") in "\n".join(lines)


def test_canvas_gets_the_names_of_its_gradebook_where_the_roster_has_them(tmp_path):
    (tmp_path / "roster.csv").write_text(
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Lovelace, Ada",4021,s1,ada,Monday\n'
        '"Hopper, Grace",4022,s2,grace,Monday\n',
        encoding="utf-8",
    )
    rules = ClassFile(dropped=["dark_column"], roster=read_roster(tmp_path / "roster.csv"))
    own = [("lovelaceada", "4021"), ("Grace Hopper", ""), ("strangera", "4023")]
    class_ = learners([result(name, 1, "canvas", id) for name, id in own], rules)
    tables.write_grades(class_, tmp_path / "grades.csv")
    students = {row[0]: row[1] for row in table(tmp_path / "grades.csv")[2:]}
    assert students == {"Lovelace, Ada": "4021", "Hopper, Grace": "", "strangera": "4023"}


def test_brightspace_and_blackboard_get_the_roster_s_numbers_and_accounts(tmp_path):
    head = "OrgDefinedId,Username,Last Name,First Name,Week 1 Points Grade,End-of-Line Indicator\n"
    (tmp_path / "roster.csv").write_text(
        f"{head}#0042,#u0001,Lovelace,Ada,,#\n#0043,#u0002,Hopper,Grace,,#\n", encoding="utf-8"
    )
    roster = read_roster(tmp_path / "roster.csv")
    assert roster[0] == Person("Lovelace, Ada", "0042", login="u0001")
    rules = ClassFile(column="Week 1", dropped=["dark_column"], roster=roster)
    for lms, id, expected in (
        ("brightspace", "", ["0042", "u0001", "1", "#"]),
        ("blackboard", "u0001", ["u0001", "1"]),
    ):
        class_ = learners([result("Ada Lovelace", 1, lms, id)], rules)
        tables.write_grades(class_, tmp_path / "grades.csv")
        _, ada, grace = sorted(table(tmp_path / "grades.csv"), key=lambda row: row[0] or "0")[::-1]
        assert expected in (ada, grace)
        assert len(table(tmp_path / "grades.csv")) == 3


def test_two_of_one_name_are_refused_where_the_roster_knows_two(tmp_path):
    rules = ClassFile(roster=[Person("John Smith", "1"), Person("Smith, John", "2")])
    with pytest.raises(CannotGrade, match=r"John Smith: the roster has several .* behind the name"):
        rules.check_people({("John Smith", "")})
    names = ["John Smith (1) - 01.ipynb", "John Smith (2) - 01.ipynb", "Ada - 01.ipynb"]
    people = {
        (each.learner, each.id) for each in find(write_files(tmp_path, dict.fromkeys(names, b"")))
    }
    assert people == {("John Smith", "1"), ("John Smith", "2"), ("Ada", "")}
    assert rules.check_people(people) == ["Not on the roster: Ada"]
    by_hand = {("John Smith (1)", ""), ("John Smith (2)", "")}
    assert rules.check_people(by_hand) == []


def test_a_group_of_gradescope_is_all_its_members(tmp_path):
    said = "submission_5:\n  :submitters:\n  - :name: 'O''Neill'\n    :sid: '1'\n"
    said += "  - :name: \"Zo\\xEB\"\n    :sid: '2'\n  :score: 0.0\n"
    files = {"submission_5/01.ipynb": b"", "submission_metadata.yml": said.encode()}
    found = find(write_files(tmp_path, files))
    assert {(each.learner, each.id) for each in found} == {("O'Neill", "1"), ("Zoë", "2")}
    assert len({each.file for each in found}) == 2


def test_gradescope_without_its_metadata_is_told(tmp_path):
    lines = []
    find(
        write_files(tmp_path, {"submission_5/1.ipynb": b"", "submission_6/1.ipynb": b""}),
        lines.append,
    )
    assert "There is no submission_metadata.yml that says whose" in lines[0]


def test_an_account_with_an_underscore_is_blackboard_s_own_word(tmp_path):
    start = "Week_1_ada_l_attempt_2029-01-30-10-12-13"
    said = b"Name: Ada Lovelace (ada_l)\n"
    files = {f"{start}.txt": said, f"{start}_x.ipynb": b""}
    (ada,) = find(write_files(tmp_path / "one", files))
    assert (ada.learner, ada.id) == ("Ada Lovelace", "ada_l")
    files[f"{start}.txt"] = b"Name: Ada Lovelace (somebody)\n"  # not the name in the file's name
    (ada,) = find(write_files(tmp_path / "two", files))
    assert ada.id == "l"


def test_what_a_learner_calls_a_file_is_nobody_else_s_name(tmp_path):
    eve, bob = (f"Week 1_{name}_attempt_2029-01-30-10-12-13" for name in ("u0001", "u0002"))
    forged = f"{eve}_x{bob.removeprefix('Week 1')}"
    files = {f"{eve}.txt": b"Name: Eve (u0001)\n", f"{bob}_1.ipynb": b""}
    files |= {f"{forged}_1.ipynb": b"", f"{forged}.txt": b"Name: Bob (u0002)\n"}
    found = find(write_files(tmp_path / "one", files))
    own = {each.file: each.learner for each in found}
    assert own == {
        f"{bob}_1.ipynb": "u0002",
        f"{forged}_1.ipynb": "Eve",
        f"{forged}.txt": "Eve",
    }
    flat = "1-9 - Eve - Dec 5, 2024 1149 AM - Bob - Dec 4, 2024 1149 AM - x.ipynb"
    (each,) = find(write_files(tmp_path / "two", {flat: b""}))
    assert (each.learner, datetime.fromtimestamp(each.time).day) == ("Eve", 5)


def test_brightspace_s_flat_files_are_read_too(tmp_path):
    names = [f"271836-44235{at} - Blake Payne - Dec 5, 2024 11{at}9 AM - x.ipynb" for at in (4, 5)]
    one, two = find(write_files(tmp_path, dict.fromkeys(names, b"")))
    assert {(each.learner, each.lms) for each in (one, two)} == {("Blake Payne", "brightspace")}
    assert two.time - one.time == 600


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2015-02-02 15:58:23.948203 UTC", datetime(2015, 2, 2, 15, 58, 23, 948203, UTC)),
        ("2015-02-02 15:58:23 America/New_York", datetime(2015, 2, 2, 20, 58, 23, 0, UTC)),
        ("2015-02-02 15:58:23.948203000 -08:00", datetime(2015, 2, 2, 23, 58, 23, 948203, UTC)),
        ("2015-02-02 15:58:23 ../../etc/passwd", datetime(2015, 2, 2, 15, 58, 23, 0, UTC)),
        ("yesterday", None),
        ("2015-02-31 15:58:23 UTC", None),
    ],
)
def test_moments_are_read_with_their_zones(text, expected):
    assert exports.moment(text) == (expected and expected.timestamp())


def test_a_zip_of_several_notebooks_is_opened_and_one_in_a_zip_is_told(tmp_path):
    inner = in_a_zip(b"{}")
    data = in_a_zip(b"first", "04.ipynb", "__MACOSX/._04.ipynb", "more.zip", "notes.txt")
    files = {"ada_1_2_hw.zip": data, "bob_2_3_one.zip": inner, "eve_3_4_x.ipynb": b"x"}
    found = {each.file: each for each in find(write_files(tmp_path, files))}
    assert [*found] == [
        *("ada_1_2_hw.zip/04.ipynb", "ada_1_2_hw.zip/more.zip", "ada_1_2_hw.zip/week 1/01.ipynb"),
        *("bob_2_3_one.zip", "eve_3_4_x.ipynb"),
    ]
    ada = found["ada_1_2_hw.zip/week 1/01.ipynb"]
    assert (ada.learner, ada.id, ada.order, ada.read()) == ("ada", "1", 2, b"first")


def test_a_name_in_a_learner_s_zip_takes_nobody_s_page(tmp_path):
    file = "week 1/eve_778_77002_hw.zip/victim_777_77001_x.ipynb"
    name, page = platforms.feedback("canvas", "eve", "778", file, "<p>")
    assert (name, page) == ("eve_778_77002_feedback.html", "<p>")
    for platform in {*PLATFORMS} - {"canvas", "moodle"}:
        assert platforms.feedback(platform, "eve", "778", file, "<p>") is None


def test_every_platform_is_explained():
    for key, platform in PLATFORMS.items():
        assert platform.when, key
        assert grader.PLATFORMS[key].title


def test_what_stands_in_the_way_of_an_import_is_told():
    (line,) = tables.about_import(learners([result("Ada", lms="brightspace")]))
    assert "1 of 1 learners have none in grades.csv: Ada. Give an export of its grades" in line
    (line,) = tables.about_import(learners([result("Ada", lms="google")]))
    assert (
        line == "Google Classroom imports no table: enter the grades of grades.csv there by hand."
    )
    assert not [*tables.about_import(learners([result("Ada", lms="canvas")]))]
