"""Which gradients are right, where all values are: the path is lost on the way to the others."""

from collections.abc import Sequence

import numpy as np

from utils.checks.compare import gradient_fits, listed
from utils.checks.diagnosis.relations import MOST_LABELS, OutputComparison
from utils.checks.tasks import Answer, GradientKey, Record


def of_gradients(record: Record, answers: Sequence[Answer]) -> str:
    """Where the gradients of an answer are right, and where not; "" if not all values are right."""
    every = len(answers) == len(record.cases)
    if not (
        every
        and all(OutputComparison(record, answers, output).right for output in record.task.outputs)
    ):
        return ""
    fits = {  # number of the case, gradient → whether it is right
        (number, key): _is_right(gradient, is_.gradients.get(key))
        for number, (should, is_) in enumerate(zip(record.expected, answers, strict=True))
        for key, gradient in should.gradients.items()
    }
    wrong = {number for (number, _), right in fits.items() if not right}
    if not wrong:
        return ""
    if len(wrong) <= MOST_LABELS and 2 * len(wrong) < len(answers):
        labels = "; ".join(record.cases[number].label for number in sorted(wrong))
        return f"All values are right, and all gradients too but in these cases: {labels}."
    inputs = dict.fromkeys(key.input for _, key in fits)
    cut = [name for name in inputs if not all(_of_input(fits, name))]
    if len(cut) == len(inputs):
        if any(answer.gradients for answer in answers):
            return ""
        return (
            "All values are right, but no gradient comes back to anything: look first at the last "
            "steps, and at what stands around all of them."
        )
    fine, others = (
        listed([f"`{name}`" for name in inputs if (name in cut) == is_cut])
        for is_cut in (False, True)
    )
    are = "that to {} is" if len(cut) == 1 else "those to {} are"
    return (
        f"All values are right, and so is each gradient back to {fine}: only {are.format(others)} "
        "not."
    )


def _of_input(fits: dict[tuple[int, GradientKey], bool], name: str) -> list[bool]:
    return [right for (_, key), right in fits.items() if key.input == name]


def _is_right(should: np.ndarray, found: np.ndarray | None) -> bool:
    if found is None or found.shape != should.shape:
        return False
    fits = gradient_fits(should, found)
    return not fits.size or bool(fits.mean() >= 0.5)
