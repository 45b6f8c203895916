"""Count what a class believes, and measure how well each task separates strong from weak learners.

A learner's strength is the points for the *other* tasks of the notebook: if the task itself were
among them, every task would seem to agree with the whole (item analysis).
"""

import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from utils.checks.tasks import Misconception, Task

FEWEST = 10  # learners: a correlation over fewer is chance


class ItemStatistics(NamedTuple):
    """The statistics of a task, which say how well it separates strong from weak learners."""

    # the corrected item-total correlation: of points for the task with points for the other tasks.
    # None if one of the two does not vary, or if too few learners have tried the task
    discrimination: float | None
    # mean share of the task's points in the weakest, middle and strongest third of the learners;
    # None if a third is empty, which happens because equally strong learners stay together
    thirds: Sequence[float | None]


def item_statistics(points: Sequence[tuple[int, int]], of: int) -> ItemStatistics:
    """Compute the statistics of a task.

    Args:
        points: for each learner, points for the task, and points for its notebook's other tasks.
        of: maximum number of points for the task.
    """
    own, others = [own for own, _ in points], [others for _, others in points]
    order = sorted(others)
    thirds: list[list[float]] = [[], [], []]
    for earned, strength in points:
        rank = (bisect_left(order, strength) + bisect_right(order, strength)) / 2
        thirds[int(3 * rank / len(order))].append(earned / of)
    varies = len(points) >= FEWEST and len({*own}) > 1 and len({*others}) > 1
    return ItemStatistics(
        statistics.correlation(own, others) if varies else None,
        [statistics.fmean(third) if third else None for third in thirds],
    )


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
