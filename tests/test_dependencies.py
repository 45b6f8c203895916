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
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add(node.module.partition(".")[0])
    return modules - {*OURS, "conftest"} - sys.stdlib_module_names


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
