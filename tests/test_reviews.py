"""Which questions are asked, in which numbers, what an answer leaves, and the cards for Anki."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests import needs
from utils.checks import progress_file, reviews
from utils.checks.progress import progress
from utils.items.anki import front_and_back, write_package
from utils.items.choosing import chosen, version
from utils.items.item_bank import items
from utils.items.rendering import as_html, as_words
from utils.widgets import review, warm_up
from utils.widgets.questions import whole_bank

NOW = datetime(2026, 11, 28, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path, monkeypatch):
    """Keep all that a learner has done in an empty folder."""
    for name in ("PROGRESS", "FROM_NOTEBOOKS", "PREDICTIONS", "RATINGS", "REVIEWS", "TURNS"):
        monkeypatch.setattr(progress_file, name, tmp_path / f"{name.lower()}.json")
    return tmp_path


def test_whoever_comes_for_the_first_time_gets_three_questions_on_earlier_notebooks():
    first = chosen(3, "05", NOW)
    assert len(first) == len({item.notebook for item in first}) == 3
    assert all(item.notebook < "05" and not item.form for item in first)
    assert warm_up("05").questions == warm_up("05").questions  # nothing is left to chance
    assert reviews.in_words(NOW) == ""  # and nobody has a debt


def test_a_right_answer_comes_back_later_than_a_wrong_one():
    right, wrong = chosen(2, now=NOW)
    reviews.answered(right.id, "", NOW)
    reviews.answered(wrong.id, "no-scale", NOW)
    due = {item: kept.card.due - NOW for item, kept in reviews.reviews().items()}
    assert due[wrong.id] < due[right.id]
    assert reviews.reviews()[wrong.id].belief == "no-scale"


def test_what_went_wrong_is_asked_first_and_in_other_numbers():
    item, *_ = chosen(3, now=NOW)
    before = version(item)
    reviews.answered(item.id, "no-scale", NOW)
    assert item not in chosen(3, now=NOW + timedelta(hours=1))
    assert chosen(1, now=NOW + timedelta(days=40)) == [item]
    assert version(item).text != before.text or version(item).options != before.options


def test_what_was_known_leaves_room_for_what_is_new():
    known = chosen(3, now=NOW)
    for item in known:
        reviews.answered(item.id, "", NOW)
    *new, due = chosen(3, now=NOW + timedelta(days=40))
    assert due in known
    assert not any(item in known for item in new)


def test_the_longer_it_is_known_the_longer_it_stays_away():
    item, now, waits = chosen(1, now=NOW)[0], NOW, []
    for _ in range(4):
        reviews.answered(item.id, "", now)
        due = reviews.reviews()[item.id].card.due
        waits.append(due - now)
        now = due
    assert waits == sorted(set(waits))


def test_a_belief_that_exercises_have_shown_is_asked_for_first(nothing_kept):
    later = [item for item in items().values() if not item.form][-1]
    slug = min(later.beliefs, key=lambda slug: sum(slug in i.beliefs for i in items().values()))
    kept = {"entropy": {"points": 0, "kinds": [slug]}}
    (nothing_kept / "progress.json").write_text(json.dumps(kept))
    assert slug in chosen(1, now=NOW)[0].beliefs


def test_a_notebook_in_which_a_guess_went_wrong_is_asked_first():
    question = "W is trained three times, from three random starts. What comes out?"
    guess = progress_file.Guess("R, each time", "certain", "another", came_true=False)
    progress_file.save_guess(question, guess)
    assert chosen(1, now=NOW)[0].notebook == "03"


def test_answers_in_the_page_are_kept_once_with_their_belief():
    asked = warm_up("05")
    first, second = asked.questions[:2]
    wrong = next(n for n, slug in enumerate(first["beliefs"]) if slug)
    asked.set_state({"answers": {first["id"]: wrong}})
    asked.set_state({"answers": {first["id"]: wrong, second["id"]: second["right"]}})
    kept = reviews.reviews()
    assert {item: (review.times, review.belief) for item, review in kept.items()} == {
        first["id"]: (1, first["beliefs"][wrong]),
        second["id"]: (1, ""),
    }
    asked.set_state({"answers": {"no such item": 0, asked.questions[2]["id"]: -1}})
    assert reviews.reviews()[asked.questions[2]["id"]].belief == "?"


def test_progress_says_what_is_fresh_and_what_fades(monkeypatch):
    for item, days in zip(chosen(3, now=NOW), (0, 0, 300), strict=True):
        reviews.answered(item.id, "", datetime.now(UTC) - timedelta(days=days))
    assert "Warm-ups: 2 of 3 questions are fresh, 1 fade: `from utils.widgets" in repr(progress())


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        '{"a": 3}',
        '{"a": {"card": {}, "times": 1, "belief": ""}}',
        '{"a": {"card": {"card_id": 1, "state": 9, "due": "x"}, "times": 1, "belief": ""}}',
    ],
)
def test_damaged_reviews_are_ignored(nothing_kept, damage):
    (nothing_kept / "reviews.json").write_text(damage)
    assert reviews.reviews() == {}
    assert len(review().questions) == 5
    reviews.answered("a", "", NOW)
    assert reviews.reviews()["a"].times == 1


def test_before_the_first_notebook_there_is_nothing_to_warm_up():
    with pytest.raises(ValueError, match="no notebook with questions comes before '01'"):
        warm_up("01")


def test_a_page_without_a_kernel_has_no_question_of_the_two_tests():
    kept_for_tests = {item.id for item in items().values() if item.form}
    assert kept_for_tests.isdisjoint(question["id"] for question in whole_bank().questions)


def test_what_an_item_shows_is_html_and_words():
    table = {"cells": [[0.25, -1.5]], "rows": ["a<b"], "columns": ["x", "y"], "digits": 2}
    assert all(text in as_html(table) for text in ("a&lt;b", "−1.50"))
    assert as_words(table) == "0.25 −1.50"
    assert as_html({"code": "a < b"}).count("&lt;") == 1
    lines = {"x": [0, 1, 2], "lines": {"one": [1, 2, 3], "flat": [2, 2, 2]}, "axes": ["x", "y"]}
    assert as_html(lines).count("<polyline") == 2
    assert 'aria-label="y over x: one [1, 2, 3]; flat [2, 2, 2]"' in as_html(lines)


@needs.anki
@pytest.mark.filterwarnings("default")
def test_anki_imports_the_cards_and_knows_them_again(tmp_path):
    from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

    count = write_package(tmp_path / "attention.apkg")
    collection = Collection(str(tmp_path / "collection.anki2"))
    request = ImportAnkiPackageRequest(
        package_path=str(tmp_path / "attention.apkg"), options=ImportAnkiPackageOptions()
    )
    first, again = (collection.import_anki_package(request).log for _ in range(2))
    assert (len(first.new), len(again.new), collection.card_count()) == (count, 0, count)
    item = next(item for item in items().values() if not item.form)
    notes = map(collection.get_note, collection.find_notes('"deck:Attention::Warm-ups"'))
    assert list(front_and_back(item)) in [note.fields for note in notes]
    collection.close()
