"""One row for each explorer, and for each of its forms: an example, on which all tests try it.

`tests/test_widgets.py` tries what it stores, and `tests/browser` how it moves, by keyboard, on a
phone, in a notebook that is opened on the second day.
"""

import torch
from ipywidgets import Checkbox, Dropdown, FloatSlider, IntSlider

from utils.corpora import Vocabulary, running_example
from utils.masks import causal_mask
from utils.model_helpers import set_seed
from utils.running_example import KEYS, QUERIES, SOURCE, TARGET
from utils.transformer import TransformerEncoder
from utils.widgets import (
    CacheExplorer,
    ClockExplorer,
    Curves,
    HeadsExplorer,
    Map,
    MaskExplorer,
    ModelHeadsExplorer,
    PassageExplorer,
    Pictures,
    PipelineExplorer,
    QueryExplorer,
    ReachExplorer,
    ReshapeExplorer,
    SliderFigure,
    SoftmaxExplorer,
    TilesExplorer,
    TrainingFilm,
    Translator,
    TuningExplorer,
    TurnExplorer,
    WindowExplorer,
    Writer,
)

HEAD_MAPS = torch.stack([KEYS @ KEYS.T, -KEYS @ KEYS.T, torch.zeros(6, 6)]).softmax(-1)


def answers_without(*gone):
    """Return the values of two made-up measures for a model without some of its heads.

    The first drops only when heads 1 and 2 are both gone, the second when head 3 is.
    """
    return [0.25 if {0, 1} <= set(gone) else 1.0 - 0.01 * len(gone), 1 / 3 if 2 in gone else 0.875]


# Additive attention as in notebook 02: four hidden units, which are presented as questions, keys of
# two numbers, and a state of three.
QUESTIONS = ["right", "left", "up", "down"]
U = torch.tensor([[0.5, 0.0], [-0.5, 0.0], [0.0, 1.0], [0.0, -1.0]])
W = torch.tensor([[0.0, 6.0, 0.0], [6.0, 0.0, 0.0], [1.0, 1.0, 3.0], [6.0, 6.0, -3.0]])
V = torch.tensor([5.0, 5.0, 4.0, 3.0])
STATE = {"who": (1.0, 0.0, 1.0), "where": (0.0, 0.0, 1.0), "kind": (0.0, -1.0, 2.0)}
# The sentence of notebook 03: its query "chien" belongs to "dog" at position 8; the key of "cat" at
# position 1 is the same.
LONG = [*SOURCE, "and", "the", "dog", "lay", "on", "the", "rug"]
LONG_KEYS = torch.cat([KEYS, torch.tensor([[0.0, -3.0]]), KEYS])  # (src_len=13, 2)
CHIEN = QUERIES[1:2]  # (tgt_len=1, 2)
QUARTER = torch.tensor([[0.0, -1.0], [1.0, 0.0]])  # turns to the left
WORDS = Vocabulary(["the", "cat", "sat", "dog"])
CAUSAL, SCORES = causal_mask(6), KEYS @ KEYS.T / 2**0.5
MANY_SCORES = torch.arange(48.0 * 48).sin().view(48, 48).tolist()


def a_language_model():
    set_seed(0)
    model = TransformerEncoder(len(WORDS), dim=16, heads=2, hidden=32, layers=2)
    model.output = torch.nn.Linear(16, len(WORDS))
    return model


def short_film(moments=3):
    pair = running_example()
    size = len(pair.target), len(pair.source)
    maps = [
        torch.rand(size, generator=torch.Generator().manual_seed(n)).softmax(-1) for n in (0, 1)
    ]
    film = {
        step: (5.0 - step / 50, step / 200, maps, [pair.target[:step], []])
        for step in range(0, 5 * moments, 5)
    }
    return TrainingFilm({"running example": pair, "the same": pair}, film)


def a_curve(height):
    lines = {"second": [0, height, 1], "first": [2, 1, height]}
    return Curves([0, 1, 2], lines, "x", "y", f"The second line passes {height}.")


def a_map(query, backwards):
    weights, words = HEAD_MAPS[TARGET.index(query)], SOURCE
    if backwards:
        weights, words = weights.flip(1), SOURCE[::-1]
    return Map(weights, words, SOURCE, f"The weights of the query {query}.", {(0, 0)})


def two_pictures(which):
    pictures = {"right": torch.eye(4) * which / 2, "left": torch.eye(4).flip(0)}
    return Pictures(pictures, f"Two diagonals, the right one {which} of 2 bright.")


def with_beam(widget):
    widget.beam_size = 3
    return widget


EXPLORERS = {
    "cache": lambda: CacheExplorer("Llama 3.1 8B"),
    "clock": lambda: ClockExplorer(16, trained=48),
    "heads": lambda: HeadsExplorer(
        HEAD_MAPS,
        SOURCE,
        SOURCE,
        ["head 1", "head 2", "head 3"],
        ["who", "what"],
        answers_without,
        "",
    ),
    "mask": lambda: MaskExplorer(SOURCE, SCORES.tolist(), length=4, half_width=1),
    "mask-48": lambda: MaskExplorer([*map(str, range(48))], MANY_SCORES, length=40, half_width=5),
    "model-heads": ModelHeadsExplorer,
    "passage": lambda: PassageExplorer(a_language_model(), ["the", "cat"], WORDS),
    "pipeline": lambda: PipelineExplorer(KEYS, KEYS, KEYS, SOURCE, SOURCE, CAUSAL, cell=(1, 1)),
    "pipeline-no-mask": lambda: PipelineExplorer(QUERIES, KEYS, KEYS, TARGET, SOURCE),
    "query": lambda: QueryExplorer(SOURCE, KEYS.tolist(), TARGET, QUERIES.tolist(), asking=1),
    "query-plain": lambda: QueryExplorer(SOURCE, KEYS, TARGET, QUERIES, asking=1, plain=True),
    "reach": lambda: ReachExplorer(24, layers=3, window=4),
    "reshape": lambda: ReshapeExplorer([SOURCE[:3], SOURCE[3:]], dim=4),
    "slider-curves": lambda: SliderFigure(a_curve, height=FloatSlider(1.0, min=0, max=2, step=0.5)),
    "slider-map": lambda: SliderFigure(
        a_map, query=Dropdown(options=TARGET[:3]), backwards=Checkbox(False)
    ),
    "slider-pictures": lambda: SliderFigure(two_pictures, which=IntSlider(1, min=0, max=2)),
    "softmax": lambda: SoftmaxExplorer(SOURCE, [3.0, 9.0, 1.0, 2.0, 2.5, 0.0]),
    "softmax-no-slope": lambda: SoftmaxExplorer(SOURCE, [3.0, 9.0, 1.0, 2.0, 2.5, 0], slope=False),
    "softmax-width": lambda: SoftmaxExplorer(SOURCE),
    "tiles": lambda: TilesExplorer(QUERIES, KEYS, KEYS, SOURCE, TARGET, asking=3),
    "tuning": lambda: TuningExplorer(SOURCE, KEYS, W, U, V, QUESTIONS, STATE),
    "tuning-one": lambda: TuningExplorer(
        SOURCE, KEYS, torch.ones(1, 1), U[2:3], V[:1], ["up"], {"bar": (0.0, -5.0, 5.0)}
    ),
    "turn": lambda: TurnExplorer(SOURCE, KEYS, TARGET, QUERIES @ QUARTER.T, asking=1),
    "window": lambda: WindowExplorer(LONG, (CHIEN @ LONG_KEYS.T)[0], 9.1),
    "training-film": short_film,
    "writer": lambda: Writer("Once upon a time", None, None),
    "translator": lambda: Translator("my happy sister did not listen to the dogs"),
    "translator-plain": lambda: Translator("my sister saw a table in our house", plain=True),
    "translator-beam": lambda: with_beam(Translator("the owls did not sleep")),
}
