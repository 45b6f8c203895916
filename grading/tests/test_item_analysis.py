"""How well a task tells strong from weak."""

import pytest

from grading.report.item_analysis import FEWEST, Separation, separation


def test_a_task_that_the_strong_solve_tells_them_apart():
    found = separation([(4 * (others > 5), others) for others in range(12)], of=4)
    assert found.discrimination == pytest.approx(0.869, abs=0.001)
    assert found.thirds == [0, 0.5, 1]


def test_a_task_that_the_strong_fail_is_below_zero():
    found = separation([(2 * (others < 5), others) for others in range(12)], of=2)
    assert found.discrimination < -0.8
    assert found.thirds == [1, 0.25, 0]


def test_the_equally_strong_stay_together():
    """Whoever is listed first is not in another third."""
    points = [(1, 7), (0, 7), (1, 7), (1, 9)]
    assert separation(points, of=1).thirds == separation(points[::-1], of=1).thirds
    assert separation(points, of=1).thirds == [None, pytest.approx(2 / 3), 1]


@pytest.mark.parametrize(
    "points",
    [
        [(1, others) for others in range(20)],  # everybody solves it
        [(others % 2, 5) for others in range(20)],  # everybody is equally strong
        [(others % 2, others) for others in range(FEWEST - 1)],  # too few to say
    ],
)
def test_where_nothing_can_be_said_nothing_is(points):
    assert separation(points, of=1).discrimination is None


def test_the_task_itself_does_not_count_as_strength():
    """With it among the others, chance alone would look like agreement."""
    points = [(own, others) for own in (0, 5) for others in range(10)]
    assert separation(points, of=5) == Separation(pytest.approx(0), [0.5, 0.5, 0.5])
