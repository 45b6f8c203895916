"""Test that a cell that takes long says so to whoever watches, and to nobody else."""

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = [
    "import torch\nfrom utils import at_work, checks\nat_work.SILENCE = 0.5",
    "import time\ntime.sleep(3)\nprint(torch.get_num_threads())",
    "'at once'",
]


def outputs_of(monkeypatch, **environment):
    """Run the cells in a kernel; return the outputs of the second, and of the third."""
    for name in ("JPY_SESSION_NAME", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, CELLS)])
    NotebookClient(notebook).execute()
    _, slow, quick = notebook.cells
    return slow.outputs, quick.outputs


def test_a_long_cell_counts_its_seconds_in_one_thread(monkeypatch):
    slow, quick = outputs_of(monkeypatch, JPY_SESSION_NAME="/somewhere/a.ipynb")
    line = next(output for output in slow if output.output_type == "display_data")
    assert line.data["text/plain"].startswith("This cell took ")
    assert "at-work" in line.data["text/html"]
    assert [output.text for output in slow if output.output_type == "stream"] == ["1\n"]
    assert [output.output_type for output in quick] == ["execute_result"]


@pytest.mark.parametrize("environment", [{}, {"OMP_NUM_THREADS": "2"}])
def test_nothing_is_added_where_a_program_runs_it(monkeypatch, environment):
    slow, _ = outputs_of(monkeypatch, **environment)
    assert [output.output_type for output in slow] == ["stream"]
