"""Measure how well a task tells strong from weak, as tests are analysed item by item.

How strong a learner is, the *other* tasks of the notebook say: with the task itself among them,
every task would seem to agree with the whole.
"""

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

FEWEST = 10  # learners: the correlation of fewer is chance


class ItemStatistics(NamedTuple):
    """The statistics of a task, which say how well it tells strong from weak."""

    # the corrected item-total correlation: of the points for the task with those for the others.
    # None where they do not vary, or too few learners have tried it
    discrimination: float | None
    # mean share of the task's points in the weakest, middle and strongest third; None where nobody
    # is in it, since learners who are equally strong stay together
    thirds: Sequence[float | None]


def item_statistics(points: Sequence[tuple[int, int]], of: int) -> ItemStatistics:
    """Analyse a task.

    Args:
        points: for each learner, those earned for the task, and for the others of its notebook.
        of: the most that can be earned for the task.
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
