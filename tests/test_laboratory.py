"""Test that a laboratory keeps to its budget, and that doubt remains where it should."""

import pytest
import torch

from utils.experiments.laboratory import EVERY, FAILS, HOLDS, OPEN, Trained, decide, laboratory

TABLE = torch.arange(2 * 8 * 4.0).reshape(2, 8, 4)  # (heads, seeds, points)


def made(world=TABLE, budget=300):
    return laboratory(world, budget, longest=100, heads=(1, 4))


@pytest.fixture
def falling():
    """A world whose losses fall by one with each step, and that counts its trainings."""
    trainings = []

    def train(heads, seed, steps):
        trainings.append((heads, seed, steps))
        return -torch.arange(steps, dtype=torch.float)

    return Trained(train, "loss"), trainings


def test_a_run_is_looked_up_in_a_made_up_world():
    assert made()(heads=4, seed=3, steps=50) == TABLE[1, 3, :2].tolist()


def test_the_budget_ends(falling):
    for world in (TABLE, falling[0]):
        run = made(world)
        for seed in range(3):
            run(heads=1, seed=seed, steps=100)
        run(heads=1, seed=0, steps=50)  # it has been paid for
        with pytest.raises(ValueError, match="the budget of 300 steps is spent"):
            run(heads=4, seed=0, steps=EVERY)


def test_only_further_steps_are_paid_for():
    run = made(budget=100)
    for steps in (25, 50, 75, 100):
        run(heads=1, seed=0, steps=steps)
    with pytest.raises(ValueError, match="is spent"):
        run(heads=1, seed=1, steps=25)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"heads": 2}, "heads is one of 1, 4, not 2"),
        ({"width": 3}, "takes heads, seed and steps"),
        ({"seed": 8}, "seed is a whole number from 0 to 7"),
        ({"steps": 30}, "a multiple of 25 up to 100"),
        ({"steps": 125}, "a multiple of 25 up to 100"),
    ],
)
def test_what_a_laboratory_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        made()(**{"heads": 1, "seed": 0, "steps": 25} | wrong)


def test_what_is_trained_is_kept(falling, capsys):
    world, trainings = falling
    run = made(world)
    assert run(heads=1, seed=0, steps=50) == [-12.0, -37.0]  # means of 25 steps
    assert run(heads=1, seed=0, steps=25) == [-12.0]
    chart = world.decide(lambda world: made(world)(heads=4, seed=1, steps=75)[:1])
    assert trainings == [(1, 0, 50), (4, 1, 75)]
    assert capsys.readouterr().out == "[-12.0]\n"
    assert [len(line.get_xdata()) for line in chart.axes[0].lines] == [3, 3]
    assert "heads 1: 1, heads 4: 1" in chart.alt


def test_an_experiment_that_is_not_written_shows_nothing(falling):
    assert falling[0].decide(lambda world: None) is None


def arm(*ends, before=None):
    return [[3.0, before or end, end, before or end, end] for end in ends]


def test_what_is_decided():
    low, high = arm(0.5, 0.6), arm(0.7, 0.9)
    assert decide(low, high) == HOLDS
    assert decide(high, low) == FAILS
    assert decide(arm(0.5, 0.8), high) == OPEN  # ranges overlap
    still_falling = arm(0.7, 0.9, before=1.5)
    assert decide(low, still_falling) == OPEN
    assert decide(still_falling, low) == OPEN
    assert decide(arm(0.1, before=0.4), high) == HOLDS  # the lower arm may fall on
