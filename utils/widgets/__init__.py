"""What learners move, and what they guess. Without a kernel each shows something plain."""

from utils.widgets.interview import InterviewSheet
from utils.widgets.prediction import predict
from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.slider_figure import SliderFigure
from utils.widgets.softmax_explorer import SoftmaxExplorer
from utils.widgets.tuning_explorer import TuningExplorer
from utils.widgets.window_explorer import WindowExplorer

__all__ = [
    "InterviewSheet",
    "QueryExplorer",
    "SliderFigure",
    "SoftmaxExplorer",
    "TuningExplorer",
    "WindowExplorer",
    "predict",
]
