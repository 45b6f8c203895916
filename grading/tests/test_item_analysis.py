"""Test the statistics that say how well a task tells strong learners from weak ones."""

import pytest

from grading.report.item_analysis import FEWEST, ItemStatistics, item_statistics


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
