"""A copy of the results says nothing of whose they are."""

import re

from grading.__main__ import main
from grading.intake.notebook_parser import Flag
from grading.report.anonymous import pseudonym
from grading.report.store import Store
from grading.run.scoring import Outcome, Result
from grading.tests.made import class_file
from utils.checks.tasks import Reason

NOTEBOOK = "01_attention_concepts"
NAMES = ["Ada Lovelace", "Max Key", "李 王", "O'Neill-Łucja Ångström", "turinga", "Юля Ким"]
SECRET = re.compile(
    r"\bada|love|李|王|neill|łucja|ångström|turing|юля|ким|hopper|7001\d|/home", re.I
)


def result(name: str, number: int) -> Result:
    """Return a result in which every text that a learner can reach names them."""
    text = f"I, {name}, number {number}, think so: /home/{name}/x.py"
    task = Outcome(0, 3, Reason.ERROR, "in bits", "Entropy", [text], 0, returned=text)
    texts = {"words": {"dark_column": text}, "code": {"entropy": text}, "remarks": [text]}
    flags = {"flags": [Flag("entropy", text)], "elsewhere": [text], "tasks": {"entropy": task}}
    file = f"{name}_{number}_1_01.ipynb"
    late = {"notebook": NOTEBOOK, "late": True}
    return Result(name, "canvas", str(number), file, **late, **texts, **flags)


def test_the_whole_result_is_copied_and_nobody_is_in_it(tmp_path, capsys):
    out, copy = tmp_path / "grades", tmp_path / "copy"
    store = Store(out)
    more = 'deduction = 50\nroster = "roster.csv"\n[extensions]\n"Ada Lovelace" = 2030-01-01'
    week = class_file(tmp_path / "week.toml", tmp_path / "in", more)
    people = [
        f"{name},{number},Turing" for number, name in enumerate([*NAMES, "Grace Hopper"], 70010)
    ]
    (tmp_path / "roster.csv").write_text("\n".join(["Name,ID,Section", *people]), encoding="utf-8")
    store.start(seed=1, source="/home/ada/class", safe=True, class_file=str(week))
    for number, name in enumerate(NAMES, start=70010):
        store.save(result(name, number))
    marks = "learner,question,points,remark\nAda Lovelace (70010),dark_column,2,Well done Ada!\n"
    marks += 'Ada Lovelace (70010),entropy,1,"Ada Lovelace told me, and so did Łucja"\n'
    (out / "marks.csv").write_text(marks, encoding="utf-8")
    command = ["anonymous", str(copy), "--out", str(out)]
    assert main(command) == 0
    paths = [path for path in sorted(copy.rglob("*")) if path.is_file()]
    assert {path.name for path in paths} >= {"overview.html", "grades.csv", "files.csv"}
    assert len(list((copy / "learners").iterdir())) == len(NAMES) + 1  # one has handed in nothing
    for path in paths:
        text = re.sub(r"data:[^\"]*", "", path.read_text(encoding="utf-8"))  # of pictures
        assert not SECRET.search(path.name + text), path.name
    key = (out / "private" / "pseudonyms.key").read_bytes()
    own = pseudonym("Ada Lovelace (70010)", key)
    assert "Entropy" in (copy / "learners" / f"{own}.html").read_text(encoding="utf-8")
    row = next(row for row in (copy / "grades.csv").read_text().splitlines() if own in row)
    assert row.split(",")[1] == "3"  # with the marks, and the extension
    assert main(command) == 2
    assert "Name a new folder" in capsys.readouterr().err


def test_a_pseudonym_is_the_same_for_the_same_key_and_no_other():
    first, again, other = (pseudonym("Ada", key) for key in (b"key", b"key", b"another"))
    assert first == again != other
    assert re.fullmatch(r"learner-[a-z2-7]{8}", first)


def test_without_grades_there_is_nothing_to_copy(tmp_path, capsys):
    assert main(["anonymous", str(tmp_path / "copy"), "--out", str(tmp_path)]) == 2
    assert "There are no grades" in capsys.readouterr().err
