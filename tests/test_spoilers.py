"""Nothing in a notebook gives a prediction away, and no figure is built without being shown."""

import ast
import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tests.spoilers import spoilers
from utils import plots
from utils.checks.code import syntax
from utils.plots import AccessibleFigure

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("[0-9]*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])
COMPUTED = "share = weights.max()\nguess.reveal(share.item())"
CHOSEN = "guess.reveal(OPTIONS[int(rows_changed)])"


@every_notebook
def test_no_prediction_is_given_away(path):
    assert spoilers(nbformat.read(path, as_version=4).cells) == []


def asked(code=COMPUTED, answer="≈ 0.148", below="We look at it again.", above="A guess."):
    """Return the cells of a question with its answer, which by themselves give nothing away."""
    output = new_output("execute_result", {"text/plain": f"The answer: {answer}"})
    options = "" if answer.startswith("≈") else ', ["all of it", "none of it"]'
    return [
        new_markdown_cell(f"## Weights\n\n{above}"),
        new_code_cell(f'guess = predict("How much?"{options})'),
        new_code_cell(code, outputs=[output], metadata={"jupyter": {"outputs_hidden": True}}),
        new_markdown_cell(below),
        new_markdown_cell("## Later\n\nThe largest was 0.15, none of it more."),
    ]


@pytest.mark.parametrize(
    ("cells", "where"),
    [
        (asked("guess.reveal(0.148)"), "literal"),
        (asked("answer = 0.148\nguess.reveal(answer)"), "literal"),
        (asked("guess.reveal(guess.options[1])", "none of it"), "literal"),
        (asked(below="About 15 % is left."), "below"),
        (asked(CHOSEN, "none of it", "So *none of it* is left."), "below"),
        (asked(above="We have seen 0.15 before."), "above"),
        (
            asked('chart(x, "A line that falls from all the way at 1 to 0.15.")\n' + COMPUTED),
            "text",
        ),
    ],
)
def test_a_planted_spoiler_is_found(cells, where):
    (found,) = spoilers(cells)
    assert where in found


@pytest.mark.parametrize(
    "cells",
    [
        asked(),
        asked(CHOSEN, "none of it"),
        asked(below="<details><summary>Why</summary>\n\nAbout 15 %.\n\n</details>"),
        asked(CHOSEN, "none of it", "Either all of it or none of it."),
    ],
)
def test_what_does_not_tell_is_no_spoiler(cells):
    assert spoilers(cells) == []


def unshown(sources):
    """Return the calls that draw a figure which neither a cell's end nor a later line shows."""
    trees = [syntax(source).body for source in sources]
    ends = [body[-1] for body in trees if body]
    statements = [statement for body in trees for statement in body]
    found = []
    for place, statement in enumerate(statements):
        call = getattr(statement, "value", None)
        if not isinstance(call, ast.Call) or getattr(call.func, "id", "") not in DRAWN:
            continue
        names = {target.id for target in getattr(statement, "targets", [])}
        later = (node for rest in statements[place + 1 :] for node in ast.walk(rest))
        used = names & {node.id for node in later if isinstance(node, ast.Name)}
        if not (used or statement in ends):
            found.append(call.func.id)
    return found


DRAWN = {
    name
    for name, function in vars(plots).items()
    if getattr(function, "__annotations__", {}).get("return") is AccessibleFigure
}


@every_notebook
def test_every_figure_is_shown(path):
    cells = nbformat.read(path, as_version=4).cells
    assert unshown([cell.source for cell in cells if cell.cell_type == "code"]) == []
    assert any(re.search(rf"\b({'|'.join(DRAWN)})\(", cell.source) for cell in cells)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (["line_chart(x, y)\nguess.reveal(z)"], ["line_chart"]),
        (["chart = line_chart(x, y)\nprint(1)"], ["line_chart"]),
        (["chart = line_chart(x, y)", "display(chart)"], []),
        (["line_chart(x, y)"], []),
        (["display(line_chart(x, y))\nguess.reveal(z)"], []),
        (["chart = line_chart(x, y)\ndisplay(chart)\nprint(1)"], []),
    ],
)
def test_a_figure_that_is_not_shown_is_found(sources, expected):
    assert unshown(sources) == expected
