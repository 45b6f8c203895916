"""Inspect the notebooks in JupyterLab (see `inspection.py`).

Every night, exercises and solutions are inspected as well, and all of them thoroughly.
"""

import pytest

from tests import needs
from tests.browser.inspection import inspect
from tests.browser.lab import ROOT

pytestmark = [pytest.mark.browser, needs.chromium]


def paths_in(*folders):
    paths = [path for folder in folders for path in sorted((ROOT / folder).glob("[0-9]*.ipynb"))]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def inspect_and_count(browser, lab, path, thorough, record_property):
    record_property("notebooks", 1)
    findings = inspect(browser, lab, path, thorough)
    record_property("opened", 1)
    for name in ("controls", "moved", "violations", "outside"):
        record_property(name, getattr(findings, name))
    assert findings.faults == []


@pytest.mark.parametrize("path", paths_in("notebooks"))
def test_a_notebook_runs_and_moves_without_an_error_anywhere(browser, lab, path, record_property):
    inspect_and_count(browser, lab, path, False, record_property)


@pytest.mark.nightly
@pytest.mark.parametrize("path", paths_in("notebooks", "exercises", "solutions"))
def test_in_both_themes_and_by_mouse_too(browser, lab, path, record_property):
    inspect_and_count(browser, lab, path, True, record_property)
