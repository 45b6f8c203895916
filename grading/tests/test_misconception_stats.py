"""Misconceptions are counted by learner, over all tasks."""

from grading.report.misconception_stats import MisconceptionCount, misconception_counts
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
