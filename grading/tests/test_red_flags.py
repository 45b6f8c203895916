"""What a person is told to look at, in code that is read and not run."""

import ast
import builtins
from collections.abc import Iterable
from textwrap import dedent

import pytest

from grading import hooks
from grading.intake import red_flags
from grading.intake.limited_reader import Reader
from grading.intake.notebook_parser import Flag, Notebook
from grading.intake.submissions import find
from grading.run import scoring
from grading.run.grading import Assignment, Grading
from grading.run.scoring import Outcome, Result
from grading.tests.made import notebook
from solutions import build
from tests import needs
from utils import notebook_file
from utils.checks import bank
from utils.checks.code import syntax
from utils.checks.kinds import kind_of
from utils.checks.tasks import Reason
from utils.notebook_file import Cell

NAMES = [path.stem for path in build.notebooks()]
SCALED = "def scaled_attention(query, keys, values, mask=None):\n"
FUSED = "scaled_dot_product_attention"
PATH = f"t.nn.functional.{FUSED}"
USED = f"scaled_attention uses {FUSED}"


def noticed(number: str, *cells: str) -> list[str]:
    """Return the flags of a notebook with these cells, numbered from 1."""
    (name,) = (name for name in NAMES if name.startswith(number))
    return [*map(str, flags(name, enumerate(map(dedent, cells), start=1)))]


def flags(name: str, cells: Iterable[tuple[int, str]]) -> list[Flag]:
    code = dict.fromkeys(notebook_file.tasks()[name], "")  # as if each had its cell
    return hooks.flags(Notebook(name, [Cell(*cell) for cell in cells], code=code))


IMPORT = "from torch.nn.functional import scaled_dot_product_attention as it"
DEEPER = "def deeper(*all): return functional.scaled_dot_product_attention(*all)"
HELPER = "class Helper:\n    def __call__(self, *all): return deeper(*all)"
BY_NAME = "name = 'scaled_dot_product_attention'\n    return getattr(torch.nn.functional, name)()"


@pytest.mark.parametrize(
    ("above", "body", "below"),
    [
        ("import torch.nn.functional as F", "return F.scaled_dot_product_attention()", ""),
        (IMPORT, "return it(query, keys, values)", ""),
        ("import torch\nops = torch.nn.functional", "return fused(query)", f"fused = ops.{FUSED}"),
        ("from torch.nn import functional", "return Helper()(query)", f"{DEEPER}\n{HELPER}"),
        ("import torch", BY_NAME, ""),
        ("", f"{IMPORT}\n    return it(query, keys, values)", ""),
        ("from torch.nn.functional import *", "return scaled_dot_product_attention()", ""),
        ("class Any: pass\nimport torch as t", "return Any.f(query)", f"if t:\n    Any.f = {PATH}"),
    ],
)
def test_a_shortcut_is_found_wherever_it_hides(above, body, below):
    flags_ = noticed("04", above, f"{SCALED}    {body}", below)
    assert [flag for flag in flags_ if flag.startswith(USED)]


@pytest.mark.parametrize(
    "whole",
    [
        "torch.nn.functional.multi_head_attention_forward",
        "torch.nn.MultiheadAttention",
        "utils.attention.MultiHeadAttention",
    ],
)
def test_many_heads_are_a_shortcut_to_one(whole):
    """With identity matrices and one head, they are scaled dot-product attention."""
    cells = f"import torch, utils.attention\n{SCALED}    return {whole}(query)"
    told = f"scaled_attention uses {whole.rpartition('.')[2]}"
    assert any(flag.startswith(told) for flag in noticed("04", cells))


def test_what_an_answer_does_not_use_is_no_shortcut_of_it():
    cells = [
        "from utils.masks import masked_softmax, causal_mask",
        "import torch.nn.functional as F\nweights = F.scaled_dot_product_attention",
        f"{SCALED}    weights = query @ keys.mT\n    return weights @ values, weights",
        "compare = F.scaled_dot_product_attention(1, 2, 3), scaled_attention(1, 2, 3)",
    ]
    assert noticed("04", *cells) == []


ITSELF = "masked_softmax is utils.masks.masked_softmax itself"
NOT_GIVEN = "which its notebook does not give"
SCIPY = "import scipy.special as s\ndef entropy(w): return s.entr(w).sum(-1)"
METRICS = "from utils import metrics\ndef entropy(w): return metrics.attention_entropy(w)"
NORM = "from torch import nn\ndef layer_norm(x, gamma, beta): return nn.LayerNorm(3)(x)"
WORDS = "WORDS = {}\ndef my_translations(sentences): return [WORDS[it] for it in sentences]"


@pytest.mark.parametrize(
    ("number", "cell", "flag"),
    [
        ("02", "from utils.masks import masked_softmax", ITSELF),
        ("02", "import utils.masks as m\nmasked_softmax = m.masked_softmax", ITSELF),
        ("01", METRICS, f"entropy uses utils.metrics.attention_entropy, {NOT_GIVEN}"),
        ("01", SCIPY, f"entropy uses scipy.special.entr, {NOT_GIVEN}"),
        ("08", NORM, "layer_norm uses LayerNorm"),
        ("06", WORDS, "my_translations rests on no model"),
    ],
)
def test_what_stands_in_for_an_answer_is_flagged(number, cell, flag):
    assert f"{flag} (cell 1)" in noticed(number, cell)


@pytest.mark.parametrize(
    ("cell", "flag"),
    [
        ("import utils.checks.runner as c\nc.REPEAT", "mentions utils.checks.runner.REPEAT"),
        ("from utils.checks import runner\nrunner.x = min", "replaces utils.checks.runner"),
        ("import torch\ntorch.autograd.grad = lambda *_: []", "replaces torch.autograd.grad"),
        ("import torch\nsetattr(torch, 'equal', max)", "replaces torch"),
        ("from torch import Tensor as T\nT.clone = lambda x: x", "replaces torch.Tensor.clone"),
        ("import sys\nsys.modules['__main__']", "mentions sys.modules"),
        ("import gc\ngc.get_objects()", "mentions gc.get_objects"),
        ("open('exercises/01_attention_concepts.safetensors')", "mentions .safetensors"),
        ("from solutions.n01_attention_concepts import entropy", "mentions solutions."),
        ("import torch\ntorch.ops.aten.native_layer_norm", "mentions torch.ops.aten"),
        ("import torch.nn.functional as F\nF._canonical_mask", "mentions torch.nn.functional._"),
        ("eval('1')", "looks names up while it runs, by eval"),
        ("import importlib\nimportlib.import_module('x')", "looks names up while it runs, by"),
        ("import torch\ntorch.__dict__['equal']", "looks names up while it runs, by torch."),
        ("import torch\nclass F(torch.autograd.Function): pass", "mentions torch.autograd.F"),
    ],
)
def test_a_way_into_the_grader_is_flagged(cell, flag):
    assert any(actual.startswith(f"the code {flag}") for actual in noticed("01", cell))


def test_ordinary_code_says_nothing():
    ordinary = """
        import math, sys, random
        import matplotlib.pyplot as plt
        import torch
        from utils.checks import check, hint, progress, steps
        torch.backends.cudnn.deterministic = True
        model = torch.nn.Linear(2, 2)
        model.eval()
        model.weight.data = torch.ones(2, 2)
        grading, solutions = [1], {"utils": 2}
        print(sys.version, "for the solutions, look below. grading: none")
        check("entropy")
        steps("entropy")
    """
    assert noticed("01", ordinary) == []
    for name in NAMES:
        of_stubs = flags(name, enumerate(notebook_file.given_code(name)))
        assert {flag.noticed for flag in of_stubs} <= {"rests on no model"}  # which is true


def test_a_task_without_points_has_no_flag():
    found = [Flag("entropy", "uses x"), Flag("soft_lookup", "uses y"), Flag("", "mentions z")]
    result = Result("", "", "", "")
    for task, points in {"entropy": 0, "soft_lookup": 4, "read_alignment": 3}.items():
        result.tasks[task] = Outcome(points, 4, Reason.PASSED, "", "", [], points)
    nothing_to_ask = Grading({"": Assignment("", {}, {})}, None)
    scoring.score_tasks(result, Notebook("", [], flags=found), [], nothing_to_ask)
    assert [*map(str, result.flags)] == ["soft_lookup uses y", "the code mentions z"]


def test_a_task_that_no_cell_defines_has_a_flag():
    name = NAMES[0]
    first, *others = notebook_file.tasks()[name]
    found = hooks.flags(Notebook(name, [], code=dict.fromkeys(others, "")))
    assert [*map(str, found)] == [f"{first} is defined by no cell of the notebook"]


# --- The published answers ------------------------------------------------------------------------


class Renamed(ast.NodeTransformer):
    """A change of all names that are local to a function."""

    def visit_FunctionDef(self, node):
        nodes, bound = [*ast.walk(node)], set()
        for part in nodes:
            match part:
                case ast.arg(name) | ast.Name(name, ast.Store()):
                    bound.add(name)
        for part in nodes:
            if isinstance(part, ast.Name) and part.id in bound:
                part.id += "_of_mine"
            elif isinstance(part, ast.arg):
                part.arg += "_of_mine"
        return node


@pytest.mark.parametrize("name", NAMES)
def test_published_solutions_are_known_under_other_names_and_in_another_layout(name):
    cells = build.code_of(build.SOURCE / f"{name}.ipynb")
    other = [ast.unparse(Renamed().visit(ast.parse(cell))) for cell in cells]
    actual = flags(name, enumerate(other))
    published = red_flags._published(name)
    lengths = {task: len(answers[0]) for task, answers in published.items()}
    long = {task: length for task, length in lengths.items() if length >= red_flags.LONG}
    is_enough = sum(long.values()) >= red_flags.ENOUGH
    assert is_enough or name.startswith("01")
    assert {flag.task for flag in actual} == (long.keys() if is_enough else set())
    assert {flag.noticed for flag in actual} <= {"reads like a published solution"}


@pytest.mark.parametrize("name", NAMES)
def test_right_answers_in_other_styles_are_not_taken_for_published_ones(name):
    """Each as if the others alone were published: with much room, where they are long."""
    for task, answers in red_flags._published(name).items():
        for own in answers:
            for other in answers:
                if other is not own and len(other) >= red_flags.LONG:
                    assert len(own & other) <= 0.55 * len(other), task


def test_what_must_be_short_is_nobodys():
    cells = [
        "import torch",
        "def softmax_with_temperature(scores, temperature):\n"
        "    return (scores / temperature).softmax(-1)",
        "def soft_lookup(q, k, v):\n    scores = q @ k.T\n    w = scores.softmax(-1)\n"
        "    return w @ v, w",
        "def normalised_heatmap(scores):\n    return scores.softmax(dim=-1)",
    ]
    assert noticed("01", *cells) == []


def test_code_that_is_nested_deeply_is_no_fault():
    deep = "x = " + "-" * 900 + "1"
    assert syntax(deep).body
    assert isinstance(noticed("01", deep, "y = " + "a." * 900 + "b"), list)


def test_every_name_of_a_lookup_exists():
    assert all(hasattr(builtins, name) for name in red_flags.LOOKUPS - {"__builtins__"})


def test_the_documentation_names_the_tasks_of_choices():
    text = (bank.FOLDER.parent / "docs" / "scores.md").read_text(encoding="utf-8")
    tasks = [task for tasks in bank.tasks().values() for task in tasks if not kind_of(task).is_code]
    *first, last = (f"`{task.id}`" for task in tasks)
    points = sum(task.points for task in tasks)
    assert f"{', '.join(first)} and {last}, {points} points together" in " ".join(text.split())


@needs.sandbox
def test_a_notebook_of_last_year_is_told_by_the_tasks_that_it_checks(tmp_path):
    file = tmp_path / "ada.ipynb"
    cells = ["def entropy(weights):\n    return 0", 'check("entropy")', 'check("soft_lookup")\n']
    file.write_bytes(notebook(*cells))
    (handed_in,) = find(tmp_path)
    with Reader() as reader:  # it sees nothing of the disk
        _, read = reader.read(handed_in)
    assert [str(flag) for flag in read.flags if "last year" in str(flag)] == [
        "the code checks 'soft_lookup', which is no task of this course: a notebook of last year? "
        "(cell 3)"
    ]
