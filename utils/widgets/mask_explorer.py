"""Explore masks, and the attention weights over the positions that a mask leaves open."""

from collections.abc import Sequence

import torch
import traitlets

from utils.masks import causal_mask, masked_softmax, padding_mask, window_mask
from utils.plots import concept_heatmap
from utils.widgets.pictured import Pictured


class MaskExplorer(Pictured):
    """A widget that shows a mask beside the weights that result from it.

    Controls set the padding, a window and whether the mask is causal; each cell can also be changed
    by hand. Another control reads the mask inverted, True as blocked. In a row without any open
    position, the weights are NaN, as a plain softmax gives; `masked_softmax` gives zeros.

    Args:
        labels: a label for each position of a sentence that attends to itself.
        scores: a row for each query, a column for each key.
        length: initial number of positions that are not padding.
        half_width: initial number of positions in the window on each side of its centre.

    Raises:
        ValueError: the scores are not one row and one column for each label.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    length = traitlets.Int().tag(sync=True)
    half_width = traitlets.Int().tag(sync=True)
    causal = traitlets.Bool().tag(sync=True)
    inverted = traitlets.Bool(False).tag(sync=True)
    by_hand = traitlets.List().tag(sync=True)  # [row, column] of cells changed by hand

    def __init__(
        self,
        labels: Sequence[str],
        scores: Sequence[Sequence[float]],
        length: int,
        half_width: int,
    ):
        size, rows = len(labels), [len(row) for row in scores]
        if rows != [size] * size:
            raise ValueError(f"need {size} rows of {size} scores each, got rows of {rows}")
        super().__init__(
            labels=list(labels),
            scores=[[float(score) for score in row] for row in scores],
            length=length,
            half_width=half_width,
            causal=True,
        )

    def picture(self) -> str:
        size = len(self.labels)
        mask = padding_mask([self.length], size)[0]
        mask = mask & window_mask(torch.arange(size), size, self.half_width)  # (size, size)
        if self.causal:
            mask = mask & causal_mask(size)
        weights = masked_softmax(torch.tensor(self.scores), mask)  # (size, size)
        title = f"{int(mask.sum())} of {mask.numel()} cells are open"
        return concept_heatmap(weights, self.labels, self.labels, title, mask=mask).to_html()
