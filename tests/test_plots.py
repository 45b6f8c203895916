import base64
import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import torch
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from PIL import Image

from utils import plots
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET

SCORES = QUERIES @ KEYS.T
WEIGHTS = SCORES.softmax(-1)
PLANE = dict(zip(SOURCE, KEYS.tolist(), strict=True))

FIGURES = {
    "concept": lambda: plots.concept_heatmap(WEIGHTS, SOURCE, TARGET, "who looks at whom"),
    "alignment": lambda: plots.alignment_heatmap(WEIGHTS, SOURCE, TARGET, links=[(0, 0), (2, 3)]),
    "heads": lambda: plots.head_grid(WEIGHTS.expand(5, -1, -1), SOURCE, TARGET),
    "scores and weights": lambda: plots.score_and_weight(SCORES, WEIGHTS, SOURCE, TARGET),
    "masks": lambda: plots.mask_grid(WEIGHTS.expand(2, -1, -1) > 0.1, SOURCE, TARGET),
    "flow": lambda: plots.flow_diagram({"a": (0, 0), "b": (2, 0)}, [("a", "b", "then")], "a to b"),
    "lines": lambda: plots.line_chart([1, 2], {"a": [1, 2], "b": [2, 1]}, "x", "y", "cross"),
    "curves": lambda: plots.curves([1, 2], {"a": [[1, 2], [2, 3]], "b": [[2, 1]]}, "x", "y", "two"),
    "bars": lambda: plots.bar_chart({"a": [1, 2], "b": [2, 1]}, ["p", "q"], "y", "cross"),
    "plane": lambda: plots.vector_plane(PLANE, query=[3, 1]),
}


def images_of(figure):
    """Return a figure's <img>, its pixels, and the opacity of the words above it, all 0 to 1."""
    whole = ElementTree.fromstring(re.sub(r"<img[^>]*", r"\g<0>/", figure.to_html()))
    files = [base64.b64decode(data) for data in re.findall(r"base64,([\w+/=]+)", figure.to_html())]
    pixels, words = (np.array(Image.open(io.BytesIO(file)).convert("RGBA")) for file in files)
    return whole.find("img"), pixels / 255, words[..., 3] / 255


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_labelled_transparent_and_carries_its_alt_text_into_the_notebook(name):
    figure = FIGURES[name]()
    assert isinstance(figure, Figure)
    axes = [axis for axis in figure.axes if axis.get_label() != "<colorbar>"]
    labels = {label for axis in axes for label in (axis.get_xlabel(), axis.get_ylabel())}
    assert name in ("plane", "bars", "flow") or "" not in labels
    image, pixels, _ = images_of(figure)
    assert image.get("alt") == figure.alt != ""
    assert pixels[0, 0, 3] == 0


@pytest.mark.parametrize("name", FIGURES)
def test_words_take_the_colour_of_the_page_and_numbers_in_cells_keep_their_own(name):
    figure = FIGURES[name]()
    _, pixels, words = images_of(figure)
    assert words.shape == pixels.shape[:2]
    assert words.max() == 1  # and the picture below says the same, in grey
    assert abs(pixels[words == 1][:, :3] - mpl.colors.to_rgb(plots.INK)).max() < 0.02
    high, wide = words.shape
    for axis in figure.axes:
        if any(isinstance(drawn, QuadMesh) for drawn in axis.collections):
            (left, low), (right, top) = axis.get_position().get_points()
            inside = words[
                round((1 - top) * high) + 3 : round((1 - low) * high) - 3,
                round(left * wide) + 3 : round(right * wide) - 3,
            ]
            assert inside.size > 1000
            assert inside.max() == 0


def test_words_can_be_read_on_both_themes_where_a_page_leaves_out_styles():
    ink = plots._luminance(np.array(mpl.colors.to_rgb(plots.INK)))
    dark = plots._luminance(np.array(mpl.colors.to_rgb("#111111")))  # of JupyterLab
    assert (1 + 0.05) / (ink + 0.05) > 4.3
    assert (ink + 0.05) / (dark + 0.05) > 4.3


def test_a_figure_shows_itself_once(monkeypatch):
    shown = []
    monkeypatch.setattr("utils.figure.display", shown.append)
    FIGURES["concept"]()._ipython_display_()
    assert len(shown) == 1
    assert shown[0].data.count("<img alt=") == 1


def test_quotes_in_alt_text_do_not_break_the_image():
    figure = plots.line_chart([1], {"a": [1]}, "x", "y", alt="\"loud\" <b> & 'soft'")
    image, _, _ = images_of(figure)
    assert image.get("alt") == "\"loud\" <b> & 'soft'"


def test_alt_text_says_what_the_picture_shows():
    alt = FIGURES["concept"]().alt
    assert alt.startswith("who looks at whom: 7 target rows by 6 source columns.")
    assert "chat → cat 0.98" in alt
    assert "était → sat 0.73" in alt
    assert "Scores: 7 target rows" in FIGURES["scores and weights"]().alt
    assert plots.alignment_heatmap(WEIGHTS, SOURCE, TARGET, alt="mine").alt == "mine"


def test_matrices_without_a_largest_entry_are_described_as_they_are():
    assert plots.describe(torch.full((2, 2), 0.5), "ab", "cd").endswith("Every entry is 0.50.")
    alike = plots.describe([[0.8, 0.2], [0.8, 0.2]], "ab", "cd")
    assert alike.endswith("Every row alike: a 0.80; b 0.20.")
    assert plots.describe([[0.8, 0.2]], "ab", "c") == (
        "1 target row by 2 source columns. a 0.80; b 0.20."
    )
    many = plots.describe(np.eye(13), "abcdefghijklm", "abcdefghijklm")
    assert many.endswith("j → j 1.00; and 3 more rows.")


@pytest.mark.parametrize("name", ["concept_heatmap", "alignment_heatmap"])
def test_labels_that_do_not_fit_are_refused(name):
    with pytest.raises(ValueError, match=r"each of 6 target labels.* got shape \(7, 6\)"):
        getattr(plots, name)(WEIGHTS, TARGET, SOURCE)


@pytest.mark.parametrize("colours", [plots.WEIGHT_COLOURS, plots.SCORE_COLOURS])
def test_numbers_in_cells_can_be_read(colours):
    figure = plots.AccessibleFigure()
    axis = figure.add_subplot()
    values = np.linspace(-1, 1, 101)[None]
    signed = colours == plots.SCORE_COLOURS
    labels = [str(number) for number in range(101)]
    plots._draw_heatmap(axis, values if signed else (values + 1) / 2, labels, ["row"], True, signed)
    figure.canvas.draw()
    cells = axis.collections[0].get_facecolors()
    for text, cell in zip(axis.texts, cells, strict=True):
        ink = plots._luminance(np.array(mpl.colors.to_rgb(text.get_color())))
        paper = plots._luminance(cell)
        contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
        assert contrast >= 4.5  # WCAG 2.2, level AA


def test_masks_are_described_by_what_they_allow():
    alt = plots.mask_grid([[[1, 0], [0, 0]]], ["a", "b"], ["c", "d"], ["padding"]).alt
    assert alt.startswith("padding. 1 of 4 cells")
    assert alt.endswith("c → a; d → nothing.")


def test_a_number_that_rounds_to_zero_is_left_out():
    figure = plots.concept_heatmap(torch.tensor([[0.99, 0.006], [0.5, 0.004]]), "ab", "cd", "small")
    shown = [text.get_text() for text in figure.axes[0].texts if text.get_visible()]
    assert shown == ["0.99", "0.01", "0.50"]


def test_closed_cells_are_hatched_and_carry_no_number():
    weights, mask = torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.tensor([[1, 0], [0, 0]]).bool()
    figure = plots.concept_heatmap(weights, "ab", "cd", "masked", mask=mask)
    assert [text.get_text() for text in figure.axes[0].texts] == ["1.00"]
    assert figure.axes[0].patch.get_hatch()
    assert figure.alt.endswith("c → a 1.00; d → nothing. 3 cells are closed.")


def test_heatmaps_that_are_compared_share_one_scale():
    figure = plots.head_grid([[[0.0, 2.0]], [[0.0, 0.5]]], "ab", "c")
    assert {axis.collections[0].get_clim() for axis in figure.axes[:2]} == {(0, 2)}


def test_an_arrow_needs_both_of_its_boxes():
    with pytest.raises(ValueError, match="no box is called \\['c'\\]"):
        plots.flow_diagram({"a": (0, 0), "b": (2, 0)}, [("a", "c")], alt="a to c")


def test_known_links_are_framed():
    figure = FIGURES["alignment"]()
    corners = {patch.get_xy() for patch in figure.axes[0].patches}
    assert corners == {(0, 0), (2, 3)}


def test_lines_differ_by_more_than_colour():
    axis = FIGURES["lines"]().axes[0]
    assert len({line.get_marker() for line in axis.lines}) == 2
    bars = FIGURES["bars"]().axes[0].patches
    assert len({bar.get_hatch() for bar in bars}) == 2


def test_a_spread_is_a_band_around_its_own_line():
    lines = {"a": [1, 2], "b": [5, 6]}
    figure = plots.line_chart([1, 2], lines, "x", "y", "two lines", spread={"b": [0.5, 1]})
    (band,) = figure.axes[0].collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert corners == {(1, 4.5), (1, 5.5), (2, 5), (2, 7)}
    assert (band.get_facecolor()[0][:3] == figure.axes[0].lines[1].get_color()).all()
    with pytest.raises(ValueError, match=r"spread for \['c'\]; lines: \['a', 'b'\]"):
        plots.line_chart([1, 2], lines, "x", "y", "two lines", spread={"c": [0, 0]})


def test_gradients_and_devices_do_not_get_in_the_way():
    weights = WEIGHTS.clone().requires_grad_()
    assert plots.concept_heatmap(weights, SOURCE, TARGET).alt
    assert plots.line_chart([1, 2], {"a": torch.ones(2, requires_grad=True)}, "x", "y", "flat").alt
