"""What the tests of explorers share."""

import pytest

from tests.browser.lab import running_browser


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A page in which any error, or any request, fails the test."""
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda one: wrong.append(one.url) if one.url.startswith("http") else None)
    yield page
    page.close()
    assert wrong == []
