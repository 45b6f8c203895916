"""Every notebook, exercise and solution, run and moved in JupyterLab, as `inspection` does it."""

import pytest

from tests import needs
from tests.browser.inspection import inspect
from tests.browser.lab import ROOT

pytestmark = [needs.chromium, needs.every_notebook]

PATHS = [
    path.relative_to(ROOT).as_posix()
    for folder in ("notebooks", "exercises", "solutions")
    for path in sorted((ROOT / folder).glob("0*.ipynb"))
]


@pytest.mark.parametrize("path", PATHS)
def test_it_runs_and_moves_without_an_error_anywhere(browser, lab, path, record_property):
    record_property("notebooks", 1)
    found = inspect(browser, lab, path)
    record_property("opened", 1)
    for name in ("controls", "moved", "violations", "outside"):
        record_property(name, getattr(found, name))
    assert found.wrong == []
