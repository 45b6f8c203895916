"""Prepare stored notebooks for pages that hold many of them: the reading site, and slides.

Such pages load each JavaScript module once, so the scripts of explorers leave the outputs; module
and state stay, from which the page runs them, and so does the picture.
"""

import base64
import io
import re

import nbformat
import numpy as np
from PIL import Image

from utils.widgets.pictured import HINT
from utils.widgets.prediction import GUESS_FIRST, NO_GUESS

PICTURE = re.compile(r"data:image/png;base64,(?P<data>[A-Za-z0-9+/=\s]+)")
PLACE = re.compile(r'(?P<place><div class="explorer".*</div>)<script>.*</script>', flags=re.DOTALL)


def with_explorers(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Take, in place, what only a notebook needs from its explorers and answers; return it."""
    for cell in notebook.cells:
        if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            _fold(cell)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                text = PICTURE.sub(_lighter, data["text/html"])
                if place := PLACE.fullmatch(text):
                    text = place["place"].replace(HINT, "")
                data["text/html"] = text
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
        output for output in cell.outputs if output.get("data", {}).get("text/plain") != GUESS_FIRST
    ]
    for output in cell.outputs:
        if "text/html" in (data := output.get("data", {})):
            data["text/html"] = data["text/html"].replace(NO_GUESS, "")
