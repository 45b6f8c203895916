"""Test the translators that run in the browser: words and weights as in torch, and messages."""

import json
import statistics
from base64 import b64encode
from difflib import SequenceMatcher
from functools import cache

import pytest
import torch

from tests import needs
from tests.browser.explorers import show
from utils.corpora import pad_ids, tokenise, translation_corpus, translation_pairs
from utils.translators import DECODERS, load_translator, read_translator
from utils.widgets import Translator, translator_explorer
from utils.widgets.module import module

pytestmark = [pytest.mark.browser, needs.chromium]

DOGS = "my happy sister did not listen to the dogs"
LONG = "my happy sister saw a table in our house because the dogs danced"  # of notebook 06
TWELVE = "my happy sister did not listen to the dogs because paul danced"
STRANGE = [
    *("", "   ", "The cat, the cat!", "Zaphod doesn't sleep; it's 10:30.", "aujourd’hui l’été"),
    *("don't can't 'tis o'clock rock-'n'-roll x-y-z -- 1,250.75", "ÉCOLE Straße İstanbul ΣΑΣ"),
    *("漢字 かな 한국어 ١٢٣ ²½ naïve e\u0301te\u0301", "tab\tnew\u00a0space\u2003wide\x1cfs"),
    *("🦉 owl's _x_", "qu'elle jusqu'ici l' d'or s'il", "ain't n't isn'tx it'sx"),
    *("\ufeffcat\u200bdog", "the  cat's-eye"),
]
OWN = [
    "The cat sat on the mat",
    "Anna did not see the black bird in the garden",
    "Zaphod saw a table in our house",
    "the fox sat in the kitchen",
    "My sister's cat doesn't sleep!",
    "my my my my my my",
    "some happy girls danced because Ford listened to their owls",
    "colorless green ideas sleep furiously",
    "the boy behind the green house admired two active children and a brown donkey",
    TWELVE,
]
# Reads a translator from its file, in the page, and translates each sentence.
RUN = """async ([code, file, sentences, beamSize]) => {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const { readTranslator, tokenise, translate } = await import(url);
  const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
  const translator = readTranslator(bytes);
  return JSON.stringify(sentences.map((sentence) => { // as text: many arrays travel slowly
    const source = tokenise(sentence);
    const { words, winner, moments } = translate(translator, source, beamSize);
    const weights = moments.slice(0, words.length).map((moment) => [...moment.weights]);
    return { source, words, weights, score: winner.total / winner.ids.length };
  }));
}"""
NIGHTLY = pytest.mark.nightly
each = pytest.mark.parametrize("name", DECODERS)


@cache
def corpus():
    return translation_corpus(pairs=10_000, phrases=(1, 4), seed=0)


@cache
def sentences():
    """Return English sentences to translate: the corpus's test set, and 500 with unknown words.

    Half of the 500 have a name, the others a noun, that no model knows.
    """
    unseen = [translation_pairs(250, (1, 4), seed=5, unseen=words) for words in ("names", "nouns")]
    return [pair.source_text for pairs in (corpus().test, *unseen) for pair in pairs]


def in_page(page, name, texts, beam_size):
    file = b64encode(read_translator(name)).decode()
    return json.loads(page.evaluate(RUN, [module("seq2seq"), file, texts, beam_size]))


@each
@pytest.mark.parametrize(
    ("beam_size", "count"),
    [(1, 100), (5, 20), pytest.param(1, 1000, marks=NIGHTLY), pytest.param(5, 100, marks=NIGHTLY)],
)
def test_it_writes_the_words_of_torch_with_its_weights(page, name, beam_size, count):
    texts = sentences()[:: len(sentences()) // count]
    assert len(texts) == count
    model = load_translator(name)
    expected = model.translate_all(texts, beam_size)
    actual = in_page(page, name, texts, beam_size)
    assert [item["source"] for item in actual] == [item.source for item in expected]
    assert [item["words"] for item in actual] == [item.words for item in expected]
    gaps = [
        (torch.tensor(mine["weights"]).reshape(theirs.weights.shape) - theirs.weights).abs()
        for mine, theirs in zip(actual, expected, strict=True)
    ]
    widest = max((gap.max().item() for gap in gaps if gap.numel()), default=0.0)
    print(json.dumps({"model": name, "beam": beam_size, "largest difference": widest}))
    assert widest < 1e-3
    sources = [item.source for item in expected[:50]]
    ids, lengths = pad_ids([model.source_vocabulary.encode(source) for source in sources])
    scores = [hypothesis.score for hypothesis in model.beam(ids, lengths, beam_size)]
    assert [item["score"] for item in actual[:50]] == pytest.approx(scores, abs=1e-4)


def test_it_reads_text_as_python_does(page):
    code = "async ([code, texts]) => texts.map((await import(URL.createObjectURL(new Blob([code], "
    code += "{ type: 'text/javascript' })))).tokenise)"
    texts = [*STRANGE, *sentences()[::50]]
    actual = page.evaluate(code, [module("seq2seq"), texts])
    assert actual == [list(tokenise(text)) for text in texts]


def status(root):
    return root.locator("[role=status]").inner_text()


def type_in(root, text):
    root.get_by_label("English sentence").fill(text)


def test_ten_sentences_that_somebody_might_type(page):
    root = show(page, Translator(DOGS))
    models = [load_translator(name) for name in ("dot", "no attention")]
    for text in OWN:
        type_in(root, text)
        for model, words in zip(models, root.locator(".tr-panel .tr-words").all(), strict=True):
            assert words.locator("span").all_inner_texts() == model.translate(text).words
        strangers = {word for word in tokenise(text) if word not in models[0].source_vocabulary}
        assert all(f"“{word}”" in status(root) for word in strangers)
        assert bool(strangers) == ("Not in the vocabulary" in status(root))


def test_an_empty_and_an_endless_line_get_a_kind_sentence(page):
    root = show(page, Translator(DOGS))
    for nothing in ("", "   "):
        type_in(root, nothing)
        assert status(root).startswith("There is no word to translate yet")
    type_in(root, "the cat " * 30)
    most = max(len(pair.source) for pair in corpus().train)
    assert f"That is 60 words. The models learned from sentences of up to {most};" in status(root)
    type_in(root, "the cat slept")
    assert "“le chat" in status(root)


def test_one_word_edited_marks_what_is_new(page):
    root = show(page, Translator(DOGS))
    assert root.locator(".tr-new").count() == 0
    type_in(root, DOGS.replace("sister", "uncle"))
    dot = root.locator(".tr-panel").first
    before = load_translator("dot").translate(DOGS).words
    after = load_translator("dot").translate(DOGS.replace("sister", "uncle")).words
    new = [word for word in after if word not in before]
    assert "oncle" in new
    assert dot.locator(".tr-new").all_inner_texts() == new
    root.get_by_role("button", name="Mark what changes").click()
    assert root.locator(".tr-new").count() == 0


def test_words_that_differ_from_the_first_translation_have_a_wavy_line(page):
    page.set_viewport_size({"width": 1000, "height": 800})
    root = show(page, Translator(LONG))
    assert root.bounding_box()["height"] < 800  # one screen of a laptop
    models = [load_translator(name) for name in ("dot", "no attention")]
    first, second = (model.translate(LONG).words for model in models)
    matches = SequenceMatcher(a=first, b=second, autojunk=False).get_matching_blocks()
    same = {at for _, start, size in matches for at in range(start, start + size)}
    differs = [word for at, word in enumerate(second) if at not in same]
    assert differs
    assert root.locator(".tr-differs").all_inner_texts() == differs
    assert "there the second differs" in status(root)


def test_it_writes_word_by_word_when_played_and_stops_where_it_is_paused(page):
    page.clock.install()
    root = show(page, Translator(LONG))
    root.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)  # two more words
    step = root.get_by_label("step")
    assert int(step.input_value()) >= 3
    assert root.locator(".tr-later").count() > 0
    root.get_by_role("button", name="Pause").click()
    reached = step.input_value()
    page.clock.run_for(5000)
    assert step.input_value() == reached
    assert root.locator(".tr-later").count() == 0


def test_another_model_with_the_same_words_has_its_own_map(page):
    root = show(page, Translator(DOGS))
    panel = root.locator(".tr-panel").first
    words = panel.locator(".tr-words span").all_inner_texts()
    for name, maps in (("no attention", 0), ("additive", 1), ("no attention", 0)):
        panel.locator("select").select_option(name)
        assert panel.locator(".tr-words span").all_inner_texts() == words
        assert panel.get_by_role("grid").count() == maps


def test_pointing_at_a_cell_marks_both_words_and_shows_its_step(page):
    root = show(page, Translator(DOGS))
    panel = root.locator(".tr-panel").first
    panel.locator("td[tabindex='0']").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    words, weights, source = load_translator("dot").translate(DOGS)
    assert root.locator(".tr-words").first.locator(".tr-here").all_inner_texts() == [source[1]]
    assert panel.locator(".tr-words .tr-here").all_inner_texts() == [words[2]]
    assert panel.locator(".ex-title").inner_text() == f"Step 3 writes “{words[2]}”"
    looks_at = panel.get_by_label("what it looks at").locator(".ex-bar")
    shown = [float(bar.get_attribute("data-value")) for bar in looks_at.all()]
    assert shown == pytest.approx(weights[2].tolist(), abs=1e-5)
    fifth, sixth = (panel.locator(".tr-words span").nth(at) for at in (4, 5))
    word = fifth.element_handle()
    for pointed_at in (fifth, sixth, fifth):
        pointed_at.hover()
    assert word.is_visible()  # the same as before, or the mouse would point at it again and again
    marked = root.locator(".tr-words").first.locator(".tr-here")
    assert marked.all_inner_texts() == [source[weights[4].argmax()]]
    assert panel.locator(".ex-title").inner_text() == f"Step 5 writes “{words[4]}”"


def test_the_beam_is_stepped_through_and_ends_in_the_translation(page):
    root = show(page, Translator(DOGS))
    root.get_by_label("search").select_option("beam of 3")
    panel = root.locator(".tr-panel").nth(1)
    root.get_by_label("step").press("End")
    model = load_translator("no attention")
    ids, lengths = pad_ids([model.source_vocabulary.encode(tokenise(DOGS))])
    totals = []
    for _ in range(int(root.get_by_label("step").get_attribute("max"))):
        rows = panel.locator("tr[data-total]")
        totals += [(row.inner_text(), row.get_attribute("data-total")) for row in rows.all()]
        root.get_by_label("step").press("ArrowLeft")
    ended = [float(total) for text, total in totals if "finished, chosen" in text]
    words = panel.locator(".tr-words span").count()
    assert ended[0] / (words + 1) == pytest.approx(model.beam(ids, lengths, 3)[0].score, abs=1e-4)


def test_a_source_word_is_reached_by_keyboard(page):
    root = show(page, Translator(DOGS))
    words = root.get_by_role("listbox", name="the words as the models read them")
    words.get_by_role("option").first.focus()
    seen = []
    for _ in range(3):
        seen.append(words.get_by_role("option", selected=True).inner_text())
        page.keyboard.press("ArrowRight")
    assert seen == DOGS.split()[:3]
    assert words.locator("[tabindex='0']").count() == 1


def test_twelve_words_are_there_at_once(page, record_property):
    root = show(page, Translator(DOGS))
    times = root.get_by_label("English sentence").evaluate(
        """async (input, texts) => {
          const times = [];
          for (const text of texts) {
            input.value = text;
            const start = performance.now();
            input.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
            times.push(performance.now() - start);
          }
          return times;
        }""",
        [TWELVE.replace("dogs", word) for word in ("cats", "birds", "owls", "cows") * 5],
    )
    record_property("milliseconds", {"translator, a line of twelve words": times})
    assert statistics.median(times) < 300


def test_the_page_is_told_of_a_damaged_file(monkeypatch):
    widget = Translator(DOGS)
    sent = []
    monkeypatch.setattr(
        widget, "send", lambda content, buffers=None: sent.append((content, buffers))
    )
    widget._answer(widget, {"want": "dot"}, [])
    assert sent == [({"have": "dot"}, [read_translator("dot")])]
    monkeypatch.setattr(translator_explorer, "read_translator", load_translator)
    widget._answer(widget, {"want": "strange"}, [])
    assert sent[1][0]["failed"].startswith("there is no translator 'strange'")
