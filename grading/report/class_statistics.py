"""Count what a class believes, and measure how well each task separates strong from weak learners.

A learner's strength is the points for the *other* tasks of the notebook: if the task itself were
among them, every task would seem to agree with the whole (item analysis).
"""

import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from grading.names import Names
from grading.report.tables import Learner, tasks_of
from grading.run.scoring import Result
from utils.checks import bank
from utils.checks.tasks import Misconception, Reason, Task

FEWEST = 10  # learners: a correlation over fewer is chance


def after_grading(class_: Sequence[Learner], names: Names) -> dict[str, Any]:
    """Return rows on tasks, misconceptions and known mistakes, for the overview's tables."""
    results = [result for learner in class_ for result in learner.results.values()]
    made = [
        {
            task: outcome.mistake
            for result in learner.results.values()
            for task, outcome in result.tasks.items()
            if outcome.tried
        }
        for learner in class_
    ]
    tasks = names.tasks()
    return {
        "tasks": task_rows(class_, results),
        "misconceptions": misconception_counts(made, tasks, bank.misconceptions().values()),
        "mistakes": [*mistake_rows(results, tasks)],
    }


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


class TaskRow(NamedTuple):
    """The results of a class on one task."""

    task: str  # name of the task
    share: float  # mean share of the task's points that was earned by those who tried
    tried: int  # number of learners who tried: their cell is not what they were given
    full_marks: int  # number of learners who earned all points
    statistics: ItemStatistics  # how well it separates strong from weak learners
    # the most frequent first errors, in words, and how many learners made them
    faults: Sequence[tuple[str, int]]


def task_rows(class_: Sequence[Learner], results: Sequence[Result]) -> list[TaskRow]:
    """Return a row for each task of the notebooks handed in, the hardest task first."""
    rows = []
    for task, of in tasks_of(class_).items():
        asked = [result for result in results if task in result.tasks]
        if not asked:  # the task was added after grading
            continue
        outcomes = [result.tasks[task] for result in asked]
        reasons = Counter(outcome.reason for outcome in outcomes if outcome.reason != Reason.PASSED)
        points = [
            (result.tasks[task].points, result.points)
            for result in asked
            if result.tasks[task].tried
        ]
        row = TaskRow(
            task,
            share=statistics.fmean(own / of for own, _ in points) if points else 0.0,
            tried=len(points),
            full_marks=sum(outcome.points == outcome.of for outcome in outcomes),
            statistics=item_statistics([(own, total - own) for own, total in points], of),
            faults=[(reason.words, count) for reason, count in reasons.most_common(2)],
        )
        rows.append(row)
    return sorted(rows, key=lambda row: (row.share, row.task))


def mistake_rows(results: Sequence[Result], tasks: Sequence[Task]) -> Iterator[Sequence]:
    """Yield task, mistake, explanation, number who made it, number who tried; commonest first."""
    made = Counter(
        (task, outcome.mistake)
        for result in results
        for task, outcome in result.tasks.items()
        if outcome.mistake
    )
    explanations = {
        (task.id, mistake.name): mistake.explanation for task in tasks for mistake in task.mistakes
    }
    tried = Counter(
        task for result in results for task, outcome in result.tasks.items() if outcome.tried
    )
    for (task, mistake), learners in made.most_common():
        yield task, mistake, explanations.get((task, mistake), ""), learners, tried[task]
