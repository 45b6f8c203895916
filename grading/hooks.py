"""What hangs on the grader, all of it registered here: leave a line out, and grades stay the same.

A hook is a module with one of these functions, or several:

    flags(notebook)               called for each file that is read: what a person should look at
    after_grading(class_, names)  called for each report: what the overview also shows, by the names
                                  that its template has for it
    write_tables(class_, out)     called for each report: tables of its own beside `grades.csv`

The core calls them through this module alone, and imports none of them.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # these call hooks
    from pathlib import Path

    from grading.intake.notebook_parser import Flag, Notebook
    from grading.names import Names
    from grading.report.tables import Learner

HOOKS = (
    "grading.intake.red_flags",
    "grading.report.similarity",
    "grading.report.class_statistics",
    "grading.report.unrecognised",
    "grading.report.understanding",
)


def flags(notebook: "Notebook") -> "list[Flag]":
    """Return the red flags of a submission, without repetitions."""
    found = (flag for hook in _registered("flags") for flag in hook(notebook))
    return list(dict.fromkeys(found))


def after_grading(class_: "Sequence[Learner]", names: "Names") -> dict[str, Any]:
    """Return what is told of a class beyond its grades.

    Args:
        class_: the learners, with the results that count.
        names: mistakes that the class has named.
    """
    told: dict[str, Any] = {}
    for hook in _registered("after_grading"):
        told |= hook(class_, names)
    return told


def write_tables(class_: "Sequence[Learner]", out: "Path") -> None:
    """Write further tables of a class into the folder of its grades, or of a copy."""
    for hook in _registered("write_tables"):
        hook(class_, out)


def _registered(function: str) -> Iterator[Callable]:
    for module in map(import_module, HOOKS):
        if hasattr(module, function):
            yield getattr(module, function)
