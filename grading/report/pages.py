"""Write the pages that people read: one for each learner, and the overview for the instructor.

Each page is one file with everything in it, readable in a light and in a dark window, and works
without a network. A learner's page gives the notebook's feedback, but shows no expected values for
fresh inputs. The overview contains rubrics and everybody's answers, so it is for the instructor.

Jinja2 escapes everything that a template prints, and a browser is told to run only our one script,
which sorts the overview's tables. Unescaped HTML enters only through the three filters that return
`Markup`, whose content has been escaped where it was made, and through the rubrics, which are the
course's own. What nobody can see, or what turns the text after it, is left out of all of it.
"""

import base64
import hashlib
import re
import statistics
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import mistune
import nbformat
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grading import hooks
from grading.intake import platforms
from grading.intake.class_file import LOCAL_LAB
from grading.names import Names
from grading.report.store import write
from grading.report.tables import Learner, about_pending, parts_of, standing_of_lost, tasks_of
from grading.run.scoring import Outcome, Result
from grading.text import visible
from utils.checks import bank
from utils.checks.compare import Comparison
from utils.checks.feedback import BAD, GOOD, PLAIN, Note, draw, to_html
from utils.checks.tasks import Reason, Task
from utils.plots import AccessibleFigure, bar_chart

LONGEST_NAME = 200  # bytes: most disks take 255
COURSE = bank.FOLDER.with_name("notebooks")
SCRIPT = (Path(__file__).parents[1] / "templates" / "tables.js").read_text(encoding="utf-8")
ON_THE_REAL_MODEL = ("MyBlock",)  # tasks that are tried on it too, where it is
NOT_THERE = "(Nothing stands in the place for this answer. Elsewhere in the notebook:)"
FEW = 5  # rows of a table that are shown until the reader asks for all


def write_pages(
    class_: Sequence[Learner], names: Names, out: Path, safe: bool, real: bool = True
) -> None:
    """Write `overview.html`, and a page for each learner into `learners/`.

    If the files came from a platform, also write the pages into a zip that the platform takes back.
    """
    folder = out / "learners"
    folder.mkdir(exist_ok=True)
    links, tasks, entries = page_names(class_), names.tasks(), []
    for learner in class_:
        page = learner_page(learner, tasks, safe)
        write(folder / links[learner.key], page)
        files = sorted(learner.files, key=lambda file: file not in learner.results.values())
        who = learner.lms, learner.name, learner.id
        feedback = (platforms.feedback(*who, result.file, page) for result in files)
        entries.append(next(filter(None, feedback), None))
    told = hooks.after_grading(class_, names)
    write(out / "overview.html", overview(class_, told, links, safe, real))
    hooks.write_tables(class_, out)
    if any(entries):
        part = out / "feedback.zip.part"
        with zipfile.ZipFile(part, "w") as archive:
            for name, content in filter(None, entries):
                archive.writestr(zipfile.ZipInfo(name), content)  # without a date
        part.replace(out / "feedback.zip")


def page_names(class_: Sequence[Learner]) -> dict[str, str]:
    """Return learner → file name of their page: distinct on any disk, in letters of any script."""

    def as_disks_compare(name: str) -> str:
        return unicodedata.normalize("NFKC", name).casefold()

    names, used = {}, Counter()
    for learner in class_:
        letters = re.sub(r"[^\w.-]+", "_", learner.key).strip("._") or "learner"
        first = name = letters.encode()[:LONGEST_NAME].decode(errors="ignore")
        while used[as_disks_compare(name)]:
            used[as_disks_compare(first)] += 1
            name = f"{first}-{used[as_disks_compare(first)]}"
        used[as_disks_compare(name)] += 1
        names[learner.key] = f"{name}.html"
    return names


# --- Learners' pages ------------------------------------------------------------------------------


def and_(notebooks: Sequence[str]) -> str:
    """Return the numbers of notebooks as people say them: "04, 06 and 08"."""
    *others, last = [name[:2] for name in notebooks]
    return f"{', '.join(others)} and {last}" if others else last


def learner_page(learner: Learner, tasks: Sequence[Task], safe: bool) -> str:
    """Render the page for one learner: first the tasks that were right, then what to learn next."""
    parts = parts_of([learner])
    counting = sorted(learner.results.values(), key=lambda result: result.notebook)
    misconceptions = bank.misconceptions()
    behind = {
        (task.id, mistake.name): misconceptions.get(mistake.misconception)
        for task in tasks
        for mistake in task.mistakes
    }
    right, steps, unwritten = [], [], []
    for result in counting:
        for task, outcome in result.tasks.items():
            if outcome.reason == Reason.PASSED:
                right.append(outcome)
            elif not outcome.tried:
                unwritten.append((outcome, section_of(task)))
            else:
                steps.append((outcome, behind.get((task, outcome.mistake)), section_of(task)))
    return templates.get_template("learner.html").render(
        learner=learner,
        counting=counting,
        others=[file for file in learner.files if file is not learner.results.get(file.notebook)],
        right=right,
        steps=steps,
        unwritten=unwritten,
        for_code=sum(tasks_of([learner]).values()),
        for_words=sum(parts.values()) - sum(tasks_of([learner]).values()),
        parts=parts,
        local=learner.rules.course == LOCAL_LAB,
        rubrics=_rubrics(),
        safe=safe,
    )


class Section(NamedTuple):
    """A section of the course, such as "6. How focused? The entropy" in a notebook."""

    notebook: str
    heading: str

    def address(self, course: str) -> str:
        """Return the address of the section, where the course's folder has this address."""
        anchor = quote(self.heading.replace(" ", "-"))
        return f"{course}/notebooks/{self.notebook}.ipynb#{anchor}"


@cache
def section_of(task: str) -> Section | None:
    """Return the section of the course that explains a task; None if no section does."""
    tasks = (each for of_notebook in bank.tasks().values() for each in of_notebook)
    place = next((each.section for each in tasks if each.id == task), "")
    if not place:
        return None
    notebook, _, number = place.partition(".")
    (path,) = COURSE.glob(f"{notebook}_*.ipynb")
    (heading,) = re.findall(rf"^## ({number}\. .*)$", _prose(path), flags=re.MULTILINE)
    return Section(path.stem, heading)


@cache
def _prose(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def _feedback(outcome: Outcome, whose: str = "yours") -> Markup:
    """Render the feedback on a task as the notebook shows it."""
    good = outcome.points == outcome.of
    nothing = "" if outcome.points else f", 0 of {outcome.of:g} points"
    picture = ""
    if outcome.expected is not None:
        matrices = (np.asarray(values, float) for values in (outcome.expected, outcome.found))
        picture = draw(Comparison(*matrices, tuple(outcome.place)), whose)
    colour = GOOD if good else PLAIN if outcome.points else BAD
    note = Note(outcome.heading + nothing, outcome.lines, colour, picture)
    return Markup(visible(note._repr_html_()))


# --- The overview ---------------------------------------------------------------------------------


def overview(
    class_: Sequence[Learner],
    told: Mapping[str, Any],
    links: Mapping[str, str],
    safe: bool,
    real: bool = True,
) -> str:
    """Render the overview of the class for the instructor.

    Args:
        told: what hooks tell of the class.
        links: learner → file name of their page.
        safe: whether the submissions ran in the sandbox.
        real: whether the real model was there, so that `ON_THE_REAL_MODEL` were tried on it too.
    """
    results = [result for learner in class_ for result in learner.results.values()]
    files = [result for learner in class_ for result in learner.files]
    tried = {task for result in results for task, outcome in result.tasks.items() if outcome.tried}
    return templates.get_template("overview.html").render(
        class_=class_,
        pending=about_pending(class_),
        absent=[learner for learner in class_ if learner.absent],
        strangers=[learner for learner in class_ if learner.is_stranger],
        possible=sum(parts_of(class_).values()),
        files=files,
        lost=[*standing_of_lost(class_)],
        safe=safe,
        links=links,
        small=[] if real else [task for task in ON_THE_REAL_MODEL if task in tried],
        distributions=_distributions(results),
        flags=[(result.file, noticed) for result in files for noticed in _noticed(result)],
        questions=questions(class_),
        **told,
    )


def _distributions(results: Sequence[Result]) -> Iterator[AccessibleFigure]:
    """Draw a histogram of the learners' points for each notebook."""
    for notebook in sorted({result.notebook for result in results}):
        own = [result for result in results if result.notebook == notebook and result.of]
        if not own:  # all tasks are dropped
            continue
        shares = [100 * result.points / result.of for result in own]
        bins = np.histogram(shares, bins=np.linspace(0, 100, 11))[0].tolist()
        labels = [f"{low}–{low + 10}" for low in range(0, 100, 10)]
        counts = ", ".join(
            f"{count} from {low} to {low + 10} %"
            for low, count in zip(range(0, 100, 10), bins, strict=True)
            if count
        )
        title = f"{notebook}: median {statistics.median(shares):.0f} %, {len(shares)} learners"
        alt = f"Histogram of the share of points earned in {notebook}. Learners: {counts}."
        figure = bar_chart({"learners": bins}, labels, "learners", alt, title)
        figure.axes[0].set_xlabel("share of points (%)")
        yield figure


def _noticed(result: Result) -> Iterator[str]:
    """Yield a line for each thing in a file that a person should look at."""
    yield from map(str, result.flags)
    yield from (f"words where no answer is read, in {text}" for text in result.elsewhere)
    for task, outcome in result.tasks.items():
        if outcome.public_points > outcome.points:
            yield f"{task}: right for the inputs in the notebook, wrong for fresh ones"


def questions(class_: Sequence[Learner]) -> Iterator[tuple[str, Markup, list, int]]:
    """Yield each question, its rubric, learners with their answers, and how many gave no answer."""
    given: dict[str, list[tuple[Learner, str]]] = {}
    for learner in class_:
        for result in learner.results.values():
            elsewhere = "\n\n".join([NOT_THERE, *result.elsewhere]) if result.elsewhere else ""
            for question, answer in result.words.items():
                given.setdefault(question, []).append((learner, answer or elsewhere))
    for question, every in sorted(given.items()):
        answers = [(learner, answer) for learner, answer in every if answer]
        yield question, _rubrics().get(question, Markup()), answers, len(every) - len(answers)


@cache
def _rubrics() -> dict[str, Markup]:
    """Return question → its rubric in HTML, without the rubric's first line, which names it."""
    from solutions import build  # `grader` has checked that it exists

    to_html = mistune.create_markdown(escape=True)
    return {
        name: Markup(to_html(text.partition("\n")[2]))
        for path in build.notebooks()
        for name, text in build.rubrics(path).items()
    }


templates = Environment(
    loader=PackageLoader("grading"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    # of every value that a template prints; ours is what is marked as HTML
    finalize=lambda value: visible(value) if type(value) is str else value,
)
templates.globals |= {"FEW": FEW, "SCRIPT": Markup(SCRIPT)}
templates.filters |= {
    "digest": lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
    "and_": and_,
    "to_html": lambda text: Markup(visible(to_html(text))),
    "feedback": _feedback,
    "picture": lambda figure: Markup(figure.to_html()),
}
