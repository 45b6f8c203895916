"""Guesses of a room are counted, once for each learner, and nothing says who has guessed what."""

import json
import os
import threading
import urllib.error
import urllib.request
from itertools import islice

import pytest

from grading.classroom import guesses, names
from grading.report import guesses as counting
from grading.report import room as live
from grading.report.room import Room, Server
from grading.tests.test_room import DAMAGE, home, put
from tests import needs

pytestmark = needs.unix
CHOICE = next(text for text, asked in counting.questions().items() if asked.options)
SHARE = next(text for text, asked in counting.questions().items() if asked.between == (0, 1))
OPTIONS = counting.questions()[CHOICE].options


def guess(folder, learner, guesses, ago=0.0, **where):
    """Write what a learner has guessed, as `predict` does."""
    path = put(folder, learner, {}, **where).with_name("guesses.json")
    path.write_text(json.dumps(guesses), encoding="utf-8")
    os.utime(path, (path.stat().st_mtime - ago,) * 2)
    return path


def counted(folder):
    return json.loads(Room(folder).guesses())


def test_thirty_learners_guess_and_are_counted_without_their_names(tmp_path):
    asked = [*counting.questions()][:6]
    for _ in islice(guesses(tmp_path, 30), 30 * len(asked)):
        pass
    text = Room(tmp_path).guesses()
    room = json.loads(text)
    assert [*room] == asked
    for entry in room.values():
        assert entry["guesses"] == sum(entry["bars"]) == 30
        assert sum(count > 0 for count in entry["bars"]) > 1
    assert not [name for name in islice(names(), 30) if name in text]


def test_a_number_goes_into_the_bar_of_its_part(tmp_path):
    for learner, number in enumerate(["0", "0.05", "0.1", "0.95", "1", "1.0"]):
        guess(tmp_path, f"learner {learner}", {SHARE: number})
    assert counted(tmp_path)[SHARE]["bars"] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 3]


def test_few_whole_numbers_have_a_bar_each():
    few = counting.Question("How many?", between=(0, 6))
    assert few.bars() == few.marks() == list("0123456")
    assert [few.bar(number) for number in ("0", "2.4", "2.6", "6", "7")] == [0, 2, 3, 6, None]


def test_two_guesses_are_a_number_and_no_bars(tmp_path):
    for learner in ("ada", "bob"):
        guess(tmp_path, learner, {CHOICE: OPTIONS[0]})
    assert counted(tmp_path)[CHOICE] == {"guesses": 2, "bars": []}
    guess(tmp_path, "eve", {CHOICE: OPTIONS[0]})
    assert counted(tmp_path)[CHOICE]["bars"][0] == 3


def test_of_two_copies_the_one_that_changed_last_counts(tmp_path):
    guess(tmp_path, "ada", {CHOICE: OPTIONS[0]}, ago=60, inside="old")
    guess(tmp_path, "ada", {CHOICE: OPTIONS[1]}, inside="new")
    for learner in ("bob", "eve"):
        guess(tmp_path, learner, {CHOICE: OPTIONS[1]})
    assert counted(tmp_path)[CHOICE]["bars"][:2] == [0, 3]


def test_the_first_guess_counts_before_anything_was_checked(tmp_path):
    (tmp_path / "ada" / "course" / "exercises").mkdir(parents=True)
    for notebook in ("01_attention_concepts.ipynb", "02_additive_attention.ipynb"):
        (tmp_path / "ada" / "course" / "exercises" / notebook).touch()
    room = Room(tmp_path)
    assert json.loads(room.guesses()) == {}
    path = tmp_path / "ada" / "course" / "exercises" / "guesses.json"
    path.write_text(json.dumps({CHOICE: OPTIONS[0]}))
    room._made.clear()
    assert json.loads(room.guesses())[CHOICE]["guesses"] == 1  # without another search


NONSENSE = [
    None,
    3,
    True,
    [],
    {},
    [OPTIONS[0]],
    "nan",
    "-inf",
    "1e999",
    "9" * 5000,
    "<b>",
    "ada",
    "",
]


def test_what_is_no_answer_is_not_counted_and_costs_nobody_else(tmp_path):
    for learner in ("ada", "bob", "eve"):
        guess(tmp_path, learner, {CHOICE: OPTIONS[0], SHARE: "0.5"})
    for number, nonsense in enumerate(NONSENSE):
        content = {CHOICE: nonsense, SHARE: nonsense, "no such question": OPTIONS[0], "": {}}
        guess(tmp_path, f"mallory {number}", content)
    for damage, make in DAMAGE.items():
        make(home(tmp_path, damage).with_name("guesses.json"))
    text = Room(tmp_path).guesses()
    assert {name: entry["guesses"] for name, entry in json.loads(text).items()} == {
        CHOICE: 3,
        SHARE: 3,
    }
    assert not [word for word in ("mallory", "no such", "<b>", "passwd") if word in text]


def test_no_link_is_followed_to_what_another_has_guessed(tmp_path):
    path = guess(tmp_path, "ada", {CHOICE: OPTIONS[0]})
    for learner in ("bob", "eve", "dan"):
        home(tmp_path, learner).with_name("guesses.json").symlink_to(path)
    assert counted(tmp_path)[CHOICE]["guesses"] == 1


def test_the_slides_have_a_secret_of_their_own(tmp_path, monkeypatch):
    slides = tmp_path / "slides"
    slides.mkdir()
    (slides / "index.html").write_text('<!doctype html>\n<html lang="en">\n<title>A deck</title>')
    (tmp_path / "outside.txt").write_text("secret")
    folder = tmp_path / "room"
    guess(folder, "ada", {CHOICE: OPTIONS[0]})
    server = Server(Room(folder), slides=slides)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    deck = server.slides_address.removesuffix("index.html")
    assert server.server_address[0] == "127.0.0.1"
    assert deck != server.address

    def content(address):
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()

    assert '<html data-room="guesses.json" lang="en">' in content(deck + "index.html?receiver")
    assert json.loads(content(deck + "guesses.json"))[CHOICE]["guesses"] == 1
    assert "ada" in content(server.address)
    for path in (deck, server.address + "guesses.json", deck + "../outside.txt", deck + "room"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            content(path)
    server.shutdown()
    server.server_close()


def test_the_belief_that_most_have_met_lately_stands_above_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(live, "FRESH", 0.0)
    for learner in ("ada", "bob", "eve"):  # an hour ago
        put(tmp_path, learner, {"entropy": {"points": 0, "kinds": ["hard-choice"]}}, ago=3600)
    put(tmp_path, "dan", {"entropy": {"points": 0, "kinds": ["softmax-twice"]}}, ago=60)
    for learner in ("gil", "hal"):  # lately, and past it
        put(tmp_path, learner, {"entropy": {"points": 3, "kinds": ["divide-again"]}}, ago=60)
    room = Room(tmp_path)

    def said():
        return room.page().partition("To say now")[2].partition("</section>")[0]

    assert "1 learner seems to believe" in said()
    assert "a softmax leaves shares as they are" in said()
    assert "The softmax of numbers between 0 and 1 is nearly flat" in said()  # what to say
    for learner in ("bob", "eve"):
        path = tmp_path / learner / "course/exercises/progress.json"
        kinds = ["hard-choice", "divide-again"]
        path.write_text(json.dumps({"entropy": {"points": 0, "kinds": kinds}}))
    assert "4 learners seem to believe" in said()
    assert "2 not past it yet" in said()
    monkeypatch.setattr(live, "LATELY", 0.0)
    assert said() == ""
