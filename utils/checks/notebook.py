"""The commands `check`, `hint` and `steps`. (`progress` has a module of its own.)"""

import ast
import contextlib
import difflib
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from IPython import get_ipython
from IPython.display import display

from utils.checks import bank, code
from utils.checks.compare import Verdict
from utils.checks.diagnosis.repairs import Editable
from utils.checks.feedback import BAD, IN_FOLD, Note, explain
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed, limited
from utils.checks.line_by_line import walk_through
from utils.checks.progress_file import (
    TaskProgress,
    load_progress,
    put_aside,
    save_progress,
    save_turn,
)
from utils.checks.runner import AnswerError, cell_of
from utils.checks.tasks import Reason, Record, Task

NOT_DEFINED = "There is no `{}` yet. Run the cell that defines it, then check again."

NOT_KEPT = "Your progress is not kept: `progress.json` cannot be written in this folder."
GIVEN = "This solution was given to you, so it adds no points."
STALE = (
    "The last cell that defines `{}` has a syntax error, so it never ran. Fix it, run it, and "
    "check again."
)
TO_PASTE = "To ask for help, paste this line"
MEMORY = 4 * 2**30  # bytes that an answer may take
MOST_NEAR = 3  # names that are suggested for an unknown one
ALIKE = 0.8  # of 1: how alike two names are that may be mistaken for each other

_hints_open: dict[str, int] = {}  # task → how many of its hints are open, since the kernel started
_waiting: list[Note] = []  # notes that the end of the cell shows, if nothing did before


def warm() -> threading.Thread | None:
    """Load in the background what PyTorch loads late, and the notebook's tasks need.

    A process's first optimizer loads its compiler, and the first `assert_close`, which learners'
    tests like to call, its distributed tensors. Either takes about a second, in which the learner
    reads. Jupyter tells the notebook's name.
    """
    notebook = Path(os.environ.get("JPY_SESSION_NAME", "")).stem
    try:
        tasks = bank.tasks().get(notebook, [])
    except bank.DamagedFile:  # `check` tells of it
        return None
    if any(not task.again for task in tasks):
        late = "torch._dynamo"  # this loads the other, too
    elif any(task.answer_type == "test" for task in tasks):
        late = "torch.distributed.tensor"
    else:
        return None
    thread = threading.Thread(target=import_module, args=[late], daemon=True)
    thread.start()
    return thread


def check(task_id: str) -> Note:
    """Check your answer to an exercise, wherever in the notebook it is defined.

    It never raises an exception: the note that it returns describes every problem.

    Args:
        task_id: the name that the exercise asks you to define, in quotes.
    """
    names = sys._getframe(1).f_globals
    record = _find(task_id, names, "check")
    if isinstance(record, Note):
        return _show(record, names)
    task, printed, more = record.task, Printed(), []
    cells = [cell for cell in names.get("In", []) if isinstance(cell, str)]
    if _is_stale(task.id, cells):
        return _show(_unfit(task, STALE.format(task.id)), names)
    verdict = verdict_on(record, names, printed)
    if task.points and verdict.reason != Reason.NOT_DEFINED:
        if not save_progress(task, verdict.points, verdict.mistake):
            more.append(NOT_KEPT)
        more += put_aside()
    if verdict.passed and not task.points:
        save_turn(task.id)
    if verdict.points and load_progress().get(task.id, TaskProgress()).given:
        more.append(GIVEN)
    if not verdict.passed:
        more += _left_over(_defining(task.id, cells), names)
    note = explain(verdict, printed.lines)
    if _hints_open.get(task.id) == len(task.hints):
        note = replace(note, next_step="")  # there is no further hint to promise
    if task.points and not verdict.passed:
        asked = [f"{task.id}: {' '.join(note.lines)}"]
        note = replace(note, below=Note(TO_PASTE, asked, BAD, is_folded=True))
    return _show(replace(note, lines=[*note.lines, *more]), names)


def verdict_on(record: Record, names: dict, printed: Printed) -> Verdict:
    """Judge the definition of an answer among `names`, a notebook's global variables."""
    task = record.task
    if task.id not in names:
        return Verdict(task, Reason.NOT_DEFINED, NOT_DEFINED.format(task.id))
    definition, kind = names[task.id], kind_of(task)
    rerun = kind.rerun(definition)
    try:
        with _limited_memory():
            try:
                answers, error = kind.run(definition, record.cases, printed), None
            except AnswerError as stopped:
                answers, error = stopped.earlier, stopped
            editable = Editable(cell_of(definition), rerun)
            return kind.diagnose(record, answers, error, rerun, rerun.trace, editable)
    except Exception as error:  # a learner's object can behave in any way
        message = (
            f"`{task.id}` gives something that cannot be compared. {type(error).__name__}: {error}"
        )
        return Verdict(task, Reason.TYPE, message)


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    """Limit the memory that an answer takes, where the system (Linux) can.

    A tensor that grows in each turn of a loop would soon take all that there is, and the kernel
    would die of it.
    """
    if sys.platform != "linux":
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    with limited(resource.RLIMIT_AS, pages * resource.getpagesize() + MEMORY):
        yield


def hint(task_id: str) -> Note:
    """Open the next of an exercise's three hints: a question, a nudge, most of the answer."""
    names = sys._getframe(1).f_globals
    record = _find(task_id, names, "hint")
    if isinstance(record, Note):
        return _show(record, names)
    hints = record.task.hints or ["This task has none." if record.task.points else IN_FOLD]
    opened = _hints_open[task_id] = min(_hints_open.get(task_id, 0) + 1, len(hints))
    lines = [f"{number}. {text}" for number, text in enumerate(hints[:opened], start=1)]
    more = len(hints) - opened
    lines.append(f"{more} more: run this cell again." if more else "These are all.")
    return _show(Note(f"{record.task.title}: hints", lines), names)


def steps(task_id: str) -> Note:
    """Run your answer in one small case, and show what each of its lines sets, and how it looks.

    If `check` can tell at which line the answer goes wrong, that line is marked.
    """
    names = sys._getframe(1).f_globals
    record = _find(task_id, names, "steps")
    if isinstance(record, Note):
        return _show(record, names)
    task = record.task
    if reason := kind_of(task).without_steps:
        return _show(Note(f"{task.title}: line by line", [f"`{task.id}` {reason}"]), names)
    cells = [cell for cell in names.get("In", []) if isinstance(cell, str)]
    if _is_stale(task.id, cells):
        return _show(_unfit(task, STALE.format(task.id)), names)
    verdict = verdict_on(record, names, Printed())
    if verdict.reason in (Reason.NOT_DEFINED, Reason.WRONG_TYPE):
        return _show(_unfit(task, verdict.message), names)
    with _limited_memory():
        return _show(walk_through(record, names[task.id], verdict), names)


def _unfit(task: Task, message: str) -> Note:
    return Note(f"✗ {task.title}: not yet", [message], BAD)


def _find(task_id: Any, names: dict, command: str) -> Record | Note:
    """Return the record of a task, or a note: on similar names, or on a file that is damaged."""
    try:
        return _found(task_id, names, command)
    except bank.DamagedFile as problem:
        return Note("✗ A file of the course is damaged", [str(problem)], BAD)


def _found(task_id: Any, names: dict, command: str) -> Record | Note:
    if isinstance(task_id, str):
        try:
            return bank.load(task_id)
        except KeyError:
            pass
    all_names, wanted = bank.names(), str(task_id).strip().lower()
    if isinstance(task_id, str):
        heading = f"✗ No exercise is called {task_id!r}"
        by_lower_case = {name.lower(): name for name in all_names}
        most = 1 if wanted in by_lower_case else MOST_NEAR
        close = difflib.get_close_matches(wanted, by_lower_case, most)
        near = [by_lower_case[name] for name in close]
    else:
        heading = "✗ The name goes in quotes"
        near = [name for name in all_names if names.get(name, ...) is task_id]
    if near:
        return Note(heading, [f"Did you mean {_calls(command, near, ' or ')}?"], BAD)
    of_notebook = {path: [task.id for task in tasks] for path, tasks in bank.tasks().items()}
    numbered = [tasks for path, tasks in of_notebook.items() if wanted and wanted in path[:2]]
    here = numbered[0] if numbered else [name for name in all_names if name in names]
    lines = [f"Here are: {_calls(command, here, ', ')}."] if here else []
    return Note(heading, [*lines, "`progress()` lists all exercises."], BAD)


def _calls(command: str, tasks: Sequence[str], between: str) -> str:
    return between.join(f'`{command}("{task}")`' for task in tasks)


def _is_stale(name: str, cells: list[str]) -> bool:
    """Decide whether the last cell that defines a name is not valid Python, so it never ran."""
    try:
        ast.parse(_defining(name, cells))
    except (SyntaxError, ValueError):
        return True
    return False


def _defining(name: str, cells: list[str]) -> str:
    """Return the last cell that defines a name; "" if there is none."""
    definition = re.compile(rf"^(async def|def|class) {name}\b|^{name} *=", re.MULTILINE)
    return next((cell for cell in reversed(cells) if definition.search(cell)), "")


def _left_over(cell: str, names: dict) -> list[str]:
    """Name the values from other cells that an answer uses, where one of its own is called alike.

    A slip of the pen, `score` for `scores`, finds what another cell has called `score`.
    """
    lines = []
    for definition in code.definitions(cell):
        for name in sorted(code.borrowed(definition) & names.keys()):
            value, own = names[name], code.own(definition)
            near = difflib.get_close_matches(name, own, 1, ALIKE)
            if near and not (callable(value) or isinstance(value, ModuleType)):
                lines.append(
                    f"`{name}` is not set in your code: it is left over from another cell, where "
                    f"it is a {type(value).__name__}. Did you mean `{near[0]}`?"
                )
    return lines


def _show(note: Note, names: dict) -> Note:
    """Return a note, and make sure it is shown, even if it is not the last line of its cell."""
    shell = get_ipython()
    if shell is None:
        if names.get("__name__") == "__main__" and not hasattr(sys, "ps1"):
            print(note)  # a plain script, which shows nothing by itself
        return note
    if not _waiting:
        shell.events.register("post_run_cell", _show_waiting)
    _display_all(_waiting)
    _waiting.append(note)
    return note


def _show_waiting(_result: Any) -> None:
    _display_all(_waiting)
    get_ipython().events.unregister("post_run_cell", _show_waiting)


def _display_all(notes: list[Note]) -> None:
    for note in notes:
        if not note.seen:
            display(note)
    notes.clear()
