"""Copy facts that an exercise's file states, such as its points, to the files that repeat them.

| stated in an exercise's file | repeated |
|---|---|
| title, points, difficulty, minutes | in the heading above the task, in both notebooks |
| their sums over a notebook | at the top of both notebooks, in the table of the course |

The build also repeats the counts of all self-tests (`COUNTS`), and the minutes that a notebook of
the course takes (`reading_minutes`), and links to where the course is public (`public_links`). In
Markdown files it writes between a comment `<!-- course -->`, `<!-- counts -->` or `<!-- public -->`
and the comment that closes it, `<!-- /… -->`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from utils.checks.tasks import Task

COUNTS = Path(__file__).parent / "selftest.json"
ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## \d+\..*(\n\n\*\d+ points? · .*\*)?", flags=re.MULTILINE)
READING = re.compile(r"\| [\d–]+ minutes \|")
TITLE = re.compile(r"# \d+ · (?P<title>.*)\n\n\*(?P<subtitle>.*)\*")
TOTALS = re.compile(r"^\| [\d–]+ minutes \| \d+ \|", flags=re.MULTILINE)
TASKS = re.compile(r"^\*\w+ tasks? for notebook", flags=re.MULTILINE)
# What learners take, as multiples of an estimate: from quick ones to those who try everything.
# Three readers took 1.3 to 1.7 times the estimate for notebooks, 1.1 to 1.4 times for exercises.
READERS, WORKERS = (1.2, 1.7), (1.0, 1.4)
STUB_MINUTES = 3  # for a stub to be written
ESSAY = 6  # minutes for a question that is answered in words
LINES_A_MINUTE = 6.5  # lines of code that an attentive reader follows in a minute
# Which sections and exercises the shorter way takes, in the first cell of a notebook.
DIRECT_WAY = re.compile(r"\*\*The direct way\*\*: sections? ([^.;]*)(?:; exercises? ([^.;]*))?\.")
SECTION = re.compile(r"## (\d+)\.")
PARTS = {  # each from a notebook on
    "01": "The core",
    "07": "In practice",
    "09": "Attention today",
    "11": "A real model",
}
WIDGET = '<div class="explorer"'
SITE = re.compile(r'^html_baseurl = "([^"]*)"', flags=re.MULTILINE)  # of docs/site/conf.py
NUMBERS = "One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve"


class Span(NamedTuple):
    """A range of minutes: `low` for quick learners, `high` for those who try everything."""

    low: int
    high: int


def state(notebook: NotebookNode, tasks: Sequence[Task]) -> None:
    """Write points, difficulty and minutes into a notebook: into headings, and as sums at the top.

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
    minutes, (_, points) = in_minutes(working_minutes(notebook, tasks)), total(tasks)
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
    """Return the sum of the tasks' minutes, and the sum of their points."""
    return sum(task.minutes for task in tasks), sum(task.points for task in tasks)


def pages() -> list[Path]:
    """Return the Markdown files into which the build may write."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def filled(page: str, parts: Mapping[str, str]) -> str:
    """Return a Markdown page with each part inserted between the comments that bear its name.

    A part is left out if the page has no such comments.
    """
    for name, text in parts.items():
        place = rf"(?<!`)(<!-- {name} -->\s*).*?(\s*<!-- /{name} -->)"
        page = re.sub(place, lambda match, text=text: match[1] + text + match[2], page, flags=re.S)
    return page


def reading_minutes(notebook: NotebookNode) -> Span:
    """Return the minutes that learners take to read a notebook of the course and try it out."""
    return _span(minutes_of(notebook.cells), READERS)


def working_minutes(notebook: NotebookNode, tasks: Sequence[Task]) -> Span:
    """Return the minutes that learners take for a notebook of exercises.

    They include the questions to be answered in words.
    """
    essays = sum("rubric" in cell.metadata.get("tags", []) for cell in notebook.cells)
    return _span(total(tasks)[0] + ESSAY * essays, WORKERS)


def direct_way(notebook: NotebookNode) -> tuple[set[int], set[int]]:
    """Return the numbers of the sections, and of the exercises, that the direct way takes.

    Both are empty if it leaves the notebook out.
    """
    found = DIRECT_WAY.search(notebook.cells[0].source)
    sections, exercises = map(_numbers, found.groups("")) if found else (set(), set())
    return sections, exercises


def _numbers(text: str) -> set[int]:
    """Read numbers and ranges, as in "1 to 3 and 7"."""
    ranges = re.findall(r"(\d+)(?: to (\d+))?", text)
    return {n for first, last in ranges for n in range(int(first), int(last or first) + 1)}


def direct_minutes(notebook: NotebookNode, tasks: Sequence[Task]) -> tuple[Span, Span]:
    """Return the minutes for what the direct way reads of a notebook, and for its exercises."""
    sections, exercises = direct_way(notebook)
    taken, section = [], None
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            numbered = SECTION.match(cell.source)
            section = int(numbered[1]) if numbered else None
        if section in sections:
            taken.append(cell)
    chosen = [task for number, task in enumerate(tasks, start=1) if number in exercises]
    return _span(minutes_of(taken), READERS), _span(total(chosen)[0], WORKERS)


def _span(estimate: float, factors: tuple[float, float]) -> Span:
    """Return an estimate in minutes times each of two factors, rounded to multiples of 5."""
    low, high = (5 * round(factor * estimate / 5) for factor in factors)
    return Span(low, high)


def in_minutes(span: Span) -> str:
    """Write a span as text, such as "55–80"."""
    return f"{span.low}–{span.high}"


def minutes_of(cells: Iterable[NotebookNode]) -> float:
    """Estimate how many minutes a quick reader takes to work through some cells.

    150 words of prose take a minute; so do 6.5 lines of code, two predictions, or one widget.
    Completing a stub takes three minutes.
    """
    words = lines = predictions = movable = stubs = 0
    for cell in cells:
        if cell.cell_type == "markdown":
            words += len(cell.source.split())
        elif "predict(" in cell.source:
            predictions += 1
        elif 'check("' in cell.source:
            stubs += 1
        else:
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
            pages = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
            movable += any(WIDGET in page for page in pages)
    return words / 150 + lines / LINES_A_MINUTE + predictions / 2 + movable + STUB_MINUTES * stubs


def table(
    notebooks: Mapping[str, NotebookNode],
    solutions: Mapping[str, NotebookNode],
    exercises: Mapping[str, Sequence[Task]],
) -> str:
    """Return the table of the course, in Markdown.

    Args:
        notebooks: name → notebook, whose first cell has a title and, in italics, a subtitle.
        solutions: name → notebook of exercises.
        exercises: name → tasks of that notebook.
    """
    rows = ["| | Notebook | | Minutes |", "|---|---|---|---|"]
    reading = {name: reading_minutes(notebook) for name, notebook in notebooks.items()}
    for name, notebook in notebooks.items():
        if name[:2] in PARTS:
            rows.append(f"| | **{PARTS[name[:2]]}** | | |")
        top = TITLE.match(notebook.cells[0].source)
        rows.append(
            f"| {name[:2]} | [{top['title']}](notebooks/{name}.ipynb), [exercises]"
            f"(exercises/{name}.ipynb) | {top['subtitle']} | {in_minutes(reading[name])} |"
        )
    working = [working_minutes(solutions[name], tasks) for name, tasks in exercises.items()]
    direct = [direct_minutes(notebooks[name], tasks) for name, tasks in exercises.items()]
    chosen = sum(len(direct_way(notebook)[1]) for notebook in notebooks.values())
    everything = sum(map(len, exercises.values()))
    return "\n".join(
        [
            *rows,
            _sum("the direct way", chosen, [span for both in direct for span in both]),
            _sum("all", everything, [*reading.values(), *working]),
        ]
    )


def _sum(name: str, tasks: int, spans: Sequence[Span]) -> str:
    """Return a last row of the table: the hours of a way through the course, exercises included."""
    low, high = (round(sum(ends) / 60) for ends in zip(*spans, strict=True))
    return f"| | {name} | with {tasks} exercises | {low}–{high} hours |"


def public_address() -> str:
    """Return the address at which the reading site is public, or "" if it is not."""
    return SITE.search(ROOT.joinpath("docs/site/conf.py").read_text(encoding="utf-8"))[1]


def public_links(address: str) -> str:
    """Return a line of links to where the course can be read, run and watched; "" if nowhere.

    They are words, since images of badges would be asked of other machines.

    Args:
        address: where the site is public, such as "https://owner.github.io/name/", or "".

    Raises:
        ValueError: the address is not one of GitHub Pages.
    """
    if not address:
        return ""
    if not (parts := re.fullmatch(r"https://([\w-]+)\.github\.io/([\w.-]+)/", address)):
        raise ValueError(f'html_baseurl must be "https://owner.github.io/name/", got "{address}"')
    repository, first = "/".join(parts.groups()), "notebooks/01_attention_concepts.ipynb"
    github = f"https://github.com/{repository}"
    links = {
        "Read it": address,
        "Run it on Binder": f"https://mybinder.org/v2/gh/{repository}/main?urlpath=lab/tree/{first}",
        "in Colab": f"https://colab.research.google.com/github/{repository}/blob/main/{first}",
        "Tests": f"{github}/actions/workflows/ci.yml",
        "MIT licence": f"{github}/blob/main/LICENSE",
    }
    return "**" + " · ".join(f"[{text}]({target})" for text, target in links.items()) + "**"


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
