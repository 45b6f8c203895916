"""Share one browser and one JupyterLab among all tests here, since each takes seconds to start.

They are closed after the last test of this package: tests elsewhere start a browser too, and a
process can have only one.
"""

import pytest

from tests.browser.lab import copy_course, running_browser, running_lab, watched_page


@pytest.fixture(scope="package")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def course(tmp_path_factory):
    """Return the folder of a copy of the course, which `lab` serves."""
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="package")
def lab(course):
    """Start JupyterLab on the copy of the course; return its address, with its token."""
    with running_lab(course) as address:
        yield address


@pytest.fixture
def page(browser):
    with watched_page(browser) as page:
        yield page
