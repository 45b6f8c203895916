"""Rules for an answer with several mistakes: what of it is still right, or wrong in one way only.

Two mistakes together seldom leave the right numbers in a simple relation to the answer's. What they
leave can be said of the numbers all the same: a context that follows from wrong weights, a mask
that is too open on one side of the diagonal and too closed on the other. Each sentence is a fact
about all cases, and is said only if no rule in `relations` holds.
"""

import itertools
from collections.abc import Callable

import numpy as np
from torch import Tensor

from utils.checks.diagnosis.relations import ROUNDED, OutputComparison
from utils.checks.tasks import Case


def axes_missing(output: OutputComparison) -> str:
    """Describe an answer to `entropy` that has one number for a case, or one to `additive_scores`
    whose table is transposed, and wrong besides.
    """
    shapes = [(pair.expected.shape, pair.actual.shape) for pair in output.pairs]
    if not output.depth or all(expected == actual for expected, actual in shapes):
        return ""
    found = []
    for first, second in itertools.combinations(output.axes, 2):
        words = [output.its_axis(axis) for axis in (second, first)]
        if all(_exchanged(expected, first, second) == actual for expected, actual in shapes):
            found.append("By its shape, {name} has " + " and ".join(words) + " exchanged.")
    for axis in output.axes:
        if all(_without(expected, axis) == actual for expected, actual in shapes):
            found.append("By its shape, {name} lacks " + output.its_axis(axis) + ".")
    return found[0].format(name=f"`{output.output}`") if len(found) == 1 else ""


def _exchanged(shape: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    lengths = [*shape]
    lengths[first], lengths[second] = lengths[second], lengths[first]
    return tuple(lengths)


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return tuple(np.delete(shape, axis).tolist())


def weighted_sum(output: OutputComparison) -> str:
    """Describe the context of an answer to `scaled_attention` whose weights are wrong too."""
    whole = len(output.pairs) == len(output.all_pairs)
    inputs = [name for name, value in output.record.cases[0].inputs.items() if _is_table(value)]
    for weights, values in itertools.product(output.record.task.outputs, inputs):
        if weights == output.output or not whole:
            continue
        comparison = OutputComparison(output.record, output.trials, weights)
        sums = [
            (_sums(theirs.expected, case, values), _sums(theirs.actual, case, values))
            for case, theirs in ((pair.case, pair) for pair in comparison.all_pairs)
        ]
        if not all(
            should is not None and output.same(pair.expected, should, _room(should))
            for pair, (should, _) in zip(output.pairs, sums, strict=True)
        ):
            continue
        follows = all(
            made is not None and output.same(pair.actual, made, _room(made))
            for pair, (_, made) in zip(output.pairs, sums, strict=True)
        )
        weighted = f"the sum of `{values}` weighted with your `{weights}`"
        if follows and not comparison.right:
            return (
                f"`{output.output}` is {weighted}, as it should be: what is wrong comes before, in "
                f"`{weights}`."
            )
        if comparison.right:
            return f"`{weights}` is right, but `{output.output}` is not {weighted}."
        return f"`{weights}` is wrong, and `{output.output}` is not {weighted} either."
    return ""


def _is_table(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point() and value.dim() >= 2


def _sums(weights: np.ndarray, case: Case, values: str) -> np.ndarray | None:
    """Return the sums of a case's values by weights, of one query or of several; None if none."""
    table = case.inputs[values].double().numpy()
    try:
        one_query = weights.ndim == table.ndim - 1
        return (weights[..., None, :] @ table)[..., 0, :] if one_query else weights @ table
    except (ValueError, IndexError):  # the shapes do not fit
        return None


def _room(sums: np.ndarray) -> float:
    return 100 * ROUNDED * (1 + float(np.abs(sums).max(initial=0)))


def sides_of_the_diagonal(output: OutputComparison) -> str:
    """Describe an answer to `combined_mask` that leaves out the diagonal and opens some padding."""
    if not output.holds("bb") or output.depth < 2:
        return ""
    if any(pair.expected.shape[-2] != pair.expected.shape[-1] for pair in output.pairs):
        return ""
    sides: dict[str, list[str]] = {"too often": [], "too seldom": []}
    for side, compare in (("above", np.less), ("on", np.equal), ("below", np.greater)):
        more = less = 0
        for pair in output.pairs:
            places = np.arange(pair.expected.shape[-1])
            here = compare(places[:, None], places)
            more += int((pair.actual & ~pair.expected & here).sum())
            less += int((pair.expected & ~pair.actual & here).sum())
        if more and less:
            return ""
        if more or less:
            sides["too often" if more else "too seldom"].append(side)
    if not all(sides.values()):  # `one_sided` says more
        return ""
    often, seldom = (" and ".join(each) for each in sides.values())
    return f"`{output.output}` is `True` too often {often} the diagonal, too seldom {seldom} it."


REMAINS: list[Callable[[OutputComparison], str]] = [
    axes_missing,
    weighted_sum,
    sides_of_the_diagonal,
]
