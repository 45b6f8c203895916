"""Interactive explorers. Each shows a plain picture where no kernel runs."""

from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.slider_figure import SliderFigure

__all__ = ["QueryExplorer", "SliderFigure"]
