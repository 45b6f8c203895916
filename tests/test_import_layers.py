"""Test that packages and modules import each other only in the order of CONTRIBUTING.md."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Each may import those behind it, and itself.
ABOVE = ["tests", "workshop", "grading", "solutions", "utils"]
# Modules of utils; each may import those behind it.
LAYERS = [
    *("preflight", "sheet", "parts", "widgets", "cards", "checks", "plots", "experiments"),
    *("translators", "training"),
    *("pretrained", "metrics", "transformer", "seq2seq", "corpora"),
    *("kv_cache", "attention", "positions", "masks"),
    *("running_example", "model_helpers", "model_card", "model_fields", "at_work", "export"),
]


def imports(path):
    """Yield the full dotted names of all that a file imports, anywhere in it.

    `from a import b` yields both "a" and "a.b", as b may be a module.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports start at the top of the course"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files(folder):
    return sorted((ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("package", ["workshop", "grading", "solutions", "utils"])
def test_no_package_imports_one_above_it(package):
    allowed = ABOVE[ABOVE.index(package) :]
    for path in files(package):
        own_tests = "tests" in path.relative_to(ROOT).parts
        for module in imports(path):
            top = module.partition(".")[0]
            helps_tests = own_tests and top == "tests"
            assert top not in ABOVE or top in allowed or helps_tests, f"{path} imports {module}"


def test_nothing_of_the_learners_needs_what_they_do_not_get():
    for path in files("tests"):
        secret = {module for module in imports(path) if module.split(".")[0] in ABOVE[1:-1]}
        assert not secret, f"{path} imports {secret}"


def test_no_module_of_utils_imports_one_above_it():
    modules = {path.stem if path.is_file() else path.name for path in (ROOT / "utils").iterdir()}
    assert set(LAYERS) <= modules
    for path in files("utils"):
        parts = path.relative_to(ROOT / "utils").with_suffix("").parts
        if parts == ("__init__",):
            packages = {module.split(".")[0] for module in imports(path)}
            assert packages <= sys.stdlib_module_names, "`import utils` alone loads next to nothing"
            continue
        assert parts[0] in LAYERS, f"{path} has no place among the layers"
        own = LAYERS.index(parts[0])
        for module in imports(path):
            if module.startswith("utils."):
                assert LAYERS.index(module.split(".")[1]) >= own, f"{path} imports {module}"
