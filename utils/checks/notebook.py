"""What a learner types: `check`, `hint` and `progress`."""

import contextlib
import json
import sys
from pathlib import Path

from utils.checks import bank
from utils.checks.calling import Printed, Trouble, answers
from utils.checks.feedback import BAD, Note, explain
from utils.checks.judging import Verdict, judge
from utils.checks.reasons import Reason
from utils.checks.tasks import Record, Task

NOT_DEFINED = "There is no `{}` yet. Run the cell that defines it, then check again."

_hints_open: dict[str, int] = {}  # task → how many of its hints are open, since the kernel started


def check(task_id: str) -> Note:
    """Check the answer to an exercise, wherever in the notebook it is defined.

    It never raises: whatever is wrong comes back as something to read.

    Args:
        task_id: the name that the exercise asks you to define, in quotes.
    """
    record = _find(task_id)
    if isinstance(record, Note):
        return record
    printed = Printed()
    verdict = verdict_on(record, sys._getframe(1).f_globals, printed)
    if verdict.reason != Reason.NOT_DEFINED:
        _remember(record.task, verdict.points)
    return explain(verdict, printed.lines)


def verdict_on(record: Record, names: dict, printed: Printed) -> Verdict:
    """The verdict on what a notebook defines.

    Args:
        record: the task and its cases.
        names: the notebook's global variables.
        printed: counts what the learner's code prints.
    """
    task = record.task
    if task.id not in names:
        return Verdict(task, Reason.NOT_DEFINED, NOT_DEFINED.format(task.id))
    try:
        return judge(record, answers(task, names[task.id], record.cases, printed))
    except Trouble as trouble:
        return Verdict(task, trouble.reason, trouble.message, where=trouble.where)
    except Exception as error:  # objects can be odder than anybody foresees
        message = (
            f"`{task.id}` gives something that cannot be compared. {type(error).__name__}: {error}"
        )
        return Verdict(task, Reason.TYPE, message)


def hint(task_id: str) -> Note:
    """Open the next of an exercise's three hints: a question, a nudge, most of the answer."""
    record = _find(task_id)
    if isinstance(record, Note):
        return record
    hints = record.task.hints
    opened = _hints_open[task_id] = min(_hints_open.get(task_id, 0) + 1, len(hints))
    lines = [f"{number}. {text}" for number, text in enumerate(hints[:opened], start=1)]
    more = len(hints) - opened
    lines.append(f"{more} more: run this cell again." if more else "These are all.")
    return Note(f"{record.task.title}: hints", lines)


def progress() -> Note:
    """All exercises of the course, done and to do, with points.

    Kept in `progress.json` beside your notebooks. Delete that file to start over.
    """
    earned = _progress()
    rows, points, total = [["", "Exercise", "Points", ""]], 0, 0
    for notebook, tasks in bank.tasks().items():
        for task in tasks:
            own = _points(task, earned.get(task.id))
            total += task.points
            points += own
            state = "✓ done" if own == task.points else "tried" if task.id in earned else "to do"
            shown = f"{own} of {task.points}" if 0 < own < task.points else str(task.points)
            rows.append([notebook[:2], task.title, shown, state])
    return Note(f"{points} of {total} points", table=rows)


def _find(task_id: str) -> Record | Note:
    try:
        return bank.load(task_id)
    except KeyError:
        names = [task.id for tasks in bank.tasks().values() for task in tasks]
        lines = [f"The exercises are: {', '.join(f'`{name}`' for name in names)}."]
        return Note(f"✗ No exercise is called {task_id!r}", lines, BAD)


def _file() -> Path:
    return Path("progress.json")  # a notebook runs in its own folder


def _progress() -> dict[str, int]:
    try:
        return json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there yet, or damaged: no reason to fail
        return {}


def _points(task: Task, remembered: int | bool | None) -> int:
    """The points that a task has earned; older files say `true` for full points."""
    return task.points if remembered is True else int(remembered or 0)


def _remember(task: Task, points: int) -> None:
    earned = _progress()
    earned[task.id] = max(points, _points(task, earned.get(task.id)))
    with contextlib.suppress(OSError):  # a read-only folder
        _file().write_text(json.dumps(earned, indent=1) + "\n", encoding="utf-8")
