"""Every explorer by itself: keyboard, looks, speed, and the same numbers as torch."""

import json
import os
import statistics

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.explorers import (
    THEMES,
    add,
    look,
    move_controls,
    numbers,
    redraw_times,
    show,
)
from tests.browser.lab import ROOT
from utils.attention import (
    AdditiveAttention,
    DotProductAttention,
    MultiplicativeAttention,
    ScaledDotProductAttention,
)
from utils.corpora import running_example
from utils.masks import causal_mask, masked_softmax, padding_mask, window_mask
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import (
    MaskExplorer,
    PipelineExplorer,
    QueryExplorer,
    SoftmaxExplorer,
    TrainingFilm,
    Translator,
)
from utils.widgets.query_explorer import PARAMETERS

pytestmark = needs.chromium

SCREENSHOTS = ROOT / "build" / "screenshots"
CAUSAL, SCORES = causal_mask(6), KEYS @ KEYS.T / 2**0.5


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
    "mask": lambda: MaskExplorer(SOURCE, SCORES.tolist(), length=4, half_width=1),
    "pipeline": lambda: PipelineExplorer(KEYS, KEYS, KEYS, SOURCE, SOURCE, CAUSAL, cell=(1, 1)),
    "query": lambda: QueryExplorer(SOURCE, KEYS.tolist(), TARGET, QUERIES.tolist(), asking=1),
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


def equal(found, expected):
    """Numbers read from a page, in reading order, and a tensor of them."""
    torch.testing.assert_close(
        torch.tensor(found), expected.flatten(), atol=1e-5, rtol=0, equal_nan=True
    )


def mechanism(name):
    """The module of utils.attention that a choice of the query explorer stands for."""
    if name in ("dot", "scaled"):
        return {"dot": DotProductAttention, "scaled": ScaledDotProductAttention}[name](2)
    module = {"additive": AdditiveAttention(3, 2, 4), "general": MultiplicativeAttention(2, 2)}[
        name
    ]
    weights = {f"{key}.weight": torch.tensor(value) for key, value in PARAMETERS[name].items()}
    module.load_state_dict({key: value.view(-1, value.shape[-1]) for key, value in weights.items()})
    return module


@pytest.mark.parametrize("temperature", [1.0, 0.1])
@pytest.mark.parametrize("name", ["dot", "scaled", "additive", "general"])
def test_the_weights_of_all_queries_are_those_of_the_mechanism(page, name, temperature):
    root = show(page, EXPLORERS["query"]())
    root.get_by_label("score").select_option(name)
    if temperature < 1:
        root.get_by_label("temperature").press("Home")
    ones = torch.ones(len(QUERIES), 1)  # the additive judge reads (x, y, 1)
    asked = torch.cat([QUERIES, ones], 1) if name == "additive" else QUERIES
    with torch.no_grad():
        scores = mechanism(name).score(asked[None], KEYS[None])[0]  # (tgt_len, src_len)
    weights = (scores / temperature).softmax(-1)
    equal(numbers(root.locator(".ex-map")), weights)
    equal(numbers(root.locator(".ex-bars")), weights[1])


def test_a_row_of_the_heatmap_asks_its_query(page):
    root = show(page, EXPLORERS["query"]())
    assert "Most weight: cat, 0.98" in root.locator("[role=status]").inner_text()
    root.locator(".ex-map [tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Enter"):  # to "assis"
        page.keyboard.press(key)
    assert "Most weight: sat, 0.98" in root.locator("[role=status]").inner_text()
    assert root.locator(".ex-marked").count() == len(SOURCE)


@pytest.mark.parametrize("temperature", [1.0, 10.0])
def test_the_weights_are_those_of_torch(page, temperature):
    root = show(page, EXPLORERS["softmax"]())
    if temperature > 1:
        root.get_by_label("temperature").press("End")
    scores = torch.tensor([3.0, 9.0, 1.0, 2.0, 2.5, 0.0])
    equal(numbers(root), (scores / temperature).softmax(-1))


def test_the_weights_are_those_of_torch_with_and_without_the_scale(page):
    widget = EXPLORERS["softmax-width"]()
    root = show(page, widget)
    root.get_by_label("width d").press("End")
    scores = torch.tensor(widget.scores[-1])  # (6,), of vectors of 1,024 numbers
    equal(numbers(root), torch.stack([scores, scores / 32]).softmax(-1))


def rules(length, half_width, causal):
    mask = padding_mask([length], 6)[0] & window_mask(torch.arange(6), 6, half_width)  # (6, 6)
    return mask & CAUSAL if causal else mask


def weights_or_nan(mask):
    """What softmax alone makes of the scores: a row that may look at nothing is NaN."""
    weights = masked_softmax(SCORES, mask)
    return weights.masked_fill(~mask.any(-1, keepdim=True), torch.nan)


@pytest.mark.parametrize(
    ("moves", "mask"),
    [
        ([], rules(4, 1, True)),
        ([("length", "Home")], rules(1, 1, True)),  # leaves rows empty
        ([("length", "End"), ("half-width", "End")], rules(6, 5, True)),
        ([("half-width", "Home"), ("causal", "Space")], rules(4, 0, False)),
        ([("read True as blocked", "Space")], ~rules(4, 1, True)),
        ([("half-width", "End"), ("length", "End"), ("read True", "Space")], ~CAUSAL),
    ],
)
def test_the_weights_under_a_mask_are_those_of_masked_softmax(page, moves, mask):
    root = show(page, EXPLORERS["mask"]())
    for control, key in moves:
        root.get_by_label(control).press(key)
    weights = root.locator(".ex-map").last
    equal(numbers(weights), weights_or_nan(mask))
    assert weights.locator(".ex-closed").count() == int((~mask).sum())
    empty = [word for word, row in zip(SOURCE, mask, strict=True) if not row.any()]
    said = root.locator("[role=status]").inner_text()
    assert (f"Nothing is open for {', '.join(empty)}:" in said) == bool(empty)
    assert ("what it should not" in said) == any("read" in control for control, _ in moves)


def test_a_cell_pressed_by_keyboard_opens_and_closes_again(page):
    root = show(page, EXPLORERS["mask"]())
    root.locator(".ex-map").first.locator("[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    mask = rules(4, 1, True)
    for open_now in (True, False):
        page.keyboard.press("Space")
        mask[0, 1] = open_now
        equal(numbers(root.locator(".ex-map").first), mask.float())
        equal(numbers(root.locator(".ex-map").last), weights_or_nan(mask))
        assert ("1 set by hand" in root.locator("[role=status]").inner_text()) == open_now


def test_every_tensor_of_the_pipeline_is_that_of_torch(page):
    root = show(page, EXPLORERS["pipeline"]())
    scores = KEYS @ KEYS.T
    masked = SCORES.masked_fill(~CAUSAL, -torch.inf)
    weights = masked.softmax(-1)
    tensors = [scores, SCORES, masked, weights, weights @ KEYS]
    said = ["3 · 3 + 1 · 1 = 10", "10 / √2 = 7.07", "open, so 7.07 stays", "= 0.94", "= 2.89"]
    for step, (tensor, arithmetic) in enumerate(zip(tensors, said, strict=True), start=1):
        equal(numbers(root.locator(".ex-map:visible").last), tensor)
        words = root.locator("[role=status]").inner_text()
        assert words.startswith(f"Step {step} of 5")
        assert f"({tensor.shape[0]}, {tensor.shape[1]})" in words
        assert arithmetic in words
        root.get_by_role("button", name="Next").press("Enter")
    for step in (4, 3, 2, 1, 1):  # and no further
        root.get_by_role("button", name="Back").focus()
        page.keyboard.press("Enter")
        assert f"Step {step} of 5" in root.locator("[role=status]").inner_text()


def test_the_pipeline_follows_another_cell(page):
    root = show(page, EXPLORERS["pipeline"]())
    root.locator(".ex-map:visible").last.locator("[tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    said = root.locator("[role=status]")
    assert "Row The, column sat: 1 · 2 + 3 · (−2) = −4." in said.inner_text()
    for _ in range(2):
        root.get_by_role("button", name="Next").click()
    assert "closed, so −2.83 becomes −∞." in said.inner_text()


def test_without_a_mask_the_pipeline_has_four_steps(page):
    root = show(page, PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE))
    for _ in range(2):
        root.get_by_role("button", name="Next").click()
    assert "Step 3 of 4, softmax: weights (7, 6)" in root.locator("[role=status]").inner_text()
    scaled = ScaledDotProductAttention(2)(QUERIES[None], KEYS[None])[1][0]
    equal(numbers(root.locator(".ex-map:visible").last), scaled)
