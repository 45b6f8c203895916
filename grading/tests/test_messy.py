"""Right answers earn all points, however untidy the notebook is that they come in."""

import secrets
import textwrap

import pytest

from grading.assignments import fresh_records
from grading.run.grading import Assignment, Grading
from grading.run.launcher import Launcher
from grading.run.scoring import score_submission
from grading.tests.made import NOTEBOOK, hurried, notebook, submission
from solutions.build import SOURCE, code_of, stub
from tests import needs
from utils.checks import bank
from utils.checks.code import defined

pytestmark = needs.sandbox

CELLS = code_of(SOURCE / f"{NOTEBOOK}.ipynb")  # the first imports, the others answer
TASKS = {task.id for task in bank.tasks()[NOTEBOOK]}
SECONDS = 1.0  # that a cell or a task may run


@pytest.fixture(scope="module")
def assignments():
    public = bank.load_all(bank.FOLDER / NOTEBOOK).values()
    fresh = fresh_records(NOTEBOOK, secrets.randbits(40))
    return {NOTEBOOK: Assignment(NOTEBOOK, hurried(public, SECONDS), hurried(fresh, SECONDS))}


@pytest.fixture(scope="module")
def launcher():
    with Launcher() as started:
        yield started


def each(change, cells=CELLS):
    """Return the cells, those that answer changed."""
    return [cell if not defined(cell) & TASKS else change(cell) for cell in cells]


def body(cell, line):
    """Return a cell with a line before each return."""
    return cell.replace("    return ", f"    {line}\n    return ")


def indented(cell, head, tail=""):
    return f"{head}\n{textwrap.indent(cell, '    ')}\n{tail}"


MESSY = {  # what is untidy → the cells
    "prints everywhere": each(lambda cell: body(cell, "print('here', locals())")),
    "prints a storm": each(lambda cell: body(cell, "print('x\\n' * 10_000)")),
    "warnings": each(lambda cell: body(cell, "import warnings; warnings.warn('careful')")),
    "writes to the standard error": each(
        lambda cell: body(cell, "import sys; sys.stderr.write('here')")
    ),
    "cells upside down": CELLS[::-1],
    "every cell twice": [*CELLS, *CELLS],
    "tries before the answer": [*map(stub, CELLS), *each(lambda cell: cell + "\n# at last")],
    "untouched stubs below the answers": [*CELLS, *map(stub, CELLS[1:])],
    "cells between": ["1 + 1", *[source for cell in CELLS for source in (cell, "x = 3\nx", "")]],
    "everything in one cell": ["\n\n".join(CELLS)],
    "float64 by default": ["import torch\ntorch.set_default_dtype(torch.float64)", *CELLS],
    "no gradients by default": ["import torch\ntorch.set_grad_enabled(False)", *CELLS],
    "other imports": [
        "import numpy as np, matplotlib.pyplot as plt, pandas, os, sys, random\n"
        "import torch.nn as nn, torch.nn.functional as F\nfrom tqdm import tqdm",
        *CELLS,
    ],
    "imports of what is not installed": ["import transformers_of_mine", *CELLS],
    "star imports": ["from torch import *\nfrom math import *", *CELLS],
    "a scratch cell that fails": [*CELLS[:3], "1 / 0", *CELLS[3:], "undefined"],
    "a scratch cell that is no Python": ["this is a note", *CELLS, "def unfinished("],
    "a scratch cell without end": [*CELLS[:2], "while True: pass", *CELLS[2:]],
    "a scratch cell that waits for words": ["name = input('Who?')", *CELLS],
    "scratch cells that exit": ["exit()", *CELLS[:3], "quit()", *CELLS[3:], "raise SystemExit"],
    "an assertion that does not hold": [*CELLS, "assert entropy(torch.ones(1)) == 7"],
    "tabs": each(lambda cell: cell.replace("    ", "\t")),
    "magics and shell escapes": [
        "%matplotlib inline\n%load_ext autoreload\n!pip install torch\n?print",
        "files = !ls\nprint(files)",
        "%%bash\nrm -rf /",
        *CELLS,
        "%timeit 1 + 1\nentropy?",
    ],
    "magics in the cells of the answers": each(lambda cell: f"%matplotlib inline\n{cell}"),
    "every cell timed": each(lambda cell: f"%%time\n{cell}"),
    "pasted from a Python session": each(lambda cell: ">>> " + cell.replace("\n", "\n... ")),
    "pasted from an IPython session": each(
        lambda cell: "In [3]: " + cell.replace("\n", "\n   ...: ")
    ),
    "indented as a whole": each(lambda cell: textwrap.indent(cell, "    ")),
    "helpers in other cells": [
        *each(lambda cell: cell.replace("scores.softmax(", "my_softmax(scores, ")),
        "def my_softmax(scores, dim): return torch.softmax(scores, dim)",
    ],
    "inside an if": each(lambda cell: indented(cell, "if True:")),
    "inside a try": each(lambda cell: indented(cell, "try:", "except Exception: raise")),
    "a name in another script": each(lambda cell: f"# von Jürgen Ωμέγα 李明 🙂\n{cell}"),
    "pictures that are shown": [
        *CELLS,
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nplt.figure()",
    ],
    "widgets and displays": [
        "from IPython.display import display, HTML, clear_output\ndisplay(HTML('<b>x</b>'))",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        *CELLS,
        "display(alignment)",
    ],
    "attributes of a class": [
        "import torch\nclass Mine:\n    scale = 1.0\n    @staticmethod\n"
        "    def entropy(weights):\n        safe = torch.where(weights > 0, weights, Mine.scale)\n"
        "        return -(weights * safe.log()).sum(-1)",
        *CELLS,
        "entropy = Mine.entropy",
    ],
    "type hints and jaxtyping": [
        "from jaxtyping import Float\nfrom torch import Tensor",
        *CELLS,
        'def entropy(weights: Float[Tensor, "n k"]) -> "Tensor":\n'
        "    return torch.distributions.Categorical(weights).entropy() if 0 else (\n"
        "        -torch.xlogy(weights, torch.where(weights > 0, weights, 1.0)).sum(-1))",
    ],
    "a progress bar": [
        "from tqdm.auto import tqdm\nimport time\nfor _ in tqdm(range(3)): time.sleep(0.01)",
        *CELLS,
    ],
    "files written and read": [
        "with open('notes.txt', 'w') as file: file.write('x')\nopen('notes.txt').read()",
        "import torch\ntorch.save(torch.ones(3), 'ones.pt'); torch.load('ones.pt')",
        *CELLS,
    ],
    "checks and hints of the course": [
        *CELLS,
        *(f"check({task!r}); hint({task!r}); steps({task!r})" for task in sorted(TASKS)),
        "progress()",
    ],
}


@pytest.mark.parametrize("name", MESSY)
def test_a_right_answer_earns_all_points(name, assignments, launcher):
    result = score_submission(submission(notebook(*MESSY[name])), Grading(assignments, launcher))
    assert result.problem == ""
    reasons = {task: outcome.reason for task, outcome in result.tasks.items()}
    assert reasons == dict.fromkeys(TASKS, "passed")
    assert result.points == result.of


def test_what_was_left_out_or_went_wrong_is_remarked(assignments, launcher):
    cells = ["!pip install x", "1 / 0", *CELLS]
    result = score_submission(submission(notebook(*cells)), Grading(assignments, launcher))
    assert result.remarks == [
        "cell 1: left out: !pip install x",
        "cell 2: ZeroDivisionError: division by zero",
    ]


def test_the_documentation_counts_them():
    text = (bank.FOLDER.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert f" {len(MESSY)} untidy" in text
