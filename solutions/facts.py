"""What an exercise's file states once, and the build repeats in other files.

| stated in the exercise's file | repeated |
|---|---|
| title, points, difficulty, minutes | in the heading above the task, in both notebooks |
| their sums over a notebook | at the top of both notebooks, in the table of the course |

The counts of a full self-test (`COUNTS`) are repeated too, and how long a notebook of the course
takes (`reading_minutes`). In Markdown files the build writes between `<!-- course -->` or
`<!-- counts -->` and the comment that closes it, `<!-- /… -->`.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nbformat import NotebookNode

from utils.checks.tasks import Task

COUNTS = Path(__file__).parent / "selftest.json"
ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## \d+\..*(\n\n\*\d+ points? · .*\*)?", flags=re.MULTILINE)
READING = re.compile(r"\| \d+ minutes \|")
TITLE = re.compile(r"# \d+ · (?P<title>.*)\n\n\*(?P<subtitle>.*)\*")
TOTALS = re.compile(r"^\| \d+ minutes \| \d+ \|", flags=re.MULTILINE)
TASKS = re.compile(r"^\*\w+ tasks? for notebook", flags=re.MULTILINE)
LINES_A_MINUTE = 6.5  # of code, that an attentive reader follows
WIDGET = "application/vnd.jupyter.widget-view+json"
NUMBERS = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve"


def state(notebook: NotebookNode, tasks: Sequence[Task]) -> None:
    """Write the facts of its tasks into a notebook: the headings, and the totals at the top.

    Raises:
        ValueError: the notebook has no place for them.
    """
    prose = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    headings = sum(len(HEADING.findall(cell.source)) for cell in prose)
    if headings != len(tasks):
        raise ValueError(
            f"{headings} numbered headings and {len(tasks)} exercises: write one heading "
            "`## 1. Title` above each exercise, and nowhere else."
        )
    if not TOTALS.search(prose[0].source):
        raise ValueError("the first cell needs a line `| 0 minutes | 0 | … |` for the totals.")
    minutes, points = total(tasks)
    count = dict(enumerate(NUMBERS.split(), start=1)).get(len(tasks), len(tasks))
    top = TOTALS.sub(f"| {minutes} minutes | {points} |", prose[0].source)
    prose[0].source = TASKS.sub(f"*{count} tasks for notebook", top)
    numbered = iter(enumerate(tasks, start=1))

    def heading(_: re.Match) -> str:
        number, task = next(numbered)
        return f"## {number}. {task.title}\n\n*{task.facts}*"

    for cell in prose:
        cell.source = HEADING.sub(heading, cell.source)


def total(tasks: Sequence[Task]) -> tuple[int, int]:
    """Minutes and points of all tasks together."""
    return sum(task.minutes for task in tasks), sum(task.points for task in tasks)


def pages() -> list[Path]:
    """The Markdown files that the build may write into."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def filled(page: str, parts: Mapping[str, str]) -> str:
    """A Markdown page with each part written between its comments, where the page has them."""
    for name, text in parts.items():
        place = rf"(?<!`)(<!-- {name} -->\s*).*?(\s*<!-- /{name} -->)"
        page = re.sub(place, lambda match, text=text: match[1] + text + match[2], page, flags=re.S)
    return page


def reading_minutes(notebook: NotebookNode) -> int:
    """How long an attentive reader takes for a notebook, to the nearest five minutes."""
    return 5 * round(minutes_of(notebook.cells) / 5)


def minutes_of(cells: Iterable[NotebookNode]) -> float:
    """How many minutes an attentive reader takes to work through some cells.

    150 words of prose, or 6.5 lines of code, take a minute; so do two predictions, and a thing to
    move. Fitted to what seven readers said of as many notebooks (43 to 100 minutes), from which it
    differs by 4.5 on average; for an earlier version of seven (65 to 150 minutes), by 10.
    """
    words = lines = predictions = movable = 0
    for cell in cells:
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
        elif "predict(" in cell.source:
            predictions += 1
        else:
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
            movable += moves(cell)
    return words / 150 + lines / LINES_A_MINUTE + predictions / 2 + movable


def moves(cell: NotebookNode) -> bool:
    """Whether a code cell shows a thing to move."""
    return any(WIDGET in output.get("data", {}) for output in cell.outputs)


def table(notebooks: Mapping[str, NotebookNode], exercises: Mapping[str, Sequence[Task]]) -> str:
    """The course in a table.

    Args:
        notebooks: name → the notebook; its first cell has a title, and in italics what it is about.
        exercises: name → the tasks of that notebook.
    """
    rows = ["| | Notebook | | Minutes | Exercises | Minutes |", "|---|---|---|---|---|---|"]
    for name, notebook in notebooks.items():
        top = TITLE.match(notebook.cells[0].source)
        reading, (working, points) = reading_minutes(notebook), total(exercises[name])
        tasks = f"[{len(exercises[name])} tasks, {points} points](exercises/{name}.ipynb)"
        rows.append(
            f"| {name[:2]} | [{top['title']}](notebooks/{name}.ipynb) | {top['subtitle']} "
            f"| {reading} | {tasks} | {working} |"
        )
    every = [task for tasks in exercises.values() for task in tasks]
    minutes, points = total(every)
    reading = sum(map(reading_minutes, notebooks.values()))
    tasks = f"{len(every)} tasks, {points} points"
    return "\n".join([*rows, f"| | all | | {reading} | {tasks} | {minutes} |"])


def counts() -> str:
    """What the last full self-test counted, in words."""
    found = json.loads(COUNTS.read_text(encoding="utf-8"))
    faults = found["mutants"] - found["mutants_equivalent"]
    return (
        f"{found['misconceptions_named']:,} of {found['misconceptions']:,} mistakes called by "
        f"their own name, {found['variants_accepted']:,} of {found['variants']:,} right answers "
        f"accepted, {found['mutants_caught']:,} of {faults:,} faults noticed "
        f"({found['mutants_equivalent']:,} more change nothing, and are listed with the reason)"
    )
