"""What a learner types: `check`, `hint` and `progress`."""

import ast
import difflib
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from IPython import get_ipython
from IPython.display import display

from utils.checks import bank, code
from utils.checks.compare import Verdict
from utils.checks.diagnosis import diagnose
from utils.checks.feedback import BAD, Note, explain
from utils.checks.memory import (
    Guess,
    TaskProgress,
    keep_unrecognised,
    recall,
    recall_guesses,
    recall_ratings,
    remember,
)
from utils.checks.reasons import Reason
from utils.checks.runner import AnswerError, Printed, Rerun, answers
from utils.checks.tasks import Record, Task

NOT_DEFINED = "There is no `{}` yet. Run the cell that defines it, then check again."

NOT_KEPT = "Your progress is not kept: `progress.json` cannot be written in this folder."
GIVEN = "This solution was given to you, so it adds no points."
STALE = (
    "This is about an older `{0}`: the last cell that defines it has a syntax error, so it never "
    "ran. InputFix it, run it, and check again."
)
CERTAIN = "certain"  # as the control of a prediction has it
MOST_BELIEFS = 3  # shown at a time: nobody works on ten things at once

_hints_open: dict[str, int] = {}  # task → how many of its hints are open, since the kernel started


def check(task_id: str) -> Note:
    """Check the answer to an exercise, wherever in the notebook it is defined.

    It never raises: whatever is wrong comes back as something to read.

    Args:
        task_id: the name that the exercise asks you to define, in quotes.
    """
    names = sys._getframe(1).f_globals
    record = _find(task_id, names)
    if isinstance(record, Note):
        return _shown(record, names)
    task, printed, more = record.task, Printed(), []
    verdict = verdict_on(record, names, printed)
    if _is_stale(task.id, names):
        more.append(STALE.format(task.id))
    if verdict.reason != Reason.NOT_DEFINED and not remember(task, verdict.points, verdict.mistake):
        more.append(NOT_KEPT)
    if verdict.points and recall().get(task.id, TaskProgress()).given:
        more.append(GIVEN)
    if not (verdict.passed or verdict.mistake or verdict.reason == Reason.NOT_DEFINED):
        keep_unrecognised(task, _written(task.id, names))
    note = explain(verdict, printed.lines)
    return _shown(replace(note, lines=[*note.lines, *more]), names)


def _written(name: str, names: dict) -> str:
    """The last cell that defines a name, without what it only evaluates: the check itself, say."""
    cells = [cell for cell in names.get("In", []) if name in code.defined(cell)]
    body = code.syntax(cells[-1]).body if cells else []
    kept = [node for node in body if not isinstance(node, ast.Expr)]
    return "\n\n".join(ast.get_source_segment(cells[-1], node) for node in kept)


def _is_stale(name: str, names: dict) -> bool:
    """Whether the last cell that was to define a name never ran: it is not Python."""
    written = re.compile(rf"^(async def|def|class) {name}\b|^{name} *=", re.MULTILINE)
    cells = [cell for cell in names.get("In", []) if isinstance(cell, str) and written.search(cell)]
    return bool(cells) and name in names and name not in code.defined(cells[-1])


def _shown(note: Note, names: dict) -> Note:
    """The note, which is shown even where it is not the last line of its cell."""
    shell = get_ipython()
    if shell is None:
        if names.get("__name__") == "__main__" and not hasattr(sys, "ps1"):
            print(note)  # a plain script, which shows nothing by itself
        return note
    if not _waiting:
        shell.events.register("post_run_cell", _show_waiting)
    _show_all(_waiting)
    _waiting.append(note)
    return note


_waiting: list[Note] = []


def _show_all(notes: list[Note]) -> None:
    for note in notes:
        if not note.seen:
            display(note)
    notes.clear()


def _show_waiting(_result: Any) -> None:
    _show_all(_waiting)
    get_ipython().events.unregister("post_run_cell", _show_waiting)


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
    ask = Rerun(task, names[task.id])
    try:
        try:
            return diagnose(record, answers(task, names[task.id], record.cases, printed), ask=ask)
        except AnswerError as trouble:
            return diagnose(record, trouble.earlier, trouble, ask)
    except Exception as error:  # objects can be odder than anybody foresees
        message = (
            f"`{task.id}` gives something that cannot be compared. {type(error).__name__}: {error}"
        )
        return Verdict(task, Reason.TYPE, message)


def hint(task_id: str) -> Note:
    """Open the next of an exercise's three hints: a question, a nudge, most of the answer."""
    names = sys._getframe(1).f_globals
    record = _find(task_id, names)
    if isinstance(record, Note):
        return _shown(record, names)
    hints = record.task.hints
    opened = _hints_open[task_id] = min(_hints_open.get(task_id, 0) + 1, len(hints))
    lines = [f"{number}. {text}" for number, text in enumerate(hints[:opened], start=1)]
    more = len(hints) - opened
    lines.append(f"{more} more: run this cell again." if more else "These are all.")
    return _shown(Note(f"{record.task.title}: hints", lines), names)


def progress() -> Note:
    """All exercises of the course, done and to do, with points; and what keeps coming back.

    Kept in `progress.json` here, and in `predictions.json` and `interview.json` beside the README.
    Delete these files to start over.
    """
    remembered, course = recall(), bank.tasks()
    rows, points, total = [["", "Exercise", "Points", ""]], 0, 0
    for notebook, tasks in course.items():
        for task in tasks:
            tried = remembered.get(task.id, TaskProgress())
            own = tried.points_of(task)
            total += task.points
            points += own
            done = tried.done(task)
            tried_state = "given" if tried.given else "tried"
            state = "✓ done" if done else tried_state if task.id in remembered else "to do"
            shown = f"{own} of {task.points}" if 0 < own < task.points else str(task.points)
            rows.append([notebook[:2], task.title, shown, state])
    all_tasks = [task for tasks in course.values() for task in tasks]
    below = None
    for note in (
        _ratings(recall_ratings()),
        _guesses(recall_guesses()),
        _coming_back(all_tasks, remembered),
    ):
        below = replace(note, below=below) if note else below
    return Note(f"{points} of {total} points", table=rows, below=below)


def _coming_back(tasks: Sequence[Task], remembered: Mapping[str, TaskProgress]) -> Note | None:
    """The beliefs that showed in two tasks or more; last those whose tasks are all done by now."""
    kinds = bank.misconceptions()
    shown: dict[str, list[Task]] = {}
    for task in tasks:
        for slug in remembered.get(task.id, TaskProgress()).misconceptions:
            shown.setdefault(slug, []).append(task)
    present, past = [], []
    for slug, where in sorted(shown.items(), key=lambda item: -len(item[1])):
        if len(where) < 2 or slug not in kinds:
            continue
        kind, done = kinds[slug], [task for task in where if remembered[task.id].done(task)]
        if done == where:
            past.append(f"✓ Overcome in all {len(where)} tasks: that {kind.belief}.")
        else:
            titles = ", ".join(f"{task.title} ✓" if task in done else task.title for task in where)
            seen = f"{len(where)} tasks: {titles}"
            present.append(f"You seem to believe that {kind.belief} ({seen}). {kind.advice}")
    lines = [*present[:MOST_BELIEFS], *past]
    return Note("What keeps coming back", lines) if lines else None


def _guesses(guesses: Mapping[str, Guess]) -> Note | None:
    """How well guesses do for each degree of certainty, and where one was certain and wrong."""
    if not guesses:
        return None
    true = sum(guess.came_true for guess in guesses.values())
    rows = [["How sure you were", "Came true"]]
    for certainty in dict.fromkeys(guess.certainty for guess in guesses.values()):
        such = [guess.came_true for guess in guesses.values() if guess.certainty == certainty]
        rows.append([certainty, f"{sum(such)} of {len(such)}"])
    wrong = [
        f"You were certain, and it was not so: {question} You said {guess.guess}, "
        f"the answer is {guess.answer}."
        for question, guess in guesses.items()
        if guess.certainty == CERTAIN and not guess.came_true
    ]
    heading = f"Your predictions: {true} of {len(guesses)} came true"
    return Note(heading, wrong[-MOST_BELIEFS:], table=rows)


def _ratings(ratings: Mapping[str, str]) -> Note | None:
    """How many questions of the interview sheet could be answered, and how well."""
    rows = [["You could answer", "Questions"]]
    rows += [[rating, str(count)] for rating, count in Counter(ratings.values()).most_common()]
    return Note("The interview sheet", table=rows) if ratings else None


def _find(task_id: Any, names: dict) -> Record | Note:
    if isinstance(task_id, str):
        try:
            return bank.load(task_id)
        except KeyError:
            pass
    tasks = [task.id for tasks in bank.tasks().values() for task in tasks]
    if not isinstance(task_id, str):
        meant = [name for name in tasks if names.get(name, ...) is task_id] or tasks[:1]
        return Note(
            "✗ The name goes in quotes", [f'Write `check("{meant[0]}")`, with quotes.'], BAD
        )
    small = {name.lower(): name for name in tasks}
    near = difflib.get_close_matches(task_id.strip().lower(), small, 1)
    help_ = (
        f'Did you mean `check("{small[near[0]]}")`?'
        if near
        else f"The exercises are: {', '.join(f'`{name}`' for name in tasks)}."
    )
    return Note(f"✗ No exercise is called {task_id!r}", [help_], BAD)
