"""Facts that an exercise's file states once, and that the build repeats in other files.

| stated in an exercise's file | repeated |
|---|---|
| title, points, difficulty, minutes | in the heading above the task, in both notebooks |
| their sums over a notebook | at the top of both notebooks, in the table of the course |

The build also repeats the counts of all self-tests (`COUNTS`), and the minutes that a notebook of
the course takes (`reading_minutes`). In Markdown files it writes between a comment
`<!-- course -->` or `<!-- counts -->` and the comment that closes it, `<!-- /… -->`.
"""

import json
import re
from collections import Counter
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
LINES_A_MINUTE = 6.5  # lines of code that an attentive reader follows in a minute
WIDGET = "application/vnd.jupyter.widget-view+json"
NUMBERS = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve"


def state(notebook: NotebookNode, tasks: Sequence[Task]) -> None:
    """Write the facts of tasks into their notebook: into the headings, and as totals at the top.

    Raises:
        ValueError: the notebook lacks a heading for each task, or the line for the totals.
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
    """Return the sum of the tasks' minutes, and that of their points."""
    return sum(task.minutes for task in tasks), sum(task.points for task in tasks)


def pages() -> list[Path]:
    """Return the Markdown files into which the build may write."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def filled(page: str, parts: Mapping[str, str]) -> str:
    """Insert each part into a Markdown page between the comments with its name, if it has them."""
    for name, text in parts.items():
        place = rf"(?<!`)(<!-- {name} -->\s*).*?(\s*<!-- /{name} -->)"
        page = re.sub(place, lambda match, text=text: match[1] + text + match[2], page, flags=re.S)
    return page


def reading_minutes(notebook: NotebookNode) -> int:
    """Return the minutes that an attentive reader takes for a notebook, rounded to fives."""
    return 5 * round(minutes_of(notebook.cells) / 5)


def minutes_of(cells: Iterable[NotebookNode]) -> float:
    """Estimate how many minutes an attentive reader takes to work through some cells.

    150 words of prose take a minute; so do 6.5 lines of code, two predictions, or one widget. The
    estimate was fitted to the times that seven readers gave for seven notebooks (43 to 100 minutes)
    and is off by 4.5 on average; for an earlier version of seven (65 to 150 minutes), by 10.
    """
    words = lines = predictions = movable = 0
    for cell in cells:
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
        elif "predict(" in cell.source:
            predictions += 1
        else:
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
            movable += any(WIDGET in output.get("data", {}) for output in cell.outputs)
    return words / 150 + lines / LINES_A_MINUTE + predictions / 2 + movable


def table(notebooks: Mapping[str, NotebookNode], exercises: Mapping[str, Sequence[Task]]) -> str:
    """Return the table of the course, in Markdown.

    Args:
        notebooks: name → notebook, whose first cell has a title and, in italics, a subtitle.
        exercises: name → tasks of that notebook.
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
    of_course = [task for tasks in exercises.values() for task in tasks]
    minutes, points = total(of_course)
    reading = sum(map(reading_minutes, notebooks.values()))
    tasks = f"{len(of_course)} tasks, {points} points"
    return "\n".join([*rows, f"| | all | | {reading} | {tasks} | {minutes} |"])


def stored_counts() -> dict[str, dict]:
    """Return task → the counts of its last self-test and, if it passed, the digest of its code."""
    return json.loads(COUNTS.read_text(encoding="utf-8"))


def store_counts(entries: Mapping[str, Mapping]) -> None:
    """Write the counts of self-tests to the file `COUNTS`, one task per line."""
    lines = [f" {json.dumps(task)}: {json.dumps(entry)}" for task, entry in entries.items()]
    COUNTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")


def sum_of(entries: Iterable[Mapping]) -> Counter[str]:
    """Add up the counts of several tasks' self-tests."""
    counts: Counter[str] = Counter()
    for entry in entries:
        counts.update({name: count for name, count in entry.items() if name != "digest"})
    return counts


def in_words(counts: Mapping[str, int]) -> str:
    """Return the counts of self-tests in words, as half a sentence."""
    faults = counts["mutants"] - counts["mutants_equivalent"]
    return (
        f"{counts['misconceptions_named']:,} of {counts['misconceptions']:,} mistakes called by "
        f"their own name, {counts['variants_accepted']:,} of {counts['variants']:,} right answers "
        f"accepted, {counts['mutants_caught']:,} of {faults:,} faults noticed "
        f"({counts['mutants_equivalent']:,} more change nothing, and are listed with the reason)"
    )
