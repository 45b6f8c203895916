"""Test `steps` in JupyterLab: readable in both themes, also after the notebook is opened again."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.inspection import SCREENSHOTS, shut_down_kernel
from tests.browser.lab import RUN_MILLISECONDS, go_to, switch_theme
from tests.browser.test_exercises import answer, run

pytestmark = [pytest.mark.browser, needs.chromium]

NAME = "02_additive_attention.ipynb"


def test_the_lines_of_an_answer_are_shown_and_stay_when_the_notebook_is_opened_again(
    browser, course, lab
):
    page = browser.new_page(viewport={"width": 1400, "height": 1400})
    page.set_default_timeout(RUN_MILLISECONDS)
    go_to(page, lab, f"exercises/{NAME}")
    page.get_by_text("| Idle").wait_for()  # a kernel is up
    run(page, "from utils.checks import check")
    answer(page, "weights.square()")
    run(page, 'check("masked_softmax")', 'steps("masked_softmax")')
    expect_readable(page, "live")
    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_timeout(2000)
    shut_down_kernel(page)
    go_to(page, lab, f"exercises/{NAME}")
    expect_readable(page, "stored")
    page.close()


def expect_readable(page, name):
    """Look at the output in both themes with axe, and take a picture of each."""
    output = page.locator(".jp-OutputArea-output").filter(has_text="line by line").last
    output.get_by_text("return weights.square()").first.wait_for()
    for theme in ("Dark", "Light"):
        switch_theme(page, theme)
        found = Axe().run(page, context=".jp-OutputArea-output").response["violations"]
        assert not found, [(each["id"], each["nodes"][0]["html"]) for each in found]
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        output.screenshot(path=SCREENSHOTS / f"steps-{name}-{theme}.png")
