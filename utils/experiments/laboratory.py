"""A laboratory in which a claim is put to the test: models are trained, on a budget of steps.

The experiment of a learner gets a *world*. `Trained` trains on this machine. A table of made-up
losses holds what training would show in a world where the claim may be true, false or undecidable,
so that a check can see whether the experiment notices.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from jaxtyping import Float
from torch import Tensor

from utils.plots import AccessibleFigure, curves

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
EVERY = 25  # steps, whose mean is one point of a curve
SEEDS = 8  # 0 to 7


class Trained:
    """A world in which models are trained in truth, and their curves are kept.

    Args:
        train: function of the settings, a seed and a number of steps, all by name, which trains a
            model and returns its loss at each step. A longer run has to begin like a shorter one.
        measured: what the losses are, in a few words; the lower, the better.
    """

    def __init__(self, train: Callable[..., Float[Tensor, " steps"]], measured: str):
        self._train, self._measured = train, measured
        self._runs: dict[str, dict[int, list[float]]] = {}  # settings -> seed -> points

    def __call__(self, setting: dict[str, Any], seed: int, points: int) -> list[float]:
        """Return the points of a run; it is trained unless it has been already."""
        runs = self._runs.setdefault(_named(setting), {})
        if len(runs.get(seed, [])) < points:
            losses = self._train(**setting, seed=seed, steps=points * EVERY)
            runs[seed] = losses.unflatten(0, (-1, EVERY)).mean(1).tolist()
        return runs[seed][:points]

    def decide(self, experiment: Callable[["Trained"], Any]) -> AccessibleFigure | None:
        """Print what an experiment says in this world, and return the curves of all its runs.

        Returns:
            None if the experiment has trained nothing, as one that is still to be written.
        """
        verdict = experiment(self)
        if verdict is not None:
            print(verdict)
        lengths = [len(run) for runs in self._runs.values() for run in runs.values()]
        if not lengths:
            return None
        shown = {
            name: [run + [math.nan] * (max(lengths) - len(run)) for run in runs.values()]
            for name, runs in self._runs.items()
        }
        steps = [EVERY * (place + 1) for place in range(max(lengths))]
        counts = ", ".join(f"{name}: {len(runs)}" for name, runs in shown.items())
        return curves(steps, shown, "steps", self._measured, f"Curves of all runs. {counts}.")


def laboratory(
    world: Trained | Float[Tensor, "*settings seeds points"],
    budget: int,
    longest: int,
    **settings: Sequence,
) -> Callable[..., list[float]]:
    """Return `run(…, seed=…, steps=…)`, which trains a model and returns its curve.

    A curve holds the mean loss of each 25 steps. Who asks for a run again pays only for the steps
    that it has not taken.

    Args:
        world: where the runs come from; a table has an axis for each setting.
        budget: steps of all runs together.
        longest: steps of one run at most.
        settings: each setting's possible values, in the order of the table's axes.
    """
    taken: dict[tuple, int] = {}  # settings and seed -> steps paid for

    def run(*, seed: int, steps: int, **setting: Any) -> list[float]:
        if setting.keys() != settings.keys():
            raise ValueError(f"run() takes {', '.join(settings)}, seed and steps, each by its name")
        for name, value in setting.items():
            if value not in settings[name]:
                raise ValueError(
                    f"{name} is one of {', '.join(map(str, settings[name]))}, not {value}"
                )
        if seed not in range(SEEDS):
            raise ValueError(f"seed is a whole number from 0 to {SEEDS - 1}, not {seed}")
        if steps % EVERY or not 0 < steps <= longest:
            raise ValueError(f"steps is a multiple of {EVERY} up to {longest:,}, not {steps}")
        key = (*(setting[name] for name in settings), seed)
        taken[key] = max(steps, taken.get(key, 0))
        if sum(taken.values()) > budget:
            raise ValueError(f"the budget of {budget:,} steps is spent: plan fewer or shorter runs")
        points = steps // EVERY
        if isinstance(world, Trained):
            return world({name: setting[name] for name in settings}, seed, points)
        place = [list(values).index(setting[name]) for name, values in settings.items()]
        return world[(*place, seed)][:points].tolist()

    return run


def decide(lower: Sequence[list[float]], higher: Sequence[list[float]]) -> str:
    """Say of "these curves end below those": `HOLDS`, `FAILS` or `OPEN`.

    It is open if the ranges of the last points overlap, or if a curve of those that end above still
    falls, by more than a tenth within its last quarter, since it may yet come down.
    """
    for verdict, low, high in ((HOLDS, lower, higher), (FAILS, higher, lower)):
        if max(curve[-1] for curve in low) < min(curve[-1] for curve in high):
            return OPEN if any(map(_falls, high)) else verdict
    return OPEN


def _falls(curve: list[float]) -> bool:
    return curve[-1] < 0.9 * curve[-1 - len(curve) // 4]


def _named(setting: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting.items())
