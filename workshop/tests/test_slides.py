"""Test the slides: few, large and whole, they work from disk, by keyboard, in both themes."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_output

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
minutes = 65
steps = [
  { minutes = 10, show = "01 · 3. A look-up that is soft" },
  { minutes = 4, show = "01 · 6. How focused? The entropy" },
  { minutes = 8, turn = "soft_lookup" },
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
# What a slide has no room for: itself, or what it shows.
CUT_OFF = """slide => [slide, ...slide.querySelectorAll(".slide, .said, .shown")].filter((part) =>
  part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1)
  .map((part) => part.className)"""
# The size of the smallest letters on a slide, explorers' drawings included, pictures not.
SMALLEST_LETTERS = """slide => Math.min(...[...slide.querySelectorAll(".slide *")]
  .filter((node) => !node.closest("mjx-container") && node.checkVisibility()
    && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
  .map((node) => {
    const { a, b } = node.ownerSVGElement ? node.getScreenCTM() : { a: node.currentCSSZoom, b: 0 };
    return parseFloat(getComputedStyle(node).fontSize) * Math.hypot(a, b);  // b: it is turned
  }).filter((size) => size > 0))"""  # a map's words are 0 where they stand above it
# The share of the room for an explorer that it fills, along the axis that limits it.
FILLED = """explorer => {
  const [own, room] = [explorer, explorer.closest(".shown")]
    .map((node) => node.getBoundingClientRect());
  return Math.max(own.height / room.height, own.width / room.width);
}"""


def slides_of(path):
    (day,) = slides.notebook_plan(path).days
    return [slide for entry in plan.schedule(day) for slide in slides.stack(*entry)]


@pytest.mark.parametrize(("name", "most"), [("90-minutes", 35), ("half-day", 75)])
def test_a_plan_has_few_slides(name, most):
    (day,) = plan.read(plan.HERE / "plans" / f"{name}.toml").days
    deck = [slide for entry in plan.schedule(day) for slide in slides.stack(*entry)]
    assert len(deck) < most  # with the title, at most so many


@every_notebook
def test_what_a_notebook_shows_is_on_a_slide_and_what_it_says_in_the_notes(path):
    deck = slides_of(path)
    notes = " ".join(note for slide in deck for note in slide.notes)
    words = {*" ".join([notes, *(slide.title for slide in deck)]).split()}
    outputs = [output for slide in deck for output in slide.outputs]
    for heading in slides.sections(path).keys() - {*slides.LEFT_OUT}:
        for cell in slides.sections(path)[heading]:
            if cell.cell_type == "markdown":
                assert set(re.sub(r"^### ", "", cell.source, flags=re.M).split()) <= words
            elif not plan.stub(cell):
                assert all(output in outputs for output in slides.shown(cell)["outputs"])


@every_notebook
def test_a_prediction_is_asked_on_a_slide_of_its_own_and_answered_on_the_next(path):
    deck = slides_of(path)
    questions = [place for place, slide in enumerate(deck) if slide.layout == "ask"]
    assert len(questions) >= 3
    for place in questions:
        question, answer = deck[place : place + 2]
        assert "**Stop and ask.**" in "".join(question.notes)
        assert f"*{answer.text}*" in "".join(question.notes)
        assert not re.search("The answer", str(question.outputs))
        assert re.search("The answer", str(answer.outputs))
        assert "Guess first" not in str(answer.outputs)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("One. Two.\n\nThree.", "One."),
        ("*Softer* (Vaswani et al. 2017) is it. Two.", "*Softer* (Vaswani et al. 2017) is it."),
        ("**By hand.** Four terms. Two.", "Four terms."),
        ("One. **The score grows with the width of both.** Two.",
         "**The score grows with the width of both.**"),
        ("It is\n\n$$a$$\n\nand then\n\n$$b$$", "It is\n\n$$a$$"),
        ("Two steps:\n\n- one.\n- two.", "Two steps:"),
        ("<details><summary>So</summary>\n\nIt is.\n\n</details>\n\nNow this.", "Now this."),
        ("→ [Exercise 3](there.ipynb)\n\nOne. Two.", "One."),
        ("(It is ready-made.) One.", "One."),
    ],
)  # fmt: skip
def test_a_sentence_and_a_formula_stay(text, stays):
    assert slides.stays(text) == stays


def test_text_that_leads_on_leaves_its_last_sentence():
    assert slides.stays("So that was it. What comes now?", place=-1) == "What comes now?"


def test_a_list_stays_where_there_is_nothing_else():
    assert (
        slides.stays("Two steps:\n\n- one.\n- two.", lists=True) == "Two steps:\n\n- one.\n- two."
    )
    assert slides.stays("- one.\n- two.\n\n**Next:** three.", lists=True) == "- one.\n- two."


def test_code_is_shown_with_what_it_prints_and_a_picture_alone():
    printed = new_output("stream", text="1\n")
    picture = new_output("display_data", {"text/html": "<img>"})
    source = "from a import (\n    b,\n)\nimport c\n\nprint(1)"
    cell = new_code_cell(source, outputs=[printed])
    assert slides.shown(cell) == {"outputs": [printed], "code": "print(1)"}
    cell = new_code_cell("draw()", outputs=[printed, picture])
    assert slides.shown(cell) == {"outputs": [picture]}


def test_whoever_writes_has_the_stub_and_its_formula_before_them():
    step = plan.Step(8, False, "Write", stub="soft_lookup", file=NOTEBOOKS[0])
    (slide,) = slides.stack("0:00", step, [])
    assert "softmax}(Q K^\\top)" in slide.text
    assert "Write it in three lines" in slide.text
    assert slide.code.startswith("def soft_lookup(query, keys, values):")
    assert not slide.outputs


# --- In a browser ---------------------------------------------------------------------------------


def in_a_browser(test):
    return pytest.mark.browser(needs.chromium(needs.site(test)))


@pytest.fixture(scope="module")
def browser():
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def deck(tmp_path_factory, request):
    """Build a deck that has slides of all kinds, or the longest of ours; return its file."""
    folder = tmp_path_factory.mktemp("slides")
    file = plan.HERE / "plans" / f"{getattr(request, 'param', 'short')}.toml"
    if file.stem == "short":
        file = folder / file.name
        file.write_text(PLAN, encoding="utf-8")
    slides.build(folder, {file.stem: plan.read(file)})
    return folder / f"{file.stem}.html"


@pytest.fixture
def page(browser, deck):
    with watched_page(browser, "file:") as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(deck.as_uri())
        page.wait_for_function("'ready' in document.documentElement.dataset")
        yield page


def walk(page):
    """Go through the slides by keyboard; yield each slide when all explorers on it have started."""
    for _ in range(page.locator(".slides > section > section").count()):
        page.wait_for_function(ARRIVED)
        yield page.locator(HERE)
        page.keyboard.press("Space")


@in_a_browser
@pytest.mark.parametrize(
    "deck", ["short", pytest.param("two-days", marks=pytest.mark.nightly)], indirect=True
)
def test_every_slide_can_be_read_from_the_back_and_has_room_for_what_it_shows(page):
    titles, modules = [], set()
    for slide in walk(page):
        titles.append(slide.locator("h2").inner_text())
        assert slide.evaluate(CUT_OFF) == [], titles[-1]
        here = {place.get_attribute("data-module") for place in slide.locator(".explorer").all()}
        assert slide.evaluate(SMALLEST_LETTERS) >= 23.99, titles[-1]
        for place in slide.locator(".explorer").all():
            assert place.evaluate(FILLED) > 0.75, titles[-1]
        modules |= here
        assert slide.locator(".explorer").count() <= 1
        assert slide.evaluate(
            "node => [...node.querySelectorAll('img')].every((image) => image.alt)"
        )
        assert not re.search(r"\d minutes", slide.locator(".slide").inner_text())
    assert len(set(titles)) > 12
    assert {"prediction", "query_explorer", "softmax_explorer", "mask_explorer"} <= modules
    assert page.locator("mjx-container").count() >= 4
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
    page.keyboard.press("ArrowUp")  # of the slider, not to the slide before
    assert page.evaluate(PLACE) == place
    slide.locator("h2").click()
    page.keyboard.press("ArrowUp")
    assert page.evaluate(PLACE) != place


@in_a_browser
def test_the_words_of_a_drawing_stay_where_they_are_when_one_comes_back(page):
    for slide in walk(page):
        if slide.locator("[data-module=query_explorer]").count():
            break
    words = slide.locator(".ex-tip")
    page.wait_for_timeout(500)  # until nothing glides
    before = [word.bounding_box() for word in words.all()]
    page.keyboard.press("Space")
    page.keyboard.press("Shift+Space")
    page.wait_for_timeout(500)
    assert [word.bounding_box() for word in words.all()] == before


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
    assert len(layouts) >= 6
