"""A light task is one file: as the documentation shows it, it is built, and it is refused whole."""

import importlib.util
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch

from solutions import build, selftest
from solutions.specification import LightTask
from utils.checks import bank
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Case

NOTEBOOK = build.notebooks()[0]
DOCS = (build.SOURCE.parent / "docs" / "correcting.md").read_text(encoding="utf-8")
(EXAMPLE,) = re.findall(r"^```python\n(.*?LightTask.*?)^```", DOCS, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def notebook(tmp_path, monkeypatch):
    """Return a copy of a solution notebook, beside which stands the file that the page shows."""
    folder = tmp_path / f"n{NOTEBOOK.stem}"
    folder.mkdir()
    (folder / "weighted_mean.py").write_text(EXAMPLE, encoding="utf-8")

    def load(name):
        file = folder / f"{name.rpartition('.')[2]}.py"
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    copy = Path(shutil.copy(NOTEBOOK, tmp_path))
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    monkeypatch.setattr(build, "importlib", SimpleNamespace(import_module=load))
    return copy


@pytest.fixture
def exercise(notebook):
    return build.importlib.import_module("weighted_mean").exercise


def test_its_cells_come_from_its_file_and_go_with_it(notebook):
    before = nbformat.read(notebook, as_version=4)
    build.write_light_tasks()
    cells = nbformat.read(notebook, as_version=4).cells
    heading, code, _, check = [cell for cell in cells if "light" in cell.metadata.get("tags", [])]
    assert heading.source.startswith("## 0. The weighted mean\n\nFor each query, return")
    assert build.stub(code.source).endswith('src_len, dim)."""\n    ...  # your code here')
    assert "return weights @ values" in build.solved(code.source)
    assert check.source == 'check("weighted_mean")'
    assert cells[cells.index(check) + 1].source.startswith("## In words")
    written = notebook.read_bytes()
    build.write_light_tasks()
    assert notebook.read_bytes() == written
    (notebook.parent / f"n{NOTEBOOK.stem}" / "weighted_mean.py").unlink()
    build.write_light_tasks()
    assert nbformat.read(notebook, as_version=4) == before


def test_a_file_that_is_not_called_like_its_function_is_refused(notebook):
    folder = notebook.parent / f"n{NOTEBOOK.stem}"
    (folder / "weighted_mean.py").rename(folder / "mean.py")
    with pytest.raises(ValueError, match=r"mean\.py has to be called like its function"):
        build.write_light_tasks()


def test_a_check_names_symptoms(exercise):
    record = exercise.record(exercise.solution)

    def verdict(answer):
        return verdict_on(record, {"weighted_mean": answer}, Printed())

    assert verdict(exercise.solution).passed
    assert verdict(lambda weights, values: torch.einsum("ts,sd->td", weights, values)).passed
    wrong = verdict(lambda weights, values: 2 * (weights @ values))
    assert not wrong.passed
    assert wrong.mistake is None
    assert wrong.evidence.case.label == "two queries"


def test_the_selftest_tries_the_solution_on_fresh_cases(exercise, monkeypatch):
    record = exercise.record(exercise.solution)
    monkeypatch.setattr(bank, "load", lambda task: record)
    names = {"weighted_mean": exercise.solution}
    monkeypatch.setattr(selftest, "_solutions", lambda path, exercise: names)
    assert [*selftest.problems_of(NOTEBOOK, exercise, build.facts.Counter())] == []
    names["weighted_mean"] = lambda weights, values: weights @ values + 1
    monkeypatch.setattr(exercise, "record", lambda solution, seed: record)
    (problem,) = selftest.problems_of(NOTEBOOK, exercise, build.facts.Counter())
    assert "right answer the solution" in problem


def weights_as_they_are(weights, values):
    return weights, values


def test_all_that_is_wrong_is_told_at_once():
    def cases(draw):
        return [Case("always the same", {"weights": torch.ones(1, 2), "values": torch.ones(2, 1)})]

    facts = {"title": "T", "difficulty": 4, "minutes": "5", "section": "1.6", "point": 2}
    with pytest.raises(ValueError, match="cannot be used yet") as raised:
        LightTask(weights_as_they_are, " ", cases=cases, outputs=["contexts"], **facts)
    expected = [
        "The light task `weights_as_they_are` cannot be used yet:",
        "- `points` is missing.",
        "- There is no argument `point`.",
        "- The text is empty.",
        "- The solution has no docstring, which tells learners the shapes.",
        "- `difficulty` is 4, not a whole number from 1 to 3.",
        "- `minutes` is '5', not a whole number from 1 to 60.",
        "- `section` is '1.6', not a notebook and a section as in '01.6'.",
        "- The cases are the same for each seed: a grader needs others. Use `draw`.",
    ]
    *actual, last = str(raised.value).split("\n")
    assert actual == expected
    assert last.startswith("- The solution fails for 'always the same'. AnswerError: ")
    with pytest.raises(ValueError, match=r"The cases cannot be drawn\. KeyError: 'size'"):
        LightTask(weights_as_they_are, "Text.", cases=lambda draw: {}["size"])
