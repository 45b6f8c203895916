"""Right answers earn all points, however untidy the notebook is that they come in."""

import base64
import json
import secrets
import textwrap
from dataclasses import replace

import nbformat
import pytest
from nbformat import v3, v4

from grading.grader import fresh_records
from grading.intake.submissions import Submission
from grading.run.dialog import Assignment
from grading.run.launcher import Launcher
from grading.run.scoring import score_submission
from solutions.build import SOURCE, code_of, stub
from tests import needs
from utils.checks import bank
from utils.checks.code import defined

pytestmark = needs.sandbox

NAME = "01_attention_concepts"
CELLS = code_of(SOURCE / f"{NAME}.ipynb")  # the first imports, the others answer
TASKS = {task.id for task in bank.tasks()[NAME]}
SECONDS = 1.0  # that a cell or a task may run
PICTURE = base64.b64encode(b"\x89PNG" + bytes(50_000)).decode()


@pytest.fixture(scope="module")
def assignments():
    def hurried(records):
        return {
            record.task.id: replace(record, task=replace(record.task, seconds=SECONDS))
            for record in records
        }

    public = bank.load_all(bank.FOLDER / NAME).values()
    fresh = fresh_records(NAME, secrets.randbits(40))
    return {NAME: Assignment(NAME, hurried(public), hurried(fresh))}


@pytest.fixture(scope="module")
def launcher():
    with Launcher() as started:
        yield started


def notebook(*cells, metadata=None, minor=5):
    """A notebook's content, as JSON has it."""
    made = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells])
    content = json.loads(nbformat.writes(made))
    return content | {"metadata": metadata or {}, "nbformat_minor": minor}


def data(*cells, **more):
    return json.dumps(notebook(*cells, **more)).encode()


def each(change, cells=CELLS):
    """The cells that answer, changed."""
    return [cell if not defined(cell) & TASKS else change(cell) for cell in cells]


def with_cells(**fields):
    """The solution with something in every cell of the file."""
    content = notebook(*CELLS)
    content["cells"] = [cell | fields for cell in content["cells"]]
    return json.dumps(content).encode()


def indented(cell, head, tail=""):
    return f"{head}\n{textwrap.indent(cell, '    ')}\n{tail}"


def body(cell, line):
    """A cell with a line before each return."""
    return cell.replace("    return ", f"    {line}\n    return ")


def old():
    """The format of 2012."""
    cells = [v3.new_code_cell(cell, language="python") for cell in CELLS]
    made = v3.new_notebook(worksheets=[v3.new_worksheet(cells=cells)])
    return v3.writes_json(made).encode()


def without_ids():
    content = notebook(*CELLS, minor=0)
    for cell in content["cells"]:
        del cell["id"]
    return json.dumps(content).encode()


INDENTED = json.dumps(notebook(*CELLS), indent=1)
PYTHON = {"display_name": ".venv (3.12.1)", "language": "python", "name": "python3"}
COLAB = {"colab": {"provenance": [], "toc_visible": True}, "accelerator": "GPU"}
VS_CODE = {"language_info": PYTHON, "vscode": {"interpreter": {"hash": "31f2aee4e71d21fbe5"}}}
OTHER = {"name": "my-env", "display_name": "?", "language": "R"}
FIGURE = {"image/png": PICTURE, "text/plain": ["<Figure>"]}
OUTPUT = {"output_type": "display_data", "data": FIGURE, "metadata": {}}
MESSY = {
    "prints everywhere": data(*each(lambda cell: body(cell, "print('here', locals())"))),
    "prints a storm": data(*each(lambda cell: body(cell, "print('x\\n' * 10_000)"))),
    "warnings": data(*each(lambda cell: body(cell, "import warnings; warnings.warn('careful')"))),
    "writes to the standard error": data(
        *each(lambda cell: body(cell, "import sys; sys.stderr.write('here')"))
    ),
    "an unknown kernel": data(*CELLS, metadata={"kernelspec": OTHER}),
    "no metadata, and cells upside down": data(*reversed(CELLS)),
    "every cell twice": data(*CELLS, *CELLS),
    "tries before the answer": data(*map(stub, CELLS), *each(lambda cell: cell + "\n# at last")),
    "untouched stubs below the answers": data(*CELLS, *map(stub, CELLS[1:])),
    "cells between": data(
        "1 + 1", *[source for cell in CELLS for source in (cell, "x = 3\nx", "")]
    ),
    "everything in one cell": data("\n\n".join(CELLS)),
    "float64 by default": data("import torch\ntorch.set_default_dtype(torch.float64)", *CELLS),
    "no gradients by default": data("import torch\ntorch.set_grad_enabled(False)", *CELLS),
    "other imports": data(
        "import numpy as np, matplotlib.pyplot as plt, pandas, os, sys, random\n"
        "import torch.nn as nn, torch.nn.functional as F\nfrom tqdm import tqdm",
        *CELLS,
    ),
    "imports of what is not installed": data("import transformers_of_mine", *CELLS),
    "star imports": data("from torch import *\nfrom math import *", *CELLS),
    "a scratch cell that fails": data(*CELLS[:3], "1 / 0", *CELLS[3:], "undefined"),
    "a scratch cell that is no Python": data("this is a note", *CELLS, "def unfinished("),
    "a scratch cell without end": data(*CELLS[:2], "while True: pass", *CELLS[2:]),
    "a scratch cell that waits for words": data("name = input('Who?')", *CELLS),
    "scratch cells that exit": data("exit()", *CELLS[:3], "quit()", *CELLS[3:], "raise SystemExit"),
    "an assertion that does not hold": data(*CELLS, "assert entropy(torch.ones(1)) == 7"),
    "Windows line ends": data(*(cell.replace("\n", "\r\n") for cell in CELLS)),
    "old Macintosh line ends": data(*(cell.replace("\n", "\r") for cell in CELLS)),
    "tabs": data(*each(lambda cell: cell.replace("    ", "\t"))),
    "a file with Windows line ends": INDENTED.replace("\n", "\r\n").encode(),
    "from Colab": data(*CELLS, metadata=COLAB | {"kernelspec": PYTHON}),
    "from VS Code": data(*CELLS, metadata=VS_CODE | {"kernelspec": PYTHON}),
    "metadata in every cell": with_cells(
        metadata={"id": "xYz", "vscode": {"languageId": "python"}, "collapsed": True, "tags": ["a"]}
    ),
    "pictures in the outputs": with_cells(outputs=[OUTPUT] * 3, execution_count=17),
    "cells with one id": with_cells(id="same"),
    "magics and shell escapes": data(
        "%matplotlib inline\n%load_ext autoreload\n!pip install torch\n?print",
        "files = !ls\nprint(files)",
        "%%bash\nrm -rf /",
        *CELLS,
        "%timeit 1 + 1\nentropy?",
    ),
    "magics in the cells of the answers": data(*each(lambda cell: f"%matplotlib inline\n{cell}")),
    "every cell timed": data(*each(lambda cell: f"%%time\n{cell}")),
    "pasted from a Python session": data(*each(lambda cell: ">>> " + cell.replace("\n", "\n... "))),
    "pasted from an IPython session": data(
        *each(lambda cell: "In [3]: " + cell.replace("\n", "\n   ...: "))
    ),
    "indented as a whole": data(*each(lambda cell: textwrap.indent(cell, "    "))),
    "the format of 2012": old(),
    "the first format of today, without ids": without_ids(),
    "helpers in other cells": data(
        *each(lambda cell: cell.replace("scores.softmax(", "my_softmax(scores, ")),
        "def my_softmax(scores, dim): return torch.softmax(scores, dim)",
    ),
    "inside an if": data(*each(lambda cell: indented(cell, "if True:"))),
    "inside a try": data(*each(lambda cell: indented(cell, "try:", "except Exception: raise"))),
    "a name in another script": data(*each(lambda cell: f"# von Jürgen Ωμέγα 李明 🙂\n{cell}")),
    "a byte order mark": b"\xef\xbb\xbf" + data(*CELLS),
    "UTF-16": json.dumps(notebook(*CELLS)).encode("utf-16"),
    "pictures that are shown": data(
        *CELLS, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nplt.figure()"
    ),
    "widgets and displays": data(
        "from IPython.display import display, HTML, clear_output\ndisplay(HTML('<b>x</b>'))",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        *CELLS,
        "display(alignment)",
    ),
    "attributes of a class": data(
        "import torch\nclass Mine:\n    scale = 1.0\n    @staticmethod\n"
        "    def entropy(weights):\n        safe = torch.where(weights > 0, weights, Mine.scale)\n"
        "        return -(weights * safe.log()).sum(-1)",
        *CELLS,
        "entropy = Mine.entropy",
    ),
    "type hints and jaxtyping": data(
        "from jaxtyping import Float\nfrom torch import Tensor",
        *CELLS,
        'def entropy(weights: Float[Tensor, "n k"]) -> "Tensor":\n'
        "    return torch.distributions.Categorical(weights).entropy() if 0 else (\n"
        "        -torch.xlogy(weights, torch.where(weights > 0, weights, 1.0)).sum(-1))",
    ),
    "a progress bar": data(
        "from tqdm.auto import tqdm\nimport time\nfor _ in tqdm(range(3)): time.sleep(0.01)", *CELLS
    ),
    "files written and read": data(
        "with open('notes.txt', 'w') as file: file.write('x')\nopen('notes.txt').read()",
        "import torch\ntorch.save(torch.ones(3), 'ones.pt'); torch.load('ones.pt')",
        *CELLS,
    ),
    "checks and hints of the course": data(
        *CELLS, *(f"check({task!r}); hint({task!r})" for task in sorted(TASKS)), "progress()"
    ),
}


@pytest.mark.filterwarnings("ignore::nbformat.warnings.DuplicateCellId")
@pytest.mark.parametrize("name", MESSY)
def test_a_right_answer_earns_all_points(name, assignments, launcher):
    sent = Submission("Somebody", "", "", "somebody.ipynb", lambda: MESSY[name])
    result = score_submission(sent, assignments, launcher)
    assert result.problem == ""
    reasons = {task: outcome.reason for task, outcome in result.tasks.items()}
    assert reasons == dict.fromkeys(TASKS, "passed")
    assert result.points == result.of


def test_what_was_left_out_or_went_wrong_is_remarked(assignments, launcher):
    cells = ["!pip install x", "1 / 0", *CELLS]
    sent = Submission("Somebody", "", "", "somebody.ipynb", lambda: data(*cells))
    result = score_submission(sent, assignments, launcher)
    assert result.remarks == [
        "cell 1: left out: !pip install x",
        "cell 2: ZeroDivisionError: division by zero",
    ]


def test_the_documentation_counts_them():
    text = (bank.FOLDER.parent / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert f" {len(MESSY)} untidy" in text
