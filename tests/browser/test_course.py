"""Test, in a real browser, what a learner sees on opening the course and when moving a widget."""

import pytest

from tests import needs
from tests.browser.lab import RUN_MILLISECONDS, go_to

pytestmark = [pytest.mark.browser, needs.chromium]


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(RUN_MILLISECONDS)
    yield page
    page.close()


def test_the_course_opens_at_two_translators_and_the_query_turns_before_any_kernel_runs(lab, page):
    page.goto(lab)
    page.get_by_role("heading", name="01 · Attention concepts").wait_for()
    page.locator('[data-module="translator_explorer"] img').first.wait_for()
    page.locator('.jp-OutputArea-output img[alt*="le → The 0.87"]').first.wait_for()
    page.wait_for_timeout(2000)  # news and questions would come a little later
    assert page.locator(".jp-Dialog, .Toastify__toast").count() == 0

    explorer = page.locator(".qe")
    explorer.scroll_into_view_if_needed()
    status = explorer.locator("[role=status]")
    assert "Most weight: cat, 0.98" in status.inner_text()

    explorer.get_by_label("query direction").focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")  # from 18 to 78 degrees: past "The"
    assert "Most weight: The" in status.inner_text()

    box = explorer.locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] * 0.4, steps=5)  # left: towards "mat"
    page.mouse.up()
    assert "Most weight: mat" in status.inner_text()


def test_the_course_overview_opens_as_a_page_with_its_picture_and_leads_to_a_notebook(lab, page):
    # Without what an earlier test left open: JupyterLab would restore notebook 01, and a moment
    # later open it a second time, in front of the overview.
    go_to(page, lab, "notebooks/01_attention_concepts.ipynb")
    page.locator('[data-module="translator_explorer"] img').first.wait_for()
    # JupyterLab draws a notebook bit by bit. Before it has bound a link, which its address shows, a
    # click opens a tab of the browser; and a mouse loses what moves under it.
    page.locator('a[href*="/files/README.md"]', has_text="Course overview").dispatch_event("click")
    page.get_by_role("heading", name="Attention, from the heatmap up").wait_for()
    page.wait_for_function("document.querySelector('img[alt^=\"Two translators\"]')?.naturalWidth")
    page.locator(".jp-MarkdownViewer").get_by_role("link", name="Additive attention").click()
    page.get_by_role("heading", name="02 · Additive attention").wait_for()
