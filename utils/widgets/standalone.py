"""Prepare stored notebooks for pages without a kernel: the reading site, and slides.

Each widget's stored picture stays. The name of its JavaScript module and its state are added, from
which `standalone.js` runs the widget in the page.
"""

import base64
import html
import io
import json
import re

import nbformat
import numpy as np
from PIL import Image

from utils.widgets.prediction import NO_GUESS, GuessFirst

PICTURE = re.compile(r"data:image/png;base64,(?P<data>[A-Za-z0-9+/=\s]+)")
VIEW = "application/vnd.jupyter.widget-view+json"
STATES = "application/vnd.jupyter.widget-state+json"


def with_explorers(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Replace, in place, a notebook's widgets with explorers that need no kernel; return it."""
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
            state = entry.get("state", {})
            module = state.get("_anywidget_id", "..").split(".")[-2]
            if module:
                data["text/html"] = explorer_place(module, state, data["text/html"])
    return notebook


def _lighter(picture: re.Match) -> str:
    """Reduce a picture to its 128 most frequent colours: half its size, and it looks the same."""
    with Image.open(io.BytesIO(base64.b64decode(picture["data"]))) as image:
        if image.mode == "P":  # it has fewer already
            return picture[0]
        pixels = np.round(np.asarray(image.convert("RGBA")) / 5) * 5  # (height, width, 4)
    whole = pixels.astype("uint8").view("uint32")  # (height, width, 1): a number for each colour
    found, which, counts = np.unique(whole, return_inverse=True, return_counts=True)
    colours = found.view("uint8").reshape(-1, 4).astype(int)
    kept = colours[counts.argsort()[-128:]]
    nearest = np.abs(colours[:, None] - kept).sum(-1).argmin(1)  # of those kept, to each colour
    light = Image.fromarray(nearest[which].reshape(pixels.shape[:2]).astype("uint8")).convert("P")
    light.putpalette(kept[:, :3].astype("uint8").tobytes())
    buffer = io.BytesIO()
    light.save(buffer, "png", optimize=True, transparency=kept[:, 3].astype("uint8").tobytes())
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _fold(cell: nbformat.NotebookNode) -> None:
    """Fold the output of a cell that reveals an answer, and remove remarks on a missing guess."""
    cell.metadata.tags = [*cell.metadata.get("tags", []), "hide-output"]
    cell.outputs = [
        output
        for output in cell.outputs
        if output.get("data", {}).get("text/plain") != repr(GuessFirst())
    ]
    for output in cell.outputs:
        if "text/html" in (data := output.get("data", {})):
            data["text/html"] = data["text/html"].replace(NO_GUESS, "")


def explorer_place(module: str, state: dict, picture: str) -> str:
    """Return the HTML element that an explorer fills; it has a picture until scripts have run."""
    own = {name: value for name, value in state.items() if not name.startswith("_")}
    text = html.escape(json.dumps(own, ensure_ascii=False), quote=True)
    return f'<div class="explorer" data-module="{module}" data-state="{text}">{picture}</div>'
