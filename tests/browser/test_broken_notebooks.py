"""What the inspection is for: five notebooks that look right until one listens, or moves them."""

import nbformat
import pytest

from tests import needs
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
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


@pytest.mark.parametrize("name", BROKEN)
def test_the_inspection_reports_exactly_what_is_broken(browser, course, lab, name, record_property):
    code, *expected = BROKEN[name]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)], metadata=KERNEL)
    nbformat.write(notebook, course / "notebooks" / f"broken {name}.ipynb")
    record_property("broken", 1)
    found = inspect(browser, lab, f"notebooks/broken {name}.ipynb")
    assert set(found.wrong) == set(expected)
    record_property("red", 1)
