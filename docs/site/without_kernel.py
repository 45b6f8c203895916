"""What a notebook says on a page that has no kernel, where it asks for one.

A stub that nobody can fill there shows what its check says of three typical answers: two mistakes
of its catalogue and the right one, from the record that the check itself compares with.
"""

import html
import re

import nbformat

from utils.checks import bank
from utils.checks.feedback import explain
from utils.checks.kinds import kind_of
from utils.checks.tasks import Record

CHECKED = re.compile(r'^check\("(?P<task>\w+)"\)$', re.MULTILINE)
SAID = {  # in a notebook's prose: on the page
    "running each cell with Shift+Enter": "moving what moves; code is written in JupyterLab",
}


def without_kernel(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Change, in place, what a notebook asks of a reader who has no kernel; return it."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for asked, here in SAID.items():
                cell.source = cell.source.replace(asked, here)
        elif cell.outputs and (call := CHECKED.search(cell.source)):
            data = {"text/html": _answers(bank.load(call["task"]))}
            cell.outputs = [nbformat.v4.new_output("display_data", data)]
    return notebook


def _answers(record: Record) -> str:
    """Return three answers to choose from, each with what the check says of it."""
    answers = {
        mistake.name: record.mistaken[mistake.name] for mistake in record.task.mistakes[:2]
    } | {"the right lines": record.expected}
    said = "".join(
        f'<details name="{record.task.id}"><summary>{html.escape(name)}</summary>'
        f"{_feedback(record, answer)}</details>"
        for name, answer in answers.items()
    )
    return (
        '<div class="answers"><p><b>In JupyterLab you write this yourself.</b> '
        f"What the check says there of three typical answers:</p>{said}</div>"
    )


def _feedback(record: Record, answer: list) -> str:
    """Return the check's note as HTML; it is no news, as it is where the check has just run."""
    verdict = kind_of(record.task).diagnose(record, answer)
    return explain(verdict)._repr_html_().replace(' role="status"', "")
