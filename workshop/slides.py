"""Make slides for a room: `python -m workshop.slides`, or `make slides`.

There is a deck for each plan and one for each notebook, made of the stored notebooks. A slide has
a heading, one sentence (the first of the text, or one in bold), and one thing to look at: a cell's
picture or explorer, or its code with what it prints. A prediction asks the room, and the next slide
answers. Text has a slide of its own where no cell follows it. The whole text goes into the
speaker's notes, with the plan's notes and times. Explorers compute in the page, without kernel,
network or server.
"""

import importlib.util
import json
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

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
    stub,
    turn_facts,
)

ROOT = HERE.parent
SLIDES = ROOT / "build" / "slides"
SCRIPT = ROOT / "docs" / "site" / "_static" / "site.js"  # makes the explorers interactive
MATHJAX = "sphinx-mathjax-offline"
MODULE = re.compile(r'data-module="(\w+)"')
LEFT_OUT = ("Sources",)
SUBHEADING = re.compile(r"(?m)^### (.+)$")
# What of a text is not for slides: folds, sentences in parentheses, ways on, listings.
ASIDE = re.compile(
    r"(?ms)<details>.*?</details>|\([^()]*\.\)|^(?:→|\*\*Next:|\*\*Now you:)[^\n]*|^```.*?^```"
)
RUN_IN = re.compile(r"(?<!\S)\*{1,2}[^*\n]{1,30}[.:?]\*{1,2}(?!\S)")  # such as "**By hand.** "
CLAIM = re.compile(r"\*\*[^*\n]{30,}[.?!]\*\*")
SENTENCE = re.compile(r"(?s)\S.+?(?:(?<!\bal)[.?!][)*]*(?=\s|\Z)|(?=\n\n|\Z))")
FORMULA = re.compile(r"(?s)\$\$.+?\$\$")
LIST = re.compile(r"(?m)(?:^(?:-|\d+\.) .+\n?)+")
IMPORT = re.compile(r"(?m)^(?:from|import) [^\n(]*(?:\([^)]*\))?\n+")


@dataclass(frozen=True)
class Slide:
    """A slide of a deck: a sentence, and one thing to look at.

    Args:
        title: heading of the slide, in Markdown.
        text: a sentence, perhaps with a formula or a list, in Markdown.
        code: source of the cell; "" if the slide shows no code.
        outputs: outputs of the cell.
        layout: "text", "ask", "task", "pause" or "title".
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
    own = step.notes
    if step.heading:
        slides, own = section_slides(step), own[:-1]  # the last says how the text begins
    elif step.stub:
        slides = [_stub_slide(step)]
    elif step.notes:
        slides = [Slide(step.title, f"`exercises/{step.file.name}`", layout="task")]
    else:
        slides = [Slide(step.title, layout="pause")]
    slides[0].notes[:0] = [*own, *remarks]
    for slide in slides:
        slide.notes.insert(0, f"**{start}** · {step.minutes} minutes · {step.title}")
    return slides


# --- A section's slides ---------------------------------------------------------------------------


def section_slides(step: Step) -> list[Slide]:
    """Return the slides of a section. A text between two cells is in the notes of both."""
    slides: list[Slide] = []
    questions, question = iter(step.questions), ""
    for title, text, cell in passages(step.file, step.heading):
        goes_on = bool(slides) and slides[-1].title == title
        if goes_on:
            slides[-1].notes.append(text)
        where = LINK.sub(r"\1", step.title) if title != step.heading else ""
        slide = partial(Slide, title, where=where or f"Notebook {step.file.name[:2]}")
        if not cell or stub(cell):
            if text and not goes_on:
                slides.append(slide(stays(text, lists=True), notes=[text]))
        elif "predict(" in cell.source:
            question = cell.outputs[0].data["text/plain"].partition(": ")[2]
            notes = [text, next(questions)]
            slides.append(slide(outputs=cell.outputs, layout="ask", notes=notes))
        else:
            said = question if ".reveal(" in cell.source else stays(text, place=-goes_on)
            slides.append(slide(said, **shown(cell), notes=[text]))
    return slides


def _stub_slide(step: Step) -> Slide:
    """Return the slide of a step in which everybody completes a stub."""
    before, task, cell = next(
        (*text.split("**Your turn.** "), cell)
        for heading in sections(step.file)
        for _, text, cell in passages(step.file, heading)
        if cell and stub(cell) == step.stub
    )
    text = stays(f"{task}\n\n{before}")
    return Slide(step.title, text, cell.source, layout="task", notes=[before, task])


def passages(path: Path, heading: str) -> Iterator[tuple[str, str, NotebookNode | None]]:
    """Yield (title, text, cell) for each cell of a section that shows something.

    The title is the heading above the cell; the text stands between it and the cell before. The
    cell is None where a text ends at a heading.
    """
    title, text = heading, ""
    for cell in sections(path)[heading]:
        if cell.cell_type == "markdown":
            before, *parts = SUBHEADING.split(cell.source)
            text += f"\n\n{before}"
            for subheading, below in zip(parts[::2], parts[1::2], strict=True):
                yield title, text.strip(), None
                title, text = subheading, below
        elif cell.outputs:
            yield title, text.strip(), cell
            text = ""
    yield title, text.strip(), None


def stays(text: str, lists: bool = False, place: int = 0) -> str:
    """Return what stays of a text on a slide: a sentence and a formula, in Markdown.

    Args:
        text: text in Markdown.
        lists: whether a list stays, too.
        place: place of the sentence, if none is in bold: 0 for the first, -1 for the last.
    """
    prose = ASIDE.sub("", text)
    plain = LIST.sub("", FORMULA.sub("", prose)).strip()
    sentences = SENTENCE.findall(RUN_IN.sub("", plain).strip()) or [""]
    claim, formula, items = (pattern.search(prose) for pattern in (CLAIM, FORMULA, LIST))
    parts = [claim[0] if claim else sentences[place], formula and formula[0]]
    return "\n\n".join(filter(None, [*parts, lists and items and items[0]])).strip()


def shown(cell: NotebookNode) -> dict[str, Any]:
    """Return what is shown of a cell: its picture or, without imports, its code and what it prints.

    Of long code, only what it prints is seen: `deck.js` hides it if there is no room for both.
    """
    html = "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)
    if "<img" in html or 'class="explorer"' in html:
        return {"outputs": [each for each in cell.outputs if each.output_type != "stream"]}
    return {"outputs": cell.outputs, "code": IMPORT.sub("", cell.source).strip()}


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
            own = [stub(cell) for cell in sections(path)[heading] if stub(cell)]
            for facts in [section_facts(f"{number} · {heading}"), *map(turn_facts, own)]:
                day.append(Step(facts["alone"], False, **facts))
    tasks = bank.tasks()[path.stem]
    minutes, titles = sum(task.minutes for task in tasks), [task.title for task in tasks]
    own = {"file": bank.FOLDER / path.name, "notes": [" · ".join(titles)]}
    day.append(Step(minutes, False, "Now you: the exercises", **own))
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
