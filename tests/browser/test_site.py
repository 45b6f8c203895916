"""Test the reading site, which is built and served on this machine, without kernel or network."""

import functools
import html.parser
import http.server
import importlib
import json
import re
import statistics
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

from tests import needs
from tests.browser.lab import ROOT, watched_page

pytestmark = [pytest.mark.browser, needs.chromium, needs.site]

NOTEBOOKS = [f"notebooks/{path.stem}.html" for path in sorted(ROOT.glob("notebooks/[0-9]*.ipynb"))]
EXERCISES = [f"exercises/{path.stem}.html" for path in sorted(ROOT.glob("exercises/[0-9]*.ipynb"))]
DOCS = [f"docs/{path.stem}.html" for path in sorted(ROOT.glob("docs/*.md"))]
OWN = ["index.html", "course.html", "search.html", "sheet.html", "docs/review.html"]  # made here
PAGES = [*OWN, *NOTEBOOKS, *EXERCISES, *DOCS]
LONG = "I am tired because my old friend wants to sell his blue car because he needs money"
HEAVIEST = 3_000_000  # bytes of a page with all that it loads
WEIGHT = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
  .reduce((bytes, entry) => bytes + entry.transferSize, 0)"""
every_page = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the reading site, and return its folder."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, "docs/site/build.py", folder], cwd=ROOT, check=True)
    return folder


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(site):
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def page(browser, address):
    with watched_page(browser, address) as page:
        yield page


def open_all(page, address, name):
    """Open a page, unfold everything, and scroll to each explorer, so that all of them start.

    Nothing glides: a colour halfway to another is nothing that anybody reads.
    """
    page.emulate_media(reduced_motion="reduce")
    page.goto(address + name)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    for place in page.locator(".explorer").all():
        place.scroll_into_view_if_needed()
    page.wait_for_function("!document.querySelector('.explorer:not([data-alive])')")


def find_violations(page, **options):
    """Return axe's report on a whole page, theme included; "" if it finds no fault."""
    result = Axe().run(page, options=options)
    return result.generate_report() if result.violations_count else ""


@every_page
def test_a_page_is_complete_light_and_fits_a_phone_and_axe_finds_nothing_to_mend(
    page, address, name
):
    open_all(page, address, name)
    assert page.evaluate("[...document.images].every((image) => image.alt && image.naturalWidth)")
    assert page.evaluate(WEIGHT) <= HEAVIEST
    assert find_violations(page) == ""
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.nightly
@every_page
def test_the_colours_of_a_page_have_contrast_in_the_dark(page, address, name):
    page.emulate_media(color_scheme="dark")
    open_all(page, address, name)
    assert (
        find_violations(page, runOnly=["color-contrast"]) == ""
    )  # nothing else differs from the light


class Addresses(html.parser.HTMLParser):
    """A parser that collects a page's links, and the anchors in it that other links may name.

    Attributes:
        links: all addresses that the page links to or loads.
        places: names of its anchors, with "" for the page as a whole.
    """

    def __init__(self, text: str):
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.places |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        self.links |= {attributes[name] for name in ("href", "src") if attributes.get(name)}


def test_every_link_leads_somewhere(site):
    pages = {
        path.relative_to(site).as_posix(): Addresses(path.read_text("utf-8"))
        for path in site.rglob("*.html")
    }
    broken = []
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link):
                continue
            target, place = urldefrag(urljoin(f"/{name}", link))
            target, place = unquote(target.partition("?")[0]).lstrip("/"), unquote(place)
            exists = target in pages and place in pages[target].places
            if not (exists or (not place and Path(site, target).is_file())):
                broken.append((name, link))
    assert broken == []
    homes = [any(link.endswith("index.html") for link in page.links) for page in pages.values()]
    assert homes.count(False) == 1  # the front page itself
    assert len(pages) == len(PAGES)


def test_the_front_page_plays_one_sentence_with_two_translators(page, address):
    page.goto(address)
    page.wait_for_selector(".scene.reading, .scene:has(.w.on)")
    assert page.locator(".scene.done").count() == 0
    page.wait_for_selector(".scene.done")
    scene = json.loads(page.locator("#scenes").text_content())[0]
    right, without = len(scene["french"]), len(scene["french_without"])
    wrong = sum(end - start for start, end, _ in scene["wrong"])
    assert page.locator(".see .verdict").inner_text() == f"✓ all {right} right"
    assert page.locator(".mem .verdict").inner_text() == f"✗ {wrong} of {without} wrong"
    told = [says for _, _, says in scene["wrong"]]
    assert told
    assert page.locator(".mem small").all_inner_texts() == told
    page.get_by_role("button", name="One word back").click()
    steps = max(right, without)
    assert page.locator("#place").inner_text() == f"word {steps - 1} of {steps}"


def test_the_front_page_stands_still_for_those_who_ask_for_it(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    page.wait_for_selector(".scene.done", timeout=1000)
    page.locator('[data-module="page_writer"]').scroll_into_view_if_needed()
    page.wait_for_function("document.querySelectorAll('.wr-text span').length > 100")


@pytest.mark.parametrize(
    ("typed", "told", "written"),
    [
        ("Where's the happy boy, please?", "", "garçon heureux"),
        ("The happy boy cannot sleep.", "", "ne peut pas dormir"),  # cannot is two words
        ("I don't understand what you are saying", "is unsure: it wrote “", "je ne comprends pas"),
        ("The more you read the more you know", "No French word looked at “", "le plus"),
        ("the happy boy saw a platypus", "Not among its words: platypus.", "garçon heureux"),
        ("Colorless ideas snore furiously", "are not among them", "ma sœur"),  # the scene as it was
        ("?!", "There is no word to translate yet.", "ma sœur"),
        ("the " * 30, "Please keep it to 20 words.", "ma sœur"),
    ],
)
def test_the_front_page_translates_what_a_visitor_types(page, address, typed, told, written):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    field = page.get_by_label("Type your own sentence")
    field.fill(typed)
    field.press("Enter")
    if told:
        page.wait_for_function(f"document.querySelector('#own-says').innerText.includes('{told}')")
    page.wait_for_function(
        f"document.querySelector('.see').innerText.replace(/\\s+/g, ' ').includes('{written}')"
    )


def test_the_front_page_says_how_the_translations_of_a_typed_sentence_differ(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    field = page.get_by_label("Type your own sentence")
    for typed, verdict in (("I am tired.", "the same"), (LONG, "differ")):
        field.fill(typed)
        field.press("Enter")
        page.wait_for_function(
            f"document.querySelector('.mem .verdict').innerText.endsWith('{verdict}')"
        )


def test_near_words_take_the_place_of_an_unknown_one(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    field = page.get_by_label("Type your own sentence")
    field.fill("the hapy boy eats an apple")
    field.press("Enter")
    page.locator("#own-offers").get_by_role("button", name="happy", exact=True).click()
    page.wait_for_function("/garçon heureux/.test(document.querySelector('.see').innerText)")
    assert field.input_value() == "the happy boy eats an apple"


def test_where_both_write_the_same_the_sentence_is_made_longer(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    field = page.get_by_label("Type your own sentence")
    field.fill("I am tired.")
    field.press("Enter")
    page.get_by_role("button", name="make it longer").click()
    page.wait_for_function("document.querySelector('.mem .verdict').innerText.endsWith('differ')")
    assert field.input_value().startswith("I am tired ")


def test_a_sentence_has_an_address_and_strange_addresses_are_harmless(page, address):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{address}#say=She+is+happy%3F")
    page.wait_for_function("/heureuse/.test(document.querySelector('.see .fr').innerText)")
    again = page.url
    page.locator(".chip").first.click()
    assert page.url != again
    page.evaluate("address => { location.href = address }", again)
    page.wait_for_function("/heureuse/.test(document.querySelector('.see .fr').innerText)")
    for strange in ("#say=%E0%A4%A", "#say=<img src=x onerror=alert(1)>", "#notebooks", "#say="):
        page.goto("about:blank")
        page.goto(address + strange)
        page.wait_for_selector(".scene.done")
        assert page.locator("img[src=x]").count() == 0


def test_the_scene_is_saved_as_a_picture_with_its_caption(page, address, tmp_path):
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    page.wait_for_selector(".scene.done")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a picture").click()
    download.value.save_as(tmp_path / "scene.png")
    with Image.open(tmp_path / "scene.png") as picture:
        scene = page.locator(".panels").bounding_box()
        assert picture.width > 2 * scene["width"]
        assert picture.height > 2 * scene["height"] + 100  # below it stands the caption
        assert len(picture.convert("RGB").getcolors(10**6)) > 100


def test_a_stub_says_what_its_check_makes_of_three_answers(page, address):
    page.goto(address + NOTEBOOKS[0])
    answers = page.locator(".answers").first
    assert "In JupyterLab you write this yourself." in answers.inner_text()
    assert "not yet" not in answers.inner_text()
    choices = answers.locator("summary").all_inner_texts()
    assert (len(choices), choices[-1]) == (3, "the right lines")
    answers.locator("summary").first.click()
    assert "You divide the scores by their sum." in answers.inner_text()
    answers.locator("summary").last.click()
    assert "✓ A softmax by hand: passed" in answers.inner_text()
    assert "Shift" not in page.locator("article").inner_text()


def test_the_front_page_suggests_words_that_its_translators_know(page, address):
    page.goto(address)
    field = page.get_by_label("Type your own sentence")
    field.fill("the do")
    page.get_by_role("option").first.wait_for()
    offered = page.get_by_role("option").all_inner_texts()
    assert offered
    assert all(word.startswith("do") for word in offered)
    field.press("ArrowDown")
    field.press("Enter")
    assert field.input_value() == f"the {offered[0]} "


def test_the_front_page_is_light_with_all_that_visitors_can_load(page, address):
    page.goto(address)
    page.wait_for_selector(".scene.done")
    opened = page.evaluate(WEIGHT)
    page.locator("#own").fill("the cat sat on the mat")
    page.locator("#own").press("Enter")
    page.wait_for_function("document.querySelector('.scene').textContent.includes('tapis')")
    typed = page.evaluate(WEIGHT)
    open_all(page, address, "")
    page.wait_for_load_state("networkidle")
    whole = typed + page.evaluate(WEIGHT) - opened
    print(f"{opened:,} bytes to open, {typed:,} with a typed sentence, {whole:,} with all")
    assert opened <= 400_000
    assert typed <= 1_500_000
    assert whole <= 2_000_000


def test_a_language_model_writes_on_the_front_page_and_is_loaded_only_there(page, address):
    loaded = []
    page.on("response", lambda response: loaded.append(response.url))
    page.goto(address)
    page.wait_for_selector(".scene.done")
    model = f"{address}_static/language_model.safetensors.z"
    assert model not in loaded
    place = page.locator('[data-module="page_writer"]')
    place.scroll_into_view_if_needed()
    place.get_by_role("button", name="Pause").click()
    assert model in loaded
    assert place.locator(".wr-text").inner_text().startswith("My old cat")
    assert "Checked just now" in place.locator(".wr-proof").inner_text()


def test_the_front_page_switches_heads_of_a_real_model_off(page, address):
    page.goto(address)
    place = page.locator(".explorer[data-module=model_heads_explorer]")
    place.scroll_into_view_if_needed()
    place.get_by_role("button", name="repeats").click()
    said = place.locator(".mh-text b")
    assert said.inner_text() == "0"
    place.get_by_role("button", name="all 8", exact=True).click()
    assert said.inner_text() != "0"
    assert place.get_by_role("textbox").count() == 0  # nothing here could read another text


@pytest.mark.parametrize("name", ["index.html", NOTEBOOKS[0]])
def test_on_a_phone_the_controls_of_an_explorer_stay_in_sight(page, address, name):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(address + name)
    place = page.locator(".explorer[data-module=query_explorer]")
    place.scroll_into_view_if_needed()
    page.wait_for_selector(".explorer[data-module=query_explorer][data-alive]")
    bars = place.locator(".ex-bars")
    bars.evaluate("node => node.scrollIntoView({ block: 'center', behavior: 'instant' })")
    moved = place.get_by_role("slider", name="query direction")
    assert 0 <= moved.bounding_box()["y"] < bars.bounding_box()["y"]


def test_what_needs_a_public_address_appears_with_it(site, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "site")
    tags = importlib.import_module("front_page").address_tags
    assert tags("") == ""
    address = "https://course.example/"
    (picture,) = re.findall(rf'"og:image" content="{address}([^"]+)"', tags(address))
    assert Path(site, picture).is_file()
    assert f'rel="canonical" href="{address}"' in tags(address)


def test_the_sheet_prints_on_two_pages(page, address):
    page.goto(f"{address}sheet.html")
    assert len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True))) == 2


def test_a_guess_opens_the_answer(page, address):
    page.goto(address + NOTEBOOKS[0])
    place = page.locator(".explorer[data-module=prediction]").first
    place.scroll_into_view_if_needed()
    answer = page.locator(".tag_hide-output details").first
    assert not answer.evaluate("node => node.open")
    place.locator("input[type=number]").fill("0.5")
    place.get_by_label("fairly sure").check()
    place.get_by_role("button").click()
    text = place.get_by_role("status").inner_text()
    assert re.search(r"You said 0\.5 \(fairly sure\)\. The answer: ≈ 0\.\d+\.", text)
    assert answer.evaluate("node => node.open")
    assert "no guess" not in answer.inner_text()


def test_the_first_explorer_is_soon_alive(page, address, record_property):
    times = []
    for _ in range(5):
        page.goto(address + NOTEBOOKS[0])
        page.locator(".explorer").first.scroll_into_view_if_needed()
        page.wait_for_selector(".explorer[data-alive]")
        times.append(page.evaluate("performance.now()"))
    record_property("milliseconds", {"a page of the site, to its first explorer": times})
    assert statistics.median(times) < 20_000  # 2,000 on a machine that does nothing else


def test_what_is_searched_is_found(page, address):
    page.goto(f"{address}search.html?q=tanh")
    page.wait_for_selector("#search-results li")
    assert page.locator("#search-results li").count() >= 3


def test_no_solution_is_shown(site):
    text = (site / EXERCISES[0]).read_text("utf-8")
    assert "normalised_heatmap" in text
    assert not [*site.rglob("*solution*")]
