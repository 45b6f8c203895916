"""What a class believes is counted by learner, over all tasks."""

from grading.report.misconception_stats import Belief, beliefs
from utils.checks.tasks import Misconception, Mistake, Task

LATE = Misconception("late", "a mask may come late", "It may not.")
SCALE = Misconception("scale", "no scale is needed", "It is.")
NOBODYS = Misconception("nobodys", "all is well", "It is not.")


def task(name, **mistakes):
    """A task whose mistakes are of these kinds."""
    known = [Mistake(mistake, "What it does.", "Why?", kind) for mistake, kind in mistakes.items()]
    facts = {"points": 1, "difficulty": 1, "minutes": 5, "hints": [], "outputs": ["it"]}
    return Task(id=name, title=name, mistakes=known, **facts)


TASKS = [
    task("first", behind="late", unscaled="scale"),
    task("second", after="late", unscaled="late", odd=""),
    task("third", nothing="nobodys"),
]


def test_learners_are_counted_once_and_tasks_one_by_one():
    class_ = [
        {"first": "behind", "second": "after"},  # twice the same belief: one learner
        {"second": "unscaled", "third": ""},  # a name means what its task says
        {"first": "unscaled", "third": ""},
        {"second": "odd"},  # a mistake of no kind
        {"third": ""},  # tried nothing that could show it
        {"first": "since renamed", "gone": "behind"},
        {},
    ]
    assert beliefs(class_, TASKS, [SCALE, LATE, NOBODYS]) == [
        Belief(LATE, learners=2, of=5, tasks={"first": 1, "second": 2}),
        Belief(SCALE, learners=1, of=3, tasks={"first": 1}),
    ]


def test_a_class_without_mistakes_believes_nothing():
    assert beliefs([{"first": "", "second": ""}], TASKS, [LATE, SCALE]) == []
    assert beliefs([], TASKS, [LATE]) == []
