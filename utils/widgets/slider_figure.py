"""Make a figure follow sliders: all settings are computed beforehand, and no kernel must answer."""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import ipywidgets
import traitlets

from utils.plots import AccessibleFigure, Matrix, alignment_heatmap, line_chart, matrix_map
from utils.widgets.pictured import Pictured

DIGITS = 3  # decimal places of each number that is stored
MOST = 200  # settings


@dataclass
class Curves:
    """Lines over the same x, as `line_chart` draws them.

    Attributes:
        x: horizontal positions.
        lines: label → one y for each x.
        xlabel: quantity and unit.
        ylabel: quantity and unit.
        alt: what the lines show, for a reader who cannot see them.
    """

    x: Sequence[float]
    lines: Mapping[str, Sequence[float]]
    xlabel: str
    ylabel: str
    alt: str

    def figure(self) -> AccessibleFigure:
        return line_chart(self.x, self.lines, self.xlabel, self.ylabel, self.alt)

    def state(self) -> dict:
        lines = [[label, _rounded(y)] for label, y in self.lines.items()]
        names = {"xlabel": self.xlabel, "ylabel": self.ylabel, "alt": self.alt}
        return {"x": list(self.x), "lines": lines, **names}


@dataclass
class Map:
    """A heatmap of weights between words, as `alignment_heatmap` draws it.

    Attributes:
        weights: (tgt_len, src_len).
        source: labels of the columns.
        target: labels of the rows.
        alt: what the heatmap shows, for a reader who cannot see it.
        links: (source position, target position) of words to frame.
    """

    weights: Matrix
    source: Sequence[str]
    target: Sequence[str]
    alt: str
    links: Collection[tuple[int, int]] = ()

    def figure(self) -> AccessibleFigure:
        return alignment_heatmap(
            self.weights, self.source, self.target, links=sorted(self.links), alt=self.alt
        )

    def state(self) -> dict:
        labels = {"columns": list(self.source), "rows": list(self.target)}
        maps = [["", list(map(_rounded, self.weights))]]
        return {"maps": maps, **labels, "links": list(map(list, self.links)), "alt": self.alt}


@dataclass
class Pictures:
    """Pictures of one size side by side, with numbers from 0 to 1, as `matrix_map` draws them.

    Attributes:
        pictures: title → (height, width).
        alt: what they show, for a reader who cannot see them.
    """

    pictures: Mapping[str, Matrix]
    alt: str

    def figure(self) -> AccessibleFigure:
        return matrix_map(self.pictures, "pixel column", "pixel row", self.alt)

    def state(self) -> dict:
        maps = [[title, list(map(_rounded, one))] for title, one in self.pictures.items()]
        return {"maps": maps, "alt": self.alt}


class SliderFigure(Pictured):
    """A figure that changes whenever one of its controls is moved.

    Args:
        draw: function that returns the figure, given the value of each control by name.
        title: what the figure is about.
        task: what to try, a sentence that begins with "Try:".
        sliders: name → a slider, checkbox or list to choose from, of ipywidgets. Each is labelled
            with its name. All their settings together are 200 at most.

    Raises:
        ValueError: there are more settings than that.
    """

    title = traitlets.Unicode().tag(sync=True)
    task = traitlets.Unicode().tag(sync=True)
    controls = traitlets.List().tag(sync=True)
    # One for each setting, the last control runs fastest. Lists of pairs, as JSON would sort keys.
    frames = traitlets.List().tag(sync=True)
    places = traitlets.List(traitlets.Int()).tag(sync=True)  # of each control, among its values

    def __init__(
        self,
        draw: Callable[..., Curves | Map | Pictures],
        title: str = "",
        task: str = "",
        **sliders: ipywidgets.Widget,
    ):
        values = {name: _values(slider) for name, slider in sliders.items()}
        count = math.prod(map(len, values.values()))
        if count > MOST:
            raise ValueError(f"all settings of the controls are {count}; at most {MOST} are drawn")
        self._frames = [
            draw(**dict(zip(values, setting, strict=True)))
            for setting in itertools.product(*values.values())
        ]
        super().__init__(
            title=title,
            task=task,
            controls=[
                {
                    "kind": _kind(slider),
                    "label": name.replace("_", " "),
                    "texts": list(map(_text, values[name])),
                }
                for name, slider in sliders.items()
            ],
            frames=[frame.state() for frame in self._frames],
            places=[values[name].index(slider.value) for name, slider in sliders.items()],
        )

    def picture(self) -> str:
        index = 0
        for place, control in zip(self.places, self.controls, strict=True):
            index = index * len(control["texts"]) + place
        return self._frames[index].figure().to_html()


def _values(control: ipywidgets.Widget) -> list:
    """Return the values that a control can have, in order."""
    if isinstance(control, ipywidgets.Checkbox):
        return [False, True]
    if hasattr(control, "options"):
        return list(control.options)
    count = round((control.max - control.min) / control.step) + 1
    return [round(control.min + n * control.step, 9) for n in range(count)]


def _kind(control: ipywidgets.Widget) -> str:
    if isinstance(control, ipywidgets.Checkbox):
        return "checkbox"
    return "choice" if isinstance(control, ipywidgets.Dropdown) else "slider"


def _text(value) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(float(number), DIGITS) for number in numbers]
