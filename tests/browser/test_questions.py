"""Test the questions of a warm-up in the page: by keyboard alone, judged at once, typed numbers."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.test_marking_of_items import NO_NUMBERS
from utils.items.item_bank import StoredItem, Version
from utils.widgets.questions import Questions, question

pytestmark = [pytest.mark.browser, needs.chromium]

CHOICE = StoredItem(
    "choice",
    "04.1",
    "",
    "The spread is √d.",
    False,
    [Version("Which spread?", [], ["64", "8"], ["variance-is-spread", ""])],
)
TYPED = StoredItem(
    "typed",
    "04.1",
    "",
    "As measured.",
    True,
    [Version("How large?", [], ["0.25", "−1,024.50"], ["", "no-scale"])],
)


def opened(page, *items, **more):
    asked = Questions(questions=[question(item, item.versions[0]) for item in items], **more)
    html = asked._repr_mimebundle_()["text/html"]
    page.set_content(f"<!doctype html><html lang=en><title>q</title><main><h1>Q</h1>{html}</main>")
    return page.locator(".qs")


def test_a_question_is_answered_by_keyboard_alone(page):
    form = opened(page, CHOICE, TYPED)
    page.keyboard.press("Tab")  # the first option
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    said = form.get_by_role("status")
    assert "Not so" in said.inner_text()
    assert "variance, standard deviation and mean square are the same thing" in said.inner_text()
    assert "04 · Scaled dot-product attention, section 1" in said.inner_text()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "status"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the next question
    page.keyboard.press("Tab")
    page.keyboard.type("0,25")
    page.keyboard.press("Enter")
    assert "✓ Right. As measured." in said.inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("1 of 2 right.")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("0.254", "✓ Right"),
        ("-1024.5", "dot products need no scaling"),
        ("−1.024,51", "dot products need no scaling"),
        ("−1 024,5", "dot products need no scaling"),
        ("7", "Not so"),
    ],
)
def test_a_number_that_is_typed_is_judged_with_its_belief(page, typed, told):
    form = opened(page, TYPED)
    form.get_by_label("Your answer, a number:").fill(typed)
    form.get_by_role("button", name="Answer").click()
    assert told in form.get_by_role("status").inner_text()


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_what_is_no_number_is_not_sent(page, typed):
    form = opened(page, TYPED)
    form.get_by_label("Your answer, a number:").fill(typed)
    form.get_by_role("button", name="Answer").click()
    assert form.get_by_role("status").count() == 0


def test_what_went_wrong_comes_back_where_questions_do_not_end(page):
    form = opened(page, CHOICE, endless=True)
    form.get_by_label("64").check()
    form.get_by_role("button", name="Answer").click()
    form.get_by_role("button", name="Next question").click()
    form.get_by_label("8", exact=True).check()
    form.get_by_role("button", name="Answer").click()
    form.get_by_role("button", name="Done").click()
    assert "1 of 2 right." in form.get_by_role("status").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_every_reader(page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 700})
    form = opened(page, CHOICE, TYPED)
    assert Axe().run(page).violations_count == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    form.get_by_label("64").check()
    form.get_by_role("button", name="Answer").click()
    assert Axe().run(page).violations_count == 0
