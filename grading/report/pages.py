"""What people look at: a page for each learner, and the overview of the class for the instructor.

Each page is one file with everything in it, reads well in a light and in a dark window, and works
without a network. A learner's page says what the notebook says; of fresh inputs it shows nothing
that was expected. The overview holds rubrics and everybody's answers: it is the instructor's.

Whatever a template prints is escaped by Jinja2, and a browser is told to run nothing but our one
script, which sorts the overview's tables. HTML goes in at three places only, the filters that
return `Markup`, and what these wrap has been escaped where it was made; and the rubrics, which are
the course's own.
"""

import base64
import hashlib
import re
import statistics
import tomllib
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

import matplotlib as mpl
import mistune
import nbformat
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grading.intake import platforms
from grading.report import similarity
from grading.report.item_analysis import Separation, separation
from grading.report.misconception_stats import Belief, beliefs
from grading.report.store import write
from grading.report.tables import Learner, key_of, tasks_of
from grading.report.unrecognised import Group, Names
from grading.run.scoring import Outcome, Result
from utils.checks import bank
from utils.checks.feedback import BAD, GOOD, PLAIN, Note, to_html
from utils.checks.tasks import Misconception, Reason, Task
from utils.plots import WEIGHT_COLOURS, AccessibleFigure, bar_chart, ink_on

LONGEST_NAME = 200  # bytes: most disks take 255
COURSE = bank.FOLDER.with_name("notebooks")
SECTIONS = Path(__file__).parents[1] / "sections.toml"
SCRIPT = (Path(__file__).parents[1] / "templates").joinpath("tables.js").read_text(encoding="utf-8")
FEW = 10  # rows of a table that are shown before one asks for all
LAB = "http://localhost:8888/lab/tree/notebooks/"  # of whoever has opened the course


def write_pages(class_: Sequence[Learner], names: Names, out: Path, safe: bool) -> None:
    """Write `overview.html`, and a page for each learner into `learners/`.

    If the files came from a platform, the pages are also written into the zip that it takes back.
    """
    folder = out / "learners"
    folder.mkdir(exist_ok=True)
    links, tasks = page_names(class_), names.tasks()
    entries = []
    for learner in class_:
        page = learner_page(learner, tasks, safe)
        write(folder / links[learner.key], page)
        entries += _feedback(learner, page)
    groups = names.groups(class_)
    write(out / "overview.html", overview(class_, tasks, groups, safe, links))
    if entries:
        part = out / "feedback.zip.part"
        with zipfile.ZipFile(part, "w") as archive:
            for name, content in entries:
                archive.writestr(zipfile.ZipInfo(name), content)  # without a date
        part.replace(out / "feedback.zip")


def _feedback(learner: Learner, page: str) -> list[tuple[str, str]]:
    """Name and content of a learner's file in the zip that the platform takes back, if any."""
    files = sorted(learner.files, key=lambda one: one not in learner.results.values())
    who = learner.lms, learner.name, learner.id
    return [*filter(None, (platforms.feedback(*who, one.file, page) for one in files))][:1]


def page_names(class_: Sequence[Learner]) -> dict[str, str]:
    """Learner → the name of their page: letters of any script, no two alike on any disk."""
    names, used = {}, Counter()
    for learner in class_:
        letters = re.sub(r"[^\w.-]+", "_", learner.key).strip("._") or "learner"
        first = name = letters.encode()[:LONGEST_NAME].decode(errors="ignore")
        while used[_as_disks_compare(name)]:
            used[_as_disks_compare(first)] += 1
            name = f"{first}-{used[_as_disks_compare(first)]}"
        used[_as_disks_compare(name)] += 1
        names[learner.key] = f"{name}.html"
    return names


def _as_disks_compare(name: str) -> str:
    """The same for two file names that some file system treats as one."""
    return unicodedata.normalize("NFKC", name).casefold()


# --- Learners' pages ------------------------------------------------------------------------------


def learner_page(learner: Learner, tasks: Sequence[Task], safe: bool) -> str:
    """All that one learner is told, as a page: first what was right, then what to learn next."""
    counting = sorted(learner.results.values(), key=lambda result: result.notebook)
    outcomes = [pair for result in counting for pair in result.tasks.items()]
    known = {task.id: task for task in tasks}
    return templates.get_template("learner.html").render(
        learner=learner,
        counting=counting,
        others=[one for one in learner.files if one is not learner.results.get(one.notebook)],
        right=[outcome for _, outcome in outcomes if outcome.reason == Reason.PASSED],
        steps=[
            _Step(outcome, _kind(known.get(task), outcome.mistake), section_of(task))
            for task, outcome in outcomes
            if outcome.reason != Reason.PASSED
        ],
        rubrics=_rubrics(),
        safe=safe,
    )


@dataclass(frozen=True)
class _Step:
    """What to learn next.

    Args:
        outcome: of the task.
        kind: the belief behind what went wrong, where it is known.
        section: of the course, that explains the task; None where it has no such task.
    """

    outcome: Outcome
    kind: Misconception | None
    section: "Section | None"


@dataclass(frozen=True)
class Section:
    """A section of the course, "6. How focused? The entropy" in a notebook."""

    notebook: str
    heading: str

    @property
    def address(self) -> str:
        """Where it opens, while the course is open in JupyterLab."""
        return f"{LAB}{self.notebook}.ipynb#{quote(self.heading.replace(' ', '-'))}"


@cache
def section_of(task: str) -> Section | None:
    """The section of the course that explains a task; None for a task that it does not have."""
    place = tomllib.loads(SECTIONS.read_text(encoding="utf-8")).get(task)
    if place is None:
        return None
    notebook, _, number = place.partition(".")
    (path,) = COURSE.glob(f"{notebook}_*.ipynb")
    (heading,) = re.findall(rf"^## ({number}\. .*)$", _prose(path), flags=re.MULTILINE)
    return Section(path.stem, heading)


@cache
def _prose(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def _kind(task: Task | None, mistake: str) -> Misconception | None:
    """The belief behind a mistake of a task."""
    slugs = {one.name: one.misconception for one in task.mistakes} if task else {}
    return bank.misconceptions().get(slugs.get(mistake, ""))


def _note(outcome: Outcome) -> Markup:
    """The feedback on a task, as the notebook shows it."""
    good = outcome.points == outcome.of
    heading = outcome.heading if outcome.points else f"{outcome.heading}, 0 of {outcome.of} points"
    note = Note(heading, outcome.lines, GOOD if good else PLAIN if outcome.points else BAD)
    return Markup(note._repr_html_())


@dataclass(frozen=True)
class _Cell:
    """One number of a matrix, with its colours."""

    number: float
    background: str
    ink: str
    first_difference: bool


def _matrices(outcome: Outcome, whose: str) -> Iterator[tuple[str, list[list[_Cell]]]]:
    """Expected and found, each with its title: on one scale, coloured as in the notebook."""
    expected, found = np.asarray(outcome.expected, float), np.asarray(outcome.found, float)
    low, high = min(expected.min(), found.min()), max(expected.max(), found.max())
    largest = max(-low, high) or 1.0  # a difference of the largest numbers there are is none
    room = high / largest - low / largest or 1.0
    for title, numbers in (("expected", expected), (whose, found)):
        colours = mpl.colormaps[WEIGHT_COLOURS]((numbers / largest - low / largest) / room)
        cells: list[list[_Cell]] = [[] for _ in numbers]
        for (row, column), number in np.ndenumerate(numbers):
            colour, here = colours[row, column], [row, column] == [*outcome.place]
            cells[row].append(_Cell(number, mpl.colors.to_hex(colour), ink_on(colour), here))
        yield title, cells


# --- The overview ---------------------------------------------------------------------------------


def overview(
    class_: Sequence[Learner],
    tasks: Sequence[Task],
    groups: Sequence[Group],
    safe: bool,
    links: Mapping[str, str],
) -> str:
    """The class at a glance, for the instructor.

    Args:
        class_: all learners.
        tasks: of the course, with the mistakes that the class has named.
        groups: the answers that wait for a name.
        safe: whether it was graded in the sandbox.
        links: learner → the name of their page.
    """
    results = [result for learner in class_ for result in learner.results.values()]
    files = [result for learner in class_ for result in learner.files]
    return templates.get_template("overview.html").render(
        class_=class_,
        files=files,
        lost=[result for result in files if result.problem],
        safe=safe,
        links=links,
        distributions=_distributions(results),
        tasks=_tasks(class_, results),
        groups=[group for group in groups if group.entry],
        alone=[group for group in groups if not group.entry],
        beliefs=_beliefs(class_, tasks),
        misconceptions=_misconceptions(results, tasks),
        flags=_flags(files),
        pairs=similarity.alike(files),
        questions=_questions(class_),
    )


def _distributions(results: Sequence[Result]) -> Iterator[AccessibleFigure]:
    """For each notebook, how the points are spread."""
    for notebook in sorted({result.notebook for result in results}):
        shares = [
            100 * result.points / result.of for result in results if result.notebook == notebook
        ]
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


@dataclass(frozen=True)
class _Task:
    """How a class did on a task.

    Args:
        task: its name.
        share: mean share of its points that was earned.
        full_marks: how many learners earned all of them.
        separation: how well it tells strong from weak.
        faults: what most often went wrong first, in words, and for how many.
    """

    task: str
    share: float
    full_marks: int
    separation: Separation
    faults: Sequence[tuple[str, int]]


def _tasks(class_: Sequence[Learner], results: Sequence[Result]) -> list[_Task]:
    """The tasks of the class, the hardest first."""
    found = []
    for task, of in tasks_of(class_).items():
        tried = [result for result in results if task in result.tasks]
        if not tried:  # it has been added to the course since
            continue
        outcomes = [result.tasks[task] for result in tried]
        earned = [outcome.points for outcome in outcomes]
        others = [result.points - own for result, own in zip(tried, earned, strict=True)]
        reasons = Counter(outcome.reason for outcome in outcomes if outcome.reason != Reason.PASSED)
        found.append(
            _Task(
                task,
                share=statistics.fmean(outcome.points / outcome.of for outcome in outcomes),
                full_marks=sum(outcome.points == outcome.of for outcome in outcomes),
                separation=separation([*zip(earned, others, strict=True)], of),
                faults=[(reason.words, count) for reason, count in reasons.most_common(2)],
            )
        )
    return sorted(found, key=lambda row: (row.share, row.task))


def _beliefs(class_: Sequence[Learner], tasks: Sequence[Task]) -> list[Belief]:
    """What the class believes, over all tasks."""
    mistakes = [
        {
            task: outcome.mistake
            for result in learner.results.values()
            for task, outcome in result.tasks.items()
        }
        for learner in class_
    ]
    return beliefs(mistakes, tasks, bank.misconceptions().values())


@dataclass(frozen=True)
class _Misconception:
    """A known mistake in a task: how many made it, of how many who tried the task."""

    task: str
    mistake: str
    explanation: str
    learners: int
    tried: int


def _misconceptions(results: Sequence[Result], tasks: Sequence[Task]) -> list[_Misconception]:
    """Known mistakes, by how many made them."""
    made = Counter(
        (task, outcome.mistake)
        for result in results
        for task, outcome in result.tasks.items()
        if outcome.mistake
    )
    explanations = {
        (task.id, mistake.name): mistake.explanation for task in tasks for mistake in task.mistakes
    }
    tried = Counter(task for result in results for task in result.tasks)
    return [
        _Misconception(task, name, explanations.get((task, name), ""), learners, tried[task])
        for (task, name), learners in made.most_common()
    ]


@dataclass(frozen=True)
class _Flag:
    """Something about a file that a person should look at."""

    file: str
    noticed: str


def _flags(files: Sequence[Result]) -> list[_Flag]:
    return [
        _Flag(result.file, noticed)
        for result in files
        for noticed in [
            *map(str, result.flags),
            *(f"words where no answer is read, in {text}" for text in result.elsewhere),
            *(
                f"{task}: right for the inputs in the notebook, wrong for fresh ones"
                for task, outcome in result.tasks.items()
                if outcome.public_points > outcome.points
            ),
        ]
    ]


@dataclass(frozen=True)
class _Question:
    """A question in words.

    Args:
        name: of the question.
        rubric: how it is marked, as HTML.
        answers: each learner with their answer, "" where there is none.
    """

    name: str
    rubric: Markup
    answers: Sequence[tuple[Learner, str]]

    @property
    def unanswered(self) -> int:
        return sum(not answer for _, answer in self.answers)


def _questions(class_: Sequence[Learner]) -> list[_Question]:
    """Every question with its rubric, and all the answers to it."""
    answers: dict[str, list[tuple[Learner, str]]] = {}
    for learner in class_:
        for result in learner.results.values():
            for question, answer in result.words.items():
                answers.setdefault(question, []).append((learner, answer))
    rubrics = _rubrics()
    return [
        _Question(name, rubrics.get(name, Markup()), given)
        for name, given in sorted(answers.items())
    ]


@cache
def _rubrics() -> dict[str, Markup]:
    """Question → how it is marked, without the line that names it."""
    from solutions import build  # `grader` has made sure that it is there

    return {
        name: Markup(_markdown(text.partition("\n")[2]))
        for path in build.notebooks()
        for name, text in build.rubrics(path).items()
    }


_markdown = mistune.create_markdown(escape=True)
templates = Environment(
    loader=PackageLoader("grading"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.globals |= {
    "FEW": FEW,
    "SCRIPT": Markup(SCRIPT),
}
templates.filters |= {
    "digest": lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
    "key": lambda result: key_of(result.learner, result.id),
    "marked": lambda text: Markup(to_html(text)),
    "matrices": _matrices,
    "note": _note,
    "picture": lambda figure: Markup(figure.to_html()),
}
