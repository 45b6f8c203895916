"""Test the pages that `jupyter nbconvert --to html` makes: whole without a network."""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from traitlets.config import Config

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / ".jupyter" / "jupyter_config.json"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
LOADED = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=.?https?:")


def page_of(notebook):
    return HTMLExporter(config=Config(json.loads(CONFIG.read_text()))).from_notebook_node(notebook)[
        0
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])
def test_a_page_of_a_notebook_needs_no_network(path):
    notebook = nbformat.read(path, as_version=4)
    prose = "".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    page = page_of(notebook)
    assert not LOADED.search(page)
    assert "\\frac" not in re.sub(r"<script.*?</script>|<pre.*?</pre>", "", page, flags=re.DOTALL)
    assert page.count("<math") > prose.count("$$") // 2
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not any("widget-view" in kind for output in outputs for kind in output.get("data", {}))
    assert page.count('<div class="explorer"') >= 3


def test_formulae_in_text_are_drawn_and_code_is_left_alone():
    text = "Take $\\alpha_j$, `$x$` and\n\n$$\\frac{a}{b}$$\n\n```\n$y$ and $z$\n```"
    page = page_of(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]))
    assert page.count("<math") == 2
    assert page.count('display="block"') == 1
    assert "$x$" in page
    assert "$y$ and $z$" in page
