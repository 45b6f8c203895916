"""Make any figure interactive: redraw it in the kernel whenever a control is moved."""

from collections.abc import Callable

import anywidget
import ipywidgets
import traitlets

from utils.plots import AccessibleFigure
from utils.widgets.module import module
from utils.widgets.pictured import Pictured


class SliderFigure(Pictured, anywidget.AnyWidget):
    """A figure that is redrawn whenever one of its controls is moved.

    The controls shown are HTML's own, because those of ipywidgets have no name for screen readers.

    Args:
        draw: function that returns the figure, given the value of each control by name.
        sliders: name → a slider from ipywidgets, or another control: a checkbox, a list to choose
            from, a line of text. Each control is labelled with its name.
    """

    _esm = module("slider_figure")
    controls = traitlets.List().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)  # by name; the index, if a control has options
    image = traitlets.Unicode().tag(sync=True)
    asked = traitlets.Int().tag(sync=True)  # how often the page has asked for another picture
    drawn = traitlets.Int().tag(sync=True)  # value of `asked` for which `image` was drawn

    def __init__(self, draw: Callable[..., AccessibleFigure], **sliders: ipywidgets.Widget):
        self._draw = draw
        self._sliders = sliders
        controls = [_description(name, slider) for name, slider in sliders.items()]
        values = {name: getattr(slider, _place_trait(slider)) for name, slider in sliders.items()}
        super().__init__(controls=controls, values=values, image=self.picture())
        self.observe(self._redraw, names="asked")

    def picture(self) -> str:
        values = {name: slider.value for name, slider in self._sliders.items()}
        return self._draw(**values).to_html()

    def _redraw(self, _change) -> None:
        for name, value in self.values.items():
            setattr(self._sliders[name], _place_trait(self._sliders[name]), value)
        try:
            self.image = self.picture()
        except Exception as error:  # an exception in a callback would go unseen: show it
            self.image = (
                f'<p role="alert">This could not be drawn. {type(error).__name__}: {error}</p>'
            )
        self.drawn = self.asked


def _place_trait(control: ipywidgets.Widget) -> str:
    """Return the name of the trait that holds a control's setting: "index" or "value"."""
    return "index" if hasattr(control, "options") else "value"


def _description(name: str, control: ipywidgets.Widget) -> dict:
    """Return kind, label, and range or options of a control, from which the page makes its own."""
    common = {"name": name, "label": name.replace("_", " ")}
    if isinstance(control, ipywidgets.SelectionSlider):
        options = list(control._options_labels)
        ends = {"min": 0, "max": len(options) - 1, "step": 1}
        return {**common, "kind": "slider", "options": options, **ends}
    if hasattr(control, "options"):
        return {**common, "kind": "choice", "options": list(control._options_labels)}
    if isinstance(control, ipywidgets.Checkbox):
        return {**common, "kind": "checkbox"}
    if isinstance(control, ipywidgets.Text):
        return {**common, "kind": "text"}
    ends = {end: getattr(control, end) for end in ("min", "max", "step")}
    return {**common, "kind": "slider", **ends}
