"""Count how many learners of a class show each misconception, over all tasks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from utils.checks.tasks import Misconception, Task


class MisconceptionCount(NamedTuple):
    """A misconception, and the number of learners of a class who showed it."""

    misconception: Misconception  # the belief, and the truth
    learners: int  # how many showed it, in one task or several
    of: int  # how many tried a task that can show it
    tasks: Mapping[str, int]  # task → how many showed it there, in the order of the course


def misconception_counts(
    class_: Sequence[Mapping[str, str]],
    tasks: Sequence[Task],
    misconceptions: Iterable[Misconception],
) -> list[MisconceptionCount]:
    """Count the learners who showed each misconception; the most widespread comes first.

    Args:
        class_: for each learner, task tried → name of the known mistake that was made, or "".
        tasks: tasks of the course, in order.
        misconceptions: misconceptions of the course.
    """
    counts = []
    for misconception in misconceptions:
        mistakes = {
            (task.id, mistake.name)
            for task in tasks
            for mistake in task.mistakes
            if mistake.misconception == misconception.slug
        }
        can_show = {task for task, _ in mistakes}
        shown = [mistakes.intersection(learner.items()) for learner in class_]
        by_task = Counter(task for own in shown for task, _ in own)
        if by_task:
            learners = sum(map(bool, shown))
            of = sum(not can_show.isdisjoint(learner) for learner in class_)
            where = {task.id: by_task[task.id] for task in tasks if by_task[task.id]}
            counts.append(MisconceptionCount(misconception, learners, of, where))
    return sorted(counts, key=lambda count: -count.learners)
