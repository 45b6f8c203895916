"""A copy of the results says nothing of whose they are."""

import re
import socket

import pytest

from grading.__main__ import main
from grading.report import tables
from grading.report.anonymous import Pseudonyms
from grading.report.store import Store
from grading.report.tables import Learner
from grading.run.scoring import Outcome, Result
from utils.checks.tasks import Reason

NOTEBOOK = "01_attention_concepts"
PSEUDONYM = re.compile(r"learner-[a-z2-7]{8}")
NAMES = ["Ada Lovelace", "Max Key", "李 王", "O'Neill-Łucja Ångström", "turinga", "Юля Ким"]
HOST = "examhall7"


def class_of(*names: str, **facts) -> list[Learner]:
    """Learners of whom each has a number, and a file that says what `facts` says."""
    results = []
    for number, name in enumerate(names, start=70010):
        lines = ["Seen with a line.", "error in /home/ada/course/utils/x.py"]
        outcome = Outcome(0, 3, Reason.ERROR, "in bits", "✗ Entropy: not yet", lines, 0)
        known = {"notebook": NOTEBOOK, "tasks": {"entropy": outcome}} | facts
        results.append(Result(name, "canvas", str(number), f"{name}_{number}_1_01.ipynb", **known))
    return tables.learners(results)


def hidden(text: str, *names: str) -> str:
    """What is left of a text by one of these learners."""
    class_ = class_of(*(names or NAMES))
    return Pseudonyms(class_, b"key").text(text)


@pytest.mark.parametrize(
    "text",
    [
        *NAMES,
        *(name.upper() for name in NAMES),
        "I am Lovelace, ada.",
        "# (c) LOVELACE_ADA",
        "def ada_lovelace_softmax(): ...",
        "adalovelace",
        "王李",
        "我叫李王。",
        "Ångström's answer",
        "A\u030angstro\u0308m, written in another way",
        "number 70010",
        "mail to ada.l@uni-x.example.org",
        "see https://code.example.org/adal/work",
        "FileNotFoundError: '/home/ada/data/words.txt'",
        "in ~/course/x/y.py",
        r"in C:\Users\ada l\course",
        f"running on {HOST}",
    ],
)
def test_who_wrote_it_cannot_be_read(text, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: HOST)
    found = hidden(text)
    secret = r"ada|love|lace|李|王|neill|łucja|ångström|turing|юля|ким|7001\d|home|users|course"
    assert not re.search(f"{secret}|uni-x|{HOST}|adal", found.lower())
    assert re.search(r"learner-\w{8}|\((elsewhere|computer)\)", found)


@pytest.mark.parametrize(
    "text",
    [
        "weights.max(-1) of every key, by sqrt(d)",  # and not of Max Key
        "1 / 2 / 3 and x/y/z, and 0.70010 of it",
        "cada, adamant, maximum, keys",
        "First difference: `context[0, 0]` should be 1.855, is 1.921.",
    ],
)
def test_what_is_nobodys_stays(text):
    assert hidden(text) == text


def test_a_learner_has_the_same_pseudonym_in_a_larger_class_and_another_with_another_key():
    few, many, others = (
        Pseudonyms(class_of(*names), key).text("Ada Lovelace")
        for names, key in [(NAMES[:2], b"key"), (NAMES, b"key"), (NAMES, b"another")]
    )
    assert few == many != others
    assert PSEUDONYM.fullmatch(few)


def test_the_whole_result_is_copied_and_nobody_is_in_it(tmp_path, capsys):
    out, copy = tmp_path / "grades", tmp_path / "copy"
    store = Store(out)
    store.start(seed=1, source="/home/ada/class", safe=True, late="best", column="Grade")
    words = {"dark_column": "I, Ada Lovelace, think so."}
    code = {"entropy": "# by Łucja\ndef entropy(weights):\n    return max(weights)"}
    class_ = class_of(*NAMES, words=words, code=code, remarks=["cell 1: /home/ada/x/y"])
    for learner in class_:
        store.save(learner.files[0])
    marks = "learner,question,points,remark\nAda Lovelace (70010),dark_column,2,Well done Ada!\n"
    marks += 'Ada Lovelace (70010),entropy,1,"Ada Lovelace told me, and so did Łucja"\n'
    (out / "marks.csv").write_text(marks, encoding="utf-8")
    command = ["anonymous", str(copy), "--out", str(out)]
    assert main(command) == 0
    paths = [path for path in sorted(copy.rglob("*")) if path.is_file()]
    assert {path.name for path in paths} >= {"overview.html", "grades.csv", "files.csv"}
    assert len(list((copy / "learners").iterdir())) == len(NAMES)
    for path in paths:
        told = path.name + path.read_text(encoding="utf-8")
        for secret in (r"\bada\b", "Lovelace", "李", "Łucja", "turing", r"7001\d", "/home", "Юля"):
            assert not re.search(secret, told, re.IGNORECASE), (path.name, secret)
    own = Pseudonyms(class_, (out / "private" / "pseudonyms.key").read_bytes()).text("Ada Lovelace")
    page = (copy / "learners" / f"{own}.html").read_text(encoding="utf-8")
    assert f"I, {own}, think so." in page
    assert f"Well done {own}!" in page
    row = next(row for row in (copy / "grades.csv").read_text().splitlines() if own in row)
    assert {"2", "3"} & {*row.split(",")}  # with the mark
    assert main(command) == 2
    assert "Name a new folder" in capsys.readouterr().err


def test_without_grades_there_is_nothing_to_copy(tmp_path, capsys):
    assert main(["anonymous", str(tmp_path / "copy"), "--out", str(tmp_path)]) == 2
    assert "There are no grades" in capsys.readouterr().err
