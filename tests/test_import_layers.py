"""Test that packages and modules import each other only in the order of CONTRIBUTING.md."""

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Each may import those behind it, and itself.
ABOVE = ["tests", "workshop", "grading", "solutions", "utils"]
# Modules of utils; each may import those behind it.
LAYERS = [
    *("hand_in", "notebook_file"),
    *("preflight", "sheet", "parts", "widgets", "items", "cards", "course", "checks"),
    *("experiments", "plots", "figure", "translators", "training"),
    *("pretrained", "metrics", "transformer", "seq2seq", "corpora"),
    *("kv_cache", "torch_twins", "attention", "positions", "masks"),
    *("running_example", "model_helpers", "model_card", "model_fields", "at_work", "export"),
    "unreadable",
]

# What the core of the grader does without: what hangs on its hooks, and what commands of their own
# do. `__main__` names the commands.
EXTRAS = {
    *("intake.red_flags", "report.similarity", "report.class_statistics", "report.unrecognised"),
    "report.understanding",
    *(
        "report.anonymous",
        "report.guesses",
        "report.room",
        "report.marking",
        "report.local_server",
        "classroom",
        "release",
        "gradescope",
        "__main__",
    ),
}


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


@pytest.mark.parametrize("package", ABOVE)
def test_no_two_files_of_a_package_have_one_name(package):
    count = Counter(path.name for path in files(package))
    assert {name for name in count if count[name] > 1} <= {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("package", ["workshop", "grading", "solutions", "utils"])
def test_what_pytest_takes_for_a_test_is_one(package):
    assert {path.parent.name for path in files(package) if path.match("test_*.py")} <= {"tests"}


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


@pytest.mark.skipif(not (ROOT / "grading").exists(), reason="a learner's copy has no grader")
def test_the_core_of_the_grader_imports_none_of_its_extras():
    own = {
        ".".join(path.relative_to(ROOT / "grading").with_suffix("").parts): path
        for path in files("grading")
        if "tests" not in path.relative_to(ROOT).parts
    }
    assert {*own} >= EXTRAS
    (hooks,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(own["hooks"].read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and node.targets[0].id == "HOOKS"
    )
    assert {hook.removeprefix("grading.") for hook in hooks} < EXTRAS
    for name in own.keys() - EXTRAS:
        needed = EXTRAS.intersection(each.removeprefix("grading.") for each in imports(own[name]))
        assert not needed, f"grading.{name} imports {needed}"
