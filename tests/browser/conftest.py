"""One browser and one JupyterLab for all tests of this package; opening either takes seconds.

They do not outlive the package, as tests elsewhere open a browser too, and there can be only one.
"""

import pytest

from tests.browser.lab import copy_course, is_own, running_browser, running_lab


@pytest.fixture(scope="package")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="package")
def course(tmp_path_factory):
    """A copy of the course, which the lab shows."""
    return copy_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="package")
def lab(course):
    """The address of JupyterLab, with its token."""
    with running_lab(course) as address:
        yield address


@pytest.fixture
def page(browser):
    """A page in which any error of the course, or any request, fails the test."""
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(f"{error}\n{error.stack}"))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda one: wrong.append(one.url) if one.url.startswith("http") else None)
    yield page
    page.close()
    assert [line for line in wrong if is_own(line)] == []
