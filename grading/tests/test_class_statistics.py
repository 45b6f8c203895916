"""A task tells strong learners from weak ones; misconceptions are counted by learner."""

import pytest

from grading.report.class_statistics import (
    FEWEST,
    ItemStatistics,
    MisconceptionCount,
    item_statistics,
    misconception_counts,
)
from utils.checks.tasks import Misconception, Mistake, Task

LATE = Misconception("late", "a mask may come late", "It may not.")
SCALE = Misconception("scale", "no scale is needed", "It is.")
NOBODYS = Misconception("nobodys", "all is well", "It is not.")


def task(name, **mistakes):
    """Return a task whose mistakes come from these misconceptions."""
    known = [Mistake(mistake, "What it does.", "Why?", slug) for mistake, slug in mistakes.items()]
    facts = {"points": 1, "difficulty": 1, "minutes": 5, "hints": [], "outputs": ["it"]}
    return Task(id=name, title=name, mistakes=known, **facts)


TASKS = [
    task("first", behind="late", unscaled="scale"),
    task("second", after="late", unscaled="late", odd=""),
    task("third", nothing="nobodys"),
]


def test_learners_are_counted_once_and_tasks_one_by_one():
    class_ = [
        {"first": "behind", "second": "after"},  # twice the same misconception: one learner
        {"second": "unscaled", "third": ""},  # a name means what its task says
        {"first": "unscaled", "third": ""},
        {"second": "odd"},  # a mistake without a misconception
        {"third": ""},  # tried nothing that could show it
        {"first": "since renamed", "gone": "behind"},
        {},
    ]
    assert misconception_counts(class_, TASKS, [SCALE, LATE, NOBODYS]) == [
        MisconceptionCount(LATE, learners=2, of=5, tasks={"first": 1, "second": 2}),
        MisconceptionCount(SCALE, learners=1, of=3, tasks={"first": 1}),
    ]


def test_a_class_without_mistakes_has_no_misconception():
    assert misconception_counts([{"first": "", "second": ""}], TASKS, [LATE, SCALE]) == []
    assert misconception_counts([], TASKS, [LATE]) == []


@pytest.mark.parametrize(
    ("points", "of", "discrimination", "thirds"),
    [
        ([(4 * (others > 5), others) for others in range(12)], 4, 0.869, [0, 0.5, 1]),
        ([(2 * (others < 5), others) for others in range(12)], 2, -0.857, [1, 0.25, 0]),
        # With the task itself among the others, chance alone would look like agreement.
        ([(own, others) for own in (0, 5) for others in range(10)], 5, 0, [0.5] * 3),
    ],
)
def test_a_task_tells_the_strong_from_the_weak(points, of, discrimination, thirds):
    expected = ItemStatistics(pytest.approx(discrimination, abs=0.001), thirds)
    assert item_statistics(points, of) == expected


def test_the_equally_strong_stay_together():
    """Whoever is listed first is not in another third."""
    points = [(1, 7), (0, 7), (1, 7), (1, 9)]
    assert item_statistics(points, of=1).thirds == item_statistics(points[::-1], of=1).thirds
    assert item_statistics(points, of=1).thirds == [None, pytest.approx(2 / 3), 1]


@pytest.mark.parametrize(
    "points",
    [
        [(1, others) for others in range(20)],  # everybody solves it
        [(others % 2, 5) for others in range(20)],  # everybody is equally strong
        [(others % 2, others) for others in range(FEWEST - 1)],  # too few to say
    ],
)
def test_where_nothing_can_be_said_nothing_is(points):
    assert item_statistics(points, of=1).discrimination is None
