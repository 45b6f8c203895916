"""The checks, checked; and `exercises/` is what is built, and gives nothing away."""

import ast
import inspect
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter

import nbformat
import numpy as np
import pytest

from solutions import selftest
from solutions.build import FENCE, SOURCE, build, code_of, notebooks, solutions_of, stub
from solutions.specification import Draw
from utils.checks import bank
from utils.checks.calling import Printed
from utils.checks.code import defined
from utils.checks.notebook import verdict_on

ALL = selftest.all_exercises()
every_exercise = pytest.mark.parametrize(
    ("path", "exercise"), ALL, ids=[exercise.task.id for _, exercise in ALL]
)


@every_exercise
def test_the_check_is_right_in_both_directions(path, exercise):
    """Misconceptions fail under their own names, right answers pass, mutants are noticed."""
    counts = Counter()
    assert list(selftest.problems_of(path, exercise, counts)) == []
    assert counts["misconceptions"] >= 4
    assert counts["variants"] >= 3
    caught = counts["mutants_caught"] / (counts["mutants"] - counts["mutants_equivalent"])
    assert caught >= 0.95


@every_exercise
def test_messages_are_different_and_whole(path, exercise):
    told = [(one.name, one.explanation) for one in exercise.misconceptions]
    for texts in zip(*told, strict=True):
        assert len(set(texts)) == len(texts)
    for one in exercise.misconceptions:
        assert re.search(r"[.?)]$", one.explanation)
        assert "?" in one.hint or one.hint.endswith(".")


@every_exercise
def test_an_untouched_stub_fails_politely(path, exercise):
    names = selftest.names_at_first(path)
    verdict = verdict_on(bank.load(exercise.task.id), names, Printed())
    assert not verdict.passed
    if exercise.task.id not in names:
        assert verdict.reason == "not defined"
        return
    cell = next(cell for cell in map(stub, code_of(path)) if exercise.task.id in defined(cell))
    if "..." in cell:
        assert verdict.reason == "nothing"
        assert not verdict.where
    else:  # the task is to find a bug
        assert verdict.mistake


@every_exercise
def test_cases_are_drawn_from_their_seed(path, exercise):
    one, same, other = (str(exercise.cases(Draw(seed))) for seed in (1, 1, 2))
    assert one == same
    assert exercise.task.kind == "choices" or one != other


def test_ids_are_names_of_one_task_each():
    ids = [exercise.task.id for _, exercise in ALL]
    assert len(set(ids)) == len(ids)
    assert all(one.isidentifier() for one in ids)


def as_another_processor_writes_them(path, rng):
    """The same records with other last digits and NaNs of the other sign."""
    with np.load(path, allow_pickle=False) as stored:
        arrays = dict(stored)
    for values in arrays.values():
        if values.dtype.kind == "f":
            values += rng.choice([-2e-6, 0, 2e-6], values.shape).astype(values.dtype)
            np.negative(values, out=values, where=np.isnan(values))
    np.savez(path, **arrays)


def test_what_is_committed_is_what_is_built_on_any_processor(tmp_path):
    for path in bank.FOLDER.iterdir():
        if path.suffix in (".ipynb", ".json", ".npz") and path.name != "progress.json":
            shutil.copy(path, tmp_path)
    for path in tmp_path.glob("*.npz"):
        as_another_processor_writes_them(path, np.random.default_rng(0))
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    build(tmp_path)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert built.keys() == found.keys()
    different = [name for name, content in built.items() if content != found[name]]
    assert different == [], "run `make exercises`"


def secret_lines():
    """Every line of solutions, misconceptions and variants that is longer than an idiom."""
    given_away = set()
    for path in notebooks():
        for source in code_of(path):
            for match in FENCE.finditer(source):
                yield from match["solution"].splitlines()
                given_away |= {
                    squeezed(line.strip("# ")) for line in (match["instead"] or "").splitlines()
                }
        for cell in nbformat.read(path, as_version=4).cells:
            if {"answer", "rubric"} & {*cell.metadata.get("tags", [])}:
                yield from cell.source.splitlines()[1:]
    for _, exercise in ALL:
        for one in exercise.misconceptions:
            if callable(one.gives):
                for line in textwrap.dedent(inspect.getsource(one.gives)).splitlines():
                    if squeezed(line) not in given_away:
                        yield line
    for path in (SOURCE / "tests" / "variants").glob("*.py"):
        yield from path.read_text(encoding="utf-8").splitlines()


def squeezed(text):
    return re.sub(r"\s+", "", text.split("  #")[0])


def test_nothing_handed_out_holds_a_solution_or_a_misconception():
    files = sorted(path for path in bank.FOLDER.iterdir() if path.is_file())
    handed_out = b"".join(path.read_bytes() for path in files)
    text = squeezed(handed_out.decode("utf-8", errors="ignore").replace('\\"', '"'))
    secrets = {squeezed(line) for line in secret_lines()}
    secrets = {one for one in secrets if len(one) >= 24 and not one.startswith(("def", '"""'))}
    assert len(secrets) > 30
    assert [one for one in secrets if one in text] == []
    assert "SOLUTION" not in text
    assert "lambda" not in text


def test_array_names_tell_no_answer():
    for path in bank.FOLDER.glob("*.npz"):
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                kind = r"(inputs|build|parameters|expected|mistake \d+)/[\w.]+|gradient \d+"
                assert re.fullmatch(rf"\w+/\d+/({kind})", name)


def test_exercises_work_without_solutions(tmp_path):
    """A copy without `solutions/`: the learner's tests pass there, and check() finds a mistake."""
    root = bank.FOLDER.parent
    for folder in ("utils", "exercises"):
        shutil.copytree(root / folder, tmp_path / folder)
    code = (
        "import pathlib, utils;"
        "assert pathlib.Path(utils.__file__).parents[1] == pathlib.Path.cwd();"
        "from utils.checks import check;"
        "softmax_with_temperature = lambda scores, temperature: (scores / temperature).softmax(0);"
        "print(check('softmax_with_temperature'));"
        "softmax_with_temperature = lambda scores, temperature: (scores / temperature).softmax(-1);"
        "print(check('softmax_with_temperature'))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "the softmax ran along axis 0" in run.stdout
    assert "✓ Softmax with temperature: passed, 2 of 2 points" in run.stdout


def test_the_readme_counts_the_exercises():
    readme = (bank.FOLDER.parent / "README.md").read_text(encoding="utf-8")
    for name, tasks in bank.tasks().items():
        points, minutes = (sum(getattr(one, of) for one in tasks) for of in ("points", "minutes"))
        assert f"(exercises/{name}.ipynb) | {len(tasks)} | {points} | {minutes} |" in readme


def test_utils_need_no_solutions():
    """The grader's parent asks them, when it grades; to import it takes none."""
    for path in (bank.FOLDER.parent / "utils").rglob("*.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        nodes = module.body if path.parent.name == "grading" else ast.walk(module)
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("solutions")


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem[:2])
def test_the_solution_notebook_was_run_and_passes(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    said = [
        output.data["text/plain"]
        for cell in cells
        if cell.source.startswith("check(")
        for output in cell.outputs
    ]
    assert len(said) == len(bank.tasks()[path.stem])
    assert all(text.startswith("✓") for text in said)
    assert solutions_of(path).keys() >= {task.id for task in bank.tasks()[path.stem]}
