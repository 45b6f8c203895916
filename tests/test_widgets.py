"""Test what widgets store and refuse, and how guesses and ratings are kept."""

import itertools
import json
import re

import pytest
import torch
from ipywidgets import Checkbox, Dropdown, FloatSlider, IntSlider

from utils.cards import read_cards
from utils.checks import memory, progress
from utils.corpora import running_example
from utils.model_card import read_card, stored_cards
from utils.positions import RotaryPositions
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import (
    CacheExplorer,
    ClockExplorer,
    Curves,
    HeadsExplorer,
    InterviewSheet,
    Map,
    MaskExplorer,
    Pictures,
    PipelineExplorer,
    QueryExplorer,
    ReachExplorer,
    ReshapeExplorer,
    SliderFigure,
    SoftmaxExplorer,
    TilesExplorer,
    TrainingFilm,
    Translator,
    TurnExplorer,
    WindowExplorer,
    predict,
)
from utils.widgets.cache_explorer import cards_by_kind
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


def state_of(widget):
    """Return the state of a widget that a notebook stores, without JavaScript and pictures."""
    state = widget.get_state().items()
    return {key: value for key, value in state if not key.startswith("_") and key != "image"}


@pytest.mark.parametrize(
    "widget",
    [
        SliderFigure(draw, height=IntSlider(1, max=5)),
        QueryExplorer(SOURCE, KEYS.tolist(), TARGET, QUERIES.tolist()),
        CacheExplorer("Llama 3.1 8B"),
        ClockExplorer(16, trained=48),
        MaskExplorer(SOURCE, (KEYS @ KEYS.T).tolist(), length=4, half_width=1),
        PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE),
        SoftmaxExplorer(SOURCE),
        Translator("the cat sat on the mat"),
        film([torch.rand(7, 6)]),
        heads(["head 1", "head 2"], count=2),
        ReachExplorer(24, layers=3, window=4),
        ReshapeExplorer([SOURCE[:3], SOURCE[3:]], dim=4),
        TilesExplorer(QUERIES, KEYS, KEYS, SOURCE, TARGET),
        TurnExplorer(SOURCE, KEYS, TARGET, QUERIES),
        WindowExplorer(SOURCE, [0.0] * 6, centre=2),
    ],
    ids=lambda widget: type(widget).__name__,
)
def test_the_stored_output_is_a_fixed_text_a_picture_and_a_small_state(widget):
    stored = widget._repr_mimebundle_()
    name = type(widget).__name__
    assert stored["text/plain"] == repr(widget) == f"<{name}: run the cell to move it>"
    assert stored["text/html"].count("<img alt=") == 1
    assert "application/vnd.jupyter.widget-view+json" in stored
    assert len(json.dumps(state_of(widget))) < 5_000  # no weights


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
    assert len(json.dumps(state_of(widget))) < 30_000


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
    monkeypatch.setattr(memory, "PREDICTIONS", file)
    return file


def guess(prediction, text, certainty="certain"):
    """Set a prediction's guess and certainty, as the page does when a learner sends a guess."""
    prediction.set_state({"guess": text, "certainty": certainty})


def test_a_number_is_compared_with_the_guess(predictions_file):
    largest = predict("How large?", between=(0, 1), close=0.1)
    guess(largest, "0.6")
    assert "You said 0.6 (certain): 0.353 too low." in largest.reveal(0.953)._repr_html_()
    assert largest.answer == "≈ 0.953"
    near = predict("How large is the other?", between=(0, 1), close=0.1)
    guess(near, "1.0")
    assert "too high, which is close." in near.reveal(0.953)._repr_html_()
    assert [stored.came_true for stored in memory.load_guesses().values()] == [False, True]


def test_a_choice_is_compared_with_the_guess(predictions_file):
    word = predict("Which?", ["cat", "mat"])
    guess(word, "mat", "fairly sure")
    assert "You said mat (fairly sure): something else." in word.reveal("cat")._repr_html_()
    assert repr(word.reveal("cat")) == "The answer: cat"


def test_the_stored_text_is_the_same_for_everybody(predictions_file):
    blank, guessed = (predict("How many?", between=(0, 9)) for _ in range(2))
    guess(guessed, "4")
    assert repr(blank.reveal(5)) == repr(guessed.reveal(5)) == "The answer: 5"
    assert repr(blank) == repr(guessed) == "Your prediction: How many?"
    assert "answer" not in blank._repr_mimebundle_()["text/html"]


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
    assert memory.load_guesses()["Again?"].guess == "no"


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


@pytest.mark.parametrize("damage", ["", "[]", "null", '{"A?": 3}', '{"A?": {"guess": 1}}'])
def test_damaged_predictions_are_ignored(predictions_file, damage):
    predictions_file.write_text(damage)
    assert memory.load_guesses() == {}


def test_the_interview_sheet_keeps_how_it_went(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "RATINGS", tmp_path / "interview.json")
    sheet, cards = InterviewSheet(), read_cards()
    assert sheet.questions == [card.question for card in cards]
    assert sheet.answers == [card.answer for card in cards]
    sheet.set_state({"ratings": {cards[0].question: "could teach it"}})
    assert InterviewSheet().ratings == {cards[0].question: "could teach it"}
    assert "could teach it | 1" in repr(progress())
