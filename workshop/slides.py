"""Slides for a room: `python -m workshop.slides`, or `make slides`.

A deck for each plan and one for each notebook, made of the notebooks as they are stored:

- each code cell is a slide, with the text above it: what it draws, or prints beside its code;
- a prediction is a slide to stop at and ask, and the next one answers;
- a heading begins a slide, and so does text that has no room beside a picture. What the last cell
  showed stays beside what is said of it.

What a plan says of a step stands in the speaker's notes. Explorers live in the decks, which need
neither a kernel nor a network, nor a server.
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
from utils.widgets.standalone import alive
from workshop.plan import COURSE, HERE, LINK, PLANS, Plan, Step, read, section, sections_of, told

ROOT = HERE.parent
SLIDES = ROOT / "build" / "slides"
SCRIPT = ROOT / "docs" / "site" / "_static" / "site.js"  # what brings the explorers to life
MATHJAX = "sphinx-mathjax-offline"
BLOCK = re.compile(r"\n*(<details>.*?</details>|```.*?\n```|.+?)(?=\n\n|\Z)", flags=re.DOTALL)
MODULE = re.compile(r'data-module="(\w+)"')
PICTURES = ("<img", 'class="explorer"')
LEFT_OUT = ("Sources",)
ROOM_BESIDE, ROOM_ALONE = 650, 1100  # letters, beside what is shown and without it
LINE, FORMULA = 40, 150  # letters that a line of code and a displayed formula take the room of
SHORT = 12  # lines of code that are shown; more are folded, if there is anything else to see


@dataclass(frozen=True)
class Slide:
    """A slide.

    Args:
        title: what stands at its top, in Markdown.
        said: its text, in Markdown.
        code: of the cell, if it has one to show.
        outputs: what the cell showed.
        kind: how it looks: "text", "ask", "answer", "task", "pause" or "title".
        where: the notebook that it comes from, with the section if the title does not say it.
        notes: for the speaker, in Markdown.
    """

    title: str
    said: str = ""
    code: str = ""
    outputs: Sequence[NotebookNode] = ()
    kind: str = "text"
    where: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def pictured(self) -> bool:
        html = "".join(one.get("data", {}).get("text/html", "") for one in self.outputs)
        return any(mark in html for mark in PICTURES)

    @property
    def folded(self) -> bool:
        """Whether its code waits behind a click."""
        plain = self.pictured or self.kind == "answer" or self.code.count("\n") >= SHORT
        return bool(self.outputs) and plain


def deck(plan: Plan) -> str:
    """The page of a deck."""
    stacks = []
    for number, steps in enumerate(plan.days, start=1):
        day = f"Day {number}: {plan.title}" if len(plan.days) > 1 else plan.title
        stacks.append([Slide(day, plan.subtitle, kind="title")])
        stacks += [stack(*one) for one in told(steps)]
    page = _environment().get_template("deck.html").render(title=plan.title, stacks=stacks)
    return page.replace("<!-- loaded -->", _loaded({*MODULE.findall(page)}))


def stack(start: str, step: Step, more: list[str]) -> list[Slide]:
    """The slides of a step, with what to say."""
    if step.heading:
        slides = [*_section_slides(step)]
    else:
        kind = "task" if step.notes else "pause"
        slides = [Slide(step.title, _on_the_slide(step), kind=kind)]
    clock = f"**{start}** · {step.minutes} minutes · {step.title}"
    slides[0].notes[:0] = [*step.notes, *more]
    for slide in slides:
        slide.notes.insert(0, clock)
    return slides


def _on_the_slide(step: Step) -> str:
    lines = [f"**{step.minutes} minutes**"]
    if step.notes:  # a task
        lines += [f"`exercises/{step.file.name}`", step.notes[0]]
    return "\n\n".join(lines)


# --- A section's slides ---------------------------------------------------------------------------


def _section_slides(step: Step) -> Iterator[Slide]:
    asked = iter(step.asked)
    title, waiting, shown = step.heading, [], []  # what the last cell showed is still spoken of

    def slide(said: str, **parts) -> Slide:
        below = title != step.heading
        where = LINK.sub(r"\1", step.title) if below else f"Notebook {step.file.name[:2]}"
        return Slide(title, said, where=where, **parts)

    def texts(blocks: list[str]) -> Iterator[Slide]:
        for group in packed(blocks, ROOM_BESIDE if shown else ROOM_ALONE):
            yield slide("\n\n".join(group), outputs=shown)

    for cell in sections(step.file)[step.heading]:
        if cell.cell_type == "markdown":
            for block in blocks(cell.source):
                if block.startswith("### "):
                    yield from texts(waiting)
                    title, waiting, shown = block.removeprefix("### "), [], []
                else:
                    waiting.append(block)
            continue
        if "predict(" in cell.source:
            last = slide("", outputs=cell.outputs, kind="ask", notes=[next(asked)])
        else:
            kind = "answer" if ".reveal(" in cell.source else "text"
            last = slide("", code=cell.source, outputs=cell.outputs, kind=kind)
        lines = 0 if last.folded else last.code.count("\n") + 1
        *before, beside = packed(waiting, ROOM_BESIDE - LINE * lines) or [[]]
        yield from texts([block for group in before for block in group])
        yield replace(last, said="\n\n".join(beside))
        waiting, shown = [], cell.outputs
    yield from texts(waiting)


def blocks(text: str) -> Iterator[str]:
    """Its paragraphs, each with what it leads to: a list, or a formula that goes on with it."""
    whole = ""
    for block in filter(None, (one.strip("\n") for one in BLOCK.findall(text))):
        whole += f"\n\n{block}" if whole else block
        if block.startswith("### ") or not re.search(r"[:,\w]$", block):
            yield whole
            whole = ""
    if whole:
        yield whole


def packed(blocks: Iterable[str], room: int) -> list[list[str]]:
    """Paragraphs in as few groups as have room on a slide; the last is filled first."""
    groups: list[list[str]] = []
    for block in reversed([*blocks]):
        if groups and sum(map(_size, [*groups[0], block])) <= room:
            groups[0].insert(0, block)
        else:
            groups.insert(0, [block])
    return groups


def _size(block: str) -> int:
    return len(block) + FORMULA * (block.count("$$") // 2)


@cache
def sections(path: Path) -> dict[str, list[NotebookNode]]:
    """Heading → the cells below it, as a page without a kernel shows them."""
    return sections_of(alive(nbformat.read(path, as_version=4)))


def whole(path: Path) -> Plan:
    """A notebook from its first section to its last, as a plan."""
    number = path.name[:2]
    found = TITLE.match(nbformat.read(path, as_version=4).cells[0].source)
    steps = [section(f"{number} · {one}") for one in sections(path) if one not in LEFT_OUT]
    tasks = bank.tasks()[path.stem]
    pointer = Step(
        minutes=sum(task.minutes for task in tasks),
        optional=False,
        title="Now you: the exercises",
        file=bank.FOLDER / path.name,
        notes=[" · ".join(task.title for task in tasks)],
    )
    day = [*(Step(minutes=one["own"], optional=False, **one) for one in steps), pointer]
    return Plan(f"{number} · {found['title']}", found["subtitle"], [day])


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
    """Markdown of one line, without the paragraph round it; "1. Title" begins no list."""
    text = re.sub(r"^(\d+)\.", r"\1\.", LINK.sub(r"\1", text))
    return Markup(re.sub(r"^<p>|</p>\s*$", "", markdown2html(text)))


def _loaded(explorers: set[str]) -> str:
    """What `site.js` loads: it finds it in the page, as one opened from a disk may load no file."""
    modules = {
        f"./explorers/{name}.js": _address("text/javascript", module(name).encode())
        for name in sorted({"standalone", *explorers})
    }
    weights = {
        name: _address("application/octet-stream", read_translator(name))
        for name in DECODERS
        if "translator" in explorers
    }
    return (
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>\n'
        f'<script type="application/json" id="translators">{json.dumps(weights)}</script>'
    )


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"


def build(folder: Path, decks: dict[str, Plan]) -> None:
    """Write decks, an index, and all that they load."""
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
    notebooks = {path.name[:2]: whole(path) for path in sorted(COURSE.glob("0*.ipynb"))}
    build(SLIDES, plans | notebooks)
    print(f"Open {SLIDES / 'index.html'} in a browser. S opens the speaker's notes.")


if __name__ == "__main__":
    main()
