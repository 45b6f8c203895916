"""Test every explorer on an empty page: keyboard, appearance, speed, and numbers against torch."""

import itertools
import os
import re
import statistics
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from axe_playwright_python.sync_playwright import Axe
from ipywidgets import FloatSlider

from tests import needs
from tests.browser.explorers import (
    add,
    look,
    move_controls,
    numbers,
    redraw_times,
    show,
)
from tests.browser.inspection import SCREENSHOTS
from tests.explorer_examples import (
    CAUSAL,
    CHIEN,
    EXPLORERS,
    HEAD_MAPS,
    LONG_KEYS,
    QUARTER,
    SCORES,
    U,
    V,
    W,
    a_curve,
    a_map,
    answers_without,
    short_film,
)
from utils.attention import (
    AdditiveAttention,
    DotProductAttention,
    LocalAttention,
    MultiplicativeAttention,
    ScaledDotProductAttention,
)
from utils.masks import causal_mask, masked_softmax, padding_mask, window_mask
from utils.model_card import in_units
from utils.positions import RotaryPositions
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import (
    CacheExplorer,
    MaskExplorer,
    ReshapeExplorer,
    SliderFigure,
    SoftmaxExplorer,
)
from utils.widgets.cache_explorer import cards_by_kind
from utils.widgets.query_explorer import PARAMETERS

pytestmark = [pytest.mark.browser, needs.chromium]

each = pytest.mark.parametrize("name", EXPLORERS)


def find_violations(page):
    """Return axe's report on the accessibility of a page's explorers; "" if it finds no fault."""
    result = Axe().run(page, context=".ex")
    return result.generate_report() if result.violations_count else ""


def page_width(page):
    """Return the width in pixels that the page takes in a phone's window, which has 390.

    On a busy machine explorers take a while to notice that the window is another.
    """
    page.set_viewport_size({"width": 390, "height": 800})
    for _ in range(100):
        page.wait_for_timeout(50)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width <= 390:
            break
    return width


@each
def test_it_moves_by_keyboard_alone_beside_a_copy_and_fits_every_reader(page, name):
    page.emulate_media(reduced_motion="reduce")  # nothing moves by itself
    first = show(page, EXPLORERS[name]())
    if "SCREENSHOTS" in os.environ:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        first.screenshot(path=SCREENSHOTS / f"explorer-{name}.png")
    assert len(first.locator("[role=status]").first.inner_text()) > 20  # for screen readers
    assert first.get_attribute("aria-label")
    assert first.locator("input, select, button, [tabindex='0']").count() > 0
    assert find_violations(page) == ""
    second = add(page, EXPLORERS[name]())
    first = page.locator(".ex").first
    before = look(first)
    assert look(second) == before
    assert move_controls(second) == []
    assert look(first) == before
    assert page_width(page) <= 390


@pytest.mark.nightly
@each
def test_it_moves_at_the_speed_of_the_hand(page, name, record_property):
    root = show(page, EXPLORERS[name]())
    for slider in root.locator("input[type=range]").all():
        times = redraw_times(slider)
        control = slider.evaluate("input => input.labels[0].querySelector('span').textContent")
        record_property("milliseconds", {f"{name}, {control}": times})
        assert statistics.median(times) < (100 if name == "mask-48" else 60)


def test_a_film_plays_once_when_it_is_seen_and_pauses(page):
    page.clock.install()
    root = show(page, short_film(moments=40))  # on a busy machine, it runs on before it is paused
    at = root.locator(".ex-control output").first
    root.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(400)
    root.get_by_role("button", name="Pause").click()
    paused = int(at.inner_text())
    assert 5 <= paused < 195
    page.clock.run_for(5000)
    assert at.inner_text() == str(paused)
    root.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    assert at.inner_text() == "195"
    assert root.get_by_role("button", name="Play").is_visible()  # at the end it rests


def test_what_is_said_is_spoken_when_the_hand_rests_and_not_at_every_degree(page):
    page.clock.install()
    root = show(page, EXPLORERS["query"]())
    page.clock.run_for(1_000)
    line, slider = root.locator("[role=status]"), root.get_by_role("slider").first
    for _ in range(3):
        before = line.inner_text()
        slider.press("PageUp")
        assert line.inner_text() != before
        assert line.get_attribute("aria-live") == "off"
        page.clock.run_for(300)
    page.evaluate(
        "node => { window.changed = 0; new MutationObserver(() => window.changed += 1)"
        ".observe(node, { childList: true }); }",
        line.element_handle(),
    )
    page.clock.run_for(600)
    assert line.get_attribute("aria-live") is None
    assert page.evaluate("window.changed") == 1  # or there would be nothing to speak


def test_eight_heads_are_two_stops_of_the_keyboard(page):
    root = show(page, EXPLORERS["heads"]())
    root.locator(".he-head button").first.focus()
    for key in ("End", "ArrowLeft", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    pressed = root.locator(".he-head button").evaluate_all("all => all.map((b) => b.ariaPressed)")
    assert pressed == ["false", "true", "false"]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "checkbox"
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.he-head') !== null")


# What glides at the moment, with its duration in milliseconds; "" is a fading canvas.
GLIDES = """async () => {
  await new Promise(requestAnimationFrame);
  return document.getAnimations().map((one) => [one.transitionProperty ?? "",
    one.effect.getComputedTiming().activeDuration]);
}"""


@pytest.mark.parametrize(
    ("name", "key", "properties"),
    [
        ("query", "End", {"transform"}),
        ("query-plain", "Home", {"d", "cx", "cy", "transform"}),
        ("cache", "Home", {"transform"}),
        ("slider-pictures", "Home", {""}),
        ("window", "End", {"d", "transform"}),
        ("turn", "ArrowRight", {"d", "cx", "cy", "transform", "background-color"}),
        ("reach", "End", {"fill"}),
    ],
)
def test_what_a_key_changes_glides_and_what_a_finger_changes_does_not(page, name, key, properties):
    root = show(page, EXPLORERS[name]())
    slider = root.get_by_role("slider").last
    assert page.evaluate(GLIDES) == []  # as it appears, nothing moves
    set_rate = partial(page.context.new_cdp_session(page).send, "Animation.setPlaybackRate")
    set_rate({"playbackRate": 0.001})  # a busy machine must not miss what moves
    slider.press(key)
    glides = page.evaluate(GLIDES)
    assert properties <= {what for what, _ in glides}
    assert all(0 < milliseconds <= 200 for _, milliseconds in glides)
    set_rate({"playbackRate": 1})
    page.wait_for_function("document.getAnimations().length === 0")
    slider.hover()
    before = look(root)
    page.mouse.down()
    assert (look(root) != before, page.evaluate(GLIDES)) == (True, [])
    page.mouse.up()
    page.emulate_media(reduced_motion="reduce")
    before = look(root)
    slider.press("Home")
    assert (look(root) != before, page.evaluate(GLIDES)) == (True, [])


def test_small_weights_have_a_colour_and_no_number(page):
    root = show(page, EXPLORERS["query"]())
    for cell in root.locator(".ex-map td[data-value]").all():
        weight = float(cell.get_attribute("data-value"))
        assert cell.inner_text() == ("" if weight < 0.05 else f"{weight:.2f}")
        assert cell.get_attribute("title") == (f"{weight:.2f}" if weight < 0.05 else "")


@pytest.mark.parametrize(("words", "named"), [(17, 17), (40, 40), (41, 0)])
def test_a_map_keeps_its_words_up_to_forty(page, words, named):
    labels = [f"word{place}" for place in range(words)]
    root = show(page, MaskExplorer(labels, torch.zeros(words, words).tolist(), words, 2))
    for side in ("above", "beside"):
        shown = root.locator(f".ex-{side}").first.locator("span")
        assert shown.all_inner_texts() == labels[:named]
    assert page_width(page) <= 390


def assert_equal(actual, expected):
    """Assert that numbers read from a page, in reading order, equal a tensor's to 1e-5."""
    torch.testing.assert_close(
        torch.tensor(actual, dtype=expected.dtype),
        expected.flatten(),
        atol=1e-5,
        rtol=0,
        equal_nan=True,
    )


def status(root):
    """Return what an explorer says about its picture, which screen readers read out."""
    return root.locator("[role=status]").inner_text()


def move(page, root, control, value):
    """Move a control of an explorer, press a key on its map, or drag the mouse over a picture.

    Args:
        page: the page that shows the explorer.
        root: the explorer's element.
        control: the label of a control, the name of a button, "map" for the last visible map, or
            the name of a picture.
        value: for a control, a key to press, such as "Home", or the value to set; for "map", keys
            separated by spaces; for a picture, a list of places to drag the mouse to, as shares of
            its width.
    """
    if isinstance(value, list):
        drag(page, control, value)
    elif control == "map":
        root.locator(".ex-map:visible").last.locator("[tabindex='0']").focus()
        for key in value.split():
            page.keyboard.press(key)
    elif control in ("Next", "Back"):
        root.get_by_role("button", name=control).press(value)
    else:
        place = root.get_by_label(control, exact=control.startswith("head "))
        if place.evaluate("node => node.type") == "select-one":
            place.select_option(value)
        elif value in ("Home", "End", "Space"):
            place.press(value)
        else:
            place.fill(value)


def drag(page, name, path):
    """Drag the mouse over a picture, through places given as shares of its width."""
    box = page.get_by_role("img", name=name).bounding_box()
    for n, share in enumerate(path):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2, steps=4)
        if n == 0:
            page.mouse.down()
    page.mouse.up()


# --- The same numbers as torch --------------------------------------------------------------------


def query_weights(name, temperature):
    """Return the weights that the query explorer shows (tgt_len + 2, src_len).

    They are those of all queries of the running example, and twice more those of the second, which
    the explorer has selected: in the row "yours", and in the bars.
    """
    if name in ("dot", "scaled"):
        module = {"dot": DotProductAttention, "scaled": ScaledDotProductAttention}[name](2)
    else:
        module = AdditiveAttention(3, 2, 4) if name == "additive" else MultiplicativeAttention(2, 2)
        parameters = {f"{key}.weight": torch.tensor(w) for key, w in PARAMETERS[name].items()}
        module.load_state_dict({key: w.view(-1, w.shape[-1]) for key, w in parameters.items()})
    ones = torch.ones(len(QUERIES), 1)  # the additive judge reads (x, y, 1)
    asked = torch.cat([QUERIES, ones], 1) if name == "additive" else QUERIES
    scores = module.score(asked[None], KEYS[None])[0].detach()  # (tgt_len, src_len)
    weights = (scores / temperature).softmax(-1)
    return torch.cat([weights, weights[1:2], weights[1:2]])


def tuned_weights():
    """Return additive attention's weights for the state (1, 1, 2) when v is 0 for "up"."""
    attention = AdditiveAttention(query_dim=3, key_dim=2, attention_dim=4)
    v = V.where(torch.tensor([True, True, False, True]), 0)
    attention.load_state_dict({"W.weight": W, "U.weight": U, "v.weight": v.unsqueeze(0)})
    return attention(torch.tensor([[[1.0, 1.0, 2.0]]]), KEYS[None])[1].detach()


def turned_weights(quarters):
    """Return the general score's weights if its matrix W turns by `quarters` quarter turns."""
    attention = MultiplicativeAttention(2, 2, "general")
    attention.W.weight.data = torch.linalg.matrix_power(QUARTER, quarters)
    return attention((QUERIES @ QUARTER.T)[None], KEYS[None])[1].detach()


def window_weights(centre, half_width):
    """Return the weights of local attention whose predicted centre is replaced by `centre`."""
    attention = LocalAttention(2, 2, half_width, "predicted", "dot")
    attention.find_centres = lambda *_: torch.tensor([[centre]])
    return attention(CHIEN[None], LONG_KEYS[None])[1].detach()


def rules(length, half_width, causal):
    mask = padding_mask([length], 6)[0] & window_mask(torch.arange(6), 6, half_width)  # (6, 6)
    return mask & CAUSAL if causal else mask


def weights_or_nan(mask):
    """Return the weights of a plain softmax over masked scores: NaN in rows without any key."""
    weights = masked_softmax(SCORES, mask)
    return weights.masked_fill(~mask.any(-1, keepdim=True), torch.nan)


def kept_by_tiles(size, tiles):
    """Return what the tiles explorer keeps of each query after some tiles (tgt_len, 7).

    It is the largest score, the factor of what was summed before, the sum of powers, the context so
    far, and the context of all keys at once.
    """
    scores, read = QUERIES @ KEYS.T / 2**0.5, size * tiles
    largest = scores[:, :read].amax(1, keepdim=True)
    older = scores[:, : read - size].amax(1, keepdim=True) if tiles > 1 else largest
    sums = (scores[:, :read] - largest).exp().sum(1, keepdim=True)
    so_far = scores[:, :read].softmax(-1) @ KEYS[:read]
    at_once = F.scaled_dot_product_attention(QUERIES, KEYS, KEYS)
    return torch.cat([largest, (older - largest).exp(), sums, so_far, at_once], dim=1)


def cosines_between(place, distance):
    """Return the cosines of the angles between the hands of eight clocks, and their mean (9,)."""
    turn = RotaryPositions(16).turn
    x = torch.tensor([[1.0] * 8 + [0.0] * 8], dtype=torch.float64)  # halves: (1, 0) in each pair
    key, query = (turn(x, torch.tensor([each])) for each in (place, place + distance))
    cosines = (key * query).view(2, 8).sum(0)
    return torch.cat([cosines, cosines.mean()[None]])


def reached(layers, window, sinks):
    """Return what a stack paints, from the words up, and the mask: products of masks.

    0 is out of reach, 1 within reach of windows, 2 through sinks alone.
    """
    near = CAUSAL_24 & window_mask(torch.arange(24), 24, window - 1)
    masks = near, near | CAUSAL_24 & (torch.arange(24) < sinks)
    stacks = [
        torch.stack([mask.double().matrix_power(down)[-1] > 0 for down in range(layers, -1, -1)])
        for mask in masks
    ]  # (layers + 1, 24) each: the words, layer 1, and so on
    return torch.cat([torch.where(a, 1.0, 2.0 * b).flatten() for a, b in (stacks, masks)])


def heads_left(off):
    """Return the mean map of the heads that are on, and the measures without the others."""
    on = torch.tensor([head not in off for head in range(3)])
    mean = HEAD_MAPS[on].sum(0) / max(1, int(on.sum()))
    return torch.cat([mean.flatten(), torch.tensor(answers_without(*off))])


NEXT, BACK = ("Next", "Enter"), ("Back", "Enter")
SIX = torch.tensor([3.0, 9.0, 1.0, 2.0, 2.5, 0.0])
WIDE = torch.tensor(SoftmaxExplorer(SOURCE).scores[-1])  # (6,), of vectors of 1,024 numbers
CAUSAL_24 = causal_mask(24)
MASKED = SCORES.masked_fill(~CAUSAL, -torch.inf)
STEPS = [KEYS @ KEYS.T, SCORES, MASKED, MASKED.softmax(-1), MASKED.softmax(-1) @ KEYS]
SHOWS = {"pipeline": ".ex-map:visible >> nth=-1", "tiles": "[role=region]"}  # where not the whole
NUMBERS = [  # explorer, its moves, its numbers in reading order
    *(
        ("query", [("score", name), *coldest], query_weights(name, temperature))
        for name in ("dot", "scaled", "additive", "general")
        for temperature, coldest in ((1.0, []), (0.1, [("temperature", "Home")]))
    ),
    ("softmax", [], SIX.softmax(-1)),
    ("softmax", [("temperature", "End")], (SIX / 10).softmax(-1)),
    ("softmax-width", [("width d", "End")], torch.stack([WIDE, WIDE / 32]).softmax(-1)),
    ("tuning", [("where", "End"), ("kind", "End"), ("points for up", "Home")], tuned_weights()),
    *(
        ("turn", [("W turns by", str(90 * quarters))], turned_weights(quarters))
        for quarters in range(5)
    ),
    *(
        (
            "window",
            [("centre p", str(centre)), ("half width D", str(half_width)), *switch],
            weights / (weights.sum() if switch else 1),
        )
        for centre, half_width in [(9.1, 2), (10.5, 2), (11.5, 1), (4.5, 4)]
        for switch in ([], [("normalise again", "Space")])
        for weights in [window_weights(centre, half_width)]
    ),
    *(
        ("mask", moves, torch.cat([mask.float(), weights_or_nan(mask)]))
        for moves, mask in [
            ([], rules(4, 1, True)),
            ([("length", "Home")], rules(1, 1, True)),  # leaves rows empty
            ([("length", "End"), ("half-width", "End")], rules(6, 5, True)),
            ([("half-width", "Home"), ("causal", "Space")], rules(4, 0, False)),
        ]
    ),
    (
        "mask",
        [("read True as blocked", "Space")],
        torch.cat([rules(4, 1, True).float(), weights_or_nan(~rules(4, 1, True))]),
    ),
    *(("pipeline", [NEXT] * step, tensor) for step, tensor in enumerate(STEPS)),
    ("pipeline", [*[NEXT] * 4, BACK], STEPS[3]),
    *(
        ("heads", [(f"head {head + 1}", "Space") for head in off], heads_left(off))
        for count in range(4)
        for off in itertools.combinations(range(3), count)
    ),
    ("tiles", [BACK], kept_by_tiles(2, 1)),
    *(
        (
            "tiles",
            [("keys in a tile", str(size)), *[NEXT] * (tiles - 2)],
            kept_by_tiles(size, tiles),
        )
        for size, tiles in [(1, 6), (2, 3), (4, 2), (5, 2), (6, 1)]
    ),
    *(
        (
            "clock",
            [("place of the key", str(place)), ("distance to the query", str(distance))],
            cosines_between(place, distance),
        )
        for place, distance in [(0, 0), (3, 4), (1000, 47), (1000, 384)]
    ),
    *(
        (
            "reach",
            [("layers L", str(layers)), ("window W", str(window)), ("sinks", str(sinks))],
            reached(layers, window, sinks),
        )
        for layers, window, sinks in [(3, 1, 0), (3, 4, 0), (6, 3, 2), (4, 8, 4)]
    ),
]


@pytest.mark.parametrize(("name", "moves", "expected"), NUMBERS)
def test_the_numbers_of_an_explorer_are_those_of_torch(page, name, moves, expected):
    root = show(page, EXPLORERS[name]())
    for control, value in moves:
        move(page, root, control, value)
    assert_equal(numbers(root.locator(SHOWS[name]) if name in SHOWS else root), expected)


def test_cells_pressed_by_keyboard_change_and_change_back(page):
    root = show(page, EXPLORERS["mask"]())
    root.locator(".ex-map").first.locator("[tabindex='0']").focus()
    mask = rules(4, 1, True)
    for column, key in enumerate(["Space", "Enter"]):  # one open cell, and one closed
        for by_hand in (True, False):
            page.keyboard.press(key)
            mask[0, column] = ~mask[0, column]
            assert_equal(numbers(root.locator(".ex-map").first), mask.float())
            assert_equal(numbers(root.locator(".ex-map").last), weights_or_nan(mask))
            assert ("1 set by hand" in status(root)) == by_hand
        page.keyboard.press("ArrowRight")


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
            caption = panel.locator("xpath=following-sibling::p").inner_text()
            assert f"shape {tuple(tensor.shape)}, strides {tensor.stride()}" in caption
        page.get_by_role("button", name="Next").or_(page.get_by_text("Start again")).click()


def test_a_number_is_followed_by_click_and_arrow_keys(page):
    root = show(page, EXPLORERS["reshape"]())
    panel = root.locator("svg").first
    panel.focus()
    for key, name in {"Right": "cat 4", "Down": "sat 4", "Left": "sat 3", "Up": "cat 3"}.items():
        page.keyboard.press(f"Arrow{key}")
        assert status(root).startswith(name)
    panel.get_by_text("mat 4").click()
    assert "mat 4 is number 23" in status(root)
    for control, key in (NEXT, NEXT, BACK, BACK):  # which then can go no further back
        move(page, root, control, key)
    assert page.evaluate("document.activeElement.textContent") == "Next"


@pytest.mark.parametrize("model", ["Llama 3.1 8B", "Qwen2.5 72B"])
def test_the_bytes_of_the_cache_are_those_of_the_model_card(page, model):
    root, cards = show(page, CacheExplorer(model)), cards_by_kind(model)
    for doublings in range(4, 18):
        root.get_by_label("tokens").fill(str(doublings))
        kept = [card.kept(2**doublings) for card in cards.values()]
        bars = root.locator(".ex-bars")
        assert numbers(bars) == pytest.approx([each / max(kept) for each in kept], rel=1e-12)
        texts = bars.locator("tbody td:not(:has(div))").all_inner_texts()
        assert texts == [in_units(each) for each in kept]


def test_a_score_dragged_up_takes_weight_from_the_others(page):
    root = show(page, EXPLORERS["softmax"]())
    box = root.locator(".so-hold").bounding_box()
    column = box["x"] + box["width"] * 5.5 / 6  # the last, "mat"
    page.mouse.move(column, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(column, box["y"] - 20, steps=3)  # no further than the highest
    page.mouse.up()
    scores = torch.tensor([3.0, 9.0, 1.0, 2.0, 2.5, 11.0])
    assert_equal(numbers(root), scores.softmax(-1))
    assert "The score of mat is 11.0" in status(root)
    widths = root.locator(".so-whole span").evaluate_all("parts => parts.map((p) => p.style.width)")
    shares = torch.tensor([float(width.rstrip("%")) for width in widths]) / 100
    torch.testing.assert_close(shares, scores.softmax(-1), atol=1e-4, rtol=0)


def test_a_slider_figure_shows_what_was_computed_for_its_settings(page):
    root, expected = show(page, EXPLORERS["slider-map"]()), a_map(TARGET[1], True)
    root.get_by_label("query").select_option(TARGET[1])
    root.get_by_label("backwards").check()
    assert numbers(root) == pytest.approx(expected.weights.flatten().tolist(), abs=1e-3)
    assert root.locator("thead th").all_inner_texts() == expected.source
    assert root.locator(".ex-framed").count() == 1
    assert status(root) == expected.alt


def test_a_slider_figure_has_the_title_and_the_task_that_it_is_given(page):
    figure = SliderFigure(a_curve, "A title", "Try: it.", height=FloatSlider(1.0, min=0, max=2))
    said = show(page, figure).locator(".ex-name, .ex-try").all_inner_texts()
    assert said == ["A title", "Try: it."]


def test_the_titles_of_pictures_keep_their_order(page):
    root = show(page, EXPLORERS["slider-pictures"]())
    assert root.locator(".ex-title").all_inner_texts() == ["right", "left"]


# --- What an explorer says once it is moved -------------------------------------------------------

THREE_DOWN = ("map", "ArrowDown ArrowDown ArrowDown Enter")
THIRD_CELL = ("map", "ArrowRight ArrowRight Enter")
BELL, THRESHOLD = "window, bell and weights", "answers to up"
STATUS = [  # explorer, its moves, a pattern of its status
    ("cache", [("words written", "Home")], r"at 1 word, .* 16 GiB of 131,072 tokens\."),
    ("cache", [("kind of layer", "window")], r"at 4 words, .*\(the window has 4,096; 4 are"),
    (
        "cache",
        [("kind of layer", "linear"), ("tokens", "Home")],
        r"at no single word.* 32 MiB of 16 ",
    ),
    ("clock", [], "Key at 3, query at 7: distance 4.* None of 8 clocks"),
    ("clock", [("place of the key", "End")], r"query at 1004: distance 4, score 0\.69"),
    ("clock", [("distance to the query", "47")], "None of 8 clocks show"),
    ("clock", [("distance to the query", "48")], "6 of 8 clocks show an angle never met in .* 48 "),
    ("clock", [("distance to the query", "48"), ("trained on", "56")], "None of 8 clocks"),
    ("clock", [("score, word by word", [0.3, 1.0])], r"distance 384,"),
    ("reach", [], r"can depend on 10 = 1 \+ 3 · \(4 − 1\)\. A layer keeps 4 words\."),
    ("reach", [("layers L", "End"), ("window W", "End")], r"on 24 \(all .* = 43\)"),
    ("reach", [("sinks", "End")], r"through sinks on 4 more \(orange\)\. A layer keeps 8"),
    ("query", [], "Most weight: cat, 0.98"),
    ("query", [THREE_DOWN], "Most weight: sat, 0.98"),  # a row asks its query: "assis"
    ("pipeline", [THIRD_CELL], r"Row The, column sat: 1 · 2 \+ 3 · \(−2\) = −4\."),
    ("pipeline", [THIRD_CELL, NEXT, NEXT], r"closed, so −2\.83 becomes −∞\."),
    *(
        ("pipeline", [NEXT] * step, re.escape(words))
        for step, words in enumerate(
            ["3 · 3 + 1 · 1 = 10", "10 / √2 = 7.07", "open, so 7.07 stays", "= 0.94", "= 2.89"]
        )
    ),
    ("pipeline-no-mask", [NEXT] * 2, r"softmax: weights \(7, 6\)"),
    ("mask", [("length", "Home"), ("read", "Space")], "what it should not"),
    ("mask", [("length", "Home")], "Nothing is open for sat, on, the, mat:"),
    ("reshape", [NEXT] * 2, "16 of 24 numbers stand in the row of another token"),
    ("turn", [("W turns by", "90")], r"chat gives most weight to cat: 0\.98\."),
    ("turn", [("W turns by", "90"), THREE_DOWN], r"assis gives most weight to sat: 0\.98\."),
    (  # heads that are off together, beside one at a time
        "heads",
        [("head 1", "Space"), ("head 2", "Space")],
        r"head 1, head 2 cost: who 0\.75, what 0\.00.* alone adds up to.* who 0\.02, what 0\.00",
    ),
    ("tiles", [NEXT], r"no context is further than 0\.00000"),
    ("tiles", [("rescale", "Space"), NEXT], r"further than (?!0\.0)[\d.]+ from"),
    ("tuning", [(THRESHOLD, [0.5, 0.99])], "up: yes from The, the"),
    ("tuning", [(THRESHOLD, [0.5, 0.99]), (THRESHOLD, [0.5, 0.01])], "up: yes from all"),
    ("tuning-one", [(THRESHOLD, [0.5, 0.99])], "up: yes from none"),
    ("tuning-one", [(THRESHOLD, [0.5, 0.99]), (THRESHOLD, [0.5, 0.01])], "up: yes from all"),
    ("window", [(BELL, [0.7, 0.2])], "The window holds The, cat, sat, on"),
]


@pytest.mark.parametrize(("name", "moves", "expected"), STATUS)
def test_the_status_of_an_explorer_follows_its_moves(page, name, moves, expected):
    root = show(page, EXPLORERS[name]())
    for control, value in moves:
        move(page, root, control, value)
    assert re.search(expected, status(root), flags=re.DOTALL)


def test_a_bell_dragged_to_the_edge_stops_at_the_last_word(page):
    root = show(page, EXPLORERS["window"]())
    drag(page, BELL, [0.7, 1.0])
    assert root.get_by_label("centre p").input_value() == "12"
