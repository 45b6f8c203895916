import re

import pytest
import torch
from ipywidgets import FloatSlider

from utils.checks import memory, progress
from utils.plots import line_chart
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.widgets import (
    InterviewSheet,
    MaskExplorer,
    PipelineExplorer,
    QueryExplorer,
    SliderFigure,
    SoftmaxExplorer,
    interview,
    predict,
)


def draw(height):
    if height < 0:
        raise ValueError("too low")
    return line_chart([0, 1], {"a": [0, height]}, "x", "y", alt=f"up to {height:.0f}")


def test_moving_a_slider_draws_the_figure_again():
    slider = FloatSlider(1.0, min=-1, max=5)
    widget = SliderFigure(draw, height=slider)
    image = widget.children[-1]
    assert 'alt="up to 1"' in image.value
    slider.value = 4.0
    assert 'alt="up to 4"' in image.value


def test_an_error_while_moving_is_shown_and_mended_by_moving_on():
    slider = FloatSlider(1.0, min=-1, max=5)
    widget = SliderFigure(draw, height=slider)
    slider.value = -1.0
    assert "ValueError: too low" in widget.children[-1].value
    slider.value = 2.0
    assert 'alt="up to 2"' in widget.children[-1].value


def test_an_error_in_the_first_drawing_is_an_error_of_the_cell():
    with pytest.raises(ValueError, match="too low"):
        SliderFigure(draw, height=FloatSlider(-1.0, min=-1, max=5))


def test_every_slider_has_a_name_for_screen_readers():
    slider = FloatSlider()
    SliderFigure(lambda half_width: draw(half_width), half_width=slider)
    assert slider.description == "half width"


@pytest.mark.parametrize(
    "widget",
    [
        SliderFigure(draw, height=FloatSlider(1.0)),
        QueryExplorer(SOURCE, KEYS.tolist(), TARGET, QUERIES.tolist()),
        MaskExplorer(SOURCE, (KEYS @ KEYS.T).tolist(), length=4, half_width=1),
        PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE),
        SoftmaxExplorer(SOURCE),
    ],
    ids=lambda widget: type(widget).__name__,
)
def test_the_stored_output_is_a_fixed_text_and_a_picture(widget):
    stored = widget._repr_mimebundle_()
    name = type(widget).__name__
    assert stored["text/plain"] == repr(widget) == f"<{name}: run the cell to move it>"
    assert stored["text/html"].startswith("<img alt=")
    assert "application/vnd.jupyter.widget-view+json" in stored


def test_the_explorer_needs_a_label_for_each_key_and_query():
    with pytest.raises(ValueError, match="one label per key, got 1 and 6"):
        QueryExplorer(["The"], KEYS.tolist(), TARGET, QUERIES.tolist())
    with pytest.raises(ValueError, match="one label per query, got 7 and 1"):
        QueryExplorer(SOURCE, KEYS.tolist(), TARGET, [[1, 3]])


def test_the_mask_explorer_needs_a_row_and_a_column_for_each_label():
    with pytest.raises(ValueError, match=r"need 6 rows of 6 scores each, got rows of \[6, 5\]"):
        MaskExplorer(SOURCE, [[0.0] * 6, [0.0] * 5], length=4, half_width=1)


def test_the_pipeline_needs_shapes_that_fit_together():
    with pytest.raises(ValueError, match=r"k must be \(6, 2\), got \(7, 2\)"):
        PipelineExplorer(QUERIES, QUERIES, KEYS, TARGET, SOURCE)
    with pytest.raises(ValueError, match=r"mask must broadcast .* \(7, 6\), got \(6, 7\)"):
        PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE, torch.ones(6, 7) > 0)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    file = tmp_path / "predictions.json"
    monkeypatch.setattr(memory, "PREDICTIONS", file)
    return file


def guess(prediction, said, certainty="certain"):
    """What the page sends when somebody commits a guess."""
    prediction.set_state({"guess": said, "certainty": certainty})


def test_a_number_is_compared_with_the_guess(kept):
    largest = predict("How large?", between=(0, 1), close=0.1)
    guess(largest, "0.6")
    assert "You said 0.6 (certain): 0.353 too low." in largest.reveal(0.953)._repr_html_()
    assert largest.answer == "≈ 0.953"
    near = predict("How large is the other?", between=(0, 1), close=0.1)
    guess(near, "1.0")
    assert "too high, which is close." in near.reveal(0.953)._repr_html_()
    assert [made.came_true for made in memory.recall_guesses().values()] == [False, True]


def test_a_choice_is_compared_with_the_guess(kept):
    word = predict("Which?", ["cat", "mat"])
    guess(word, "mat", "fairly sure")
    assert "You said mat (fairly sure): something else." in word.reveal("cat")._repr_html_()
    assert repr(word.reveal("cat")) == "The answer: cat"


def test_the_stored_text_is_the_same_for_everybody(kept):
    without, made = predict("How many?", between=(0, 9)), predict("How many?", between=(0, 9))
    guess(made, "4")
    assert repr(without.reveal(5)) == repr(made.reveal(5)) == "The answer: 5"
    assert repr(without) == repr(made) == "Your prediction: How many?"
    assert "answer" not in without._repr_mimebundle_()["text/html"]


def test_only_the_first_guess_counts_and_none_after_the_answer(kept):
    seen = predict("Seen?", ["yes", "no"])
    seen.reveal("yes")
    guess(seen, "yes")
    seen.reveal("yes")
    assert not kept.exists()
    for said in ("no", "yes"):
        again = predict("Again?", ["yes", "no"])
        guess(again, said)
        again.reveal("yes")
    assert memory.recall_guesses()["Again?"].guess == "no"


def test_progress_tells_how_well_guesses_do(kept):
    assert "predictions" not in repr(progress())
    for question, said, certainty in [("A?", "yes", "certain"), ("B?", "no", "certain")]:
        asked = predict(question, ["yes", "no"])
        guess(asked, said, certainty)
        asked.reveal("yes")
    text = repr(progress())
    assert "Your predictions: 1 of 2 came true" in text
    assert "certain | 1 of 2" in text
    assert "You were certain, and it was not so: B? You said no, the answer is yes." in text


@pytest.mark.parametrize("damage", ["", "[]", "null", '{"A?": 3}', '{"A?": {"guess": 1}}'])
def test_damaged_predictions_are_ignored(kept, damage):
    kept.write_text(damage)
    assert memory.recall_guesses() == {}


def test_a_question_without_an_answer_to_choose_is_refused(kept):
    with pytest.raises(ValueError, match="either options or a range"):
        predict("What?")
    with pytest.raises(ValueError, match="not among the options"):
        predict("What?", ["a", "b"]).reveal("c")
    with pytest.raises(ValueError, match="is a number"):
        predict("What?", between=(0, 1)).reveal("c")


SHEET = """
**1. Why *two* `heads`?**

<details><summary>Answer</summary>

So that one
may fail & the other not.

Shown in [notebook 05](../notebooks/05.ipynb).

</details>
"""


def test_the_interview_sheet_keeps_how_it_went(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "RATINGS", tmp_path / "interview.json")
    (tmp_path / "sheet.md").write_text(SHEET)
    sheet = InterviewSheet(tmp_path / "sheet.md")
    (question,), (answer,) = sheet.questions, sheet.answers
    assert question.startswith("Why <em>two</em> <code")
    assert answer == (
        "<p>So that one may fail &amp; the other not.</p><p>Shown in notebook 05.</p>"
    )
    sheet.set_state({"ratings": {question: "could teach it"}})
    assert InterviewSheet(tmp_path / "sheet.md").ratings == {question: "could teach it"}
    assert "could teach it | 1" in repr(progress())


def test_every_question_of_the_interview_sheet_becomes_a_card():
    asked = re.findall(r"^\*\*(\d+)\. ", interview.SHEET.read_text(), flags=re.MULTILINE)
    assert asked == [str(number) for number in range(1, len(asked) + 1)]
    assert len(InterviewSheet().questions) == len(asked)
