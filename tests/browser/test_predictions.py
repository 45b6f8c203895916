"""Test that a learner can make a guess by keyboard alone, without a kernel and with one.

A kernel stores the guess.
"""

import json

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.sign import NotebookNotary

from tests import needs
from tests.browser.inspection import shut_down_kernel
from tests.browser.lab import RUN_MILLISECONDS, go_to
from utils.widgets.prediction import Prediction

pytestmark = [pytest.mark.browser, needs.chromium]

NAME = "guess.ipynb"
ASK = """from utils.widgets import predict
weight = predict("How large is the largest weight?", between=(0, 1))"""
PATIENCE = 2500  # ms: longer than the page waits for the kernel
REVEAL = """print("largest weight ≈ 0.95")
weight.reveal(0.953)"""

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def guess(page):
    """Type a guess into the form, say how sure it is, and send it, all by keyboard."""
    page.get_by_label("your guess, from 0 to 1").focus()
    page.keyboard.insert_text("0.6")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")  # from "just guessing" to "fairly sure"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def test_a_guess_stands_beside_the_result_and_is_kept(browser, course, lab):
    ask, reveal = map(nbformat.v4.new_code_cell, (ASK, REVEAL))
    reveal.metadata["jupyter"] = {"outputs_hidden": True}
    notebook = nbformat.v4.new_notebook(cells=[ask, reveal], metadata=KERNEL)
    NotebookClient(notebook).execute()
    NotebookNotary(data_dir=str(course / "home")).sign(notebook)
    nbformat.write(notebook, course / "notebooks" / NAME)
    (course / "predictions.json").unlink(missing_ok=True)

    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(RUN_MILLISECONDS)
    go_to(page, lab, f"notebooks/{NAME}")
    status = page.locator(".pr [role=status]")
    number = page.get_by_label("your guess, from 0 to 1")

    number.wait_for(timeout=RUN_MILLISECONDS)  # as stored: nothing has run
    assert "0.95" not in page.locator(".jp-Notebook .jp-OutputArea").first.inner_text()
    guess(page)
    assert "You said 0.6 (fairly sure). The answer: ≈ 0.953." in status.inner_text()
    assert not (course / "predictions.json").exists()
    status.get_by_text("Run All Above Selected Cell").wait_for()  # and not a NameError

    page.get_by_text("| Idle").wait_for(timeout=RUN_MILLISECONDS)
    cells = page.locator(".jp-CodeCell .cm-content")
    cells.first.click()
    page.keyboard.press("Control+Enter")
    page.locator(".pr form:visible").wait_for(timeout=RUN_MILLISECONDS)
    guess(page)
    page.wait_for_timeout(PATIENCE)
    assert status.inner_text().endswith("You said 0.6 (fairly sure). Now run the next cell.")
    cells.nth(1).click()
    page.keyboard.press("Control+Enter")
    page.get_by_text("You said 0.6 (fairly sure): 0.353 too low.").wait_for()
    status.get_by_text("The answer").click()
    assert "≈ 0.953" in status.inner_text()
    guesses = json.loads((course / "predictions.json").read_text())
    assert guesses["How large is the largest weight?"]["guess"] == "0.6"
    shut_down_kernel(page)
    page.close()


def test_a_guess_that_comes_before_its_kernel_is_heard_when_the_kernel_comes(page):
    prediction = Prediction("How many?", [], (0, 1), 0.1)
    output = prediction._repr_mimebundle_()["text/html"]
    page.set_content(f"<!doctype html><title>A guess</title>{output}")
    guess(page)
    told = page.evaluate(
        """link => {
          const told = {};
          const kernel = { get: () => "", on() {}, send() {}, save_changes() { told.saved = true; },
            set(name, value) { told[name] = value; } };
          globalThis.attentionLinks = new Map([[link, kernel]]);
          document.dispatchEvent(new CustomEvent("attention-link", { detail: link }));
          return told;
        }""",
        prediction.link,
    )
    assert told == {"guess": "0.6", "certainty": "fairly sure", "saved": True}
    assert "You said 0.6 (fairly sure)." in page.locator(".pr [role=status]").inner_text()
