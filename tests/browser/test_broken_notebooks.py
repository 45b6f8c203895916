"""What the inspection is for: five notebooks that look right until one listens, or moves them."""

import nbformat
import pytest

from tests import needs
from tests.browser import inspection
from tests.browser.inspection import inspect

pytestmark = needs.chromium

BROKEN = {
    "cell": ("1 / 0", "a cell failed: ZeroDivisionError: division by zero"),
    "callback": (
        """from ipywidgets import Button, Label, VBox
pressed, label = Button(description="add"), Label("presses: ")

def add(button):
    label.value += "I"
    raise RuntimeError("pressed")

pressed.on_click(add)
VBox([pressed, label])""",
        "a callback failed: RuntimeError: pressed",
    ),
    "observer": (
        """from ipywidgets import Checkbox, Label, VBox
switch, label = Checkbox(False, description="switch"), Label("switched: ")

def follow(change):
    label.value += "I"
    raise ValueError("switched")

switch.observe(follow, "value")
VBox([switch, label])""",
        "a callback failed: ValueError: switched",
    ),
    "slider tied to nothing": (
        """from ipywidgets import FloatSlider
from utils.plots import line_chart
from utils.widgets import SliderFigure
figure = line_chart([0, 1], {"a": [0, 1]}, "x", "y", "A line.")
SliderFigure(lambda slope: figure, slope=FloatSlider(1.0, min=0, max=2))""",
        "'slope' changes nothing that is seen, moved by keyboard",
    ),
    "JavaScript exception": (
        """import anywidget

class Broken(anywidget.AnyWidget):
    _esm = "export default { render() { throw new Error('never drawn'); } }"

Broken()""",
        "in the page: never drawn",
        "in the console: Error: never drawn",
    ),
}
OUTSIDE = """from IPython.display import HTML
HTML("<img alt='' src='http://127.0.0.2:8765/picture.png'>")"""
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


@pytest.fixture
def inspect_code(browser, course, lab):
    """What the inspection finds in a notebook of one cell."""

    def inspect_it(name, code):
        cells = [nbformat.v4.new_code_cell(code)]
        notebook = nbformat.v4.new_notebook(cells=cells, metadata=KERNEL)
        nbformat.write(notebook, course / "notebooks" / f"broken {name}.ipynb")
        return inspect(browser, lab, f"notebooks/broken {name}.ipynb")

    return inspect_it


@pytest.mark.parametrize("name", BROKEN)
def test_the_inspection_reports_exactly_what_is_broken(
    inspect_code, name, record_property, monkeypatch
):
    code, *expected = BROKEN[name]
    if name == "slider tied to nothing":  # nothing will come, however long one waits
        monkeypatch.setattr(inspection, "PATIENCE", 1)
    record_property("broken", 1)
    assert set(inspect_code(name, code).wrong) == set(expected)
    record_property("red", 1)


def test_the_inspection_counts_a_request_to_another_host(inspect_code):
    found = inspect_code("outside", OUTSIDE)
    assert found.outside > 0  # JupyterLab may draw an output twice
    assert "asked another machine: http://127.0.0.2:8765/picture.png" in found.wrong
