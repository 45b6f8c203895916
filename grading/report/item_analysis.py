"""Measure how well each task separates strong from weak learners (item analysis).

A learner's strength is the points for the *other* tasks of the notebook: if the task itself were
among them, every task would seem to agree with the whole.
"""

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

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
