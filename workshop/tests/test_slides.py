"""Slides: no word is lost, and a deck works from a disk, by keyboard, light and dark."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests import needs
from tests.browser.explorers import look
from tests.browser.lab import WCAG, running_browser, watched_page
from workshop import plan, slides

NOTEBOOKS = sorted(plan.COURSE.glob("0*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])
PLAN = """
title = "Short"
subtitle = "A slide of each kind."
[[days]]
minutes = 57
steps = [
  { minutes = 10, show = "01 · 3. A look-up that is soft" },
  { minutes = 4, show = "01 · 5. Sharp or flat: the temperature" },
  { minutes = 8, task = "softmax_with_temperature" },
  { minutes = 15, pause = "Break" },
  { minutes = 8, show = "02 · 6. Padding, and the mask", optional = true },
  { minutes = 12, show = "04 · 4. Masks: where attention may look" },
]
"""
HERE = "section.present > section.present"
PLACE = f"""[...document.querySelectorAll(".slides section section")]
  .findIndex((one) => one.matches("{HERE}"))"""
ARRIVED = f"!document.querySelector('{HERE} .explorer:not([data-alive])')"
# What has no room, and nobody can scroll by keyboard.
CUT_OFF = """slide => [slide, ...slide.querySelectorAll(".slide, .part")].filter((one) => {
  const [high, wide] = [one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth];
  return one.clientHeight && Math.max(high, wide) > 1 && one.tabIndex < 0;
}).map((one) => one.className)"""
SCROLLED = "slide => slide.querySelectorAll('.part[tabindex]').length"
SMALLEST_LETTERS = """slide => Math.min(...[...slide.querySelectorAll(".said p, .shown pre")]
  .filter((one) => one.offsetParent)
  .map((one) => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom))"""


def slides_of(path):
    (day,) = slides.whole(path).days
    return [slide for step in plan.told(day) for slide in slides.stack(*step)]


@every_notebook
def test_every_word_and_every_output_of_the_sections_is_on_a_slide(path):
    shown = slides_of(path)
    words = " ".join(f"{slide.title} {slide.said}" for slide in shown).split()
    outputs = [output for slide in shown for output in slide.outputs]
    for heading in slides.sections(path).keys() - {*slides.LEFT_OUT}:
        for cell in slides.sections(path)[heading]:
            if cell.cell_type == "markdown":
                assert set(re.sub(r"^### ", "", cell.source, flags=re.M).split()) <= set(words)
            else:
                assert all(output in outputs for output in cell.outputs)


@every_notebook
def test_a_prediction_is_asked_on_a_slide_of_its_own_and_answered_on_the_next(path):
    shown = slides_of(path)
    asked = [place for place, slide in enumerate(shown) if slide.kind == "ask"]
    assert len(asked) >= 3
    for place in asked:
        question, answer = shown[place : place + 2]
        assert "**Stop and ask.**" in question.notes[-1]
        assert not re.search("The answer", str(question.outputs))
        assert re.search("The answer", str(answer.outputs))
        assert answer.kind == "answer"
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
    return needs.chromium(needs.site(test))


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A deck as whoever double-clicks it sees it, with all kinds of slides."""
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
    """Each slide in turn, by keyboard, once everything on it is alive."""
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
        assert slide.evaluate("one => [...one.querySelectorAll('img')].every((image) => image.alt)")
        assert slide.locator("xpath=./aside").count() == 1
    assert len(set(titles)) > 12
    assert scrolled <= 1
    assert {"prediction", "query_explorer", "softmax_explorer", "mask_explorer"} <= modules
    assert page.locator("mjx-container").count() >= 15
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    notes = " ".join(page.locator("aside.notes").all_text_contents())
    assert all(said in notes for said in ("0:10", "Some will believe", "Stop and ask.", "Late?"))


@in_a_browser
def test_an_explorer_moves_and_has_the_keys_until_one_clicks_beside_it(page):
    for slide in walk(page):
        if slide.locator("[data-module=query_explorer]").count():
            break
    explorer, place = slide.locator(".ex"), page.evaluate(PLACE)
    before = look(explorer)
    explorer.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    while look(explorer) == before:
        page.wait_for_timeout(20)
    explorer.locator("select").first.focus()
    page.keyboard.press("ArrowDown")
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
    notes.get_by_text("You know look-ups from Python's dictionaries").wait_for()
    assert "0:00 · 10 minutes · 01 · 3. A look-up that is soft" in notes.inner_text()


@in_a_browser
def test_axe_finds_nothing_to_mend_on_a_slide_of_each_kind_light_or_dark(page):
    seen = set()
    for slide in walk(page):
        kind = (slide.get_attribute("class"), slide.locator(".explorer").count())
        if kind in seen:
            continue
        seen.add(kind)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            found = Axe().run(page, options={"runOnly": WCAG, "preload": False})
            assert found.violations_count == 0, found.generate_report()
    assert len(seen) >= 7
