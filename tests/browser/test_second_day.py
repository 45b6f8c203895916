"""Test what is left of a notebook when it is opened again: run, saved, its kernel gone.

Each explorer must be alive in the page, or be a picture that says what to run; guesses and their
answers must be there; nothing may say that a widget is missing. The same notebook, sent to somebody
who does not trust it, must show its pictures.
"""

import json
import urllib.request
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest

from tests import needs
from tests.browser.explorers import look
from tests.browser.lab import ROOT, RUN_MILLISECONDS, watched_page
from tests.browser.test_predictions import ASK, KERNEL, REVEAL, guess
from tests.explorer_examples import EXPLORERS
from utils.widgets.pictured import HINT

pytestmark = [pytest.mark.browser, needs.chromium]

SETUP = f"""import sys
sys.path.insert(0, "{ROOT}")
from utils.widgets import InterviewSheet
from tests.explorer_examples import EXPLORERS"""
KINDS = [*EXPLORERS]
CELLS = [SETUP, ASK, REVEAL, "InterviewSheet()", *(f'EXPLORERS["{kind}"]()' for kind in KINDS)]
RUN_ME = HINT.removeprefix("<p>").removesuffix("</p>")


class Server:
    """The address of a running JupyterLab, asked by a program."""

    def __init__(self, lab: str):
        address = urlsplit(lab)
        self._base, self._token = f"http://{address.netloc}", parse_qs(address.query)["token"][0]

    def page_of(self, name: str, app: str) -> str:
        return f"{self._base}/{app}/notebooks/{name}?reset&token={self._token}"

    def ask(self, path: str, method: str = "GET") -> bytes:
        request = urllib.request.Request(f"{self._base}/api/{path}", method=method)
        request.add_header("Authorization", f"token {self._token}")
        with urllib.request.urlopen(request) as response:
            return response.read()

    def shut_down_kernels(self) -> None:
        for session in json.loads(self.ask("sessions")):
            self.ask(f"sessions/{session['id']}", "DELETE")


@pytest.fixture(
    scope="module",
    params=["lab/tree", pytest.param("notebooks", marks=[pytest.mark.nightly, needs.notebook_7])],
    ids=["JupyterLab", "Notebook 7"],
)
def app(request):
    return request.param


@pytest.fixture(scope="module")
def server(lab):
    return Server(lab)


@pytest.fixture(scope="module")
def worked_with(browser, course, server, app):
    """Run a notebook with a widget of each kind, guess, save, and shut the kernel down.

    Returns:
        The name of the notebook.
    """
    name = f"second-day-{app.replace('/', '-')}.ipynb"
    cells = [*map(nbformat.v4.new_code_cell, CELLS)]
    path = course / "notebooks" / name
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), path)
    with watched_page(browser, "http://localhost:") as page:
        page.goto(server.page_of(name, app))
        cell = page.locator(".jp-CodeCell .cm-content")
        cell.first.wait_for(timeout=RUN_MILLISECONDS)
        wait_for_kernel(page, server)
        cell.first.click()
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        page.locator(".pr form:visible").wait_for(timeout=RUN_MILLISECONDS)
        guess(page)
        said = page.locator(".pr [role=status]")
        said.get_by_text("You said 0.6 (fairly sure).").wait_for()
        page.wait_for_timeout(2_000)  # the output is drawn anew, with the guess
        assert said.evaluate("said => said === document.activeElement")
        cell.nth(2).click()
        for _ in CELLS[2:]:
            page.keyboard.press("Shift+Enter")
        page.get_by_text(f"[{len(CELLS)}]:").first.wait_for(timeout=RUN_MILLISECONDS)
        assert page.locator(".jp-OutputArea-output[data-mime-type*=error]").all_inner_texts() == []
        assert page.get_by_text("0.353 too low").is_visible()
        page.keyboard.press("Control+s")
        page.wait_for_timeout(2_000)
    server.shut_down_kernels()
    assert "0.953" in path.read_text()
    return name


def wait_for_kernel(page, server):
    """Wait until a kernel has been started for the page, and is idle."""
    while not any(
        session["kernel"]["execution_state"] == "idle"
        for session in json.loads(server.ask("sessions"))
    ):
        page.wait_for_timeout(200)


def test_every_explorer_lives_without_its_kernel(browser, server, worked_with, app):
    with watched_page(browser, "http://localhost:") as page:
        page.goto(server.page_of(worked_with, app))
        page.locator(".jp-Notebook .ex").first.wait_for(timeout=RUN_MILLISECONDS)
        page.wait_for_timeout(3_000)  # long enough to find out that something is missing
        assert page.get_by_text("Error displaying widget").count() == 0
        places = page.locator(".explorer")
        assert places.count() == len(CELLS) - 2
        still = [place for place in places.all() if place.get_by_text(RUN_ME).count()]
        assert len(still) == len([kind for kind in KINDS if "translator" in kind])
        assert all(place.locator("img").is_visible() for place in still)
        for explorer in page.locator(".ex").all():
            control = explorer.locator("input[type=range], input[type=checkbox], select, button")
            assert moves(explorer, control), explorer.get_attribute("aria-label")


def moves(explorer, controls):
    """Decide whether the first control that can be used changes an explorer."""
    control = next(one for one in controls.all() if one.is_visible() and one.is_enabled())
    before = look(explorer)
    control.focus()
    for key in ("End", "Home", "ArrowDown", "Space"):
        control.page.keyboard.press(key)
        control.page.wait_for_timeout(50)
        if look(explorer) != before:
            return True
    return False


def test_a_guess_is_still_there_and_its_answer_folded(browser, server, worked_with, app):
    with watched_page(browser, "http://localhost:") as page:
        page.goto(server.page_of(worked_with, app))
        said = page.locator(".pr [role=status]")
        said.wait_for(timeout=RUN_MILLISECONDS)
        assert "You said 0.6 (fairly sure)." in said.inner_text()
        assert "0.953" not in said.inner_text()
        said.get_by_text("The answer").click()
        assert "0.953" in said.inner_text()
        comparison = page.get_by_text("0.353 too low")
        assert not comparison.is_visible()
        page.locator(".answer-fold summary").click()
        assert comparison.is_visible()


def test_somebody_who_does_not_trust_it_sees_pictures(browser, course, server, worked_with, app):
    sent = nbformat.read(course / "notebooks" / worked_with, as_version=4)
    sent.cells[0].source += "  # from a stranger, so no signature fits"
    nbformat.write(sent, course / "notebooks" / "sent.ipynb")
    with watched_page(browser, "http://localhost:") as page:
        page.goto(server.page_of("sent.ipynb", app))
        page.locator(".jp-Notebook .jp-OutputArea-output img").first.wait_for(
            timeout=RUN_MILLISECONDS
        )
        page.wait_for_timeout(3_000)
        assert page.get_by_text("Error displaying widget").count() == 0
        assert page.get_by_text(RUN_ME).count() == len(CELLS) - 2
        pictures = page.locator(".jp-OutputArea-output img")
        assert pictures.count() == len({*KINDS} - {"writer"})  # that one's picture is text
        assert all(
            width > 0 for width in pictures.evaluate_all("all => all.map((one) => one.width)")
        )
        assert page.get_by_text("You said 0.6 (fairly sure).").first.is_visible()
    server.shut_down_kernels()
