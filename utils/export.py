"""Let `jupyter nbconvert --to html` make pages that need no network.

The formulae become MathML, which browsers draw themselves, so that nothing is left to be loaded.
`.jupyter/jupyter_config.json` switches this on: for `make html`, and for JupyterLab's own menu.
"""

import re

from latex2mathml.converter import convert
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode

CODE = r"```.*?```|`[^`]*`"
FORMULA = re.compile(rf"{CODE}|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$]+?)\$", flags=re.DOTALL)


class Formulae(Preprocessor):
    """Turns the formulae of a notebook's text into MathML."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict, index: int
    ) -> tuple[NotebookNode, dict]:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(_as_mathml, cell.source)
        return cell, resources


def _as_mathml(found: re.Match) -> str:
    for display, formula in found.groupdict().items():
        if formula:
            return convert(formula.strip(), display=display)
    return found[0]  # code
