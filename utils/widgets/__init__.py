"""Widgets for notebooks: explorers, forms that ask for a prediction, and the interview sheet.

An explorer is a picture with controls: moving them shows what a mechanism computes. Each widget
also stores a plain picture in the notebook, for readers without a kernel.
"""

from utils.widgets.cache_explorer import CacheExplorer
from utils.widgets.clock_explorer import ClockExplorer
from utils.widgets.heads_explorer import HeadsExplorer
from utils.widgets.interview import InterviewSheet
from utils.widgets.mask_explorer import MaskExplorer
from utils.widgets.model_heads_explorer import ModelHeadsExplorer
from utils.widgets.passage_explorer import PassageExplorer
from utils.widgets.pipeline_explorer import PipelineExplorer
from utils.widgets.prediction import predict
from utils.widgets.query_explorer import QueryExplorer
from utils.widgets.questions import Questions, review, warm_up
from utils.widgets.reach_explorer import ReachExplorer
from utils.widgets.reshape_explorer import ReshapeExplorer
from utils.widgets.slider_figure import Curves, Map, Pictures, SliderFigure
from utils.widgets.softmax_explorer import SoftmaxExplorer
from utils.widgets.tiles_explorer import TilesExplorer
from utils.widgets.training_film import TrainingFilm
from utils.widgets.translator_explorer import Translator
from utils.widgets.tuning_explorer import TuningExplorer
from utils.widgets.turn_explorer import TurnExplorer
from utils.widgets.window_explorer import WindowExplorer
from utils.widgets.writer import Writer
