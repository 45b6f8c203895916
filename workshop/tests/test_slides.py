"""Test the slides: they have every word, and work from disk, by keyboard and in both themes."""

import re

import pytest

from tests import needs
from tests.browser.explorers import look
from tests.browser.lab import WCAG, running_browser, watched_page
from workshop import plan, slides

NOTEBOOKS = sorted(plan.COURSE.glob("[0-9]*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])
PLAN = """
title = "Short"
subtitle = "A slide of each kind."
[[days]]
minutes = 57
steps = [
  { minutes = 10, show = "01 · 3. A look-up that is soft" },
  { minutes = 4, show = "01 · 6. How focused? The entropy" },
  { minutes = 8, task = "softmax_with_temperature" },
  { minutes = 15, pause = "Break" },
  { minutes = 8, show = "02 · 6. Padding, and the mask", optional = true },
  { minutes = 12, show = "04 · 4. Masks: where attention may look" },
]
"""
HERE = "section.present > section.present"
PLACE = f"""[...document.querySelectorAll(".slides section section")]
  .findIndex((node) => node.matches("{HERE}"))"""
ARRIVED = f"!document.querySelector('{HERE} .explorer:not([data-alive])')"
# The parts of a slide that have no room and cannot be scrolled by keyboard.
CUT_OFF = """slide => [slide, ...slide.querySelectorAll(".slide, .part")].filter((part) => {
  const [high, wide] = [part.scrollHeight - part.clientHeight, part.scrollWidth - part.clientWidth];
  return part.clientHeight && Math.max(high, wide) > 1 && part.tabIndex < 0;
}).map((part) => part.className)"""
SCROLLED = "slide => slide.querySelectorAll('.part[tabindex]').length"
SMALLEST_LETTERS = """slide => Math.min(...[...slide.querySelectorAll(".said p, .shown pre")]
  .filter((node) => node.offsetParent)
  .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.currentCSSZoom))"""


def slides_of(path):
    (day,) = slides.notebook_plan(path).days
    return [slide for entry in plan.schedule(day) for slide in slides.stack(*entry)]


@every_notebook
def test_every_word_and_every_output_of_the_sections_is_on_a_slide(path):
    deck = slides_of(path)
    words = " ".join(f"{slide.title} {slide.text}" for slide in deck).split()
    outputs = [output for slide in deck for output in slide.outputs]
    for heading in slides.sections(path).keys() - {*slides.LEFT_OUT}:
        for cell in slides.sections(path)[heading]:
            if cell.cell_type == "markdown":
                assert set(re.sub(r"^### ", "", cell.source, flags=re.M).split()) <= set(words)
            else:
                assert all(output in outputs for output in cell.outputs)


@every_notebook
def test_a_prediction_is_asked_on_a_slide_of_its_own_and_answered_on_the_next(path):
    deck = slides_of(path)
    questions = [place for place, slide in enumerate(deck) if slide.layout == "ask"]
    assert len(questions) >= 3
    for place in questions:
        question, answer = deck[place : place + 2]
        assert "**Stop and ask.**" in question.notes[-1]
        assert not re.search("The answer", str(question.outputs))
        assert re.search("The answer", str(answer.outputs))
        assert answer.layout == "answer"
        assert "Guess first" not in str(answer.outputs)


def test_text_is_packed_from_its_end_and_never_torn_from_what_it_leads_to():
    assert slides.packed(["a" * 40, "b" * 40, "c" * 40], 90) == [["a" * 40], ["b" * 40, "c" * 40]]
    assert slides.packed(["a" * 100], 90) == [["a" * 100]]
    assert slides.packed([], 90) == []
    whole = "Two steps:\n\n- one\n- two."
    fold = "<details><summary>So</summary>\n\nIt is.\n\n</details>"
    assert [*slides.blocks(f"First.\n\n{whole}\n\n{fold}")] == ["First.", whole, fold]


# --- In a browser ---------------------------------------------------------------------------------


def in_a_browser(test):
    return pytest.mark.browser(needs.chromium(needs.site(test)))


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Build a deck that has slides of all kinds; return its file:// address."""
    folder = tmp_path_factory.mktemp("slides")
    (folder / "short.toml").write_text(PLAN, encoding="utf-8")
    slides.build(folder / "slides", {"short": plan.read(folder / "short.toml")})
    return (folder / "slides" / "short.html").as_uri()


@pytest.fixture
def page(browser, address):
    with watched_page(browser, "file:") as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(address)
        page.wait_for_function("'ready' in document.documentElement.dataset")
        yield page


def walk(page):
    """Go through the slides by keyboard; yield each slide when all explorers on it have started."""
    for _ in range(page.locator(".slides > section > section").count()):
        page.wait_for_function(ARRIVED)
        yield page.locator(HERE)
        page.keyboard.press("Space")


@in_a_browser
def test_every_slide_fits_or_scrolls_and_says_what_is_to_be_said(page):
    titles, scrolled, modules = [], 0, set()
    for slide in walk(page):
        titles.append(slide.locator("h2").inner_text())
        assert slide.evaluate(CUT_OFF) == [], titles[-1]
        assert slide.evaluate(SMALLEST_LETTERS) >= 8.8, titles[-1]  # of 720
        scrolled += slide.evaluate(SCROLLED)
        places = slide.locator(".explorer").all()
        modules |= {place.get_attribute("data-module") for place in places}
        assert slide.evaluate(
            "node => [...node.querySelectorAll('img')].every((image) => image.alt)"
        )
        assert slide.locator("xpath=./aside").count() == 1
    assert len(set(titles)) > 12
    assert scrolled <= 1
    assert {"prediction", "query_explorer", "softmax_explorer", "mask_explorer"} <= modules
    assert page.locator("mjx-container").count() >= 15
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    notes = " ".join(page.locator("aside.notes").all_text_contents())
    assert all(text in notes for text in ("0:10", "Some will believe", "Stop and ask.", "Late?"))


@in_a_browser
def test_an_explorer_moves_and_has_the_keys_until_somebody_clicks_beside_it(page):
    for slide in walk(page):
        if slide.locator("[data-module=query_explorer]").count():
            break
    explorer, place = slide.locator(".ex"), page.evaluate(PLACE)
    before = look(explorer)
    explorer.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    while look(explorer) == before:
        page.wait_for_timeout(20)
    page.keyboard.press("ArrowDown")  # of the slider, not to the next slide
    assert page.evaluate(PLACE) == place
    slide.locator("h2").click()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(PLACE) != place


@in_a_browser
def test_the_speaker_s_window_has_the_notes(page):
    page.keyboard.press("ArrowRight")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text("is a look-up: you come with a").wait_for()
    assert "0:00 · 10 minutes · 01 · 3. A look-up that is soft" in notes.inner_text()


@in_a_browser
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.nightly)])
def test_axe_finds_nothing_to_mend_on_a_slide_of_each_layout(page, theme):
    page.emulate_media(color_scheme=theme)
    layouts = set()
    for slide in walk(page):
        layout = (slide.get_attribute("class"), slide.locator(".explorer").count())
        if layout in layouts:
            continue
        layouts.add(layout)
        axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        result = axe.run(page, options={"runOnly": WCAG, "preload": False})
        assert result.violations_count == 0, result.generate_report()
    assert len(layouts) >= 7
