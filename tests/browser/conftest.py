"""Share one browser and one JupyterLab among all tests here; opening either takes seconds.

They do not outlive the package, as tests elsewhere open a browser too, and there can be only one.
"""

import pytest

from tests.browser.lab import copy_course, running_browser, running_lab, watched_page


@pytest.fixture(scope="package")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def course(tmp_path_factory):
    """Return a copy of the course, which the lab shows."""
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="package")
def lab(course):
    """Return the address of JupyterLab, with its token."""
    with running_lab(course) as address:
        yield address


@pytest.fixture
def page(browser):
    with watched_page(browser) as page:
        yield page
