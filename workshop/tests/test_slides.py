"""Test the slides: few, large and whole, they work from disk, by keyboard, in both themes.

In a room, thirty learners guess, and a slide counts them.
"""

import ast
import re
import threading
from itertools import islice

import pytest
from nbformat.v4 import new_code_cell, new_output

from grading import classroom
from grading.report.room import Room, Server
from tests import needs
from tests.browser.explorers import look
from tests.browser.lab import WCAG, running_browser, watched_page
from utils.course import chapters
from workshop import plan, slides

NOTEBOOKS = [*chapters().values()]
every_notebook = pytest.mark.parametrize("chapter", NOTEBOOKS, ids=lambda chapter: chapter.number)
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
PLACE = f"""[[...document.querySelectorAll(".slides section section")]
  .findIndex((node) => node.matches("{HERE}")),
  document.querySelectorAll(".fragment.visible").length]"""  # the slide, and what has come on it
ARRIVED = f"""![...document.querySelectorAll("{HERE} .explorer:not([data-alive])")]
  .some((place) => place.checkVisibility())"""
SHOWN = f"{HERE} .explorer:visible"
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
# Lines of code that break where no line ends.
BROKEN_LINES = """slide => [...slide.querySelectorAll(".highlight pre")].filter((code) => {
  const lines = code.textContent.replace(/\\n$/, "").split("\\n").length;
  const { lineHeight, paddingTop } = getComputedStyle(code);
  return code.checkVisibility()
    && code.clientHeight - 2 * parseFloat(paddingTop) > (lines + 0.5) * parseFloat(lineHeight);
}).map((code) => code.textContent)"""
# The share of the room for an explorer that it fills, along the axis that limits it.
FILLED = """explorer => {
  const [own, room] = [explorer, explorer.closest(".shown")]
    .map((node) => node.getBoundingClientRect());
  return Math.max(own.height / room.height, own.width / room.width);
}"""


def slides_of(chapter):
    (day,) = slides.notebook_plan(chapter).days
    return [slide for entry in plan.schedule(day) for slide in slides.stack(*entry)]


@pytest.mark.parametrize(("name", "most"), [("90-minutes", 35), ("half-day", 75)])
def test_a_plan_has_few_slides(name, most):
    (day,) = plan.read(plan.HERE / "plans" / f"{name}.toml").days
    deck = [slide for entry in plan.schedule(day) for slide in slides.stack(*entry)]
    assert len(deck) < most  # with the title, at most so many


@every_notebook
def test_what_a_notebook_shows_is_on_a_slide_and_what_it_says_in_the_notes(chapter):
    deck = slides_of(chapter)
    notes = " ".join(note for slide in deck for note in slide.notes)
    words = {*" ".join([notes, *(slide.title for slide in deck)]).split()}
    outputs = [output for slide in deck for output in slide.outputs]
    sections = slides.sections(chapter.path)
    for heading in sections.keys() - {*slides.LEFT_OUT}:
        for cell in sections[heading]:
            if cell.cell_type == "markdown":
                assert set(re.sub(r"^### ", "", cell.source, flags=re.M).split()) <= words
            elif not plan.stub(cell):
                assert all(output in outputs for output in slides.shown(cell)["outputs"])


@every_notebook
def test_a_prediction_is_asked_on_a_slide_of_its_own_and_answered_on_the_next(chapter):
    deck = slides_of(chapter)
    questions = [place for place, slide in enumerate(deck) if slide.layout == "ask"]
    assert len(questions) >= 3
    for place in questions:
        question, answer = deck[place : place + 2]
        assert "**Stop and ask.**" in "".join(question.notes)
        assert f"*{answer.text}*" in "".join(question.notes)
        assert not re.search("The answer", str(question.outputs))
        assert re.search("The answer", str(answer.outputs))
        assert "Guess first" not in str(answer.outputs)


def test_each_answer_has_its_bar():
    answers = [slide for each in NOTEBOOKS for slide in slides_of(each) if slide.answer]
    assert len(answers) > 50
    for slide in answers:
        assert slide.question.bar(slide.answer) is not None, slide.text
    by_text = {slide.text: slide for slide in answers}
    share = by_text["One vector of 32 numbers, 16 symbols: what share is right?"]
    assert share.question.marks()[share.question.bar(share.answer)] in share.answer


def test_a_question_brings_the_explorer_of_its_section():
    asks = {slide.text: slide for slide in slides_of(NOTEBOOKS[0]) if slide.layout == "ask"}
    moved, still = (asks[text] for text in asks if re.match("Score 10|All values", text))
    assert 'data-module="query_explorer"' in str(moved.to_move)
    assert any("Then move it" in note for note in moved.notes)
    assert not still.to_move


def test_colours_and_letters_are_those_of_the_front_page():
    style = (slides.HERE / "templates" / "deck.css").read_text(encoding="utf-8")
    used = {*re.findall(r"var\((--[\w-]+)", style)}
    defined = {*re.findall(r"(--[\w-]+):", slides.look() + style), "--letters", "--share"}
    assert used <= defined
    assert {"--paper", "--card", "--look", "--serif"} <= used
    assert ".top" not in slides.look()


@needs.ruff
def test_code_has_lines_that_fit_and_says_the_same():
    codes = {slide.code for each in NOTEBOOKS[:4] for slide in slides_of(each)}
    long = [code for code in codes if max(map(len, code.split("\n"))) > slides.WIDEST]
    assert len(long) > 30
    for code in long:
        narrow = slides.narrow(code)
        assert max(map(len, narrow.split("\n"))) <= slides.WIDEST, narrow
        before, after = (
            re.sub(r"\s+", " ", ast.unparse(ast.parse(each))) for each in (code, narrow)
        )
        assert before == after
        comments = [{*" ".join(re.findall("# .*", each)).split()} for each in (code, narrow)]
        assert comments[0] == comments[1]


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
    step = plan.Step(8, False, "Write", stub="soft_lookup", file=NOTEBOOKS[0].path)
    (slide,) = slides.stack("0:00", step, [])
    assert "softmax}(Q K^\\top)" in slide.text
    assert "Write it in three lines" in slide.text
    assert slide.code.startswith("def soft_lookup(query, keys, values):")
    assert not slide.outputs


# --- In a browser ---------------------------------------------------------------------------------


def in_a_browser(test):
    return pytest.mark.browser(needs.chromium(needs.site(needs.ruff(test))))


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
    """Go through the slides by keyboard; yield each slide when all explorers on it have started.

    A slide whose explorer comes later is yielded again with it.
    """
    steps = page.locator(".slides > section > section, .fragment").count()
    for _ in range(steps):
        page.wait_for_function(ARRIVED)
        yield page.locator(HERE)
        page.keyboard.press("Space")


def turn_to(page, what):
    """Go on to the slide that shows something; return it."""
    return next(slide for slide in walk(page) if slide.locator(f"{what}:visible").count())


@in_a_browser
@pytest.mark.parametrize(
    "deck", ["short", pytest.param("two-days", marks=pytest.mark.nightly)], indirect=True
)
def test_every_slide_can_be_read_from_the_back_and_has_room_for_what_it_shows(page):
    titles, modules = [], set()
    for slide in walk(page):
        titles.append(slide.locator("h2").inner_text())
        assert slide.evaluate(CUT_OFF) == [], titles[-1]
        assert slide.evaluate(SMALLEST_LETTERS) >= 23.99, titles[-1]
        places = page.locator(SHOWN).all()
        for place in places:
            assert place.evaluate(FILLED) > 0.75, titles[-1]
        modules |= {place.get_attribute("data-module") for place in places}
        assert len(places) <= 1
        assert slide.evaluate(BROKEN_LINES) == [], titles[-1]
        assert slide.evaluate(
            "node => [...node.querySelectorAll('img')].every((image) => image.alt)"
        )
        assert not re.search(r"\d minutes", slide.locator(".slide").inner_text())
    assert len(set(titles)) > 12
    assert {"query_explorer", "softmax_explorer", "mask_explorer"} <= modules
    assert page.locator("mjx-container").count() >= 4
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    notes = " ".join(page.locator("aside.notes").all_text_contents())
    assert all(text in notes for text in ("0:10", "Some will believe", "Stop and ask.", "Late?"))


@in_a_browser
def test_an_explorer_moves_and_has_the_keys_until_somebody_clicks_beside_it(page):
    slide = turn_to(page, "[data-module=query_explorer]")
    explorer, place = slide.locator(".ex"), page.evaluate(PLACE)
    before = look(explorer)
    explorer.locator("input[type=range]").first.focus()
    page.keyboard.press("End")
    while look(explorer) == before:
        page.wait_for_timeout(20)
    page.keyboard.press("ArrowUp")  # of the slider, not to the slide before
    assert page.evaluate(PLACE) == place
    slide.locator(".said").click()
    page.keyboard.press("ArrowUp")
    assert page.evaluate(PLACE) != place


@in_a_browser
def test_the_words_of_a_drawing_stay_where_they_are_when_one_comes_back(page):
    slide = turn_to(page, "[data-module=query_explorer]")
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
    notes.get_by_text("is a look-up: a").wait_for()
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


# --- In a room ------------------------------------------------------------------------------------


def bars(place):
    """Return the counts that the bars of a slide show."""
    return [int(count or 0) for count in place.locator(".count").all_inner_texts()]


@in_a_browser
def test_hands_are_typed_in_and_stay_when_the_answer_comes(page):
    slide = turn_to(page, ".guesses")
    for row, hands in enumerate(["4", "0", "12", "3"]):
        slide.get_by_role("spinbutton").nth(row).fill(hands)
    assert bars(slide) == [4, 0, 12, 3]
    assert slide.get_by_text("19 guesses").is_visible()
    page.keyboard.press("ArrowRight")  # belongs to the field
    assert slide.get_by_role("spinbutton").first.is_visible()
    slide.locator(".said").click()
    page.keyboard.press("Space")
    page.wait_for_function(ARRIVED)
    assert slide.locator("[data-module=query_explorer]").is_visible()
    page.keyboard.press("Space")
    assert bars(slide) == [4, 0, 12, 3]
    assert slide.locator("li.right").inner_text().split() == ["C", "✓", "55", "12"]


@needs.unix
@in_a_browser
def test_thirty_learners_guess_then_the_explorer_is_moved_then_the_answer_comes(
    browser, deck, tmp_path
):
    guesses, learners = classroom.guesses(tmp_path, 30), [*islice(classroom.names(), 30)]
    list(islice(guesses, 30))  # at the first question of the course, which this deck does not ask
    deck.with_name("index.html").touch()
    server = Server(Room(tmp_path), slides=deck.parent)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    root = server.slides_address.rpartition("/")[0]
    with watched_page(browser, root) as page:
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{root}/{deck.name}")
        page.wait_for_function("'ready' in document.documentElement.dataset")
        slide = turn_to(page, ".guesses")
        assert slide.get_by_text("no guesses yet").is_visible()
        assert slide.get_by_role("spinbutton").count() == 0

        list(islice(guesses, 2))
        slide.get_by_text("2 guesses").wait_for()
        assert bars(slide) == [0, 0, 0, 0]  # so few would tell who guessed what
        list(islice(guesses, 10))
        slide.get_by_text("12 guesses").wait_for()
        assert sum(bars(slide)) == 12
        list(islice(guesses, 18))
        slide.get_by_text("30 guesses").wait_for()
        shown = bars(slide)
        assert sum(shown) == 30
        assert len(shown) == 4
        longest = slide.locator(".bar").nth(shown.index(max(shown)))
        share = "bar => parseFloat(getComputedStyle(bar, '::before').width) / bar.clientWidth"
        page.wait_for_timeout(500)  # until no bar grows
        assert longest.evaluate(share) == pytest.approx(1, abs=0.01)

        page.keyboard.press("Space")
        page.wait_for_function(ARRIVED)
        explorer = slide.locator("[data-module=query_explorer] .ex")
        before = look(explorer)
        explorer.locator("input[type=range]").first.focus()
        page.keyboard.press("End")
        while look(explorer) == before:
            page.wait_for_timeout(20)
        assert bars(slide) == shown
        slide.locator(".said").click()
        page.keyboard.press("Space")
        assert bars(slide) == shown
        assert slide.locator("li.right").inner_text().split()[:3] == ["C", "✓", "55"]
        assert slide.get_by_text("The answer: 55").is_visible()
        assert not [name for name in learners if name in page.content()]
        page.wait_for_timeout(1100)  # nothing is asked for that is not there
    server.shutdown()
    server.server_close()
