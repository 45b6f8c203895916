"""What learners move, and what they guess. Without a kernel each shows something plain."""

from utils.widgets.interview import InterviewSheet
from utils.widgets.mask_explorer import MaskExplorer
from utils.widgets.pipeline_explorer import PipelineExplorer
from utils.widgets.prediction import predict
from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.slider_figure import SliderFigure
from utils.widgets.softmax_explorer import SoftmaxExplorer
from utils.widgets.training_film import TrainingFilm
from utils.widgets.translator import Translator

__all__ = [
    "InterviewSheet",
    "MaskExplorer",
    "PipelineExplorer",
    "QueryExplorer",
    "SliderFigure",
    "SoftmaxExplorer",
    "TrainingFilm",
    "Translator",
    "predict",
]
