"""Test the explorer of the real model's heads on an empty page: recorded texts, and a kernel."""

import re

import pytest

from tests import needs
from tests.browser.explorers import look, show
from tests.small_language_model import LettersAsTokens, small_model
from utils.pretrained.looking import look as look_at
from utils.pretrained.record import next_chances, read_recorded, unpack
from utils.widgets import ModelHeadsExplorer

pytestmark = [pytest.mark.browser, needs.chromium]

RECORDED = read_recorded()
HEADS = RECORDED["heads"]


@pytest.fixture
def root(page):
    page.emulate_media(reduced_motion="reduce")
    return show(page, ModelHeadsExplorer())


def grid_of(root):
    return root.get_by_role("slider", name="heads")


def status(root):
    return root.get_by_role("status").inner_text()


def chosen(root):
    """Return the name of the head that is shown large."""
    return re.search(r"head (\d+\.\d)", root.locator(".ex-title").first.inner_text())[1]


def listed(root):
    """Return the next words with their probabilities, as the table shows them."""
    rows = root.locator(".mh-next tbody tr:visible").all()
    return {
        row.locator("th").inner_text(): float(row.locator("td").nth(1).inner_text()) for row in rows
    }


def test_the_number_is_forgotten_without_the_heads_that_repeat_and_not_without_others(root):
    assert root.get_by_role("textbox").count() == 0  # nobody could read another text
    said, shares = root.locator(".mh-text b"), {}
    root.get_by_role("button", name="repeats (8)").click()
    assert chosen(root) == "18.6"
    for name in ("all 8", "8 others of the same layers"):
        root.get_by_role("button", name=name, exact=True).click()
        shares[name] = listed(root)["0"]
        assert f"“0” goes from 0.96 to {shares[name]:.2f}" in status(root)
        assert (said.inner_text() == "0") is (name != "all 8")
    assert shares["all 8"] < 0.3 < 0.7 < shares["8 others of the same layers"]
    root.get_by_role("button", name="all on again").click()
    assert listed(root)["0"] == 0.96


@pytest.mark.parametrize("number", range(len(RECORDED["sentences"])))
def test_every_recorded_text_answers_without_any_single_head(page, root, number):
    sentence = RECORDED["sentences"][number]
    root.get_by_role("combobox").select_option(str(number))
    assert root.locator(".mh-beside span").count() == len(sentence["tokens"])
    was = next(iter(listed(root)))
    grid = grid_of(root)
    for key in ("Home", "End"):
        grid.press(key)
        grid.press("Space")
        assert re.match(rf"Without {chosen(root)}: “{re.escape(was)}” goes from", status(root))
        assert 5 <= len(listed(root)) <= 6
        assert sum(listed(root).values()) <= 1.03
        grid.press("Space")
        assert status(root).startswith("All 270 heads are on")


def test_arrows_go_over_the_thumbnails_as_one_stop_of_the_keyboard(page, root):
    grid, seen = grid_of(root), []
    assert grid.get_attribute("aria-valuetext") == "head 18.6, repeats"
    for key in ("ArrowLeft", "ArrowUp", "Home", "ArrowUp", "ArrowLeft", "End", "ArrowDown"):
        grid.press(key)
        seen.append(chosen(root))
    assert seen == ["17.6", "17.5", "0.0", "0.0", "0.0", "29.8", "29.8"]
    root.get_by_role("button", name="one back (6)").click()
    grid.press("ArrowRight")  # in the order of this kind now
    of_this_kind = ["{}.{}".format(*divmod(head, HEADS)) for head in RECORDED["kinds"][1]["heads"]]
    assert chosen(root) in of_this_kind
    grid.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel").startswith("the large map")


def test_a_thumbnail_is_shown_large_while_one_points_at_it_and_chosen_by_a_click(page, root):
    grid = grid_of(root)
    box = grid.bounding_box()
    page.mouse.move(box["x"] + 14 + 2, box["y"] + 14 + 2)
    assert chosen(root) == "0.0"
    page.mouse.move(box["x"] + 300, box["y"] - 30)
    assert chosen(root) == "18.6"
    page.mouse.click(box["x"] + 14 + 2, box["y"] + 14 + 2)
    page.mouse.move(box["x"] + 300, box["y"] - 30)
    assert chosen(root) == "0.0"


def test_the_large_map_says_the_weight_that_was_recorded(root):
    sentence = RECORDED["sentences"][0]
    weights = unpack(sentence)[18 * HEADS + 6]
    large = root.get_by_role("img", name="the large map")
    words = [token.strip() or "␣" for token in sentence["tokens"]]
    last = len(words) - 1
    for column in range(8):
        large.press("ArrowRight")
        pair = f"{words[last]} (token {last}) looks at {words[column]} (token {column})"
        said = root.locator(".mh-points").inner_text()
        assert said == f"{pair}: {weights[last, column]:.2f}"


@pytest.mark.parametrize(("motion", "flies"), [("reduce", False), ("no-preference", True)])
def test_heads_fly_to_their_new_places_but_not_for_those_who_ask_for_rest(page, motion, flies):
    page.emulate_media(reduced_motion=motion)
    root = show(page, ModelHeadsExplorer())
    root.get_by_role("button", name="first word").click()
    before = look(root)
    page.wait_for_timeout(600)
    assert (look(root) != before) == flies


@pytest.fixture
def live(page):
    """An explorer with a kernel in which a small model of as many heads answers."""
    widget = ModelHeadsExplorer(small_model(), LettersAsTokens())
    page.expose_function("kernel", widget.answer)
    page.emulate_media(reduced_motion="reduce")
    return show(page, widget)


def read(live, text):
    line = live.get_by_label("or your own")
    line.fill(text)
    line.press("Enter")


def test_with_a_kernel_another_text_is_read(page, live):
    read(live, "go on")
    page.wait_for_function("document.querySelectorAll('.mh-beside span').length === 5")
    assert live.locator(".mh-beside span").all_inner_texts() == ["g", "o", "␣", "o", "n"]
    assert live.locator(".mh-text").inner_text().startswith("go on")
    live.get_by_role("combobox").select_option("a capital")
    assert live.locator(".mh-text").inner_text() == "The capital of France is Paris"
    live.get_by_role("combobox").select_option("your own")
    assert live.locator(".mh-text").inner_text().startswith("go on")


def test_with_a_kernel_any_set_of_heads_is_switched_off(page, live):
    read(live, "hello")
    page.wait_for_function("document.querySelectorAll('.mh-beside span').length === 5")
    model, tokens = small_model(), LettersAsTokens()
    ids, grid = tokens.encode("hello"), grid_of(live)
    weights = look_at(model, ids).weights[18, 6]  # (len, len)
    live.get_by_role("img", name="the large map").press("ArrowRight")
    assert live.locator(".mh-points").inner_text().endswith(f"{weights[4, 0]:.2f}")
    for keys in ("Space", "ArrowUp Space"):
        for key in keys.split():
            grid.press(key)
    said = "document.querySelector('[role=status]').innerText"
    page.wait_for_function(f"{said}.startsWith('Without 18.5, 18.6: ')")
    expected = next_chances(model, ids, [18 * HEADS + 5, 18 * HEADS + 6]).topk(5)
    for number, share in zip(expected.indices, expected.values, strict=True):
        assert listed(live)[tokens.decode([number])] == pytest.approx(share.item(), abs=0.006)


@pytest.mark.parametrize(("text", "told"), [("h" * 41, "these are 41"), ("", "these are 0")])
def test_a_text_that_cannot_be_drawn_is_refused_in_a_line(page, live, text, told):
    read(live, text)
    page.get_by_text(told).wait_for()
    assert live.locator(".mh-beside span").count() == len(RECORDED["sentences"][0]["tokens"])
