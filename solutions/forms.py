"""Write the tests before and after the course as notebooks, from the item bank.

Each item is asked in its first set of numbers. What a cell shows can be read without running
anything, and holds no right answer: those stand in the bank alone.
"""

import base64
import html
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from matplotlib.figure import Figure
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from utils.items.item_bank import FORMS, StoredItem
from utils.items.marking import LETTERS
from utils.items.rendering import COLOURS, as_html, as_words

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
DASHES = ("-", "--", ":", "-.")
CELL = "text-align:left;vertical-align:top"  # the style of a letter, and of what it stands for
MINUTES = 15
TITLES = {"A": "Before the course", "B": "After the course"}
LEADS = {
    "A": "This test is for those who have not begun yet. It asks about what the course will teach, "
    "so you are not expected to know much of it. Once you have taken the other one, at the end, "
    "you see what has changed; and if you are in a class, your instructor sees what it brings "
    "along.",
    "B": "This test asks about the same ideas as the one before the course, in other situations. "
    "Take it when you are through with notebook 06, or at the end. It shows what you can rely on "
    "now, and where to look again.",
}
TOP = "# {title}: what do you understand?\n\n[Course overview](../README.md)\n\n{how}"
HOW = """\
**{questions} questions, {minutes} minutes, no points.** {lead}

- Read a question, write your answer between the quotes in the cell below it, and run the cell: \
`"c"` for option c, or the number where one is asked for.
- **If you do not know, write `"?"`.** That is better than a guess: a guess would look like \
something that you believe.
- Work alone, without notes and without running other code; paper and pencil are fine.
- Whether an answer is right is not said here. The last cell tells how many are.

In a class, save the notebook and hand it in like the exercises. It is read, not run, and it \
changes no grade."""
LAST = {
    "A": "## How many are right\n\nRun the cell. It tells where the course deals with what you did "
    "not know, and keeps the answers for later.",
    "B": "## What has changed\n\nRun the cell. If you took the test before the course too, it "
    "compares the two.",
}


def write(items: Sequence[StoredItem], folder: Path) -> None:
    """Write the notebook of each test that has items into a folder.

    Args:
        items: the whole bank.
        folder: the folder of the exercises.
    """
    for form, name in FORMS.items():
        if own := [item for item in items if item.form == form]:
            nbformat.write(notebook(form, own), folder / f"{name}.ipynb")


def notebook(form: str, items: Sequence[StoredItem]) -> NotebookNode:
    """Return the notebook of a test.

    Args:
        form: "A" or "B".
        items: its items, in order.
    """
    how = HOW.format(questions=len(items), minutes=MINUTES, lead=LEADS[form])
    cells = [
        _cell(new_markdown_cell(TOP.format(title=TITLES[form], how=how)), "top"),
        _cell(new_code_cell("from utils.items.understanding import answer, understanding"), "load"),
    ]
    for number, item in enumerate(items, start=1):
        pictures: dict[str, str] = {}
        asked = new_markdown_cell("\n\n".join(_question(number, item, pictures)))
        if pictures:
            asked.attachments = {name: {"image/png": data} for name, data in pictures.items()}
        cells += [
            _cell(asked, item.id),
            _cell(new_code_cell(f'answer("{item.id}", "")'), f"{item.id}-answer"),
        ]
    cells += [
        _cell(new_markdown_cell(LAST[form]), "result"),
        _cell(new_code_cell("understanding()"), "understanding"),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def _cell(cell: NotebookNode, name: str) -> NotebookNode:
    cell.id = name  # the same in each build
    return cell


def _question(number: int, item: StoredItem, pictures: dict[str, str]) -> Iterator[str]:
    """Yield the parts of a question; pictures are added by their name, in base 64."""
    version = item.versions[0]
    yield f"## Question {number}"
    yield f"<p>{as_html(version.text)}</p>".replace("\n", " ")
    yield from (f"<div>{_shown(part, pictures)}</div>" for part in version.shows)
    if item.typed:
        yield '*Write a number, without a unit, or* `"?"`*.*'
        return
    rows = "".join(  # in a list, JupyterLab would replace the letters by numbers
        f'<tr><td style="{CELL}"><b>{letter})</b></td>'
        f'<td style="{CELL}">{_shown(option, pictures)}</td></tr>'
        for letter, option in zip(LETTERS, version.options, strict=False)
    )
    yield f'<table style="margin:0">{rows}</table>'


def _shown(part: Any, pictures: dict[str, str]) -> str:
    """Return a part as HTML on one line, as an empty one would end it within Markdown.

    JupyterLab shows no SVG in prose, so that lines become a picture.
    """
    if isinstance(part, str) or "lines" not in part:
        return as_html(part).replace("\n", "<br>")
    name = f"lines-{len(pictures) + 1}.png"
    pictures[name] = _picture(**part)
    words = f"{part['axes'][1]} over {part['axes'][0]}: {as_words(part)}"
    return f'<img src="attachment:{name}" alt="{html.escape(words, quote=True)}" width="300">'


def _picture(x: Sequence[float], lines: Mapping[str, Sequence[float]], axes: Sequence[str]) -> str:
    """Draw lines, each with its name at its end, as a PNG in base 64."""
    figure = Figure(figsize=(3.2, 2.0), dpi=160)
    plot = figure.subplots()
    for (name, heights), colour, dash in zip(lines.items(), COLOURS, DASHES, strict=False):
        plot.plot(x, heights, dash, color=colour)
        plot.annotate(name, (x[-1], heights[-1]), (4, 0), textcoords="offset points", va="center")
    plot.set(xlabel=axes[0], ylabel=axes[1])
    plot.spines[["top", "right"]].set_visible(False)
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight", metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode()
