"""Test that an experiment shows every seed, keeps what it ran, and decides no more than it saw."""

import json

import pytest
import torch

from utils.experiments import experiment
from utils.experiments.experiment import Experiment, decided


@pytest.fixture
def arms(tmp_path, monkeypatch):
    """Two arms whose runs are stored for two seeds and 200 steps, and that note what is trained."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    curves = {"slow": [3.0, 2.0], "fast": [2.0, 1.0]}
    runs = {
        f"{arm}-seed{seed}": {"by step": [value + seed / 10 for value in curve]}
        for arm, curve in curves.items()
        for seed in range(2)
    }
    (tmp_path / "results/stored.json").write_text(json.dumps({"runs": runs}))
    trained = []

    def arm(name, start):
        def run(steps):
            trained.append((name, steps))
            return start - torch.arange(steps) / 100 + torch.rand(())

        return run

    made = {"slow": arm("slow", 3.0), "fast": arm("fast", 2.0)}
    return made, trained


def test_stored_runs_are_shown_and_nothing_is_trained(arms, capsys):
    made, trained = arms
    shown = Experiment(made, "loss", "stored", seeds=2, steps=200)
    assert shown.values(200) == {"slow": [2.0, 2.1], "fast": [1.0, 1.1]}
    axis = shown.chart().axes[0]
    assert len(axis.lines) == 4  # each seed of each arm
    assert "fast: from 1.00 to 1.10" in shown.chart().alt
    shown.compare(100, 200)
    assert "fast is below slow with every seed" in capsys.readouterr().out
    assert not trained


def test_what_is_added_is_trained_once_and_kept(arms):
    made, trained = arms
    Experiment(made, "loss", "stored", seeds=2, steps=200).extend(seeds=1)
    assert trained == [("slow", 200), ("fast", 200)]
    again = Experiment(made, "loss", "stored", seeds=3, steps=200)
    assert len(again.values(200)["slow"]) == 3
    assert len(trained) == 2
    again.extend(steps=100)
    assert [steps for _, steps in trained[2:]] == [300] * 6
    assert len(Experiment(made, "loss", "stored", seeds=3, steps=300).values(300)["fast"]) == 3


def test_what_is_not_stored_is_an_error_that_says_what_to_call(arms):
    made, _ = arms
    with pytest.raises(KeyError, match="seed 2 has not run 200 steps; extend"):
        Experiment(made, "loss", "stored", seeds=3, steps=200).values(200)
    shown = Experiment(made, "loss", "stored", seeds=2, steps=200)
    for step in (0, 300):
        with pytest.raises(ValueError, match="is not among the 200 steps"):
            shown.values(step)
    with pytest.raises(ValueError, match="multiple of 100, got 150"):
        shown.extend(steps=150)


def test_a_damaged_file_of_own_runs_is_named(arms):
    made, _ = arms
    experiment.MINE.write_text("{")
    with pytest.raises(ValueError, match="cannot be read; move it away"):
        Experiment(made, "loss", "stored", seeds=2, steps=200)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"a": [1, 2, 3], "b": [4, 5, 6]},
            "a is below b with every seed (by chance alone: once in 10)",
        ),
        ({"a": [1, 2, 4], "b": [4, 5, 6]}, "not decided between a and b: their ranges overlap"),
        (
            {"a": [5, 9], "b": [1, 2], "c": [2, 3]},
            "not decided between b and c: their ranges overlap",
        ),
    ],
)
def test_where_ranges_overlap_nothing_is_decided(values, words):
    assert decided(values) == words


def test_a_seed_decides_a_run(arms):
    made, _ = arms
    shown = Experiment(made, "loss", "stored", seeds=2, steps=200)
    shown.extend(seeds=1)
    first = shown.values(200)["slow"][2]
    experiment.MINE.unlink()
    again = Experiment(made, "loss", "stored", seeds=2, steps=200)
    again.extend(seeds=1)
    assert again.values(200)["slow"][2] == first
