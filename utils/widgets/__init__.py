"""Interactive explorers. Without a kernel each of them shows a plain picture."""

from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.slider_figure import SliderFigure

__all__ = ["QueryExplorer", "SliderFigure"]
