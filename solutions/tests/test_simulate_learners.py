"""Test made-up learners: what they answer, whether their beliefs are found, what comes back."""

import numpy as np
import pytest

from solutions.simulate_learners import (
    Asked,
    Learners,
    Pace,
    difficulty,
    draw,
    found,
    precision_and_recall,
    share_asked_again,
    warm_ups,
)
from utils.checks.progress_file import REVIEWS
from utils.items.choosing import LATER
from utils.items.item_bank import items
from utils.items.marking import HELD, can_show, held, score

ITEMS = [item for item in items().values() if not item.form][:20]
BELIEFS = sorted(can_show(ITEMS))
COUNT = 200


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def alike(count, *beliefs):
    """Return learners who all hold the same beliefs."""
    return Learners(BELIEFS, np.array([[slug in beliefs for slug in BELIEFS]] * count))


def test_who_holds_nothing_and_never_slips_is_right_and_found_to_hold_nothing(rng):
    for marks in alike(3).answer(ITEMS, 0, rng):
        assert score(marks) == 1
        assert max(held(marks, can_show(ITEMS)).values()) < HELD


@pytest.mark.parametrize("slug", BELIEFS)
def test_who_holds_one_belief_and_never_slips_is_found(slug, rng):
    (marks,) = alike(1, slug).answer(ITEMS, 0, rng)
    assert {each.belief for each in marks if not each.right} == {slug}
    assert [each.right for each in marks] == [slug not in item.beliefs for item in ITEMS]
    sure = held(marks, can_show(ITEMS))
    assert [name for name, chance in sure.items() if chance >= HELD] == [slug]


def test_who_always_slips_takes_any_option(rng):
    version = ITEMS[0].versions[0]
    taken = alike(4000, *BELIEFS).choose(version, 1, rng)
    share = np.bincount(taken, minlength=len(version.options)) / 4000
    assert share == pytest.approx(1 / len(version.options), abs=0.04)


def test_of_several_options_that_fit_each_is_taken(rng):
    version = ITEMS[0].versions[0]
    taken = alike(300, *BELIEFS).choose(version, 0, rng)
    assert {*taken} == {*range(len(version.options))} - {version.right}


def test_made_up_learners_differ(rng):
    learners = draw(BELIEFS, COUNT, rng)
    assert {*learners.hold.sum(1)} == {*range(9)}
    assert learners.hold.any(0).all()


def test_slips_hide_beliefs_and_make_up_others(rng):
    learners = draw(BELIEFS, COUNT, rng)
    clean, some, many = (
        precision_and_recall([*found(ITEMS, learners, slips, rng).values()])
        for slips in (0, 0.1, 0.4)
    )
    assert clean[0] == 1
    assert clean[0] > some[0] > many[0]
    assert clean[1] > some[1] > many[1]


def test_a_form_is_as_hard_as_itself_and_harder_than_one_without_its_beliefs(rng):
    learners = draw(BELIEFS, COUNT, rng)
    same = difficulty([ITEMS, ITEMS], learners, 0, rng)
    assert same.difference == 0
    assert same.scores.shape == (2, COUNT)
    nobody = Learners(["none"], np.zeros((COUNT, 1), dtype=bool))
    assert difficulty([ITEMS, ITEMS], nobody, 0, rng).items.min() == 1
    wrong = Learners(BELIEFS, np.array([[slug in ITEMS[0].beliefs for slug in BELIEFS]] * COUNT))
    both = difficulty([ITEMS[:1], ITEMS[:1]], wrong, 0, rng)
    assert both.items.max() == 0


def test_a_warm_up_brings_back_what_went_wrong_sooner(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    asked = [*warm_ups(alike(1, *BELIEFS[::3]), 0, Pace("daily", 5, 1, [LATER] * 4), rng)]
    right, wrong = ([one for one in asked if one.right == known] for known in (True, False))
    assert share_asked_again(wrong, 1, 4) == 1 > share_asked_again(right, 1, 4)
    assert not (tmp_path / REVIEWS).exists()  # nothing of the learner at this machine is touched


def test_the_share_asked_again_counts_those_with_time_left():
    asked = [Asked(0, True, 2), Asked(0, True, None), Asked(3, True, None), Asked(1, True, 2)]
    assert share_asked_again(asked, 1, 4) == pytest.approx(1 / 3)
    assert share_asked_again(asked, 2, 4) == pytest.approx(2 / 3)
    assert np.isnan(share_asked_again(asked, 4, 4))
