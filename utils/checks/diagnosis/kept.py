"""Find what an answer keeps from one call to the next, though it is right in each case by itself.

A table that is kept under a key without one of the inputs does no harm until that input alone is
another. The build records such calls (`Twin`), with what right answers return then.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from utils.checks.compare import are_close
from utils.checks.diagnosis.behaviours import Outputs, RerunCases
from utils.checks.runner import OUR_SEED, in_plain
from utils.checks.tasks import Case, Record, Twin

KEEPS = "your code keeps something from one call to the next."


def describe_kept(record: Record, rerun: RerunCases) -> str:
    """Describe a right answer that is wrong in a call after others; "" if it is right there too.

    Args:
        record: the task, and the calls to be tried.
        rerun: function that calls the answer with other inputs.
    """
    cases = [case_of(record, twin.number, twin.then) for twin in record.twins]
    for twin, case, outputs in zip(record.twins, cases, rerun(cases, OUR_SEED), strict=True):
        if outputs is None and rerun([case.last], OUR_SEED) != [None]:  # there was time
            return f"But in several calls, one after the other, `{record.task.id}` fails: {KEEPS}"
        wrong = outputs and _differing(record, twin.outputs, outputs)
        if not wrong:
            continue
        before = record.expected[twin.number].outputs
        changed = f"But called again, with {_another(twin)}, `{wrong[0]}` is"
        if wrong[0] not in _differing(record, before, outputs):
            return f"{changed} what it was before: {KEEPS}"
        (alone,) = rerun([case.last], OUR_SEED)
        if alone and not _differing(record, twin.outputs, alone):
            return f"{changed} wrong: {KEEPS}"
        return f"{changed} wrong: does your code keep something from one call to the next?"
    return ""


def case_of(record: Record, number: int, then: Mapping[str, Mapping[str, Any]]) -> Case:
    """Return a record's case, followed by a call with other values, in the form none refuses."""
    return replace(in_plain(record.cases[number]), then=then)


def _differing(record: Record, some: Outputs, others: Outputs) -> list[str]:
    tolerance = record.task.tolerance
    return [name for name in some if not are_close(some[name], others[name], tolerance)]


def _another(twin: Twin) -> str:
    """Name what a twin changes."""
    ((part, changed),) = twin.then.items()
    if part == "parameters":
        return "other parameters in the same module"
    return f"another `{next(iter(changed))}`"
