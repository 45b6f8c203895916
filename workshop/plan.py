"""Write timed plans for a room: `python -m workshop.plan`, or `make plans`.

A file in `plans/` lists steps in order, each with its minutes: a section of a notebook to `show`,
a `task` of the exercises or a stub of a notebook (`turn`) that everybody writes, or a `pause`. A
step that can be left out if time runs short is `optional`. Everything else on the page comes from
the notebooks and the exercises' public records: how long a reader takes alone, a text to say,
questions to ask the room, and frequent mistakes.
"""

import difflib
import itertools
import re
import symtable
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grading.report.guesses import asked
from grading.report.pages import section_of
from utils.checks import bank
from utils.checks.tasks import Task
from utils.course import STUB_MINUTES, chapters, minutes_of

HERE = Path(__file__).parent
PLANS = sorted((HERE / "plans").glob("*.toml"))
HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
ANSWER = re.compile(r"^The answer: (.+)$", flags=re.MULTILINE)
RUN_ABOVE = "*Run ▸ Run All Above Selected Cell*"  # JupyterLab's name of the command
MOST = 3  # misunderstandings at a time, since nobody listens to ten at once


@dataclass(frozen=True)
class Step:
    """A step of a plan: a section to show, a task to work on, or a pause.

    Args:
        minutes: how long the step may take.
        optional: whether the step can be left out if time runs short.
        title: text for the table of the page, in Markdown.
        alone: the minutes that a reader takes for the section, or that the task states.
        file: the notebook to show, or the notebook of the task.
        heading: heading of the section to show.
        rests_on: headings of sections that the step needs but the day has not shown.
        notes: notes for the instructor, in Markdown.
        questions: the section's predictions, with the notebook's answers, in Markdown.
        beliefs: slugs of misconceptions that learners may have here, the most frequent first.
        hands_on: whether everybody writes.
        stub: name of the stub that everybody completes in the notebook.
    """

    minutes: int
    optional: bool
    title: str
    alone: int = 0
    file: Path = Path()
    heading: str = ""
    rests_on: Sequence[str] = ()
    notes: Sequence[str] = ()
    questions: Sequence[str] = ()
    beliefs: Sequence[str] = ()
    hands_on: bool = False
    stub: str = ""


@dataclass(frozen=True)
class Plan:
    """A plan for teaching a room for one or more days; each day is a list of steps."""

    title: str
    subtitle: str
    days: Sequence[Sequence[Step]]


def read(file: Path) -> Plan:
    """Read a plan, and complete its steps with facts from the notebooks and the exercises.

    Raises:
        ValueError: the plan names a section or task that does not exist, gives a step less time
            than a reader needs, or its steps do not add up to the day's minutes.
    """
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    days = []
    for day in plan["days"]:
        try:
            steps = [_step(**entry) for entry in day["steps"]]
        except (TypeError, ValueError) as error:
            raise ValueError(f"{file.name}: {error}") from None
        total = sum(step.minutes for step in steps)
        if total != day["minutes"]:
            message = f"the steps take {total} minutes, the day has {day['minutes']}."
            raise ValueError(f"{file.name}: {message}")
        days.append(_with_preparation(steps))
    return Plan(plan["title"], plan["subtitle"], days)


def _step(minutes: int, optional: bool = False, **content: str) -> Step:
    (kind, what), *more = content.items() or [("", "")]
    if more or kind not in ("show", "task", "turn", "pause"):
        message = "needs one of `show`, `task`, `turn` and `pause`."
        raise ValueError(f"a step of {minutes} minutes {message}")
    if kind == "pause":
        return Step(minutes, optional, what)
    facts = {"show": section_facts, "task": _task_facts, "turn": turn_facts}[kind](what)
    if minutes < facts["alone"]:
        message = f"gets {minutes} minutes, and takes {facts['alone']} alone"
        raise ValueError(f"{what} {message}: give it more, and a pause or another step less.")
    if kind != "show":
        facts["notes"] += [_in_the_room(minutes, kind)]
    return Step(minutes, optional, hands_on=kind != "show", **facts)


def _in_the_room(minutes: int, kind: str) -> str:
    """Return when to ask for a show of hands, and when to show a solution."""
    where = "the fold below the cell" if kind == "turn" else "a solution of your own, typed live"
    return (
        f"**After {max(2, minutes // 2)} minutes**, ask for hands: who has a ✓? Pair those with "
        f"somebody who has none. **In the last two**, open {where}, and say what the check said."
    )


# --- A section to show ----------------------------------------------------------------------------


def section_facts(show: str) -> dict[str, Any]:
    """Return keyword arguments of `Step` for a section, such as `01 · 1. A first picture`.

    Raises:
        ValueError: there is no such section.
    """
    number, _, heading = show.partition(" · ")
    paths = {chapter.number: chapter.path for chapter in chapters().values()}
    if number not in paths:
        raise ValueError(f"there is no notebook {number!r}: write `01 · 1. A first picture`.")
    path = paths[number]
    sections = stored_sections(path)
    if heading not in sections:
        raise ValueError(f"notebook {number} has no section {_suggestion(heading, sections)}")
    cells = sections[heading]
    tasks = []  # the tasks that this section explains
    for name, task in _tasks().items():
        place = section_of(name)
        if (place.notebook, place.heading) == (path.stem, heading):
            tasks.append(task)
    slugs = ({mistake.misconception for mistake in task.mistakes} for task in tasks)
    counts = Counter(slug for of_task in slugs for slug in of_task)
    return {
        "title": f"[{show}](../notebooks/{path.name}#{_anchor(heading)})",
        "alone": round(minutes_of(cell for cell in cells if not stub(cell))),  # a step of its own
        "file": path,
        "heading": heading,
        "notes": [_opening(cells)],
        "questions": [*_questions(cells)],
        "beliefs": sorted(filter(counts.get, bank.misconceptions()), key=counts.get, reverse=True),
    }


def _anchor(heading: str) -> str:
    """Return the anchor that JupyterLab gives to a heading."""
    return heading.replace("`", "").replace(" ", "-")


def _suggestion(name: str, known: Iterable[str]) -> str:
    known = [*known]
    near = difflib.get_close_matches(name, known, n=1) or known
    return f"{name!r}. Did you mean {' or '.join(map(repr, near))}?"


@cache
def stored_sections(path: Path) -> dict[str, list[NotebookNode]]:
    """Map each heading of a stored notebook to the cells below it."""
    return sections_of(nbformat.read(path, as_version=4))


def sections_of(notebook: NotebookNode) -> dict[str, list[NotebookNode]]:
    """Map each heading to the cells below it; split a cell that has a heading in the middle."""
    sections: dict[str, list[NotebookNode]] = {}
    cells: list[NotebookNode] = []  # cells before the first heading, with the notebook's title
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            cells.append(cell)
            continue
        before, *parts = HEADING.split(cell.source)
        cells.append(new_markdown_cell(before))
        for heading, text in zip(parts[::2], parts[1::2], strict=True):
            cells = sections[heading] = [new_markdown_cell(text)]
    return sections


def _opening(cells: Iterable[NotebookNode]) -> str:
    """Return the text for the instructor to say: the first paragraphs of a section.

    They go on until one of them ends a sentence or a formula.
    """
    prose = (cell.source.strip() for cell in cells if cell.cell_type == "markdown")
    blocks = next(filter(None, prose)).split("\n\n")
    ends = [place for place, text in enumerate(blocks, start=1) if not re.search(r"[:\w]$", text)]
    opening = LINK.sub(r"\1", "\n\n".join(blocks[: min(ends, default=1)]))
    separator = "\n\n" if opening.startswith("-") else " "
    return f"**Say.**{separator}{opening}"


def _questions(cells: list[NotebookNode]) -> Iterator[str]:
    """Yield a note for each prediction of a section, with the answer that the next cell printed."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    for cell, next_cell in itertools.pairwise(code):
        for question in asked(cell.source):
            low, high = question.between or ("", "")
            choices = " / ".join(question.options) or f"from {low:,} to {high:,}"
            told = f"({choices}) Then run it: {answer_of(next_cell)}."
            yield f"**Stop and ask.** *{question.text}* {told}"


def answer_of(cell: NotebookNode) -> str:
    """Return the answer that a cell has printed."""
    texts = (
        output.get("text", output.get("data", {}).get("text/plain", "")) for output in cell.outputs
    )
    (answer,) = ANSWER.findall("\n".join(texts))
    return answer


# --- Sections to run before another section -------------------------------------------------------


def _with_preparation(steps: Iterable[Step]) -> list[Step]:
    """Return the steps of a day with notes on what to run beforehand.

    A step gets such a note if it needs sections of its notebook that were not shown before.
    """
    prepared = []
    ran: dict[Path, set[str]] = defaultdict(set)
    for step in steps:
        missing = [heading for heading in rests_on(step) if heading not in ran[step.file]]
        if missing:
            ran[step.file].update(_headings_above(step))
            *most, last = (f"*{heading}*" for heading in missing)
            note = (
                f"**First.** Click on its heading and choose {RUN_ABOVE}, best in a break before: "
                f"it rests on {', '.join(most)}{' and ' if most else ''}{last}."
            )
            step = replace(step, rests_on=missing, notes=[note, *step.notes])
        ran[step.file].add(step.heading)
        prepared.append(step)
    return prepared


def rests_on(step: Step) -> list[str]:
    """Return, in order, the headings of earlier sections that define names used in a step."""
    if not step.heading:
        return []
    sections = stored_sections(step.file)
    last: dict[str, str] = {}  # name → the last section above that defines it
    for heading in _headings_above(step):
        last |= dict.fromkeys(_names(sections[heading])[0], heading)
    needed = {last[name] for name in _names(sections[step.heading])[1] if name in last}
    return [heading for heading in sections if heading in needed]


def _headings_above(step: Step) -> list[str]:
    return [*itertools.takewhile(step.heading.__ne__, stored_sections(step.file))]


def _names(cells: Iterable[NotebookNode]) -> tuple[set[str], set[str]]:
    """Return the names that cells define, and the names that they use before defining them."""
    defined: set[str] = set()
    used: set[str] = set()
    for cell in cells:
        if cell.cell_type == "code":
            table = symtable.symtable(cell.source, "cell", "exec")
            defined |= {
                symbol.get_name()
                for symbol in table.get_symbols()
                if symbol.is_assigned() or symbol.is_imported()
            }
            used |= {*_global_names(table)} - defined
    return defined, used


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield all names of a cell's top level, and the global names in its functions and classes."""
    top = table.get_type() == "module"
    yield from (symbol.get_name() for symbol in table.get_symbols() if top or symbol.is_global())
    for inner in table.get_children():
        yield from _global_names(inner)


# --- A task to work on ----------------------------------------------------------------------------


@cache
def _tasks() -> dict[str, Task]:
    return {task.id: task for tasks in bank.tasks().values() for task in tasks}


def _task_facts(name: str) -> dict[str, Any]:
    """Return keyword arguments of `Step` for a task; the notes do not give the answer away."""
    if name not in _tasks():
        raise ValueError(f"the exercises have no task {_suggestion(name, _tasks())}")
    task = _tasks()[name]
    (file,) = (notebook for notebook, tasks in bank.tasks().items() if task in tasks)
    path = bank.FOLDER / f"{file}.ipynb"
    number = bank.tasks()[file].index(task) + 1
    place = f"{path.name}#{_anchor(f'{number}. {task.title}')}"
    way = f" Task {number}: run the notebook's first code cell, then go there." * (number > 1)
    hints = f' `hint("{name}")` opens three hints, one at a time.' if task.hints else ""
    notes = [f"{task.facts}.{way}{hints}"]
    notes += _asked_back(task)
    title = f"Everybody: [{task.title}](../exercises/{place}), `{name}`"
    return {"title": title, "alone": task.minutes, "file": path, "notes": notes}


def turn_facts(name: str) -> dict[str, Any]:
    """Return keyword arguments of `Step` for a stub in a notebook of the course."""
    stubs = {
        stub(cell): (chapter.path, heading)
        for chapter in chapters().values()
        for heading, cells in stored_sections(chapter.path).items()
        for cell in cells
        if stub(cell)
    }
    if name not in stubs:
        raise ValueError(f"the notebooks have no stub {_suggestion(name, stubs)}")
    path, heading = stubs[name]
    task = bank.load(name).task
    place = f"../notebooks/{path.name}#{_anchor(heading)}"
    notes = ["It stands in the notebook; the fold below it opens an answer.", *_asked_back(task)]
    title = f"Everybody writes: [{task.title}]({place}), `{name}`"
    return {"title": title, "alone": STUB_MINUTES, "file": path, "notes": notes, "stub": name}


def stub(cell: NotebookNode) -> str:
    """Return the name that a stub's cell checks; "" of any other cell."""
    found = re.search(r'^check\("(\w+)"\)', cell.source, flags=re.MULTILINE)
    return found[1] if found and cell.cell_type == "code" else ""


def _asked_back(task: Task) -> list[str]:
    """Return notes on frequent mistakes, each with the question that a check asks back."""
    questions = {mistake.hint: mistake.name for mistake in reversed(task.mistakes)}
    return [
        f"**Some will have:** {mistake}. **Ask:** {question}"
        for question, mistake in [*reversed(questions.items())][:MOST]
    ]


# --- On the page ----------------------------------------------------------------------------------


def page(file: Path) -> str:
    """Return the page of a plan, in Markdown.

    Raises:
        ValueError: as for `read`.
    """
    plan = read(file)
    blocks = [
        f"# {plan.title}",
        f"*{plan.subtitle}*",
        f"Written by `make plans` from `plans/{file.name}` and the notebooks: change those, not "
        "this. *Alone* is how long the course expects a reader to take; what is marked with ◇ can "
        "go where time runs short.",
    ]
    for number, steps in enumerate(plan.days, start=1):
        blocks += [f"## Day {number}"] if len(plan.days) > 1 else []
        rows = ["| From | Minutes | Alone | |", "|---|---|---|---|"]
        details = []
        for start, step, remarks in schedule(steps):
            mark = "◇ " if step.optional else ""
            rows.append(f"| {start} | {step.minutes} | {step.alone or ''} | {mark}{step.title} |")
            if step.notes:
                heading = f"### {start} · {step.title}"
                details += [heading, *step.notes, *step.questions, *remarks]
        end = _clock(sum(step.minutes for step in steps))
        spare = sum(step.minutes for step in steps if step.optional)
        hands_on = sum(step.minutes for step in steps if step.hands_on)
        rows.append(
            f"| {end} | | | the end; everybody writes for {hands_on} minutes, ◇ makes {spare} |"
        )
        blocks += ["\n".join(rows), *details]
    return "\n\n".join(blocks) + "\n"


def schedule(steps: Sequence[Step]) -> Iterator[tuple[str, Step, list[str]]]:
    """Yield (start, step, remarks) for each step of a day.

    The start is a time such as "1:05", counted from the beginning of the day. The remarks are
    notes to add to the step's own: frequent misconceptions, and what to do if time runs short.
    """
    passed = 0
    known: set[str] = set()  # each belief is mentioned once a day, at the first step that meets it
    vocabulary = bank.misconceptions()
    for number, step in enumerate(steps, start=1):
        new = [vocabulary[slug] for slug in step.beliefs if slug not in known][:MOST]
        known |= {misconception.slug for misconception in new}
        remarks = [
            f"**Some will believe** that {misconception.belief}. **Say:** {misconception.advice}"
            for misconception in new
        ]
        if step.optional:
            late = f"◇ **Late?** Leave it out, and {step.minutes} minutes are won."
            remarks.append(late + _if_left_out(step, steps[number:]))
        yield _clock(passed), step, remarks
        passed += step.minutes


def _if_left_out(step: Step, later: Sequence[Step]) -> str:
    """Return what to do before the first later step that needs a section, if it was left out.

    The result is "" if no later step needs it.
    """
    of_notebook = (other for other in later if other.file == step.file)
    for other in itertools.takewhile(lambda other: not other.rests_on, of_notebook):
        if step.heading in rests_on(other):
            return f" Then click on *{other.heading}*, which rests on it, and choose {RUN_ABOVE}."
    return ""


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def main() -> None:
    """Write the pages of all plans."""
    try:
        pages = {HERE / f"{file.stem}.md": page(file) for file in PLANS}
    except ValueError as error:
        sys.exit(str(error))
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"workshop/{path.name}: {len(text.split()):,} words")


if __name__ == "__main__":
    main()
