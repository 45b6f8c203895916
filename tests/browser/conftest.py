"""One browser and one JupyterLab for all tests of a process; opening either takes seconds."""

import pytest

from tests.browser.lab import copy_course, running_browser, running_lab


@pytest.fixture(scope="session")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def course(tmp_path_factory):
    """A copy of the course, which the lab shows."""
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def lab(course):
    """The address of JupyterLab, with its token."""
    with running_lab(course) as address:
        yield address
