"""A figure with sliders: the simplest way to make a picture interactive."""

from collections.abc import Callable

import ipywidgets

from utils.plots import AccessibleFigure
from utils.widgets.pictured import Pictured


class SliderFigure(Pictured, ipywidgets.VBox):
    """A figure that is redrawn whenever one of its sliders moves.

    Args:
        draw: returns the figure, given a value for each slider by name.
        sliders: name → a slider from ipywidgets, or another control, such as a checkbox. Each is
            labelled with its name, on screen and for screen readers.
    """

    def __init__(self, draw: Callable[..., AccessibleFigure], **sliders: ipywidgets.Widget):
        self._draw = draw
        self._sliders = sliders
        self._image = ipywidgets.HTML(self.picture())
        for name, slider in sliders.items():
            slider.description = name.replace("_", " ")
            slider.style.description_width = "initial"  # otherwise a long name is truncated
            slider.observe(self._redraw, names="value")
        super().__init__([*sliders.values(), self._image])

    def picture(self) -> str:
        return self._draw(**{name: one.value for name, one in self._sliders.items()}).to_html()

    def _redraw(self, _change) -> None:
        try:
            self._image.value = self.picture()
        except Exception as error:  # an exception in a callback would go unseen: show it
            self._image.value = (
                f'<p role="alert">This could not be drawn. {type(error).__name__}: {error}</p>'
            )
