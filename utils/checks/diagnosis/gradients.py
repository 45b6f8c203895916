"""Say which gradients are right, where all values are: the path to the others is cut."""

from collections.abc import Sequence

import numpy as np

from utils.checks.compare import gradient_fits, listed
from utils.checks.diagnosis.relations import MOST_LABELS, OutputComparison
from utils.checks.tasks import Answer, Record


def describe_gradients(record: Record, answers: Sequence[Answer]) -> str:
    """Say where the gradients of an answer are right, and where not; "" if a value is wrong."""
    outputs = [OutputComparison(record, answers, output) for output in record.task.outputs]
    if len(answers) < len(record.cases) or not all(output.right for output in outputs):
        return ""
    fits = {  # number of the case, gradient → whether it is right
        (number, key): _is_right(gradient, actual.gradients.get(key))
        for number, (expected, actual) in enumerate(zip(record.expected, answers, strict=True))
        for key, gradient in expected.gradients.items()
    }
    wrong = {number for (number, _), right in fits.items() if not right}
    if not wrong:
        return ""
    if len(wrong) <= MOST_LABELS and 2 * len(wrong) < len(answers):
        labels = "; ".join(record.cases[number].label for number in sorted(wrong))
        return f"All values are right, and all gradients too but in these cases: {labels}."
    inputs = [*dict.fromkeys(key.input for _, key in fits)]
    cut = {key.input for (_, key), right in fits.items() if not right}
    if len(cut) == len(inputs):
        if any(answer.gradients for answer in answers):
            return ""
        return (
            "All values are right, but no gradient comes back to anything: look first at the last "
            "steps, and at what stands around all of them."
        )
    whole = listed([f"`{name}`" for name in inputs if name not in cut])
    lost = listed([f"`{name}`" for name in inputs if name in cut])
    are = f"that to {lost} is" if len(cut) == 1 else f"those to {lost} are"
    return f"All values are right, and so is each gradient back to {whole}: only {are} not."


def _is_right(expected: np.ndarray, actual: np.ndarray | None) -> bool:
    if actual is None or actual.shape != expected.shape:
        return False
    fits = gradient_fits(expected, actual)
    return not fits.size or bool(fits.mean() >= 0.5)
