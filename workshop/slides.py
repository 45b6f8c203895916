"""Make slides for a room: `python -m workshop.slides`, or `make slides`.

There is a deck for each plan and one for each notebook, made of the stored notebooks:

- each code cell becomes a slide: the text above it on one side, its picture, or its code and
  printed output, on the other;
- a prediction becomes a slide that asks the room; the next slide shows the answer;
- each heading begins a new slide, and so does text that has no room beside a picture. Text after a
  cell is shown beside the output of that cell.

The plan's notes on a step become speaker's notes. Explorers, the widgets that compute in the page,
work inside the decks, without kernel, network or server.
"""

import importlib.util
import json
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from nbconvert.filters import Highlight2HTML, ansi2html, markdown2html
from nbformat import NotebookNode

from solutions.facts import TITLE
from utils.checks import bank
from utils.translators import DECODERS, read_translator
from utils.widgets.module import module
from utils.widgets.standalone import with_explorers
from workshop.plan import (
    COURSE,
    HERE,
    LINK,
    PLANS,
    Plan,
    Step,
    read,
    schedule,
    section_facts,
    sections_of,
)

ROOT = HERE.parent
SLIDES = ROOT / "build" / "slides"
SCRIPT = ROOT / "docs" / "site" / "_static" / "site.js"  # makes the explorers interactive
MATHJAX = "sphinx-mathjax-offline"
BLOCK = re.compile(r"\n*(<details>.*?</details>|```.*?\n```|.+?)(?=\n\n|\Z)", flags=re.DOTALL)
MODULE = re.compile(r'data-module="(\w+)"')
PICTURES = ("<img", 'class="explorer"')
LEFT_OUT = ("Sources",)
ROOM_BESIDE, ROOM_ALONE = 650, 1100  # letters of text, beside code or output and without it
LINE, FORMULA = 40, 150  # room of a line of code and of a displayed formula, in letters
SHORT = 12  # lines of code that are shown; longer code is folded if the cell has any output


@dataclass(frozen=True)
class Slide:
    """A slide of a deck: text, with the code and outputs of a notebook's cell.

    Args:
        title: heading of the slide, in Markdown.
        text: text of the slide, in Markdown.
        code: source of the cell; "" if the slide shows no code.
        outputs: outputs of the cell, or of the cell before the text.
        layout: "text", "ask", "answer", "task", "pause" or "title".
        where: notebook of the slide, with its section unless that is the title.
        notes: notes for the speaker, in Markdown.
    """

    title: str
    text: str = ""
    code: str = ""
    outputs: Sequence[NotebookNode] = ()
    layout: str = "text"
    where: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def has_picture(self) -> bool:
        html = "".join(output.get("data", {}).get("text/html", "") for output in self.outputs)
        return any(tag in html for tag in PICTURES)

    @property
    def is_folded(self) -> bool:
        """Return whether the slide's code is folded, to be opened by a click."""
        is_long = self.code.count("\n") >= SHORT
        return bool(self.outputs) and (self.has_picture or self.layout == "answer" or is_long)


def deck(plan: Plan) -> str:
    """Return the HTML page of a plan's deck of slides."""
    stacks = []
    for number, steps in enumerate(plan.days, start=1):
        day = f"Day {number}: {plan.title}" if len(plan.days) > 1 else plan.title
        stacks.append([Slide(day, plan.subtitle, layout="title")])
        stacks += [stack(*entry) for entry in schedule(steps)]
    page = _environment().get_template("deck.html").render(title=plan.title, stacks=stacks)
    return page.replace("<!-- loaded -->", _loaded({*MODULE.findall(page)}))


def stack(start: str, step: Step, remarks: list[str]) -> list[Slide]:
    """Return the slides of a step, with speaker's notes; the arguments are those of `schedule`."""
    minutes = f"**{step.minutes} minutes**"
    if step.heading:
        slides = [*_section_slides(step)]
    elif step.notes:
        text = f"{minutes}\n\n`exercises/{step.file.name}`\n\n{step.notes[0]}"
        slides = [Slide(step.title, text, layout="task")]
    else:
        slides = [Slide(step.title, minutes, layout="pause")]
    clock = f"**{start}** · {step.minutes} minutes · {step.title}"
    slides[0].notes[:0] = [*step.notes, *remarks]
    for slide in slides:
        slide.notes.insert(0, clock)
    return slides


# --- A section's slides ---------------------------------------------------------------------------


def _section_slides(step: Step) -> Iterator[Slide]:
    """Yield the slides of a section: one for each code cell, and more for text without room."""
    questions = iter(step.questions)
    title, waiting, shown = step.heading, [], []  # text before a cell; outputs of the last cell

    def slide(text: str, **parts) -> Slide:
        is_below = title != step.heading
        where = LINK.sub(r"\1", step.title) if is_below else f"Notebook {step.file.name[:2]}"
        return Slide(title, text, where=where, **parts)

    def text_slides(blocks: list[str]) -> Iterator[Slide]:
        for group in packed(blocks, ROOM_BESIDE if shown else ROOM_ALONE):
            yield slide("\n\n".join(group), outputs=shown)

    for cell in sections(step.file)[step.heading]:
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                if block.startswith("### "):
                    yield from text_slides(waiting)
                    title, waiting, shown = block.removeprefix("### "), [], []
                else:
                    waiting.append(block)
            continue
        if "predict(" in cell.source:
            last = slide("", outputs=cell.outputs, layout="ask", notes=[next(questions)])
        else:
            layout = "answer" if ".reveal(" in cell.source else "text"
            last = slide("", code=cell.source, outputs=cell.outputs, layout=layout)
        lines = 0 if last.is_folded else last.code.count("\n") + 1
        *before, beside = packed(waiting, ROOM_BESIDE - LINE * lines) or [[]]
        yield from text_slides([block for group in before for block in group])
        yield replace(last, text="\n\n".join(beside))
        waiting, shown = [], cell.outputs
    yield from text_slides(waiting)


def blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, each with the list or the formula that it introduces."""
    whole = ""
    for block in filter(None, (part.strip("\n") for part in BLOCK.findall(text))):
        whole += f"\n\n{block}" if whole else block
        if block.startswith("### ") or not re.search(r"[:,\w]$", block):
            yield whole
            whole = ""
    if whole:
        yield whole


def packed(blocks: Iterable[str], room: int) -> list[list[str]]:
    """Group paragraphs, in order, into slides; fill the last slide first, then the one before it.

    Args:
        blocks: the paragraphs, in order.
        room: number of letters that fit on a slide. A displayed formula counts as its letters and
            `FORMULA` more. A paragraph that is longer gets a slide of its own.
    """

    def size(block: str) -> int:
        return len(block) + FORMULA * (block.count("$$") // 2)

    groups: list[list[str]] = []
    for block in reversed([*blocks]):
        if groups and sum(map(size, [*groups[0], block])) <= room:
            groups[0].insert(0, block)
        else:
            groups.insert(0, [block])
    return groups


@cache
def sections(path: Path) -> dict[str, list[NotebookNode]]:
    """Map each heading of a notebook to the cells below it, with widgets that need no kernel."""
    return sections_of(with_explorers(nbformat.read(path, as_version=4)))


def notebook_plan(path: Path) -> Plan:
    """Return a plan that shows a notebook from first section to last, then sets its exercises."""
    number = path.name[:2]
    top = TITLE.match(nbformat.read(path, as_version=4).cells[0].source)
    day = []
    for heading in sections(path):
        if heading not in LEFT_OUT:
            facts = section_facts(f"{number} · {heading}")
            day.append(Step(minutes=facts["alone"], optional=False, **facts))
    tasks = bank.tasks()[path.stem]
    day.append(
        Step(
            minutes=sum(task.minutes for task in tasks),
            optional=False,
            title="Now you: the exercises",
            file=bank.FOLDER / path.name,
            notes=[" · ".join(task.title for task in tasks)],
        )
    )
    return Plan(f"{number} · {top['title']}", top["subtitle"], [day])


# --- On the page ----------------------------------------------------------------------------------


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("workshop"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    highlighted = Highlight2HTML()
    environment.filters["markdown"] = lambda text: Markup(markdown2html(LINK.sub(r"\1", text)))
    environment.filters["line"] = _line
    environment.filters["code"] = lambda text: Markup(highlighted(text, language="python"))
    environment.filters["printed"] = lambda text: Markup(ansi2html(text))
    environment.filters["safe_html"] = Markup
    environment.globals["script"] = Markup(SCRIPT.read_text(encoding="utf-8"))
    return environment


def _line(text: str) -> Markup:
    """Render a line of Markdown as HTML without <p>; "1. Title" is not taken for a list."""
    text = re.sub(r"^(\d+)\.", r"\1\.", LINK.sub(r"\1", text))
    return Markup(re.sub(r"^<p>|</p>\s*$", "", markdown2html(text)))


def _loaded(explorers: set[str]) -> str:
    """Return HTML with the modules and translators that explorers load.

    They are part of the page, since a page opened from disk cannot load files.
    """
    modules = {
        f"./explorers/{name}.js": _data_url("text/javascript", module(name).encode())
        for name in sorted({"standalone", *explorers})
    }
    weights = {
        name: _data_url("application/octet-stream", read_translator(name))
        for name in DECODERS
        if "translator" in explorers
    }
    return (
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>\n'
        f'<script type="application/json" id="translators">{json.dumps(weights)}</script>'
    )


def _data_url(mime_type: str, content: bytes) -> str:
    return f"data:{mime_type};base64,{b64encode(content).decode()}"


def build(folder: Path, decks: dict[str, Plan]) -> None:
    """Write decks, an index, and all files that they load into a folder, which is emptied first."""
    mathjax = importlib.util.find_spec(MATHJAX)
    if mathjax is None:
        sys.exit(f"The formulas need {MATHJAX}: `make slides` installs it.")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "reveal").mkdir(parents=True)
    for path in [*(HERE / "reveal").iterdir(), *(HERE / "templates").glob("deck.[cj]*")]:
        shutil.copy(path, folder / "reveal")
    shutil.copy(Path(mathjax.origin).parent / "static/mathjax/tex-svg.js", folder / "reveal")
    for name, plan in decks.items():
        (folder / f"{name}.html").write_text(deck(plan), encoding="utf-8")
    index = _environment().get_template("index.html").render(decks=decks)
    (folder / "index.html").write_text(index, encoding="utf-8")


def main() -> None:
    """Write the decks of all plans and notebooks."""
    plans = {file.stem: read(file) for file in PLANS}
    notebooks = {path.name[:2]: notebook_plan(path) for path in sorted(COURSE.glob("[0-9]*.ipynb"))}
    build(SLIDES, plans | notebooks)
    print(f"Open {SLIDES / 'index.html'} in a browser. S opens the speaker's notes.")


if __name__ == "__main__":
    main()
