"""What a learner does with an exercise, in a real browser: a wrong answer, then the right one."""

import json

from tests import needs
from tests.browser.lab import (
    RUN_MILLISECONDS,
    copy_course,
    go_to,
    running_browser,
    running_lab,
)

pytestmark = needs.chromium

NOTEBOOK = "exercises/01_attention_concepts.ipynb"
TASK = "softmax_with_temperature"


def test_a_wrong_answer_is_named_and_the_right_one_passes(tmp_path):
    course = copy_course(tmp_path)
    with running_lab(course) as address, running_browser() as browser:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(60_000)
        go_to(page, address, NOTEBOOK)
        page.get_by_text("| Idle").wait_for(timeout=RUN_MILLISECONDS)  # a kernel is up
        run(page, "from utils.checks import check")
        answer(page, "scores.softmax(-1)  # too hasty")
        verdict = check(page)
        verdict.get_by_text("the plain softmax of the scores").wait_for()
        assert "✗ Softmax with temperature: not yet" in verdict.inner_text()
        assert "The temperature changes nothing" in verdict.inner_text()
        answer(page, "(scores / temperature).softmax(-1)")
        check(page).get_by_text("✓ Softmax with temperature: passed, 2 of 2 points").wait_for()
        earned = json.loads((course / "exercises/progress.json").read_text())
        assert earned[TASK]["points"] == 2


def answer(page, expression):
    """Write a whole new answer into the cell that holds the stub, and run it."""
    run(page, f"def {TASK}", f"def {TASK}(scores, temperature):\n    return {expression}\n")


def check(page):
    """Run the check; what it shows."""
    cell = run(page, f'check("{TASK}")')
    return cell.locator("[role=status]")


def run(page, text, replacement=None):
    """Run the code cell that holds a text, with another text in it where one is given."""
    cell = page.locator(".jp-CodeCell").filter(has_text=text).first
    cell.locator(".cm-content").click()
    if replacement is not None:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(replacement)
    page.keyboard.press("Control+Enter")
    return cell
