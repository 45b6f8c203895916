"""Explore how far back a stack of layers with windows can see."""

import torch
import traitlets
from torch import Tensor

from utils.masks import causal_mask, window_mask
from utils.plots import head_grid
from utils.widgets.pictured import Pictured


class ReachExplorer(Pictured):
    """A widget that paints on a stack of layers on what its last word can depend.

    Beside it stands the mask of each layer: a word sees those in its window, and the first few, the
    sinks. Controls set the window, the number of layers and that of sinks.

    Args:
        words: number of words.
        layers: initial number of layers, up to 6.
        window: initial number of words that each can see, itself included, up to 8.
    """

    words = traitlets.Int().tag(sync=True)
    layers = traitlets.Int(max=6).tag(sync=True)
    window = traitlets.Int(max=8).tag(sync=True)
    sinks = traitlets.Int(0).tag(sync=True)

    def __init__(self, words: int, layers: int, window: int):
        super().__init__(words=words, layers=layers, window=window)

    def picture(self) -> str:
        mask = sliding_mask(self.words, self.window, self.sinks)
        through = mask.double().matrix_power(self.layers) > 0  # (words, words)
        labels = [str(place) if place % 4 == 0 else "" for place in range(1, self.words + 1)]
        reached = int(through[-1].sum())
        alt = (
            f"Two maps of {self.words} by {self.words} words: a band along the diagonal, "
            f"{self.window} wide in one layer and {reached} through {self.layers} layers."
        )
        maps = [each.double().tolist() for each in (mask, through)]
        titles = ["1 layer", f"{self.layers} layers"]
        return head_grid(maps, labels, labels, titles, alt, within=True).to_html()


def sliding_mask(words: int, window: int, sinks: int) -> Tensor:
    """Return a layer's mask (words, words): the last `window` words and the first `sinks`."""
    near = window_mask(torch.arange(words), words, window - 1)
    return causal_mask(words) & (near | (torch.arange(words) < sinks))
