"""Test how answers to items are marked, and what marks amount to: score, gain, beliefs held."""

import math

import numpy as np
import pytest

from utils.items.item_bank import StoredItem, Version, items
from utils.items.marking import (
    HELD,
    Mark,
    can_show,
    held,
    interval,
    mark,
    normalised_gain,
    readings,
    score,
)

NO_NUMBERS = ("half", "1,2,3", "nan", "1/4", "25 %", "-", "1.2.3")


def made(*options, typed=False, name="item"):
    """Return an item whose second option is right, the others each of a belief of their own."""
    beliefs = ["" if place == 1 else f"belief-{place}" for place in range(len(options))]
    version = Version("?", [], options, beliefs)
    return StoredItem(name, "04.1", "A", "", typed, [version])


CHOICE = made("64", "8", "4")


@pytest.mark.parametrize("item", items().values(), ids=lambda item: item.id)
def test_each_option_of_the_bank_is_marked_by_its_belief(item):
    version = item.versions[0]
    answers = version.options if item.typed else "abcde"[: len(version.options)]
    for answer, belief in zip(answers, version.beliefs, strict=True):
        assert mark(item, answer) == Mark(item.id, belief == "", belief)


@pytest.mark.parametrize("answer", ["b", "B", " b ", "b)", "(b)", "b."])
def test_a_letter_may_be_written_in_several_ways(answer):
    assert mark(CHOICE, answer) == Mark("item", True, "")


@pytest.mark.parametrize("item", [CHOICE, made("1", "2", "3", typed=True)])
@pytest.mark.parametrize("answer", ["", "?", " "])
def test_who_does_not_know_shows_no_belief(item, answer):
    assert mark(item, answer) == Mark("item", False, "")


@pytest.mark.parametrize("answer", ["d", "ab", "8", "()", "none"])
def test_what_is_no_option_is_refused_in_words(answer):
    with pytest.raises(ValueError, match='write a letter from a to c, or "\\?"'):
        mark(CHOICE, answer)


@pytest.mark.parametrize("answer", NO_NUMBERS)
def test_what_is_no_number_is_refused_in_words(answer):
    with pytest.raises(ValueError, match="is not a number: write one such as"):
        mark(made("0.10", "0.25", typed=True), answer)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("12", {12}),
        ("12.5", {12.5}),
        ("12,5", {12.5}),
        ("0,125", {0.125}),
        (".5", {0.5}),
        ("1,024", {1024, 1.024}),
        ("1.024", {1024, 1.024}),
        ("1,024.5", {1024.5}),
        ("1.024,5", {1024.5}),
        ("65 536", {65536}),
        ("65'536", {65536}),
        ("-1,5", {-1.5}),
        ("−1.5", {-1.5}),
        ("1e3", {1000}),
        ("1 2", set()),
    ],
)
def test_numbers_are_read_in_english_and_german(text, numbers):
    assert readings(text) == numbers


@pytest.mark.parametrize(
    ("options", "answer", "right", "belief"),
    [
        (["0.10", "0.25"], "0,25", True, ""),
        (["0.10", "0.25"], "0.254", True, ""),
        (["0.10", "0.25"], "0.27", False, ""),
        (["0.10", "0.25"], "0.1", False, "belief-0"),
        (["0.24", "0.25"], "0.24", False, "belief-0"),  # the closest counts
        (["49", "50"], "49", False, "belief-0"),
        (["56", "50"], "49", False, ""),
        (["56", "1,024"], "1.024", True, ""),
        (["1.02", "1,024"], "1.024", True, ""),  # of two readings, the right one
        (["56", "−1,024.50"], "−1024,5", True, ""),
        (["3", "12.5 %"], "12.5", True, ""),
        (["3", "7"], "1e999", False, ""),
    ],
)
def test_a_typed_number_is_compared_at_the_precision_shown(options, answer, right, belief):
    assert mark(made(*options, typed=True), answer) == Mark("item", right, belief)


def test_score_and_gain():
    marks = [Mark("a", True, ""), Mark("b", False, "x"), Mark("c", False, ""), Mark("d", True, "")]
    assert score(marks) == 0.5
    assert math.isnan(score([]))
    assert normalised_gain(0.4, 0.7) == pytest.approx(0.5)
    assert normalised_gain(0.5, 0.25) == pytest.approx(-0.5)
    assert math.isnan(normalised_gain(1, 1))


def test_the_interval_of_a_mean():
    values = np.random.default_rng(1).normal(0.3, 0.2, 400)
    low, high = interval(values)
    wide = 1.96 * values.std() / math.sqrt(400)  # what a normal distribution gives
    assert (low, high) == pytest.approx((values.mean() - wide, values.mean() + wide), abs=0.003)
    assert interval(values) == (low, high)
    assert interval(values, seed=1) != (low, high)
    assert interval([*values, math.nan]) == (low, high)
    assert all(math.isnan(end) for end in interval([0.5, math.nan]))


def shown(times, others):
    """Return marks of answers that show a belief, and of others."""
    return [Mark("a", False, "x")] * times + [Mark("a", True, "")] * others


def test_a_belief_is_held_that_most_items_have_shown():
    # by hand, shown by one of two items: 0.2 · 0.8 · 0.2 / (0.2 · 0.8 · 0.2 + 0.8 · 0.1 · 0.9)
    assert held(shown(1, 1), {"x": 2}) == {"x": pytest.approx(0.032 / 0.104)}
    assert held([], {"x": 0}) == {"x": pytest.approx(0.2)}
    enough = {
        n: min(k for k in range(n + 1) if held(shown(k, n - k), {"x": n})["x"] >= HELD)
        for n in range(1, 7)
    }
    assert enough == {1: 1, 2: 2, 3: 2, 4: 3, 5: 3, 6: 3}  # as its docstring says


def test_how_many_items_can_show_a_belief():
    assert can_show([CHOICE, made("1", "2")]) == {"belief-0": 2, "belief-2": 1}
