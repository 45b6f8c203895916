"""Copy facts to the files that repeat them.

| stated in an exercise's file | repeated |
|---|---|
| title, points, difficulty, minutes | in the heading above the task, in both notebooks |
| their sums over a notebook | at the top of both notebooks, in the table of the course |

| stated in `notebooks/course.toml` | repeated |
|---|---|
| order, parts, titles, the direct way | at the top of both notebooks, in the table of the course |
| points of questions in words | above their rubrics |

The build also repeats the counts of all self-tests (`COUNTS`), and the minutes that a notebook of
the course takes, and links to where the course is public (`public_links`). In Markdown files it
writes between a comment `<!-- course -->`, `<!-- skipped -->`, `<!-- counts -->` or
`<!-- public -->` and the comment that closes it, `<!-- /… -->`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from nbformat import NotebookNode

from utils import course
from utils.checks.tasks import Task
from utils.course import Chapter, Span

COUNTS = Path(__file__).parent / "selftest.json"
ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## \d+\..*(\n\n\*\d+ points? · .*\*)?", flags=re.MULTILINE)
TOTALS = re.compile(r"^\| [\d–]+ minutes \| \d+ \|", flags=re.MULTILINE)
TASKS = re.compile(r"^\*\w+ tasks? for notebook", flags=re.MULTILINE)
DIRECT = re.compile(r"\*\*The direct way\*\* takes tasks? [\d, and]+\.")
LINKS = "[Course overview](../README.md)"


def opening(chapter: Chapter, notebook: NotebookNode) -> str:
    """Return the text of a notebook's first cell, whose line of links stays as it is.

    Raises:
        ValueError: there is no such line.
    """
    links = [line for line in notebook.cells[0].source.splitlines() if line.startswith(LINKS)]
    if len(links) != 1:
        raise ValueError(f"{chapter.path.name}: the first cell needs a line `{LINKS} · …`.")
    stars = "★" * chapter.difficulty + "☆" * (3 - chapter.difficulty)
    minutes = course.reading_minutes(notebook)
    return (
        f"# {chapter.label}\n\n*{chapter.subtitle}*\n\n{links[0]}\n\n"
        "| Time | Difficulty | Builds on |\n|---|---|---|\n"
        f"| {minutes} minutes | {stars} | {chapter.builds_on} |\n\n{_direct_way(chapter)}"
    )


def _direct_way(chapter: Chapter) -> str:
    """Return the sentence that says what the direct way takes of a notebook."""
    if chapter.sections:
        taken = [_listed("section", chapter.sections), _listed("exercise", chapter.exercises)]
        return f"**The direct way**: {'; '.join(filter(None, taken))}{chapter.then}"
    taken = [other.number for other in course.chapters().values() if other.sections]
    following = [number for number in taken if number > chapter.number]
    goes_on = f" and goes on with {following[0]}" if following else ""
    return f"**The direct way** skips this notebook{goes_on}{chapter.then}"


def _listed(what: str, numbers: Sequence[int | str]) -> str:
    """Write numbers in order as in "sections 1 to 4 and 7"; "" if there are none."""
    if not numbers:
        return ""
    texts: list[str] = []
    for _, pairs in groupby(enumerate(numbers), lambda pair: int(pair[1]) - pair[0]):
        run = [str(number) for _, number in pairs]
        texts += run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]
    *most, last = texts
    plural = "s" if len(numbers) > 1 else ""
    return f"{what}{plural} {', '.join(most)} and {last}" if most else f"{what}{plural} {last}"


def state(notebook: NotebookNode, tasks: Sequence[Task], chapter: Chapter) -> None:
    """Write what is stated elsewhere into a notebook of exercises.

    That is points, difficulty and minutes in headings, their sums and the direct way at the top,
    and the points of questions to be answered in words.

    Raises:
        ValueError: the notebook lacks a place for one of them.
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
    if bool(chapter.exercises) != bool(DIRECT.search(prose[0].source)):
        raise ValueError(
            f"the first cell needs {'the' if chapter.exercises else 'no'} sentence `**The direct "
            "way** takes task 1.`, as `course.toml` says."
        )
    prose[0].source = _top_of_exercises(prose[0].source, tasks, chapter)
    numbered = iter(enumerate(tasks, start=1))

    def heading(_: re.Match) -> str:
        number, task = next(numbered)
        return f"## {number}. {task.title}\n\n*{task.facts}*"

    for cell in prose:
        cell.source = HEADING.sub(heading, cell.source)
    _name_questions([cell for cell in prose if "answer" in _tags(cell)], chapter, "Your answer")
    _name_questions([cell for cell in prose if "rubric" in _tags(cell)], chapter, "Rubric")


def _top_of_exercises(text: str, tasks: Sequence[Task], chapter: Chapter) -> str:
    """Return the text of a first cell of exercises with title, totals and direct way as stated."""
    _, *lines = text.split("\n")
    text = "\n".join([f"# {chapter.label}: exercises", *lines])
    minutes = course.working_minutes(tasks, len(chapter.essays))
    points = sum(task.points for task in tasks)
    text = TOTALS.sub(f"| {minutes} minutes | {points} |", text)
    text = TASKS.sub(f"*{course.in_words(len(tasks))} tasks for notebook", text)
    return DIRECT.sub(f"**The direct way** takes {_listed('task', chapter.exercises)}.", text)


def _name_questions(cells: Sequence[NotebookNode], chapter: Chapter, start: str) -> None:
    """Write the first line of cells that belong to the questions to be answered in words."""
    if len(cells) != len(chapter.essays):
        raise ValueError(
            f"{len(cells)} cells **{start}** and {len(chapter.essays)} `essays` in `course.toml`."
        )
    for cell, (question, points) in zip(cells, chapter.essays.items(), strict=True):
        told = f" · {points} points" if start == "Rubric" else ""
        _, *lines = cell.source.split("\n")
        cell.source = "\n".join([f"**{start}** · `{question}`{told}", *lines])


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


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


def table(exercises: Mapping[str, Sequence[Task]]) -> str:
    """Return the table of the course, in Markdown.

    Args:
        exercises: name of a notebook → tasks of its exercises.
    """
    chapters = course.chapters()
    direct = sum(len(chapter.exercises) for chapter in chapters.values())
    rows = ["| | Notebook | | Minutes |", "|---|---|---|---|"]
    spans = []
    for part, of_part in groupby(chapters.values(), lambda chapter: chapter.part):
        rows.append(f"| | **{part}** | | |")
        for chapter in of_part:
            name, minutes = chapter.name, course.reading_minutes(chapter.read())
            spans += [minutes, course.working_minutes(exercises[name], len(chapter.essays))]
            rows.append(
                f"| {chapter.number} | [{chapter.title}](notebooks/{name}.ipynb), [exercises]"
                f"(exercises/{name}.ipynb) | {chapter.subtitle} | {minutes} |"
            )
    return "\n".join(
        [
            *rows,
            _sum("the direct way", direct, course.direct_minutes(exercises)),
            _sum("all", sum(map(len, exercises.values())), spans),
        ]
    )


def _sum(name: str, tasks: int, spans: Sequence[Span]) -> str:
    """Return a last row of the table: the hours of a way through the course, exercises included."""
    return f"| | {name} | with {tasks} exercises | {course.in_hours(spans)} hours |"


def skipped() -> str:
    """Return which notebooks the direct way leaves out, such as "notebooks 07, 09 and 10"."""
    return _listed(
        "notebook", [each.number for each in course.chapters().values() if not each.sections]
    )


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
        raise ValueError(f'the address is "https://owner.github.io/name/" or "", not "{address}"')
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
