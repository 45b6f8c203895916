"""Test what widgets store and refuse, and how guesses and ratings are kept."""

import itertools
import json
import re
from pathlib import Path

import pytest
import torch
from ipywidgets import Checkbox, Dropdown, FloatSlider, IntSlider

from tests import explorer_examples
from tests.explorer_examples import EXPLORERS
from tests.parrot import PIECES, Bytes, Parrot
from tests.small_language_model import LettersAsTokens, small_model
from utils import widgets
from utils.cards import read_cards
from utils.checks import progress, progress_file
from utils.checks.code import mentioned
from utils.corpora import running_example
from utils.model_card import read_card, stored_cards
from utils.positions import RotaryPositions
from utils.pretrained import is_here, look, next_tokens, open_model, switched_off
from utils.pretrained.record import next_chances, read_recorded, unpack
from utils.pretrained.watching import BEGINNINGS, COUNT, RECORDED, TEMPERATURES, recordings, watch
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import (
    CacheExplorer,
    ClockExplorer,
    Curves,
    HeadsExplorer,
    InterviewSheet,
    Map,
    MaskExplorer,
    ModelHeadsExplorer,
    Pictures,
    PipelineExplorer,
    QueryExplorer,
    ReachExplorer,
    ReshapeExplorer,
    SliderFigure,
    TilesExplorer,
    TrainingFilm,
    Translator,
    TurnExplorer,
    Writer,
    predict,
)
from utils.widgets.cache_explorer import cards_by_kind
from utils.widgets.module import FOLDER
from utils.widgets.pictured import Pictured
from utils.widgets.prediction import SURPRISE
from utils.widgets.reach_explorer import sliding_mask


def draw(height):
    return Curves([0, 1], {"a": [0, height]}, "x", "y", alt=f"up to {height:.0f}")


def test_a_figure_is_stored_for_every_setting_of_its_controls():
    given = []

    def keep(**values):
        given.append(values)
        return draw(len(given))

    widget = SliderFigure(
        keep,
        half_width=IntSlider(2, min=1, max=3),
        share=FloatSlider(0.1, min=0, max=0.3, step=0.1),
        model=Dropdown(options=["dot", "Bahdanau"], value="Bahdanau"),
        causal=Checkbox(True),
    )
    settings = itertools.product([1, 2, 3], [0, 0.1, 0.2, 0.3], ["dot", "Bahdanau"], [False, True])
    assert [tuple(values.values()) for values in given] == [*settings]
    assert widget.controls[0]["label"] == "half width"
    assert widget.controls[1]["texts"] == ["0.00", "0.10", "0.20", "0.30"]
    assert widget.places == [1, 1, 1, 1]
    assert [frame["alt"] for frame in widget.frames] == [f"up to {n}" for n in range(1, 49)]
    assert 'alt="up to 24"' in widget.picture()
    widget.places = [2, 3, 1, 1]
    assert 'alt="up to 48"' in widget.picture()


@pytest.mark.parametrize(
    "frame",
    [
        draw(1),
        Map(torch.rand(7, 6), SOURCE, TARGET, "A map.", {(0, 0)}),
        Pictures({"one": torch.rand(2, 3), "two": torch.rand(2, 3)}, "Two pictures."),
    ],
)
def test_every_kind_of_frame_has_a_picture_and_a_state(frame):
    assert frame.figure().alt == frame.alt
    assert json.loads(json.dumps(frame.state()))["alt"] == frame.alt


def test_too_many_settings_are_refused():
    with pytest.raises(ValueError, match="controls are 201; at most 200"):
        SliderFigure(draw, height=IntSlider(0, min=0, max=200))


def film(maps):
    return TrainingFilm({"cat": running_example()}, {0: (5.0, 0.1, maps, [["le", "chat"]])})


def heads(names, count=8):
    """Return a `HeadsExplorer` of `count` heads with these names, all with the same map."""
    maps = torch.full((count, 6, 6), 1 / 3)
    return HeadsExplorer(maps, SOURCE, SOURCE, names, ["who"], lambda *off: [1 / 3], "A map")


def test_another_sentence_is_looked_at_and_measured():
    def look(sentence):
        words = sentence.split()
        if "dog" in words:
            raise ValueError("no dogs")
        return torch.eye(len(words)).repeat(2, 1, 1), words

    def lose(sentence, *off):
        return len(sentence) + len(off)

    explorer = HeadsExplorer.typed(look, lose, "a cat", ["1", "2"], "costs", "bits", "A map")
    assert explorer.answers == [[5], [6], [6], [7]]
    explorer.sentence = "the cat sat"
    assert explorer.source == ["the", "cat", "sat"]
    assert explorer.answers == [[11], [12], [12], [13]]
    assert (explorer.version, explorer.complaint) == (1, "")
    explorer.sentence = "a dog"
    assert explorer.complaint == "no dogs"
    assert explorer.target == ["the", "cat", "sat"]


def test_every_explorer_can_be_imported_and_has_an_example_on_which_tests_try_it():
    classes = [value for value in vars(widgets).values() if isinstance(value, type)]
    explorers = {each for each in classes if issubclass(each, Pictured)}
    explorers -= {InterviewSheet, widgets.Questions}  # forms, which have tests of their own
    modules = {path.stem for path in FOLDER.glob("*_explorer.py")}
    assert modules <= {explorer.module_name() for explorer in explorers}
    shown = mentioned(Path(explorer_examples.__file__).read_text(encoding="utf-8"))
    assert {explorer.__name__ for explorer in explorers} <= shown


# Those left out store as much as they show.
@pytest.mark.parametrize("name", sorted(EXPLORERS.keys() - {"mask-48", "model-heads", "writer"}))
def test_the_stored_output_is_a_fixed_text_a_picture_and_a_small_state(name):
    widget = EXPLORERS[name]()
    stored = widget._repr_mimebundle_()
    fixed = f"<{type(widget).__name__}: run the cell to move it>"
    assert stored["text/plain"] == repr(widget) == fixed
    assert stored["text/html"].count("<img alt=") == 1
    assert stored.keys() == {"text/plain", "text/html"}  # a view would be broken without a kernel
    assert stored["text/html"].count("</script>") == 1
    assert len(json.dumps(widget.shared())) < 5_000  # no weights


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: QueryExplorer(["The"], KEYS.tolist(), TARGET, QUERIES.tolist()),
            "one label per key, got 1 and 6",
        ),
        (
            lambda: QueryExplorer(SOURCE, KEYS.tolist(), TARGET, [[1, 3]]),
            "one label per query, got 7 and 1",
        ),
        (
            lambda: MaskExplorer(SOURCE, [[0.0] * 6, [0.0] * 5], length=4, half_width=1),
            "need 6 rows of 6 scores each, got rows of [6, 5]",
        ),
        (
            lambda: PipelineExplorer(QUERIES, QUERIES, KEYS, TARGET, SOURCE),
            "k must be (6, 2), got (7, 2)",
        ),
        (
            lambda: PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE, torch.ones(6, 7) > 0),
            "(7, 6), got (6, 7)",
        ),
        (lambda: Translator(" "), "no word to translate"),
        (lambda: Writer(" ", None, None), "nothing to go on from"),
        (lambda: film([torch.rand(7, 6)] * 2), "each of 1 pairs, got 2 and 1 at step 0"),
        (lambda: ReshapeExplorer([SOURCE[:3], SOURCE[4:]], dim=4), "have one length, got [3, 2]"),
        (lambda: ReshapeExplorer([SOURCE], dim=4, heads=1), "divide dim = 4, got 1"),
        (lambda: ReshapeExplorer([SOURCE], dim=4, heads=3), "divide dim = 4, got 3"),
        (lambda: heads(["a", "b"]), "= (2, 6, 6), got (8, 6, 6)"),
        (lambda: heads(list("abcdefghijk"), count=11), "at most 10 heads can be switched, got 11"),
        (
            lambda: TilesExplorer(QUERIES, KEYS, KEYS, SOURCE, SOURCE),
            "one label for each of 7 queries",
        ),
        (
            lambda: TilesExplorer(QUERIES, KEYS, KEYS[1:], SOURCE, TARGET),
            "one label for each of 5 values",
        ),
        (
            lambda: TurnExplorer(SOURCE, QUERIES, TARGET, QUERIES),
            "6 labels need 6 vectors of two numbers, got (7, 2)",
        ),
        (lambda: CacheExplorer("Llama 9"), "a stored model whose layers all keep grouped heads"),
        (lambda: CacheExplorer("DeepSeek-V3"), "got 'DeepSeek-V3'"),
        (lambda: ClockExplorer(15, trained=48), "head_dim must be even, got 15"),
        (lambda: predict("What?"), "either options or a range"),
        (lambda: predict("What?", ["a", "b"]).reveal("c"), "not among the options"),
        (lambda: predict("What?", between=(0, 1)).reveal("c"), "is a number"),
    ],
)
def test_what_does_not_fit_together_is_refused(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_a_film_keeps_three_digits():
    assert film([torch.full((7, 6), 1 / 6)]).frames == [[[[0.167] * 6] * 7]]


def test_every_set_of_heads_has_its_answers_in_a_small_state():
    widget = heads([f"head {n}" for n in range(8)])
    assert len(widget.answers) == 256
    assert len(json.dumps(widget.shared())) < 30_000


def test_the_picture_of_turned_keys_is_that_of_the_general_score():
    widget = TurnExplorer(SOURCE, KEYS, TARGET, QUERIES @ torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
    assert "chat → the 0.87" in widget.picture()
    widget.degrees = 90
    assert "chat → cat 0.98" in widget.picture()


def test_a_model_with_layers_of_another_kind_keeps_what_its_own_sizes_say():
    kept = {kind: card.kept(10_000) for kind, card in cards_by_kind("Llama 3.1 8B").items()}
    layers, width = 32, 2  # bytes of a number
    assert kept == {
        "multi-head": layers * width * 2 * 32 * 128 * 10_000,
        "grouped": read_card(stored_cards()["Llama 3.1 8B"]["config"]).kept(10_000),
        "multi-query": layers * width * 2 * 128 * 10_000,
        "latent": layers * width * (512 + 64) * 10_000,
        "window": layers * width * 2 * 8 * 128 * 4_096,
        "linear": layers * width * 32 * 128 * 128,
    }


def test_heads_wider_than_the_model_suggests_stay_so_in_every_kind():
    cards = cards_by_kind("Qwen3 0.6B")
    numbers = {kind: card.layers[0].numbers for kind, card in cards.items()}
    assert (numbers["multi-head"], numbers["multi-query"]) == (2 * 16 * 128, 2 * 128)
    assert cards["linear"].layers[0].state == 16 * 128 * 128


@pytest.mark.parametrize(("layers", "window", "sinks"), [(1, 1, 0), (3, 4, 0), (4, 5, 2)])
def test_the_last_word_reaches_what_the_windows_of_a_stack_add_up_to(layers, window, sinks):
    through = sliding_mask(24, window, sinks).double().matrix_power(layers) > 0
    assert int(through[-1].sum()) == 1 + layers * (window - 1) + sinks


def test_the_pictures_of_reach_and_of_clocks_say_their_numbers():
    assert "4 wide in one layer and 10 through 3 layers" in ReachExplorer(24, 3, 4).picture()
    rope = RotaryPositions(16).turn
    ones, places = torch.ones(48 + 1, 16), torch.arange(48 + 1)
    score = (rope(ones, places)[48] @ ones[0]).item() / 16
    assert f"is {score:.2f} at distance 48" in ClockExplorer(16, trained=48).picture()


@pytest.fixture
def predictions_file(tmp_path, monkeypatch):
    file = tmp_path / "predictions.json"
    monkeypatch.setattr(progress_file, "PREDICTIONS", file)
    return file


def guess(prediction, text, certainty="certain"):
    """Set a prediction's guess and certainty, as the page does when a learner sends a guess."""
    prediction.set_state({"guess": text, "certainty": certainty})


def test_a_number_is_compared_with_the_guess(predictions_file):
    largest = predict("How large?", between=(0, 1), close=0.1)
    guess(largest, "0.6")
    told = largest.reveal(0.953)._repr_html_()
    assert "You said 0.6 (certain): 0.353 too low." in told
    assert SURPRISE in told  # certain and wrong is worth a sentence
    assert largest.answer == "≈ 0.953"
    near = predict("How large is the other?", between=(0, 1), close=0.1)
    guess(near, "1.0")
    told = near.reveal(0.953)._repr_html_()
    assert "too high, which is close." in told
    assert SURPRISE not in told
    assert [stored.came_true for stored in progress_file.load_guesses().values()] == [False, True]


def test_a_choice_is_compared_with_the_guess(predictions_file):
    word = predict("Which?", ["cat", "mat"])
    guess(word, "mat", "fairly sure")
    told = word.reveal("cat")._repr_html_()
    assert "You said mat (fairly sure): it came out otherwise." in told
    assert SURPRISE not in told
    assert repr(word.reveal("cat")) == "The answer: cat"


def test_the_stored_text_is_the_same_for_everybody(predictions_file):
    blank, guessed = (predict("How many?", between=(0, 9)) for _ in range(2))
    guess(guessed, "4")
    assert repr(blank.reveal(5)) == repr(guessed.reveal(5)) == "The answer: 5"
    assert repr(blank) == repr(guessed) == "Your prediction: How many?"
    assert "answer" not in blank.picture()
    assert "You said 4 (certain)." in guessed.picture()  # for whom no script runs
    assert "<details><summary>The answer</summary>5</details>" in guessed.picture()


def test_only_the_first_guess_counts_and_none_after_the_answer(predictions_file):
    late = predict("Late?", ["yes", "no"])
    late.reveal("yes")
    guess(late, "yes")
    late.reveal("yes")
    assert not predictions_file.exists()
    for option in ("no", "yes"):
        again = predict("Again?", ["yes", "no"])
        guess(again, option)
        again.reveal("yes")
    assert progress_file.load_guesses()["Again?"].guess == "no"


def test_progress_tells_how_well_guesses_do(predictions_file):
    assert "predictions" not in repr(progress())
    for question, option in [("A?", "yes"), ("B?", "no")]:
        prediction = predict(question, ["yes", "no"])
        guess(prediction, option)
        prediction.reveal("yes")
    text = repr(progress())
    assert "Your predictions: 1 of 2 came true" in text
    assert "certain | 1 of 2" in text
    assert "You were certain, and it was not so: B? You said no, the answer is yes." in text


def test_a_learner_alone_writes_nothing_when_guessing(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "exercises").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.delenv("COURSE_ROOM", raising=False)
    alone = predict("Which?", ["cat", "mat"])
    guess(alone, "mat")
    assert not alone.in_room
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_notebook_that_was_told_of_a_room_keeps_the_latest_guess_and_no_more(
    tmp_path, monkeypatch
):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "exercises").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.setenv("COURSE_ROOM", "1")
    for text, option in (("Which?", "mat"), ("How many?", "4"), ("Which?", "cat")):
        asked = predict(text, ["cat", "mat", "4"])
        assert asked.in_room  # the form says so
        guess(asked, option, "certain")
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert file == tmp_path / "exercises" / "guesses.json"
    assert json.loads(file.read_text()) == {"Which?": "cat", "How many?": "4"}


@pytest.mark.parametrize("damage", ["", "[]", "null", '{"A?": 3}', '{"A?": {"guess": 1}}'])
def test_damaged_predictions_are_ignored(predictions_file, damage):
    predictions_file.write_text(damage)
    assert progress_file.load_guesses() == {}


def test_the_interview_sheet_keeps_how_it_went(tmp_path, monkeypatch):
    monkeypatch.setattr(progress_file, "RATINGS", tmp_path / "interview.json")
    sheet, cards = InterviewSheet(), read_cards()
    assert sheet.questions == [card.question for card in cards]
    assert sheet.answers == [card.answer for card in cards]
    sheet.set_state({"ratings": {cards[0].question: "could teach it"}})
    assert InterviewSheet().ratings == {cards[0].question: "could teach it"}
    assert "could teach it | 1" in repr(progress())


def answers(widget, *contents):
    """Return what a widget sends when the page sends these messages."""
    sent = []
    widget.send = sent.append
    for content in contents:
        widget._answer(widget, content, [])
    return sent


def test_the_writer_sends_a_token_for_each_message_and_says_where_the_text_ends():
    widget = Writer("Once", Parrot(), Bytes())
    asks = [{"run": "a", "write": ["Once", 0, 0]}, *[{"run": "a"}] * 6]
    sent = answers(widget, {"hello": True}, *asks)
    assert sent[0] == {"here": True}
    assert [one["token"] and one["token"][0] for one in sent[1:]] == [
        *(" the", " cat", " caf", "", "é", "\n", None)
    ]
    first = sent[1]["token"]
    logits = torch.tensor([0.0, 3, *range(-2, -8, -1)])  # of the tokens behind "Once"
    chances = [float(f"{chance:.2g}") for chance in logits.softmax(-1)]
    texts = [PIECES[n].decode(errors="replace") for n in range(5)]
    ordered = [1, 0, 2, 3, 4]
    assert first == [" the", 0, [[texts[n], chances[n]] for n in ordered]]
    assert answers(widget, {"run": "another"}) == [{"run": "another", "token": None}]


def test_a_token_that_is_not_among_the_likeliest_comes_as_the_sixth():
    drawn = [token for token in watch(Parrot(), Bytes(), "Once", 60, temperature=40.0, seed=1)]
    places = {place for _, place, _ in drawn}
    assert {0, 5} < places
    assert all(len(likeliest) == 5 + (place == 5) for _, place, likeliest in drawn)


def test_without_a_model_the_writer_says_so_and_what_goes_wrong_is_told_in_a_line(monkeypatch):
    monkeypatch.setattr("utils.pretrained.store.is_here", lambda: False)
    absent = Writer("Once", *open_model())
    hello, failed = answers(absent, {"hello": True}, {"run": "a", "write": ["Once", 0, 0]})
    assert hello == {"here": False}
    assert "make real" in failed["failed"]
    monkeypatch.setattr(Parrot, "last_logits", lambda *_: torch.ones(2) @ torch.ones(3))
    failed = answers(Writer("Once", Parrot(), Bytes()), {"run": "a", "write": ["Once", 0, 0]})
    assert failed[0]["failed"].startswith("RuntimeError: ")


def test_the_recordings_are_small_and_whole_and_shown_to_readers_without_a_kernel():
    assert RECORDED.stat().st_size <= 60_000
    texts = {(one["beginning"], one["temperature"]): one["tokens"] for one in recordings()}
    assert [*texts] == [*itertools.product(BEGINNINGS, TEMPERATURES)]
    for tokens in texts.values():
        assert 5 < len(tokens) <= COUNT
        assert all(0 < likeliest[place][1] <= 1 for _, place, likeliest in tokens)
    assert {place for _, place, _ in texts["Once upon a time", 0]} == {0}
    widget = Writer("Once upon a time", None, None)
    stored = widget._repr_mimebundle_()
    assert stored["text/plain"] == "<Writer: run the cell to move it>"
    plain = re.sub("<[^>]*>", "", stored["text/html"])
    assert plain.startswith(
        "Once upon a time" + "".join(text for text, *_ in texts["Once upon a time", 0])
    )
    assert len(json.dumps(widget.shared())) < 70_000


@pytest.mark.skipif(not is_here(), reason="no real model, for notebook 11 → make real")
def test_the_recordings_are_what_the_real_model_writes():
    model, tokens = open_model()
    recorded = recordings()[0]
    likeliest = dict(recorded["tokens"][0][2])
    assert next_tokens(model, tokens, recorded["beginning"]) == pytest.approx(likeliest, rel=0.06)
    again = [*watch(model, tokens, recorded["beginning"], 5)]
    assert [text for text, *_ in again] == [text for text, *_ in recorded["tokens"][:5]]


def test_the_explorer_of_the_real_model_keeps_a_dozen_texts_in_little_space():
    widget = ModelHeadsExplorer()
    stored = widget._repr_mimebundle_()
    assert stored["text/plain"] == "<ModelHeadsExplorer: run the cell to move it>"
    assert stored["text/html"].count("<img alt=") == 1
    sentences = widget.recorded["sentences"]
    assert len(sentences) == 12
    assert all(len(sentence["tokens"]) <= 24 for sentence in sentences)
    assert len(json.dumps(widget.shared(), ensure_ascii=False).encode()) <= 600_000


def test_the_recorded_heads_are_of_one_kind_each_and_attend_with_weight_one():
    recorded = read_recorded()
    count = recorded["layers"] * recorded["heads"]
    of_kinds = [head for kind in recorded["kinds"] for head in kind["heads"]]
    assert sorted(of_kinds) == [*range(count)]
    assert 18 * recorded["heads"] + 6 in recorded["kinds"][2]["heads"]
    for sentence in recorded["sentences"]:
        size, weights = len(sentence["tokens"]), unpack(sentence)
        assert weights.shape == (count, size, size)
        assert (weights.sum(-1) - 1).abs().max() <= 0.005 * size + 1e-6  # each is rounded
        sets = 1 + count + len(recorded["groups"])
        assert len(sentence["answers"]) == 12 * sets  # six words and shares, a letter each
        assert len(sentence["before"]) == len(sentence["words"]) == len({*sentence["words"]})


def test_what_a_kernel_answers_is_what_the_model_says():
    model, tokens = small_model(), LettersAsTokens()
    widget = ModelHeadsExplorer(model, tokens)
    assert widget.answer({"hello": True}) == {"ready": True}
    ids, off = tokens.encode("hello"), [168, 7]
    read = widget.answer({"read": "hello"})["sentence"]
    weights = look(model, ids).weights.flatten(0, 1)
    torch.testing.assert_close(unpack(read), weights, atol=0.00501, rtol=0)
    with switched_off(model, [(18, 6), (0, 7)]), torch.inference_mode():
        expected = model(ids)[0, -1].softmax(-1).topk(5)
    said = widget.answer({"text": "hello", "off": off})
    assert (said["text"], said["off"]) == ("hello", off)
    best = said["best"][:5]
    assert [word for word, _, _ in best] == [chr(number) for number in expected.indices]
    assert [now for _, now, _ in best] == pytest.approx(expected.values.tolist(), abs=1e-4)
    assert all(before != now for _, now, before in best)
    assert {word for word, *_ in read["best"][:1]} <= {word for word, *_ in said["best"]}


def test_what_a_kernel_cannot_read_is_refused_in_a_line():
    widget = ModelHeadsExplorer(small_model(), LettersAsTokens())
    assert widget.answer({"read": "x" * 41}) == {
        "failed": "Type 1 to 40 tokens, please; these are 41."
    }
    assert "these are 0" in widget.answer({"read": ""})["failed"]
    failed = ModelHeadsExplorer().answer({"read": "a"})["failed"]
    assert "ModelHeadsExplorer(model, tokens)" in failed
    with pytest.raises(ValueError, match="30 layers of 9 heads, this one 2 of 9"):
        ModelHeadsExplorer(small_model(layers=2), LettersAsTokens())


def test_without_the_model_the_recorded_texts_stay_and_a_line_says_how_to_get_it(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("ATTENTION_COURSE_CACHE", str(tmp_path))
    monkeypatch.setattr("utils.pretrained.store.PACKAGE", "no_such_package")
    widget = ModelHeadsExplorer(*open_model())
    assert len(widget.recorded["sentences"]) == 12
    for content in ({"hello": True}, {"read": "a"}, {"text": "a", "off": [1]}):
        assert "make real" in widget.answer(content)["failed"]


@pytest.mark.slow
@pytest.mark.skipif(not is_here(), reason="no real model → make real")
def test_what_was_recorded_is_what_the_real_model_does():
    model, tokens = open_model()
    recorded = read_recorded()
    sentence, group = recorded["sentences"][0], recorded["groups"][3]
    ids = tokens.encode(sentence["text"])
    weights = look(model, ids).weights.flatten(0, 1)
    torch.testing.assert_close(unpack(sentence), weights, atol=0.02, rtol=0)
    now = next_chances(model, ids, group["heads"])
    best = tokens.decode([int(now.argmax())])
    at = 12 * (1 + len(weights) + 3)
    letters, numbers = recorded["letters"], sentence["answers"][at : at + 12]
    assert sentence["words"][letters.index(numbers[0])] == best
    assert letters.index(numbers[1]) / 100 == pytest.approx(now.max().item(), abs=0.02)
