"""Stored notebooks in pages without a kernel: the reading site, and slides.

Where a notebook stores a widget, its picture stays, and beside it what a page needs to bring it to
life: the name of its module, and its state. `standalone.js` gives the explorer its host.
"""

import base64
import html
import io
import json
import re

import nbformat
from PIL import Image

from utils.widgets.prediction import NO_GUESS, GuessFirst

KERNEL_DRAWS = "slider_figure"  # of this a page without a kernel keeps the picture
PICTURE = re.compile(r"data:image/png;base64,(?P<data>[A-Za-z0-9+/=\s]+)")
VIEW = "application/vnd.jupyter.widget-view+json"
STATES = "application/vnd.jupyter.widget-state+json"


def alive(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A notebook whose widgets a page can show without a kernel."""
    states = notebook.metadata.pop("widgets", {}).get(STATES, {}).get("state", {})
    for cell in notebook.cells:
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            _fold(cell)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                data["text/html"] = PICTURE.sub(_lighter, data["text/html"])
            if VIEW not in data:
                continue
            entry = states.get(data.pop(VIEW)["model_id"], {})
            kept = entry.get("state", {})
            module = kept.get("_anywidget_id", "..").split(".")[-2]
            if module and module != KERNEL_DRAWS:
                data["text/html"] = place_of(module, kept, data["text/html"])
    return notebook


def _lighter(picture: re.Match) -> str:
    """A picture in 256 colours, which nobody can tell from the first: half the weight of a page."""
    with Image.open(io.BytesIO(base64.b64decode(picture["data"]))) as image:
        written = io.BytesIO()
        image.convert("RGB").quantize(256).save(written, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode()}"


def _fold(cell: nbformat.NotebookNode) -> None:
    """An answer that stays folded until its reader has guessed, or wants it open."""
    cell.metadata.tags = [*cell.metadata.get("tags", []), "hide-output"]
    cell.outputs = [
        output
        for output in cell.outputs
        if output.get("data", {}).get("text/plain") != repr(GuessFirst())
    ]
    for output in cell.outputs:
        if "text/html" in (data := output.get("data", {})):
            data["text/html"] = data["text/html"].replace(NO_GUESS, "")


def place_of(module: str, kept: dict, picture: str) -> str:
    """Where an explorer goes; until it is there, and without scripts, its picture."""
    state = {name: value for name, value in kept.items() if not name.startswith("_")}
    written = html.escape(json.dumps(state, ensure_ascii=False), quote=True)
    return f'<div class="explorer" data-module="{module}" data-state="{written}">{picture}</div>'
