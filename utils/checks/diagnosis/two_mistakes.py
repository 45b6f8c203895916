"""Recognise two known mistakes at once, by what an answer that makes both returns.

The build composes them (`solutions.two_at_once`). A record holds a sketch of each output, and not
its values. Or each of two outputs is as with a mistake that leaves the other one right.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from utils.checks.compare import outputs_alike
from utils.checks.tasks import Mistake, Record, Trial

NUMBERS = 6  # of a sketch
HUGE = 1e6  # what stands for infinity
CLOSE = 1e-4  # relative difference of sums that is rounding


def sketch(values: np.ndarray) -> list[float]:
    """Describe an array by its axes, type, and sums, one of which knows each place."""
    flat = values.reshape(-1).astype(float)
    plain = np.isfinite(flat) & (np.abs(flat) < HUGE)
    finite, places = np.where(plain, flat, 0.0), np.cos(np.arange(1, flat.size + 1))
    axes = sum(place * length for place, length in enumerate(values.shape, start=1))
    sums = finite.sum(), np.abs(finite).sum(), finite @ places, ~plain @ places
    return [axes + 1000 * "fiub".find(values.dtype.kind), values.ndim, *sums][:NUMBERS]


def sketches(outputs: Sequence[np.ndarray]) -> np.ndarray:
    """Return the sketches of all outputs of one call: (outputs, `NUMBERS`)."""
    return np.array([sketch(values) for values in outputs]).reshape(-1, NUMBERS)


def alike(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Decide which sketches are equal up to rounding: (…, outputs, `NUMBERS`) → (…)."""
    room = CLOSE * (0.01 + np.abs(right[..., 3:4])) * np.array([0, 0, 1, 1, 1, 1])
    return (np.abs(left - right) <= room).all((-2, -1))


def find_pairs(record: Record, trials: Sequence[Trial]) -> list[tuple[Mistake, Mistake]]:
    """Find the known mistakes two of which together return an answer's values in all cases."""
    if not record.pairs or len(trials) < len(record.cases):
        return []
    fits = np.ones(len(record.pairs), dtype=bool)
    for trial, known in zip(trials, record.sketches, strict=True):
        given = [trial.actual.outputs[name] for name in record.task.outputs]
        fits &= alike(sketches(given), known)
    mistakes = record.task.mistakes
    return [(mistakes[one], mistakes[other]) for one, other in np.array(record.pairs)[fits]]


def find_apart(record: Record, trials: Sequence[Trial]) -> list[tuple[Mistake, Mistake]]:
    """Find two known mistakes that leave each other's output right, where two outputs are wrong."""
    task = record.task
    right = outputs_alike(task, trials)
    wrong = [name for name in task.outputs if name not in right]
    if len(wrong) != 2 or len(trials) < len(record.cases):
        return []
    all_right = [replace(trial, actual=trial.expected) for trial in trials]
    found: dict[str, list[Mistake]] = {name: [] for name in wrong}
    for mistake in task.mistakes:
        alike = outputs_alike(task, record.beside(mistake, trials))
        spared = outputs_alike(task, record.beside(mistake, all_right))
        for name in wrong:
            if name in alike and {*task.outputs} - {*spared} == {name}:
                found[name].append(mistake)
    return [*itertools.product(*found.values())]
