"""Test that the inspection reports exactly the faults of a notebook that has one of each kind.

Most of them would be overlooked by a person who only runs the notebook: they appear in no output,
or only when a control is moved.
"""

import nbformat
import pytest

from tests import needs
from tests.browser.inspection import inspect

pytestmark = [pytest.mark.browser, needs.chromium]

BROKEN = {
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
switch, words = Checkbox(False, description="switch"), Label("switched: ")

def follow(change):
    words.value += "I"
    raise ValueError("switched")

switch.observe(follow, "value")
VBox([switch, words])""",
        "a callback failed: ValueError: switched",
    ),
    "slider tied to nothing": (
        """from ipywidgets import FloatSlider
from utils.widgets import Curves, SliderFigure
figure = Curves([0, 1], {"a": [0, 1]}, "x", "y", "A line.")
SliderFigure(lambda slope: figure, slope=FloatSlider(0.0, min=0, max=2))""",
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
    "request": (
        """from IPython.display import HTML
HTML("<img alt='' src='http://127.0.0.2:8765/picture.png'>")""",
        "asked another machine: http://127.0.0.2:8765/picture.png",
        "in the console: Failed to load resource: net::ERR_CONNECTION_REFUSED",
    ),
    # The last cell, since no cell is run after an exception.
    "cell": ("1 / 0", "a cell failed: ZeroDivisionError: division by zero"),
}
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def test_the_inspection_reports_exactly_what_is_broken(browser, course, lab, record_property):
    cells = [nbformat.v4.new_code_cell(code) for code, *_ in BROKEN.values()]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=KERNEL)
    nbformat.write(notebook, course / "notebooks" / "broken.ipynb")
    findings = inspect(browser, lab, "notebooks/broken.ipynb")
    reported = {name for name, (_, *faults) in BROKEN.items() if {*faults} <= {*findings.faults}}
    record_property("broken", len(BROKEN))
    record_property("red", len(reported))
    assert reported == BROKEN.keys()
    assert {*findings.faults} == {fault for _, *faults in BROKEN.values() for fault in faults}
    assert findings.outside > 0  # JupyterLab may draw an output twice
