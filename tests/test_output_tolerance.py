"""Test that numbers after ≈ in a notebook's outputs may differ a little, and all else may not."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from conftest import Output

ROOT = Path(__file__).parents[1]
EXPECTED = {  # what is stored, what is printed → whether that counts as the same
    ("share ≈ 0.50", "share ≈ 0.54"): True,
    ("share ≈ 0.50", "share ≈ 0.57"): False,
    ("≈ 0.01 and ≈ 1,234 steps", "≈ 0.03 and ≈ 1,199 steps"): True,
    ("≈ 0.01 and ≈ 1,234 steps", "≈ 0.03 and ≈ 999 steps"): False,
    ("≈ -3.0", "≈ 3.0"): False,
    ("exactly 0.50", "exactly 0.51"): False,
    ("share ≈ 0.50 of 12", "share ≈ 0.50 of 13"): False,
    ("share ≈ 0.50", "share ≈ nan"): False,
    ("the same", "the same"): True,
}


@pytest.mark.parametrize(("stored", "printed"), EXPECTED)
def test_a_number_may_move_within_its_bound_and_nothing_else(stored, printed):
    same = EXPECTED[stored, printed]
    assert (Output(stored) == Output(printed)) is same
    assert (Output(printed) != Output(stored)) is not same


@pytest.mark.slow  # a process and a kernel
def test_a_number_that_moves_out_of_its_bound_turns_the_notebook_red(tmp_path):
    cells = [new_markdown_cell("# A notebook")]
    for stored, printed in (("≈ 0.50", "≈ 0.54"), ("≈ 0.50", "≈ 0.57")):
        output = new_output("stream", name="stdout", text=f"{stored}\n")
        cells.append(new_code_cell(f"print({printed!r})", execution_count=1, outputs=[output]))
    nbformat.write(new_notebook(cells=cells), tmp_path / "numbers.ipynb")
    shutil.copy(ROOT / "conftest.py", tmp_path)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", "-vp", "no:cacheprovider", "numbers.ipynb"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert "::Cell 0 PASSED" in run.stdout, run.stdout
    assert "::Cell 1 FAILED" in run.stdout, run.stdout
