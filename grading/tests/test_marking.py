"""Test the page on which answers in words are marked: what it shows, takes, refuses and keeps."""

import csv
import io
import json
import threading
import urllib.error
import urllib.request

import pytest

from grading.intake.submissions import CannotGrade
from grading.report import tables
from grading.report.marking import Marking, Server
from grading.report.store import Store
from grading.tests.made import result
from tests import needs
from tests.browser.lab import running_browser

QUESTION = "dark_column"
SAME = "It is looked at by nobody."


@pytest.fixture
def graded(tmp_path):
    """Return a folder with the grades of five learners, two of whom say the same."""
    store = Store(tmp_path)
    store.start(seed=1, source="class", safe=True, class_file="")
    words = {
        "Ada": SAME,
        "Bob": SAME.upper().replace(" ", "  "),
        "Cy": "A dark column.\n\u202eturned",
        "Di": "<b>bold</b>",
        "Ed": "",
    }
    for name, text in words.items():
        store.save(result(name, words={QUESTION: text}))
    return tmp_path


def rows(out):
    text = (out / "marks.csv").read_text(encoding="utf-8-sig")
    return {row["learner"]: row for row in csv.DictReader(io.StringIO(text))}


def answers(marking):
    return {each["text"]: each for each in json.loads(marking.state())["answers"]}


def give(marking, answer, value, note="", **otherwise):
    sent = {"id": answer["id"], "points": value, "remark": note, "was": answer["points"]}
    return json.loads(marking.take(json.dumps(sent | otherwise).encode()))


def test_the_same_answer_is_shown_once_and_without_names(graded):
    marking = Marking(graded)
    assert [each["count"] for each in answers(marking).values()] == [2, 1, 1]
    shown = marking.page() + marking.state().decode()
    assert not any(name in shown for name in ("Ada", "Bob", "Cy", "Di.ipynb"))
    assert "\u202e" not in shown
    assert "How it is marked" in shown


def test_words_in_the_wrong_place_are_shown_as_that(tmp_path):
    store = Store(tmp_path)
    store.start(seed=1, source="class", safe=True, class_file="")
    store.save(result("Ada", words={QUESTION: ""}, elsewhere=["cell 9: It may be long."]))
    (text,) = answers(Marking(tmp_path))
    assert text.startswith("(Nothing stands in the place for this answer.")
    assert text.endswith("cell 9: It may be long.")


def test_a_mark_stands_in_the_table_for_all_who_said_the_same(graded):
    marking = Marking(graded)
    told = give(marking, answers(marking)[SAME], 2.5, "by  whom?")
    assert "complaint" not in told
    assert {name: row["points"] for name, row in rows(graded).items()} == {
        "Ada": "2.5",
        "Bob": "2.5",
        "Cy": "",
        "Di": "",
    }
    assert rows(graded)["Bob"]["remark"] == "by whom?"
    class_ = tables.learners(Store(graded).all())
    assert tables.read_marks(graded / "marks.csv", class_) == []
    assert class_[0].marks[QUESTION] == (2.5, "by whom?")
    # and so it is there when the page is opened again
    assert answers(Marking(graded))[SAME]["points"] == 2.5


def test_of_two_markers_the_second_is_told(graded):
    one, other = Marking(graded), Marking(graded)
    seen = answers(other)[SAME]
    give(one, answers(one)[SAME], 3)
    told = give(other, seen, 1)
    assert told["complaint"].startswith("Meanwhile marks.csv says 3 points")
    assert rows(graded)["Ada"]["points"] == "3"
    assert "complaint" not in give(other, answers(other)[SAME], 1)
    assert rows(graded)["Ada"]["points"] == "1"


def test_marks_that_a_person_has_entered_stay(graded):
    Marking(graded).take(b"")
    class_ = tables.learners(Store(graded).all())
    tables.write_marks(class_, graded / "marks.csv")
    text = (graded / "marks.csv").read_text(encoding="utf-8")
    lines = [f"{line},mine" if n == 0 else line for n, line in enumerate(text.splitlines())]
    (graded / "marks.csv").write_text("\n".join(lines), encoding="utf-8")
    marking = Marking(graded)
    give(marking, answers(marking)["<b>bold</b>"], 0)
    assert "mine" in rows(graded)["Di"]
    assert rows(graded)["Di"]["points"] == "0"


@pytest.mark.parametrize(
    "sent",
    [
        {"points": 4},
        {"points": -1},
        {"points": float("nan")},
        {"points": True},
        {"points": "3"},
        {"remark": 3},
        {"id": "another"},
        {"id": []},
    ],
)
def test_what_makes_no_sense_is_told_and_changes_nothing(graded, sent):
    marking = Marking(graded)
    assert give(marking, answers(marking)[SAME], 1, **sent)["complaint"]
    assert not (graded / "marks.csv").exists()
    for damage in (b"", b"[]", b"{", b"null", b"[" * 10_000):
        assert json.loads(marking.take(damage))["complaint"]


def test_while_a_grader_is_at_work_no_mark_is_taken(graded):
    marking = Marking(graded)
    with Store(graded).alone():
        assert "Another grader is at work" in give(marking, answers(marking)[SAME], 1)["complaint"]


def test_a_folder_without_grades_or_answers_is_told(tmp_path):
    with pytest.raises(CannotGrade, match="There are no grades"):
        Marking(tmp_path)
    Store(tmp_path).start(seed=1, source="class", safe=True, class_file="")
    Store(tmp_path).save(result("Ada", words={}))
    with pytest.raises(CannotGrade, match="Nobody has answered in words"):
        Marking(tmp_path)


@pytest.fixture
def served(graded):
    other = {"notebook": "02_additive_attention", "words": {"long_sequences": "Long ones."}}
    for name in ("Flo", "Gus", "Hal"):  # enough that this notebook counts, too
        Store(graded).save(result(name, **other))
    server = Server(Marking(graded))
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield graded, server.address
    server.shutdown()
    server.server_close()


def test_only_a_page_of_ours_may_send_marks(served):
    _, address = served
    body, kind = b"{}", {"Content-Type": "text/plain"}
    for request in (
        urllib.request.Request(address + "mark.json", body, kind),
        urllib.request.Request(address, body, {"Content-Type": "application/json"}),
        urllib.request.Request(
            address + "mark.json", b" " * 70_000, {"Content-Type": "application/json"}
        ),
    ):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(request)


@pytest.mark.browser
@needs.chromium
def test_a_class_is_marked_by_keys_alone(served):
    graded, address = served
    with running_browser() as browser:
        page = browser.new_page(viewport={"width": 900, "height": 800})
        errors = []
        page.on("pageerror", lambda error: errors.append(error))
        page.goto(address)
        count = page.locator("#count")
        page.wait_for_function("document.querySelector('#count').textContent")
        assert count.inner_text() == "0 of 3 answers marked; 4 left in all questions."
        page.keyboard.press("2")
        page.get_by_text("1 of 3 answers marked").wait_for()
        page.keyboard.press("r")
        page.keyboard.type("see 01.8")
        page.keyboard.press("Enter")
        page.keyboard.press("+")
        page.get_by_text("Half a point, and …").wait_for()
        page.keyboard.press("1")
        page.get_by_text("2 of 3 answers marked").wait_for()
        page.keyboard.press("3")
        page.get_by_text("0 of 1 answers marked").wait_for()  # of the next question
        page.keyboard.press("1")
        page.get_by_text("1 of 1 answers marked; 0 left").wait_for()
        page.reload()
        page.get_by_text("3 of 3 answers marked").wait_for()
        assert not errors
    assert {name: (row["points"], row["remark"]) for name, row in rows(graded).items()} == {
        "Ada": ("2", ""),
        "Bob": ("2", ""),
        "Cy": ("1.5", "see 01.8"),
        "Di": ("3", ""),
        **dict.fromkeys(("Flo", "Gus", "Hal"), ("1", "")),
    }
