"""The language model of exercise 08 as a page, opened from disk, beside the kernel."""

import base64
import json
import re

import pytest
import safetensors.torch
import torch

from solutions.build import notebooks, solutions_of
from solutions.record_language_model import RECORD
from tests import needs
from tests.browser.explorers import move_controls
from tests.browser.lab import running_browser, watched_page
from utils.parts.language_model import course_next_word
from utils.parts.page import pack, read_model, save_model, write_page
from utils.translators import about_translator
from utils.widgets.module import module

pytestmark = [pytest.mark.browser, needs.chromium]

STRANGE = [
    "",
    " ",
    "a\u00a0b\x1cc\n\n\td  e",
    "naïve—“Été” 漢字٣½_x 🦉!",
    "don't ☃ it's 1,250.75\r\n",
]
# What the page computes of a text: ids, logits, and with some heads off; draws; what a text costs.
RUN = """async ([code, file, texts, off, chosen]) => {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { bitsOf, chancesOf, differenceFromNotebook, draw, emptyCache, encode, readLanguageModel,
    readToken } = await import(url);
  const model = readLanguageModel(Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0)));
  const ids = encode(model, texts[0]).slice(0, 100);
  const read = (off) => {
    const cache = emptyCache(model);
    return ids.map((id) => [...readToken(model, cache, id, off).logits]);
  };
  const logits = read(0);
  return JSON.stringify({
    encoded: texts.map((text) => encode(model, text)),
    logits, without: read(off), gap: differenceFromNotebook(model),
    bits: ids.slice(1).map((id, n) => bitsOf(logits[n], id)),
    drawn: chosen.map((uniform, n) => draw(chancesOf(logits[n], 0.7, 5), uniform)),
  });
}"""


@pytest.fixture(scope="module")
def browser():
    with running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def names():
    """Return what the solution notebook defines, with a model that has learned for a moment."""
    (path,) = (path for path in notebooks() if path.name.startswith("08"))
    solution = solutions_of(path)
    torch.manual_seed(0)
    solution["tokens"] = solution["BytePairs"](solution["text"], merges=60)
    size = len(solution["tokens"].tokens)
    solution["model"] = solution["LanguageModel"](size, solution["Block"], dim=64)
    ids = solution["tokens"].encode(solution["text"][:30_000])
    solution["learn"](solution["model"], ids, steps=30, length=32)
    return solution


@pytest.fixture(scope="module")
def file(names, tmp_path_factory):
    """Save the model, and write its page beside the file."""
    file = tmp_path_factory.mktemp("model") / "my_language_model.safetensors"
    learned = names["model"], names["tokens"], names["held_out"]
    save_model(file, *learned, "The", "this course's <prose>")
    write_page(file)
    return file


@pytest.fixture
def page(browser, file):
    """Open the page from disk; a request to anything else fails the test."""
    with watched_page(browser, "file://") as page:
        page.goto(file.with_suffix(".html").as_uri())
        yield page


def is_still(page):
    """Wait until the model has written, and rests."""
    page.locator("p[role=status]:not(:empty)").wait_for()
    page.get_by_role("button", name="Write", exact=True).wait_for()


def in_page(page, data, texts, off, chosen):
    given = [module("language_model"), base64.b64encode(data).decode(), texts, off, chosen]
    return json.loads(page.evaluate(RUN, given))


@torch.no_grad()
def test_the_page_computes_what_the_kernel_computes(browser, names, file):
    model, tokens, bits = names["model"], names["tokens"], names["bits_per_character"]
    texts = [names["held_out"][:400], *STRANGE]
    chosen = torch.rand(100)
    with watched_page(browser) as page:
        found = in_page(page, pack(read_model(file), 16), texts, 0b10000010, chosen.tolist())
    expected = [tokens.encode(text).tolist() if text else [] for text in texts]
    assert found["encoded"] == expected
    ids = torch.tensor([expected[0][:100]])
    logits = model(ids)[0]
    gap = (torch.tensor(found["logits"]) - logits).abs().max().item()
    print(json.dumps({"largest difference of logits": gap}))
    assert gap < 1e-3
    assert found["gap"] < 1e-3
    _, words = course_next_word(logits, 0.7, 5, chosen)
    assert found["drawn"] == words.tolist()
    text = tokens.decode(expected[0][:100])
    assert sum(found["bits"]) / len(text) == pytest.approx(bits(model, tokens, text), abs=1e-3)
    for head in (1, 7):  # those that are off
        start = head % 4 * 16
        model.blocks[head // 4].attention.W_o.weight[:, start : start + 16] = 0
    assert (torch.tensor(found["without"]) - model(ids)[0]).abs().max() < 1e-3


def test_the_model_of_the_front_page_is_computed_as_it_was_recorded(browser):
    data = RECORD.read_bytes()
    with watched_page(browser) as page:
        found = in_page(page, data, ["My old cat"], 0, [])
    assert len(data) < 600_000
    assert found["gap"] == pytest.approx(about_translator(data)["rounding"], abs=1e-3)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_from_disk_writes_at_once_and_axe_finds_nothing(page, theme, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.reload()
    page.locator(".wr-new").wait_for()
    print(json.dumps({"milliseconds to the first token": page.evaluate("performance.now()")}))
    is_still(page)
    result = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(page)
    assert result.violations_count == 0, result.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(page.locator(".wr-text").inner_text()) > 100
    assert "this course's <prose>" in page.locator(".ex").inner_text()
    (gap,) = re.findall(
        r"Checked just now: .* at most (\d\.\d{4})", page.locator(".wr-proof").inner_text()
    )
    assert float(gap) < 1e-3


def test_its_heads_tokens_and_beginning_can_be_chosen_by_keyboard(page):
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    is_still(page)
    written, says = page.locator(".wr-text"), page.locator("p[role=status]")
    assert says.inner_text().startswith("Each character of this text costs it ≈ ")
    page.get_by_role("checkbox", name="head 2.3").press("Space")
    assert says.inner_text().endswith("without head 2.3.")
    page.get_by_role("checkbox", name="head 2.3").press("Space")
    before, likeliest = written.inner_text(), page.locator(".wr-next button").first
    token = likeliest.locator("span").first.inner_text().replace("␣", " ").replace("↵", "\n")
    likeliest.press("Enter")
    assert written.inner_text().strip() == (before + token).strip()
    page.get_by_label("temperature").press("Home")
    shares = page.locator(".wr-next .ex-bar").first
    assert float(shares.get_attribute("data-value")) > 0.3
    page.get_by_label("it begins with").fill("A query looks")
    page.get_by_label("it begins with").press("Enter")
    is_still(page)
    assert written.inner_text().startswith("A query looks")
    assert page.locator(".wr-given").all_inner_texts() != []
    page.get_by_label("it begins with").fill("")
    page.get_by_label("it begins with").press("Enter")
    is_still(page)


def test_it_writes_on_when_its_context_is_full_and_every_control_does_something(page):
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    for _ in range(3):
        is_still(page)
        page.get_by_role("button", name="Write", exact=True).press("Enter")
    is_still(page)
    assert page.locator(".wr-text span").count() > 300
    assert move_controls(page.locator(".ex")) == []


def test_a_damaged_page_says_so(browser, file, tmp_path):
    text = file.with_suffix(".html").read_text(encoding="utf-8")
    start = text.index('id="model">') + 11
    (tmp_path / "cut.html").write_text(
        text[: start + 5001] + text[text.index("</script>", start) :]
    )
    with watched_page(browser, "file://") as page:
        page.goto((tmp_path / "cut.html").as_uri())
        assert "ask for it again" in page.get_by_role("alert").inner_text()


def test_a_page_that_computes_something_else_says_so(browser, file, tmp_path):
    saved = read_model(file)
    data = pack(saved, 16)
    tensors = safetensors.torch.load(data)
    tensors["norm.weight"] *= 1.1
    changed = safetensors.torch.save(tensors, {"about": json.dumps(about_translator(data))})
    text = file.with_suffix(".html").read_text(encoding="utf-8")
    weights = (base64.b64encode(one).decode() for one in (data, changed))
    (tmp_path / "changed.html").write_text(text.replace(*weights), encoding="utf-8")
    with watched_page(browser, "file://") as page:
        page.goto((tmp_path / "changed.html").as_uri())
        assert page.locator(".wr-proof").inner_text().startswith("Careful: ")
