"""What a learner does in an evening: a notebook, its exercises, a mistake, a hint, the answer."""

import json

from tests import needs
from tests.browser.lab import (
    RUN_MILLISECONDS,
    copy_course,
    go_to,
    open_notebook,
    run_all_cells,
    running_lab,
)

pytestmark = needs.chromium

NAME = "02_additive_attention.ipynb"
TASK = "additive_scores_loop"
ANSWER = """def additive_scores_loop(states, keys, W_joined, v):
    rows = [[torch.cat([state, key]) for key in keys] for state in states]
    pairs = torch.stack([torch.stack(row) for row in rows])
    return {scores}
"""


def test_a_learner_reads_guesses_wrong_asks_for_a_hint_and_passes(browser, tmp_path):
    course = copy_course(tmp_path)
    with running_lab(course) as address:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(RUN_MILLISECONDS)
        page.goto(address)  # as `make lab` prints it
        page.get_by_role("heading", name="01 · Attention concepts").wait_for()

        open_notebook(page, address, NAME)
        run_all_cells(page)
        last = page.locator(".jp-CodeCell").last  # runs after all others
        last.locator(".jp-InputPrompt").get_by_text("]:").wait_for()
        last.locator(".jp-InputPrompt").get_by_text("[*]:").wait_for(state="detached")
        assert page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0

        go_to(page, address, f"exercises/{NAME}")
        page.get_by_text("| Idle").wait_for()  # a kernel is up
        run(page, "from utils.checks import check")
        answer(page, "((pairs @ W_joined.T).tanh() @ v).T")
        verdict = said(page, f'check("{TASK}")')
        verdict.get_by_text("Your table has a row for each key.").wait_for()
        assert "✗ Additive scores, pair by pair: not yet" in verdict.inner_text()
        hints = said(page, f'hint("{TASK}")')
        hints.get_by_text("1. Take one state and one key").wait_for()
        assert "2 more: run this cell again." in hints.inner_text()
        assert not earned(course)["points"]

        answer(page, "(pairs @ W_joined.T).tanh() @ v")
        verdict = said(page, f'check("{TASK}")')
        verdict.get_by_text("✓ Additive scores, pair by pair: passed, 2 of 2 points").wait_for()
        assert earned(course)["points"] == 2
        progress = said(page, "progress()")
        progress.get_by_text("2 of ").first.wait_for()
        row = progress.locator("tr").filter(has_text="Additive scores, pair by pair")
        assert "✓ done" in row.inner_text()


def earned(course):
    """What is remembered of the task."""
    return json.loads((course / "exercises/progress.json").read_text())[TASK]


def answer(page, scores):
    """Write a whole new answer into the cell that holds the stub, and run it."""
    run(page, f"def {TASK}", ANSWER.format(scores=scores))


def said(page, call):
    """Run the cell with this call alone; what it shows."""
    return run(page, call).locator("[role=status]")


def run(page, text, replacement=None):
    """Run the code cell that holds a text, with another text in it where one is given."""
    code = page.locator(".cm-content").filter(has_text=text)  # what a cell shows may say it too
    cell = page.locator(".jp-CodeCell").filter(has=code).first
    cell.locator(".cm-content").click()
    if replacement is not None:
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(replacement)
    page.keyboard.press("Control+Enter")
    return cell
