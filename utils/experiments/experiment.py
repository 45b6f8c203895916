"""An experiment that shows its doubt: arms that differ in one thing, several seeds, whole curves.

One run tells what happened once, and a table at one step hides what comes just behind it.
"""

import json
from collections.abc import Callable, Mapping
from math import comb
from pathlib import Path
from statistics import median

from jaxtyping import Float
from torch import Tensor

from utils.at_work import bar
from utils.model_helpers import set_seed
from utils.plots import AccessibleFigure, curves

EVERY = 100  # steps, whose mean is one point of a curve
STORED = Path("results")  # beside the course's notebooks, where `make bench` writes its runs
MINE = Path("my_runs.json")  # beside the notebook: what was run on this machine

Arm = Callable[[int], Float[Tensor, " steps"]]


class Experiment:
    """Arms that differ in one thing, each trained with the same seeds.

    Runs that are stored are loaded; `extend` makes others on this machine, and keeps them.

    Args:
        arms: name → function of a number of steps, which trains a model and returns what was
            measured at each step. It is seeded beforehand. Its first steps must not depend on how
            many follow, so a longer run begins like a shorter one.
        measured: what the numbers are, in a few words; the lower, the better.
        stored: name of the benchmark that ran the arms, under their names.
        seeds: number of seeds, from 0.
        steps: number of steps, in hundreds.

    Raises:
        ValueError: a number of steps is no multiple of 100.
    """

    def __init__(
        self,
        arms: Mapping[str, Arm],
        measured: str,
        stored: str,
        seeds: int = 3,
        steps: int = 2_000,
    ):
        _check(steps)
        self.arms, self.measured, self.seeds, self.steps = arms, measured, seeds, steps
        runs = json.loads((STORED / f"{stored}.json").read_text(encoding="utf-8"))["runs"]
        self._runs = {name: run["by step"] for name, run in runs.items() if "by step" in run}
        self._runs |= {
            name: points
            for name, points in _mine().items()
            if len(points) > len(self._runs.get(name, []))
        }

    def extend(self, seeds: int = 0, steps: int = 0) -> AccessibleFigure:
        """Add seeds, steps, or both; train what is not stored yet, and return the new chart.

        Each run is kept as soon as it is finished, so an interrupted cell loses one run at most.
        """
        _check(steps)
        wanted = self.seeds + seeds, self.steps + steps
        names = [(arm, seed) for seed in range(wanted[0]) for arm in self.arms]
        missing = [
            pair for pair in names if len(self._runs.get(_name(*pair), [])) < wanted[1] // EVERY
        ]
        for arm, seed in bar(missing):
            set_seed(seed)
            points = _points(self.arms[arm](wanted[1]))
            self._runs[_name(arm, seed)] = points
            MINE.write_text(json.dumps(_mine() | {_name(arm, seed): points}), encoding="utf-8")
        self.seeds, self.steps = wanted
        return self.chart()

    def values(self, step: int) -> dict[str, list[float]]:
        """Return what was measured just before a step: name of the arm → one number for each seed.

        Raises:
            ValueError: the step is no multiple of 100, or lies beyond the last.
            KeyError: a run is missing; `extend()` makes it.
        """
        _check(step)
        if not 0 < step <= self.steps:
            raise ValueError(f"step {step} is not among the {self.steps} steps of this experiment")
        place = step // EVERY - 1
        return {
            arm: [self._curve(arm, seed)[place] for seed in range(self.seeds)] for arm in self.arms
        }

    def chart(self) -> AccessibleFigure:
        """Draw the whole curve of each seed."""
        steps = range(EVERY, self.steps + 1, EVERY)
        runs = {arm: [self._curve(arm, n) for n in range(self.seeds)] for arm in self.arms}
        ends = "; ".join(
            f"{arm}: {_range(values)}" for arm, values in self.values(self.steps).items()
        )
        alt = f"Curves of {self.seeds} seeds each, by step. At the end, {ends}."
        return curves([*steps], runs, "steps", self.measured, alt)

    def compare(self, *steps: int) -> None:
        """Print median and range of each arm at some steps, and what they decide."""
        for step in steps:
            values = self.values(step)
            for arm, each in values.items():
                print(f"step {step:5,}, {arm:14} median ≈ {median(each):5.2f}, {_range(each)}")
            print(f"{'':12}{decided(values)}")

    def _curve(self, arm: str, seed: int) -> list[float]:
        points = self._runs.get(_name(arm, seed), [])
        if len(points) < self.steps // EVERY:
            raise KeyError(
                f"{arm} with seed {seed} has not run {self.steps} steps; extend() runs it"
            )
        return points[: self.steps // EVERY]


def decided(values: Mapping[str, list[float]]) -> str:
    """Say whether the arm with the lowest median is lower than the next with every seed.

    If two arms were alike, one of them would have all of the n lowest of 2n numbers in one of
    C(2n, n) / 2 experiments: the exact form of the rank test by Wilcoxon 1945.
    """
    lowest, second = sorted(values, key=lambda arm: median(values[arm]))[:2]
    if max(values[lowest]) >= min(values[second]):
        return f"not decided between {lowest} and {second}: their ranges overlap"
    chance = comb(2 * len(values[lowest]), len(values[lowest])) // 2
    return f"{lowest} is below {second} with every seed (by chance alone: once in {chance:,})"


def _check(steps: int) -> None:
    if steps % EVERY:
        raise ValueError(f"steps must be a multiple of {EVERY}, got {steps}")


def _name(arm: str, seed: int) -> str:
    return f"{arm}-seed{seed}"


def _mine() -> dict[str, list[float]]:
    try:
        return json.loads(MINE.read_text(encoding="utf-8")) if MINE.exists() else {}
    except ValueError:
        raise ValueError(
            f"{MINE.absolute()} cannot be read; move it away, and runs begin anew"
        ) from None


def _points(curve: Tensor) -> list[float]:
    return [round(value, 2) for value in curve.unflatten(0, (-1, EVERY)).mean(1).tolist()]


def _range(values: list[float]) -> str:
    return f"from {min(values):.2f} to {max(values):.2f}"
