"""Test, in a real browser, what a learner sees on opening the course and when moving a widget."""

import pytest

from tests import needs
from tests.browser.inspection import shut_down_kernel
from tests.browser.lab import open_notebook

pytestmark = [pytest.mark.browser, needs.chromium]

SLIDER = "02_additive_attention.ipynb"  # in its first code cell


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(60_000)
    yield page
    page.close()


def test_the_course_opens_at_two_translators_and_the_query_turns_before_any_kernel_runs(lab, page):
    page.goto(lab)
    page.get_by_role("heading", name="01 · Attention concepts").wait_for()
    page.get_by_role("group", name="Translator").first.wait_for()
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


# Move a slider away and, as soon as the new picture is there, back: the kernel is asked again for a
# picture that it has already drawn.
AWAY_AND_BACK = """async figure => {
  const input = figure.querySelector("input[type=range]");
  const move = (end) => {
    input.value = input[end];
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const drawn = new Promise((resolve) => new MutationObserver(resolve)
    .observe(figure.querySelector("img").parentNode, { childList: true }));
  move("max");
  await drawn;
  move("min");
  move("max");
}"""


def test_a_slider_asks_the_kernel_for_another_picture(lab, page):
    open_notebook(page, lab, SLIDER)
    page.get_by_text("| Idle").wait_for()  # the status bar: a kernel is up
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Control+Enter")
    figure = page.locator(".ex:has(> div > img)").first
    figure.wait_for()
    figure.evaluate(AWAY_AND_BACK)
    page.wait_for_timeout(1000)  # by then it says that it waits
    figure.get_by_text("The kernel is drawing").wait_for(state="hidden")
    shut_down_kernel(page)
