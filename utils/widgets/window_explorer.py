"""Explore local attention: a window that can be moved, and a Gaussian bell over it."""

from collections.abc import Sequence

import torch
import traitlets

from utils.masks import masked_softmax, window_mask
from utils.plots import bar_chart
from utils.widgets.pictured import Pictured


class WindowExplorer(Pictured):
    """A widget that shows a query's scores, and its weights in a window of local attention.

    The window has 2D + 1 positions around a centre; a Gaussian bell around the centre multiplies
    the weights. Controls move the centre and change D.

    The weights are computed as in `LocalAttention` with predicted centres: Luong et al. 2015,
    section 3.2, equation 10. They can also be normalised once more, which the paper does not do.

    Args:
        labels: a label for each key.
        scores: a score for each key.
        centre: initial centre of the window and the bell, from 0 to the last key.

    Raises:
        ValueError: labels and scores differ in number, or the centre is not among the keys.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.List().tag(sync=True)
    centre = traitlets.Float().tag(sync=True)
    half_width = traitlets.Int(2).tag(sync=True)
    again = traitlets.Bool(False).tag(sync=True)

    def __init__(self, labels: Sequence[str], scores: Sequence[float], centre: float):
        if len(labels) != len(scores):
            raise ValueError(f"need one label per score, got {len(labels)} and {len(scores)}")
        if not 0 <= centre <= len(labels) - 1:
            raise ValueError(f"centre must be from 0 to {len(labels) - 1}, got {centre}")
        numbers = [float(score) for score in scores]
        super().__init__(labels=list(labels), scores=numbers, centre=float(centre))

    def picture(self) -> str:
        centre = torch.tensor([self.centre])  # (tgt_len=1,)
        places = torch.arange(len(self.labels))  # (src_len,)
        window = window_mask(centre.round().long(), len(self.labels), self.half_width)
        inside = masked_softmax(torch.tensor([self.scores]), window)[0]  # (src_len,)
        bell = (-((places - centre) ** 2) / (2 * (self.half_width / 2) ** 2)).exp()  # (src_len,)
        groups = {"softmax in the window": inside, "times the bell": inside * bell}
        title = f"centre {self.centre:g}, D = {self.half_width}"
        shares = ", ".join(map("{} {:.2f}".format, self.labels, (inside * bell).tolist()))
        labels = [f"{label}\n{place}" for place, label in enumerate(self.labels)]
        return bar_chart(groups, labels, "weight", f"{title}. Weights: {shares}.", title).to_html()
