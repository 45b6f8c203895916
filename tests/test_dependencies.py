"""What the course imports, `pip install` brings."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LABELLED = ROOT / "solutions" / "labelled"  # what learners may have, beyond ours
OURS = ("grading", "solutions", "tests", "utils", "workshop")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements: list[str]) -> set[str]:
    """The distributions that requirements name, spelt as pip compares them."""
    return {comparable(re.match(r"[\w.-]+", one)[0]) for one in requirements}


def comparable(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def imported(path: Path) -> set[str]:
    """The top-level names that a module imports from others, at any place in its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found - {*OURS} - sys.stdlib_module_names


@pytest.mark.parametrize("package", [name for name in OURS if (ROOT / name).exists()])
def test_everything_imported_is_declared(package):
    optional = PROJECT["optional-dependencies"]
    course = names(PROJECT["dependencies"]) | names(optional["cluster"])
    dev, hub = names(optional["dev"]), names(optional["hub"])
    distributions = packages_distributions()
    undeclared = set()
    for path in (ROOT / package).rglob("*.py"):
        if path.is_relative_to(LABELLED):
            continue
        parts = path.relative_to(ROOT).parts
        declared = course | (dev if "tests" in parts else hub if "hub" in parts else set())
        for name in imported(path):
            if not declared & {comparable(one) for one in distributions.get(name, [name])}:
                undeclared.add(f"{path.relative_to(ROOT)}: {name}")
    assert undeclared == set()
