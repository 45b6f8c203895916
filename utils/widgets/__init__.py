"""What learners move, and what they guess. Without a kernel each shows something plain."""

from utils.widgets.heads_explorer import HeadsExplorer
from utils.widgets.interview import InterviewSheet
from utils.widgets.prediction import predict
from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.reshape_explorer import ReshapeExplorer
from utils.widgets.slider_figure import SliderFigure
from utils.widgets.softmax_explorer import SoftmaxExplorer
from utils.widgets.tiles_explorer import TilesExplorer

__all__ = [
    "HeadsExplorer",
    "InterviewSheet",
    "QueryExplorer",
    "ReshapeExplorer",
    "SliderFigure",
    "SoftmaxExplorer",
    "TilesExplorer",
    "predict",
]
