"""Test an exercise as a learner works on it: a wrong answer, a hint, the right answer."""

import json

import pytest

from tests import needs
from tests.browser.inspection import shut_down_kernel
from tests.browser.lab import RUN_MILLISECONDS, go_to

pytestmark = [pytest.mark.browser, needs.chromium]

NAME = "02_additive_attention.ipynb"
TASK = "masked_softmax"
ANSWER = """def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    return {weights}
"""


def test_a_learner_answers_wrong_asks_for_a_hint_and_passes(browser, course, lab):
    (course / "exercises/progress.json").unlink(missing_ok=True)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(RUN_MILLISECONDS)
    go_to(page, lab, f"exercises/{NAME}")
    page.get_by_text("| Idle").wait_for()  # a kernel is up
    run(page, "from utils.checks import check")
    answer(page, "weights")
    verdict = show(page, f'check("{TASK}")')
    verdict.get_by_text("Rows that are masked whole get equal shares").wait_for()
    assert "✗ A softmax with a mask: not yet" in verdict.inner_text()
    hints = show(page, f'hint("{TASK}")')
    hints.get_by_text("1. Two questions, one after the other").wait_for()
    assert "2 more: run this cell again." in hints.inner_text()
    assert not earned(course)["points"]

    answer(page, "weights.masked_fill(~mask, 0)")
    verdict = show(page, f'check("{TASK}")')
    verdict.get_by_text("✓ A softmax with a mask: passed, 3 of 3 points").wait_for()
    assert earned(course)["points"] == 3
    progress = show(page, "progress()")
    progress.get_by_text("3 of ").first.wait_for()
    row = progress.locator("tr").filter(has_text="A softmax with a mask")
    assert "✓ done" in row.inner_text()
    shut_down_kernel(page)
    page.close()


def earned(course):
    """Return the stored progress of the task: a dict with its points."""
    return json.loads((course / "exercises/progress.json").read_text())[TASK]


def answer(page, weights):
    """Replace the task's cell by an answer that returns the expression `weights`, and run it."""
    run(page, f"def {TASK}", ANSWER.format(weights=weights))


def show(page, call):
    """Run the cell that holds this call, and return the element with its message."""
    return run(page, call).locator("[role=status]")


def run(page, text, replacement=None):
    """Run the first code cell whose code has this text, and return the cell.

    If there is a replacement, it becomes the cell's code beforehand.
    """
    code = page.locator(".cm-content").filter(has_text=text)  # what a cell shows may say it too
    cell = page.locator(".jp-CodeCell").filter(has=code).first
    cell.locator(".cm-content").click()
    if replacement is not None:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(replacement)
    page.keyboard.press("Control+Enter")
    return cell
