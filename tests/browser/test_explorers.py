"""Every explorer by itself: keyboard, looks, speed, and the same numbers as torch."""

import itertools
import json
import os
import re
import statistics

import pytest
import torch
import torch.nn.functional as F
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.explorers import THEMES, add, look, move_controls, numbers, redraw_times, show
from tests.browser.lab import ROOT, running_browser
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import HeadsExplorer, ReshapeExplorer, SoftmaxExplorer, TilesExplorer

pytestmark = needs.chromium

HEAD_MAPS = torch.stack([KEYS @ KEYS.T, -KEYS @ KEYS.T, torch.zeros(6, 6)]).softmax(-1)


def without_heads(*gone):
    """Heads 1 and 2 back each other up for the first question; the second needs head 3."""
    return [0.25 if {0, 1} <= set(gone) else 1.0 - 0.01 * len(gone), 1 / 3 if 2 in gone else 0.875]


SCREENSHOTS = ROOT / "build" / "screenshots"
EXPLORERS = {
    "heads": lambda: HeadsExplorer(
        HEAD_MAPS,
        SOURCE,
        SOURCE,
        ["head 1", "head 2", "head 3"],
        ["who", "what"],
        without_heads,
        "",
    ),
    "reshape": lambda: ReshapeExplorer([SOURCE[:3], SOURCE[3:]], dim=4),
    "softmax": lambda: SoftmaxExplorer(SOURCE, [3.0, 9.0, 1.0, 2.0, 2.5, 0.0]),
    "softmax-width": lambda: SoftmaxExplorer(SOURCE),
    "tiles": lambda: TilesExplorer(QUERIES, KEYS, KEYS, SOURCE, TARGET, asking=3),
}
each = pytest.mark.parametrize("name", EXPLORERS)


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture
def page(browser):
    """A page in which any error, or any request, fails the test."""
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.on("request", lambda one: wrong.append(one.url) if one.url.startswith("http") else None)
    yield page
    page.close()
    assert wrong == []


@each
def test_every_control_changes_what_is_seen_by_keyboard_alone(page, name):
    root = show(page, EXPLORERS[name]())
    assert root.locator("input, select, button, [tabindex='0']").count() > 0
    assert move_controls(root) == []


@each
def test_it_tells_a_screen_reader_what_it_shows(page, name):
    root = show(page, EXPLORERS[name]())
    assert len(root.locator("[role=status]").first.inner_text()) > 20
    assert root.get_attribute("aria-label")


@pytest.mark.parametrize("theme", THEMES)
@each
def test_axe_finds_nothing_to_mend(page, name, theme):
    show(page, EXPLORERS[name](), theme)
    found = Axe().run(page, context=".ex")
    assert found.violations_count == 0, found.generate_report()


@each
def test_two_copies_do_not_disturb_each_other(page, name):
    show(page, EXPLORERS[name]())
    second = add(page, EXPLORERS[name]())
    first = page.locator(".ex").first
    before = look(first)
    assert look(second) == before
    move_controls(second)
    assert look(first) == before


@pytest.mark.parametrize("theme", THEMES)
@each
def test_it_fits_a_phone_in_both_themes(page, name, theme):
    root = show(page, EXPLORERS[name](), theme)
    if "SCREENSHOTS" in os.environ:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        root.screenshot(path=SCREENSHOTS / f"explorer-{name}-{theme}.png")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(50)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@each
def test_it_moves_at_the_speed_of_the_hand(page, name):
    root = show(page, EXPLORERS[name]())
    sliders = root.locator("input[type=range]").all()
    for slider in sliders:
        times = redraw_times(slider)
        print(json.dumps({"explorer": name, "median_ms": round(statistics.median(times), 1)}))
        assert statistics.median(times) < 60


@pytest.mark.parametrize("heads", [2, 4])
def test_every_number_lies_where_torch_reads_it(page, heads):
    root = show(page, ReshapeExplorer([SOURCE[:3], SOURCE[3:]], dim=4, heads=heads))
    x = torch.arange(24).view(2, 3, 4)  # each number is its own place in memory
    cut = x.view(2, 3, heads, 4 // heads)
    alone = x.view(2, heads, 3, 4 // heads)
    for tensors in [(x, x), (cut, alone), (cut.transpose(1, 2), alone)]:
        for panel, tensor in zip(root.locator("svg").all(), tensors, strict=True):
            indices = panel.locator("[data-index]").evaluate_all(
                "cells => cells.map(cell => cell.dataset.index.split(',').map(Number))"
            )
            assert [int(tensor[tuple(index)]) for index in indices] == list(range(24))
            told = panel.locator("xpath=following-sibling::p").inner_text()
            assert f"shape {tuple(tensor.shape)}, strides {tensor.stride()}" in told
        page.get_by_role("button", name="Next").or_(page.get_by_text("Start again")).click()


def test_a_number_is_followed_by_click_and_arrow_keys(page):
    root = show(page, ReshapeExplorer([SOURCE[:3], SOURCE[3:]], dim=4))
    status, panel = root.locator("[role=status]"), root.locator("svg").first
    assert "cat 3 is number 6" in status.inner_text()
    panel.focus()
    for key, name in {"Right": "cat 4", "Down": "sat 4", "Left": "sat 3", "Up": "cat 3"}.items():
        page.keyboard.press(f"Arrow{key}")
        assert status.inner_text().startswith(name)
    panel.get_by_text("mat 4").click()
    assert "mat 4 is number 23" in status.inner_text()
    page.get_by_role("button", name="Next").press("Enter")
    page.get_by_role("button", name="Next").press("Enter")
    assert "16 of 24 numbers stand in the row of another token" in status.inner_text()
    page.get_by_role("button", name="Back").press("Enter")
    page.get_by_role("button", name="Back").press("Enter")  # which now can go no further back
    assert page.evaluate("document.activeElement.textContent") == "Next"


def test_every_set_of_heads_answers_as_the_model_does(page):
    widget = EXPLORERS["heads"]()
    root = show(page, widget)
    switches = root.get_by_role("checkbox").all()
    for on in itertools.product([True, False], repeat=3):
        for switch, wanted in zip(switches, on, strict=True):
            switch.set_checked(wanted)
        expected = without_heads(*(head for head in range(3) if not on[head]))
        assert numbers(root.locator(".ex-bars")) == pytest.approx(expected, abs=1e-5)
        mean = HEAD_MAPS[torch.tensor(on)].sum(0) / max(1, sum(on))
        assert numbers(root.locator(".ex-map")) == pytest.approx(mean.flatten().tolist(), abs=1e-5)
    root.get_by_role("button", name="enlarge head 2").click()
    shown = numbers(root.locator(".ex-map"))
    assert shown == pytest.approx(HEAD_MAPS[1].flatten().tolist(), abs=1e-5)


def test_heads_that_are_off_together_are_compared_with_one_at_a_time(page):
    root = show(page, EXPLORERS["heads"]())
    status = root.locator("[role=status]")
    for head in ("head 1", "head 2"):
        root.get_by_label(head, exact=True).press("Space")
    together, singly = status.inner_text().split("alone adds up to")
    assert "head 1, head 2 cost: who 0.75, what 0.00" in together
    assert "who 0.02, what 0.00" in singly


@pytest.mark.parametrize("size", range(1, 7))
def test_the_tiles_arrive_at_the_attention_of_torch(page, size):
    root = show(page, EXPLORERS["tiles"]())
    root.get_by_label("keys in a tile").fill(str(size))
    while root.get_by_role("button", name="Back").is_enabled():
        root.get_by_role("button", name="Back").click()
    scores = QUERIES @ KEYS.T / 2**0.5  # (tgt_len, src_len)
    for read in range(size, 6 + size, size):
        root.get_by_role("button", name="Next").click()
        seen, largest = scores[:, :read], scores[:, :read].amax(1)
        sums = (seen - largest[:, None]).exp().sum(1)
        so_far = seen.softmax(-1) @ KEYS[:read]  # exact attention to the keys read so far
        at_once = F.scaled_dot_product_attention(QUERIES, KEYS, KEYS)
        older = scores[:, : read - size].amax(1) if read > size else largest
        expected = [largest[:, None], (older - largest).exp()[:, None], sums[:, None]]
        told = root.locator("[role=region] [data-value]").evaluate_all(
            "cells => cells.flatMap(cell => cell.dataset.value.split(' ').map(Number))"
        )
        expected = torch.cat([*expected, so_far, at_once], dim=1).flatten()
        torch.testing.assert_close(torch.tensor(told), expected, atol=1e-5, rtol=0)
    assert "no context is further than 0.00000" in root.locator("[role=status]").inner_text()


def test_tiles_that_are_not_rescaled_give_something_else(page):
    root = show(page, EXPLORERS["tiles"]())
    root.get_by_label("rescale").press("Space")
    root.get_by_role("button", name="Next").press("Enter")
    gap = re.search(r"further than ([\d.]+) from", root.locator("[role=status]").inner_text())[1]
    assert float(gap) > 0.1
