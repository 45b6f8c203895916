"""Every explorer by itself: keyboard, looks, speed, and the same numbers as torch."""

import json
import os
import statistics

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.explorers import THEMES, add, look, move_controls, numbers, redraw_times, show
from tests.browser.lab import ROOT, running_browser
from utils.attention import AdditiveAttention, LocalAttention
from utils.running_example import KEYS, QUERIES, SOURCE
from utils.widgets import SoftmaxExplorer, TuningExplorer, WindowExplorer

pytestmark = needs.chromium

SCREENSHOTS = ROOT / "build" / "screenshots"
# The judge of notebook 02: four questions to keys of two numbers, a state of three.
QUESTIONS = ["right", "left", "up", "down"]
U = torch.tensor([[0.5, 0.0], [-0.5, 0.0], [0.0, 1.0], [0.0, -1.0]])
W = torch.tensor([[0.0, 6.0, 0.0], [6.0, 0.0, 0.0], [1.0, 1.0, 3.0], [6.0, 6.0, -3.0]])
V = torch.tensor([5.0, 5.0, 4.0, 3.0])
STATE = {"who": (1.0, 0.0, 1.0), "where": (0.0, 0.0, 1.0), "kind": (0.0, -1.0, 2.0)}
# The row of "chien" of notebook 03, whose word stands at 8 and its twin at 1.
LONG = [*SOURCE, "and", "the", "dog", "lay", "on", "the", "rug"]
LONG_KEYS = torch.cat([KEYS, torch.tensor([[0.0, -3.0]]), KEYS])  # (src_len=13, 2)
CHIEN = QUERIES[1:2]  # (tgt_len=1, 2)
EXPLORERS = {
    "softmax": lambda: SoftmaxExplorer(SOURCE, [3.0, 9.0, 1.0, 2.0, 2.5, 0.0]),
    "softmax-width": lambda: SoftmaxExplorer(SOURCE),
    "tuning": lambda: TuningExplorer(SOURCE, KEYS, W, U, V, QUESTIONS, STATE),
    "tuning-one": lambda: TuningExplorer(
        SOURCE, KEYS, torch.ones(1, 1), U[2:3], V[:1], ["up"], {"bar": (0.0, -5.0, 5.0)}
    ),
    "window": lambda: WindowExplorer(LONG, (CHIEN @ LONG_KEYS.T)[0], 9.1),
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


def test_tuned_weights_are_those_of_the_course_s_module(page):
    root = show(page, EXPLORERS["tuning"]())
    for name, key in [("where", "End"), ("kind", "End"), ("points for up", "Home")]:
        root.get_by_label(name).focus()
        page.keyboard.press(key)
    attention = AdditiveAttention(query_dim=3, key_dim=2, attention_dim=4)
    v = V.where(torch.tensor([True, True, False, True]), 0)  # no points for "up"
    attention.load_state_dict({"W.weight": W, "U.weight": U, "v.weight": v.unsqueeze(0)})
    _, weights = attention(torch.tensor([[[1.0, 1.0, 2.0]]]), KEYS[None])
    assert numbers(root) == pytest.approx(weights.flatten().tolist(), abs=1e-5)


@pytest.mark.parametrize(("centre", "half_width"), [(9.1, 2), (10.5, 2), (11.5, 1), (4.5, 4)])
def test_weights_under_the_bell_are_those_of_local_attention(page, centre, half_width):
    explorer = EXPLORERS["window"]()
    explorer.centre, explorer.half_width = centre, half_width
    attention = LocalAttention(2, 2, half_width, "predicted", "dot")
    attention.find_centres = lambda *_: torch.tensor([[centre]])  # as if the state pointed there
    _, weights = attention(CHIEN[None], LONG_KEYS[None])
    root = show(page, explorer)
    expected = weights.flatten()
    assert numbers(root) == pytest.approx(expected.tolist(), abs=1e-5)
    root.get_by_label("normalise again").press("Space")
    assert numbers(root) == pytest.approx((expected / expected.sum()).tolist(), abs=1e-5)
