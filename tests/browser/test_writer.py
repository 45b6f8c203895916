"""Test the writer: recordings without a kernel, and a model that answers token by token."""

import pytest

from tests import needs
from tests.browser.explorers import show
from tests.parrot import Bytes, Parrot
from utils.pretrained.watching import recordings
from utils.widgets import Writer

pytestmark = [pytest.mark.browser, needs.chromium]


@pytest.fixture
def root(page):
    """Return a writer in a page without a kernel, in which nothing moves by itself."""
    page.emulate_media(reduced_motion="reduce")
    return show(page, Writer("Once upon a time", None, None))


def status(root):
    return root.locator("[role=status]").inner_text()


def texts(root):
    """Return the texts of the tokens that are shown, as the model wrote them."""
    return [text.replace("↵\n", "\n") for text in root.get_by_role("option").all_text_contents()]


def test_recordings_are_played_and_pointed_at(root, page):
    once, france = (
        [text or "▯" for text, *_ in one["tokens"]]
        for name in ("Once upon a time", "The capital of France is")
        for one in recordings()
        if (one["beginning"], one["temperature"]) == (name, 0)
    )
    assert texts(root) == once
    assert "make real" in root.inner_text()
    page.clock.install()
    root.get_by_role("button", name="The capital of France is").click()
    page.clock.run_for(400)
    assert 1 < len(texts(root)) < 10
    page.clock.run_for(10_000)
    assert texts(root) == france
    assert status(root).endswith("Here the model ended.")
    root.get_by_role("option").first.click()
    assert status(root) == f"Token 1 of {len(france)}, “␣Paris”: 77 %, the likeliest."
    assert root.locator(".wr-rivals tbody th").all_text_contents()[:2] == ["␣Paris", "␣the"]
    page.keyboard.press("ArrowRight")
    assert status(root).startswith("Token 2 of")


def test_what_was_not_recorded_and_an_empty_line_get_a_sentence(root, page):
    line = root.get_by_label("a beginning", exact=True)
    line.fill("Once upon a dog")
    line.press("Enter")
    assert status(root) == "There is no recording that begins so: choose one of the 4 above."
    assert root.get_by_role("button", name="Write").is_disabled()
    line.fill(" ")
    line.press("Enter")
    assert status(root).startswith("There is nothing to go on from yet")


def answered(page, model):
    """Show a writer whose messages the real Python class answers, as a kernel would."""
    widget = Writer("Once", model, Bytes())

    def answer(content):
        sent = []
        widget.send = sent.append
        widget._answer(widget, content, [])
        asked.append(content)
        return [sent[0], None]

    asked = []
    page.emulate_media(reduced_motion="reduce")
    page.expose_function("answer", answer)
    return show(page, widget), asked


def test_a_model_writes_token_by_token_as_long_as_it_is_asked(page):
    root, asked = answered(page, Parrot())
    root.get_by_role("button", name="Write").click()
    root.get_by_text("Here the model ended.").wait_for()
    assert texts(root) == [" the", " cat", " caf", "▯", "é", "\n"]
    assert root.locator(".wr-note").inner_text() == ""
    assert asked[1]["write"][:2] == ["Once", 0]
    root.get_by_role("slider", name="tokens").press("Home")
    root.get_by_role("button", name="Write").click()
    root.get_by_role("button", name="Write").wait_for()  # not "Stop" any more
    assert texts(root) == [" the", " cat", " caf", "▯", "é"]
    before = len(asked)
    root.get_by_role("slider", name="tokens").press("End")
    root.get_by_text("Here the model ended.").wait_for()
    assert len(asked) == before + 2  # it goes on where it was
    root.get_by_label("temperature").fill("0.7")
    root.get_by_role("button", name="Stop").click()
    page.wait_for_timeout(300)
    stopped = len(asked)
    page.wait_for_timeout(300)
    assert len(asked) == stopped
    assert asked[-1].get("write", ["Once", 0.7])[1] == 0.7


def test_a_model_that_fails_is_told_in_a_line(page):
    class Broken(Parrot):
        def last_logits(self, *_):
            raise RuntimeError("no keys")

    root, _ = answered(page, Broken())
    root.get_by_role("button", name="Write").click()
    root.get_by_text("The model could not go on. RuntimeError: no keys").wait_for()
    assert root.get_by_role("button", name="Write").is_visible()
