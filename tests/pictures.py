"""Make the README's picture from notebook 06: `python -m tests.pictures`, or `make pictures`.

The notebook records the attention maps of its translator during training; the picture shows four of
them.
"""

import base64
import re
from pathlib import Path

import nbformat
from IPython.display import display

from utils.plots import head_grid

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "notebooks" / "06_translate_with_attention.ipynb"
PICTURE = ROOT / "notebooks" / "images" / "translation.png"
STEPS = (0, 50, 90, 160)


def film() -> dict:
    """Run the cells of notebook 06 until one defines `film`; return all names defined by then.

    Raises:
        ValueError: no cell of the notebook defines `film`.
    """
    names: dict = {"display": display}
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, NOTEBOOK.name, "exec"), names)
            if "film" in names:
                return names
    raise ValueError(f"{NOTEBOOK.name} no longer keeps a `film` of its training")


def main() -> None:
    """Draw the picture, and write it to `PICTURE`."""
    names = film()
    pair = names["example"]
    maps = [names["film"][step][2][0] for step in STEPS]
    titles = [f"after {step} steps" for step in STEPS]
    picture = head_grid(maps, pair.source, pair.target, titles).to_html()
    PICTURE.write_bytes(base64.b64decode(re.search('base64,([^"]+)', picture)[1]))
    print(f"{PICTURE.relative_to(ROOT)} is new")


if __name__ == "__main__":
    main()
