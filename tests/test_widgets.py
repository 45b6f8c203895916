import pytest
from ipywidgets import FloatSlider

from utils.plots import line_chart
from utils.running_example import KEYS, SOURCE
from utils.widgets import QueryExplorer, SliderFigure


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
    [SliderFigure(draw, height=FloatSlider(1.0)), QueryExplorer(SOURCE, KEYS.tolist())],
    ids=lambda widget: type(widget).__name__,
)
def test_the_stored_output_is_a_fixed_text_and_a_picture(widget):
    stored = widget._repr_mimebundle_()
    name = type(widget).__name__
    assert stored["text/plain"] == repr(widget) == f"<{name}: run the cell to move it>"
    assert stored["text/html"].startswith("<img alt=")
    assert "application/vnd.jupyter.widget-view+json" in stored


def test_the_explorer_needs_a_label_for_each_key():
    with pytest.raises(ValueError, match="one label per key, got 1 and 6"):
        QueryExplorer(["The"], KEYS.tolist())
