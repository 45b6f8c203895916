"""Timed plans for a room: `python -m workshop.plan`, or `make plans`.

A file in `plans/` lists steps in order, each with its minutes: a section of a notebook to `show`,
a `task` that everybody works on, or a `pause`; what can go where time runs short is `optional`.
Everything else on the page comes from the notebooks and the exercises' public records: how long a
reader takes, what to say, where to stop and ask, and what people get wrong.
"""

import ast
import difflib
import itertools
import re
import symtable
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from grading.report.pages import section_of
from solutions.facts import minutes_of
from utils.checks import bank
from utils.checks.tasks import Task

HERE = Path(__file__).parent
PLANS = sorted((HERE / "plans").glob("*.toml"))
COURSE = HERE.parent / "notebooks"
HEADING = re.compile(r"^## (.+)$", flags=re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
ANSWER = re.compile(r"^The answer: (.+)$", flags=re.MULTILINE)
BREAK = "\n\n"
RUN_ABOVE = "*Run ▸ Run All Above Selected Cell*"  # as JupyterLab calls it
MOST = 3  # misunderstandings told at a time: nobody listens for ten things at once


@dataclass(frozen=True)
class Step:
    """A step of a plan.

    Args:
        minutes: how long it may take.
        optional: whether it can go where time runs short.
        title: what stands in the table of the page, in Markdown.
        own: the minutes that a reader takes for the section, or that the task states.
        file: the notebook to show, or that of the task.
        heading: of the section to show.
        task: the name of the task to work on.
        above: headings of sections that it rests on and the day has not shown: all above it has to
            be run first.
        notes: for whoever leads it, in Markdown.
        asked: the section's predictions, and what the notebook found, in Markdown.
        beliefs: slugs of what people take to be true and is not, the most frequent first.
    """

    minutes: int
    optional: bool
    title: str
    own: int = 0
    file: Path = Path()
    heading: str = ""
    task: str = ""
    above: Sequence[str] = ()
    notes: Sequence[str] = ()
    asked: Sequence[str] = ()
    beliefs: Sequence[str] = ()


@dataclass(frozen=True)
class Plan:
    title: str
    subtitle: str
    days: Sequence[Sequence[Step]]


def read(file: Path) -> Plan:
    """A plan, with what the notebooks and the exercises say of its steps.

    Raises:
        ValueError: the plan and the course do not agree.
    """
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    days = [_day(day, file.name) for day in given["days"]]
    return Plan(given["title"], given["subtitle"], days)


def page(file: Path) -> str:
    """A plan as a page in Markdown.

    Raises:
        ValueError: the plan and the course do not agree.
    """
    plan = read(file)
    lines = [
        f"# {plan.title}",
        f"*{plan.subtitle}*",
        f"Written by `make plans` from `plans/{file.name}` and the notebooks: change those, not "
        "this. *Alone* is how long the course expects a reader to take; what is marked with ◇ can "
        "go where time runs short.",
    ]
    for number, steps in enumerate(plan.days, start=1):
        lines += [f"## Day {number}"] if len(plan.days) > 1 else []
        lines += [_table(steps), *_details(steps)]
    return "\n\n".join(lines) + "\n"


def _day(day: Mapping, name: str) -> list[Step]:
    steps = []
    for entry in day["steps"]:
        try:
            steps.append(_step(**entry))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}: {error}") from None
    total = sum(step.minutes for step in steps)
    if total != day["minutes"]:
        raise ValueError(f"{name}: the steps take {total} minutes, the day has {day['minutes']}.")
    return [*_ready(steps)]


def _step(minutes: int, show="", task="", pause="", optional: bool = False) -> Step:
    if [bool(show), bool(task), bool(pause)].count(True) != 1:
        raise ValueError(f"a step of {minutes} minutes needs one of `show`, `task` and `pause`.")
    if pause:
        return Step(minutes, optional, pause)
    about = _work(task) if task else section(show)
    if minutes < about["own"]:
        raise ValueError(f"{show or task} gets {minutes} minutes, and takes {about['own']} alone.")
    return Step(minutes, optional, **about)


# --- A section to show ----------------------------------------------------------------------------


def section(show: str) -> dict[str, Any]:
    """What `Step` takes for a section, such as `01 · 1. A first picture`.

    Raises:
        ValueError: there is no such section.
    """
    number, _, heading = show.partition(" · ")
    path, cells = _section_cells(number, heading)
    title = f"[{show}](../notebooks/{path.name}#{_anchor(heading)})"
    explained = [one for one in _tasks().values() if _is_explained(one, path, heading)]
    return {
        "title": title,
        "own": round(minutes_of(cells)),
        "file": path,
        "heading": heading,
        "notes": [_opening(cells)],
        "asked": [*_asked(cells)],
        "beliefs": _beliefs_behind(explained),
    }


def _anchor(heading: str) -> str:
    """What JupyterLab calls a heading."""
    return heading.replace("`", "").replace(" ", "-")


def _is_explained(task: Task, path: Path, heading: str) -> bool:
    place = section_of(task.id)
    return (place.notebook, place.heading) == (path.stem, heading)


def _section_cells(number: str, heading: str) -> tuple[Path, list[NotebookNode]]:
    paths = {path.name[:2]: path for path in sorted(COURSE.glob("0*.ipynb"))}
    if number not in paths:
        raise ValueError(f"there is no notebook {number!r}: write `01 · 1. A first picture`.")
    sections = stored_sections(paths[number])
    if heading not in sections:
        raise ValueError(f"notebook {number} has no section {_unknown(heading, sections)}")
    return paths[number], sections[heading]


def _unknown(name: str, known: Iterable[str]) -> str:
    known = [*known]
    near = difflib.get_close_matches(name, known, n=1) or known
    return f"{name!r}. Did you mean {' or '.join(map(repr, near))}?"


@cache
def stored_sections(path: Path) -> dict[str, list[NotebookNode]]:
    return sections_of(nbformat.read(path, as_version=4))


def sections_of(notebook: NotebookNode) -> dict[str, list[NotebookNode]]:
    """Heading → the cells below it; a cell with a heading inside is cut in two."""
    sections: dict[str, list[NotebookNode]] = {}
    cells: list[NotebookNode] = []  # before the first heading: the notebook's own title
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
    """How the section begins: its idea in plain words, up to the end of a sentence or a formula."""
    prose = (cell.source.strip() for cell in cells if cell.cell_type == "markdown")
    parts = next(filter(None, prose)).split("\n\n")
    ends = [place for place, part in enumerate(parts, start=1) if not re.search(r"[:\w]$", part)]
    first = LINK.sub(r"\1", "\n\n".join(parts[: min(ends, default=1)]))
    return f"**Say.**{BREAK if first.startswith('-') else ' '}{first}"


def _asked(cells: list[NotebookNode]) -> Iterator[str]:
    """The section's predictions, and what the notebook found."""
    code = [cell for cell in cells if cell.cell_type == "code"]
    for cell, behind in itertools.pairwise(code):
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "predict":
                question, *options = map(ast.literal_eval, node.args)
                given = {one.arg: ast.literal_eval(one.value) for one in node.keywords}
                low, high = given.get("between", ("", ""))
                choices = " / ".join(options[0]) if options else f"from {low:,} to {high:,}"
                (answer,) = ANSWER.findall(_text(behind))
                yield f"**Stop and ask.** *{question}* ({choices}) Then run it: {answer}."


def _text(cell: NotebookNode) -> str:
    plain = [one.get("text", one.get("data", {}).get("text/plain", "")) for one in cell.outputs]
    return "\n".join(plain)


def _beliefs_behind(tasks: Iterable[Task]) -> list[str]:
    """The kinds of mistakes that tasks know, those of most tasks first."""
    counts = Counter(kind for task in tasks for kind in {one.kind for one in task.mistakes})
    return sorted(filter(counts.get, bank.misconceptions()), key=counts.get, reverse=True)


# --- What a section rests on ----------------------------------------------------------------------


def _ready(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps of a day, each with what has to be run before it."""
    ran: dict[Path, set[str]] = defaultdict(set)
    for step in steps:
        above = [one for one in rests_on(step) if one not in ran[step.file]]
        if above:
            ran[step.file].update(headings_above(step))
            first = (
                f"**First.** Click on its heading and choose {RUN_ABOVE}, best in a break before: "
            )
            first += f"it rests on {_list(above)}."
            step = replace(step, above=above, notes=[first, *step.notes])
        ran[step.file].add(step.heading)
        yield step


def rests_on(step: Step) -> list[str]:
    """The sections above a step's own that define what its cells use, in their order."""
    if not step.heading:
        return []
    sections = stored_sections(step.file)
    last: dict[str, str] = {}  # name → the section above that defines it last
    for heading in headings_above(step):
        last |= dict.fromkeys(_names(sections[heading])[0], heading)
    needed = {last[name] for name in _names(sections[step.heading])[1] if name in last}
    return [heading for heading in sections if heading in needed]


def headings_above(step: Step) -> list[str]:
    return [*itertools.takewhile(step.heading.__ne__, stored_sections(step.file))]


def _names(cells: Iterable[NotebookNode]) -> tuple[set[str], set[str]]:
    """The names that cells define, and those that they use before any of them has."""
    defined: set[str] = set()
    used: set[str] = set()
    for cell in cells:
        if cell.cell_type == "code":
            table = symtable.symtable(cell.source, "cell", "exec")
            made = filter(lambda one: one.is_assigned() or one.is_imported(), table.get_symbols())
            defined |= {symbol.get_name() for symbol in made}
            used |= {*_globals(table)} - defined
    return defined, used


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """What a cell and the functions in it take from the notebook."""
    top = table.get_type() == "module"
    yield from (one.get_name() for one in table.get_symbols() if top or one.is_global())
    for inner in table.get_children():
        yield from _globals(inner)


def _list(headings: Sequence[str]) -> str:
    *most, last = (f"*{heading}*" for heading in headings)
    return f"{', '.join(most)} and {last}" if most else last


# --- A task to work on ----------------------------------------------------------------------------


@cache
def _tasks() -> dict[str, Task]:
    return {task.id: task for tasks in bank.tasks().values() for task in tasks}


def _work(name: str) -> dict[str, Any]:
    """What `Step` takes for a task: what to ask whoever gets it wrong, nothing of the answer."""
    if name not in _tasks():
        raise ValueError(f"the exercises have no task {_unknown(name, _tasks())}")
    task = _tasks()[name]
    (file,) = (notebook for notebook, tasks in bank.tasks().items() if task in tasks)
    path = bank.FOLDER / f"{file}.ipynb"
    number = bank.tasks()[file].index(task) + 1
    place = f"{path.name}#{_anchor(f'{number}. {task.title}')}"
    title = f"Everybody: [{task.title}](../exercises/{place}), `{name}`"
    where = (
        "" if number == 1 else f" Task {number}: run the notebook's first code cell, then go there."
    )
    notes = [f'{task.facts}.{where} `hint("{name}")` opens three hints, one at a time.']
    questions = {mistake.hint: mistake.name for mistake in reversed(task.mistakes)}
    for question, mistake in [*reversed(questions.items())][:MOST]:
        notes.append(f"**Some will have:** {mistake}. **Ask:** {question}")
    return {"title": title, "own": task.minutes, "file": path, "task": name, "notes": notes}


# --- On the page ----------------------------------------------------------------------------------


def _table(steps: Sequence[Step]) -> str:
    spare = sum(step.minutes for step in steps if step.optional)
    rows = ["| From | Minutes | Alone | |", "|---|---|---|---|"]
    for start, step in _timed(steps):
        mark = "◇ " if step.optional else ""
        rows.append(f"| {start} | {step.minutes} | {step.own or ''} | {mark}{step.title} |")
    end = _clock(sum(step.minutes for step in steps))
    return "\n".join([*rows, f"| {end} | | | the end; ◇ makes {spare} minutes |"])


def _details(steps: Sequence[Step]) -> Iterator[str]:
    for start, step, more in told(steps):
        if step.notes:
            yield f"### {start} · {step.title}"
            yield from (*step.notes, *step.asked, *more)


def told(steps: Sequence[Step]) -> Iterator[tuple[str, Step, list[str]]]:
    """Each step with the time of its start, and what there is to say beside its notes."""
    known: set[str] = set()  # a belief is spoken of once a day, where it first shows
    kinds = bank.misconceptions()
    for number, (start, step) in enumerate(_timed(steps), start=1):
        new = [kinds[slug] for slug in step.beliefs if slug not in known][:MOST]
        known |= {kind.slug for kind in new}
        more = [f"**Some will believe** that {one.belief}. **Say:** {one.advice}" for one in new]
        if step.optional:
            late = f"◇ **Late?** Leave it out, and {step.minutes} minutes are won."
            more.append(late + _without(step, steps[number:]))
        yield start, step, more


def _without(step: Step, later: Sequence[Step]) -> str:
    """What has to be run, if a section is left out, for those that rest on it."""
    of_notebook = (one for one in later if one.file == step.file)
    for one in itertools.takewhile(lambda one: not one.above, of_notebook):
        if step.heading in rests_on(one):
            return f" Then click on *{one.heading}*, which rests on it, and choose {RUN_ABOVE}."
    return ""


def _timed(steps: Sequence[Step]) -> Iterator[tuple[str, Step]]:
    passed = 0
    for step in steps:
        yield _clock(passed), step
        passed += step.minutes


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def main() -> None:
    """Write the pages of all plans."""
    try:
        pages = {HERE / f"{plan.stem}.md": page(plan) for plan in PLANS}
    except ValueError as error:
        sys.exit(str(error))
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"workshop/{path.name}: {len(text.split()):,} words")


if __name__ == "__main__":
    main()
