"""Every explorer by itself: keyboard, looks, speed, and the same numbers as torch."""

import json
import os
import statistics

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.explorers import THEMES, add, look, move_controls, redraw_times, show
from tests.browser.lab import ROOT
from utils.corpora import running_example
from utils.running_example import SOURCE
from utils.widgets import SoftmaxExplorer, TrainingFilm, Translator

pytestmark = needs.chromium

SCREENSHOTS = ROOT / "build" / "screenshots"


def short_film():
    pair = running_example()
    size = len(pair.target), len(pair.source)
    maps = [
        torch.rand(size, generator=torch.Generator().manual_seed(n)).softmax(-1) for n in (0, 1)
    ]
    film = {
        step: (5.0 - step / 5, step / 10, maps, [pair.target[:step], []]) for step in (0, 5, 10)
    }
    return TrainingFilm({"running example": pair, "the same": pair}, film)


def with_beam(widget):
    widget.beam_size = 3
    return widget


EXPLORERS = {
    "softmax": lambda: SoftmaxExplorer(SOURCE, [3.0, 9.0, 1.0, 2.0, 2.5, 0.0]),
    "softmax-width": lambda: SoftmaxExplorer(SOURCE),
    "training-film": short_film,
    "translator": lambda: Translator("my happy sister did not listen to the dogs"),
    "translator-beam": lambda: with_beam(Translator("the owls did not sleep")),
}
each = pytest.mark.parametrize("name", EXPLORERS)


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
