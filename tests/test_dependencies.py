"""Test that everything the course imports is among the requirements that pip installs."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OURS = ("grading", "solutions", "tests", "utils", "workshop")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
REQUIREMENTS = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()


def names(requirements: list[str]) -> set[str]:
    """Return the names of the distributions in requirements, in normalised spelling."""
    matches = (re.match(r"[A-Za-z][\w.-]*", line) for line in requirements)
    return {comparable(match[0]) for match in matches if match}


def comparable(distribution: str) -> str:
    """Return the normalised name of a distribution, by which pip compares: "A_b" becomes "a-b"."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def imported(path: Path) -> set[str]:
    """Return the top-level names of the third-party packages that a file imports, anywhere in it.

    The course's own packages and the standard library are left out.
    """
    nodes = ast.walk(ast.parse(path.read_bytes()))
    modules = set().union(*map(imported_by, nodes))
    return modules - {*OURS, "conftest"} - sys.stdlib_module_names


def imported_by(node: ast.AST) -> set[str]:
    """Return the top-level names of the packages that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    is_whole = isinstance(node, ast.ImportFrom) and not node.level
    return {node.module.partition(".")[0]} if is_whole else set()


@pytest.mark.parametrize("package", [name for name in OURS if (ROOT / name).exists()])
def test_everything_imported_is_declared(package):
    base = names(REQUIREMENTS) | names(EXTRAS["cluster"])
    distributions = packages_distributions()
    undeclared = set()
    for path in (ROOT / package).rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        declared = {*base}
        of_tests = ("browser", "real", "transformers", "cards", "anki")
        for extra in of_tests if "tests" in parts else ():
            declared |= names(EXTRAS[extra])
        declared |= names(EXTRAS["hub"] if "hub" in parts else [])
        declared |= names(EXTRAS["real"] if "pretrained" in parts else [])
        declared |= names(EXTRAS["cards"] if "items" in parts else [])
        for name in imported(path):
            if not declared & {comparable(owner) for owner in distributions.get(name, [name])}:
                undeclared.add(f"{path.relative_to(ROOT)}: {name}")
    assert undeclared == set()


def test_what_the_course_stands_on_is_named():
    base = "torch numpy matplotlib seaborn jupyterlab nbval ipywidgets"
    assert set(base.split()) <= names(REQUIREMENTS)


def test_each_version_is_stated_once():
    stated = [*names(REQUIREMENTS), *(name for extra in EXTRAS.values() for name in names(extra))]
    assert len(stated) == len(set(stated))


@pytest.mark.parametrize("package", [name for name in OURS if (ROOT / name).exists()])
def test_what_an_extra_brings_is_imported_where_it_is_used(package):
    """Otherwise `make test` fails where only the requirements are installed."""
    extra = set().union(*map(names, EXTRAS.values())) - names(REQUIREMENTS)
    distributions = packages_distributions()
    for path in (ROOT / package).rglob("*.py"):
        if {"browser", "hub"} & {*path.relative_to(ROOT).parts}:  # run with their extras only
            continue
        for statement in ast.parse(path.read_bytes()).body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for name in imported_by(statement):
                    owners = {comparable(owner) for owner in distributions.get(name, [name])}
                    assert not owners & extra, f"{path.relative_to(ROOT)} imports {name} at its top"
