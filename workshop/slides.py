"""Make slides for a room: `python -m workshop.slides`, or `make slides`.

There is a deck for each plan and one for each notebook, made of the stored notebooks. A slide has
a heading, one sentence (the first of the text, or one in bold), and one thing to look at: a cell's
picture or explorer, or its code with what it prints. A prediction asks the room: its bars count
hands, or the guesses of `python -m grading watch`; then comes the section's explorer, to be moved;
and the next slide answers. Text has a slide of its own where no cell follows it. The whole text
goes into the speaker's notes, with the plan's notes and times. Explorers compute in the page,
without kernel, network or server.
"""

import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import textwrap
import tokenize
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from nbconvert.filters import Highlight2HTML, ansi2html, markdown2html
from nbformat import NotebookNode

from grading.report.guesses import Question, asked
from utils.checks import bank
from utils.course import Chapter, chapters
from utils.translators import DECODERS, read_translator
from utils.widgets.module import module
from utils.widgets.standalone import with_explorers
from workshop.plan import (
    HERE,
    LINK,
    PLANS,
    Plan,
    Step,
    answer_of,
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
LOOK = ROOT / "docs" / "site" / "front" / "front.css"  # begins with the colours of the course
ICON = ROOT / "docs" / "site" / "_static" / "icon.svg"
MATHJAX = "sphinx-mathjax-offline"
WIDEST = 78  # characters of a line of code that can be read from the back
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
SHAPE = re.compile(r"\([^()]*\)")  # in a comment, such as "(tgt_len, src_len)"
NO_BREAK = "\N{NO-BREAK SPACE}"
DOCSTRING = re.compile(r'( *)""".+"""')
LONG_STRING = re.compile(r'(?P<before> *(?:\w+ = )?)(?P<kind>f?)"(?P<text>[^"]+)"(?P<after>,?)')
IMPORT = re.compile(r"(?m)^(?:from|import) [^\n(]*(?:\([^)]*\))?\n+")


@dataclass(frozen=True)
class Slide:
    """A slide of a deck: a sentence, and one thing to look at.

    Args:
        title: heading of the slide, in Markdown.
        text: a sentence, perhaps with a formula or a list, in Markdown.
        code: source of the cell; "" if the slide shows no code.
        outputs: outputs of the cell.
        question: what the room has guessed, or is asked to guess.
        answer: the answer to the question; "" on the slide that asks.
        to_move: outputs of the explorer to move before the answer is shown.
        layout: "text", "ask", "task", "pause" or "title".
        where: notebook of the slide, with its section unless that is the title.
        notes: notes for the speaker, in Markdown.
    """

    title: str
    text: str = ""
    code: str = ""
    outputs: Sequence[NotebookNode] = ()
    question: Question | None = None
    answer: str = ""
    to_move: Sequence[NotebookNode] = ()
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
        title, _, text = step.title.partition(": ")
        slides = [Slide(title, text[:1].upper() + text[1:], layout="pause")]
    slides[0].notes[:0] = [*own, *remarks]
    for slide in slides:
        slide.notes.insert(0, f"**{start}** · {step.minutes} minutes · {step.title}")
    return slides


# --- A section's slides ---------------------------------------------------------------------------


def section_slides(step: Step) -> list[Slide]:
    """Return the slides of a section. A text between two cells is in the notes of both."""
    slides: list[Slide] = []
    entries = [*passages(step.file, step.heading)]
    notes_to_ask, question = iter(step.questions), None
    for place, (title, text, cell) in enumerate(entries):
        goes_on = bool(slides) and slides[-1].title == title
        if goes_on:
            slides[-1].notes.append(text)
        if not cell or stub(cell):
            if goes_on or not text:
                continue
            slide = Slide(title, stays(text, lists=True))
        elif "predict(" in cell.source:
            (question,) = asked(cell.source)
            to_move = nearest_explorer([each for _, _, each in entries], place)
            slide = _question_slide(title, question, cell, to_move)
            slide.notes.insert(0, next(notes_to_ask))
        elif ".reveal(" in cell.source:
            answer = answer_of(cell).removeprefix("≈ ")
            slide = Slide(title, question.text, question=question, answer=answer, **shown(cell))
        else:
            slide = Slide(title, stays(text, place=-goes_on), **shown(cell))
        slide.notes.insert(0, text)
        slides.append(replace(slide, where=_where(step, title)))
    return slides


def _where(step: Step, title: str) -> str:
    """Return where a slide comes from: its section, or its notebook if the title is the section."""
    section = LINK.sub(r"\1", step.title) if title != step.heading else ""
    return section or f"Notebook {step.file.name[:2]}"


def _question_slide(
    title: str, question: Question, cell: NotebookNode, to_move: Sequence[NotebookNode]
) -> Slide:
    """Return the slide that asks the room for a prediction, then brings the explorer to move."""
    notes = (
        ["**Then move it.** Space brings an explorer: try the guesses on it."] if to_move else []
    )
    return Slide(
        title,
        question.text,
        outputs=cell.outputs,
        question=question,
        to_move=to_move,
        layout="ask",
        notes=notes,
    )


def nearest_explorer(cells: Sequence[NotebookNode | None], place: int) -> Sequence[NotebookNode]:
    """Return the outputs of the explorer that is nearest to the cell at a place of a section."""
    explorers = [
        (abs(other - place), -other, cell.outputs)
        for other, cell in enumerate(cells)
        if cell and "predict(" not in cell.source and 'class="explorer"' in _html(cell)
    ]
    return min(explorers, default=(0, 0, ()))[2]


def _html(cell: NotebookNode) -> str:
    return "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs)


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
    html = _html(cell)
    if "<img" in html or 'class="explorer"' in html:
        return {"outputs": [each for each in cell.outputs if each.output_type != "stream"]}
    return {"outputs": cell.outputs, "code": IMPORT.sub("", cell.source).strip()}


@cache
def sections(path: Path) -> dict[str, list[NotebookNode]]:
    """Map each heading of a notebook to the cells below it, with widgets that need no kernel.

    A warm-up asks each learner what is due for them: nothing to show to a room.
    """
    notebook = with_explorers(nbformat.read(path, as_version=4))
    notebook.cells = [cell for cell in notebook.cells if "warm_up(" not in cell.source]
    return sections_of(notebook)


def notebook_plan(chapter: Chapter) -> Plan:
    """Return a plan that shows a notebook from first section to last, then sets its exercises."""
    day = []
    for heading, cells in sections(chapter.path).items():
        if heading not in LEFT_OUT:
            own = [stub(cell) for cell in cells if stub(cell)]
            shown = section_facts(f"{chapter.number} · {heading}")
            for facts in [shown, *map(turn_facts, own)]:
                day.append(Step(facts["alone"], False, **facts))
    tasks = bank.tasks()[chapter.name]
    minutes, titles = sum(task.minutes for task in tasks), [task.title for task in tasks]
    own = {"file": bank.FOLDER / chapter.path.name, "notes": [" · ".join(titles)]}
    day.append(Step(minutes, False, "Now you: the exercises", **own))
    return Plan(chapter.label, chapter.subtitle, [day])


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
    environment.filters["code"] = lambda text: Markup(highlighted(narrow(text), language="python"))
    environment.filters["printed"] = lambda text: Markup(ansi2html(text))
    environment.filters["safe_html"] = Markup
    environment.globals["script"] = Markup(SCRIPT.read_text(encoding="utf-8"))
    return environment


def _line(text: str) -> Markup:
    """Render a line of Markdown as HTML without <p>; "1. Title" is not taken for a list."""
    text = re.sub(r"^(\d+)\.", r"\1\.", LINK.sub(r"\1", text))
    return Markup(re.sub(r"^<p>|</p>\s*$", "", markdown2html(text)))


@cache
def narrow(code: str) -> str:
    """Return code with lines that fit a slide, broken where a formatter breaks them."""
    if max(map(len, code.split("\n"))) <= WIDEST:
        return code
    lines = code.split("\n")
    comments = [
        token
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT and len(token.line) > WIDEST + 1
    ]
    for comment in reversed(comments):  # each goes above its line
        row, column = comment.start
        before = comment.line[:column].rstrip()
        indent = " " * (len(comment.line) - len(comment.line.lstrip()))
        text = SHAPE.sub(lambda shape: shape[0].replace(" ", NO_BREAK), comment.string.lstrip("# "))
        above = textwrap.wrap(text, WIDEST - len(indent) - 2, break_long_words=False)
        above = [f"{indent}# {part}".replace(NO_BREAK, " ") for part in above]
        lines[row - 1 : row] = above + [before] * bool(before)
    command = ["-m", "ruff", "format", "--isolated", f"--line-length={WIDEST}", "-"]
    formatted = subprocess.run(
        [sys.executable, *command],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return "\n".join(map(_split_string, formatted.stdout.strip().split("\n")))


def _split_string(line: str) -> str:
    """Split a string that is too long for a line, at a space outside the braces of its values."""
    if len(line) > WIDEST and (docstring := DOCSTRING.fullmatch(line)):
        return textwrap.fill(line, WIDEST, subsequent_indent=docstring[1])
    found = LONG_STRING.fullmatch(line)
    if len(line) <= WIDEST or not found:
        return line
    before, kind, text, after = found.groups()
    indent = before[: len(before) - len(before.lstrip())] + "    " * before.endswith("= ")
    spaces = [
        match.end()
        for match in re.finditer(" ", text)
        if text[: match.end()].count("{") == text[: match.end()].count("}")
    ]
    last = max(place for place in spaces if len(indent) + place + 3 <= WIDEST)
    parts = "\n".join(f'{indent}{kind}"{part}"' for part in (text[:last], text[last:]))
    return f"{before}(\n{parts}\n)" if before.strip() else parts + after


def _loaded(explorers: set[str]) -> str:
    """Return HTML with the modules and translators that explorers load.

    They are part of the page, since a page opened from disk cannot load files.
    """
    modules = {
        f"./explorers/{name}.js": _data_url("text/javascript", module(name).encode())
        for name in sorted({"standalone", "weights", *explorers})
    }
    weights = {
        name: _data_url("application/octet-stream", zlib.compress(read_translator(name), 9))
        for name in DECODERS
        if "translator_explorer" in explorers
    }
    return (
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>\n'
        f'<script type="application/json" id="translators">{json.dumps(weights)}</script>'
    )


def _data_url(mime_type: str, content: bytes) -> str:
    return f"data:{mime_type};base64,{b64encode(content).decode()}"


def look() -> str:
    """Return the front page's colours and letters, which its rules of style come after."""
    return LOOK.read_text(encoding="utf-8").partition("\n*, ")[0]


def build(folder: Path, decks: dict[str, Plan]) -> None:
    """Write decks, an index, and all files that they load into a folder, which is emptied first."""
    mathjax = importlib.util.find_spec(MATHJAX)
    if mathjax is None or importlib.util.find_spec("ruff") is None:
        sys.exit(f"Slides need {MATHJAX} and ruff: `make slides` installs them.")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "reveal").mkdir(parents=True)
    for path in [*(HERE / "reveal").iterdir(), *(HERE / "templates").glob("*.[cj]s*"), ICON]:
        shutil.copy(path, folder / "reveal")
    (folder / "reveal" / "look.css").write_text(look(), encoding="utf-8")
    shutil.copy(Path(mathjax.origin).parent / "static/mathjax/tex-svg.js", folder / "reveal")
    for name, plan in decks.items():
        (folder / f"{name}.html").write_text(deck(plan), encoding="utf-8")
    index = _environment().get_template("index.html").render(decks=decks)
    (folder / "index.html").write_text(index, encoding="utf-8")


def main() -> None:
    """Write the decks of all plans and notebooks."""
    plans = {file.stem: read(file) for file in PLANS}
    notebooks = {chapter.number: notebook_plan(chapter) for chapter in chapters().values()}
    build(SLIDES, plans | notebooks)
    print(f"Open {SLIDES / 'index.html'} in a browser. S opens the speaker's notes.")


if __name__ == "__main__":
    main()
