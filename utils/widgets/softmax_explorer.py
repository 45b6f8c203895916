"""Explore how temperature and the width of the vectors change the weights of a softmax."""

from collections.abc import Sequence

import torch
import traitlets

from utils.plots import bar_chart
from utils.widgets.pictured import Pictured

DOUBLINGS = 10  # d from 2 to 1024


class SoftmaxExplorer(Pictured):
    """A widget that shows scores, their weights, the entropy, and the slope of each weight.

    The slope is ∂w/∂s = w(1 − w) / temperature, the diagonal of the softmax's derivative. When all
    weight is on one key, all slopes are 0, and the scores no longer learn.

    Args:
        labels: a label for each key.
        scores: a score for each key. If not given, scores are q·k of vectors drawn from a standard
            normal distribution, whose width d has a slider, beside the same scores divided by √d
            (Vaswani et al. 2017, section 3.2.1).
        slope: whether slopes are shown, which not every reader has met.

    Raises:
        ValueError: scores are given, but not one for each label.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.List().tag(sync=True)  # a row for each width, or only one
    temperature = traitlets.Float(1.0).tag(sync=True)
    doublings = traitlets.Int(6).tag(sync=True)  # d is 2 to this power
    slope = traitlets.Bool(True).tag(sync=True)

    def __init__(self, labels: Sequence[str], scores: Sequence[float] = (), slope: bool = True):
        if len(scores) not in (0, len(labels)):
            raise ValueError(f"need one score per key, got {len(scores)} and {len(labels)} labels")
        rows = [[float(score) for score in scores]] if len(scores) else _products(len(labels))
        super().__init__(labels=list(labels), scores=rows, slope=slope)

    def picture(self) -> str:
        many = len(self.scores) > 1
        scores = torch.tensor(self.scores[self.doublings - 1 if many else 0])
        groups = {"q·k" if many else "weight": (scores / self.temperature).softmax(-1).tolist()}
        if many:
            scaled = scores / 2 ** (self.doublings / 2)
            groups["q·k / √d"] = (scaled / self.temperature).softmax(-1).tolist()
        words = (
            f"{name}: {', '.join(map('{} {:.2f}'.format, self.labels, weights))}"
            for name, weights in groups.items()
        )
        title = f"d = {2**self.doublings}" if many else f"temperature {self.temperature:g}"
        return bar_chart(
            groups, self.labels, "weight", f"{title}. {'; '.join(words)}", title
        ).to_html()


def _products(n: int) -> list[list[float]]:
    """Return the scores q·k of a random query and n random keys, a list for each width 2, 4, 8, ….

    The vectors of each width are the beginnings of those of the largest width. The seed is one of
    those with which the largest of six weights grows steadily with the width.
    """
    random = torch.Generator().manual_seed(1171)
    numbers = torch.randn(n + 1, 2**DOUBLINGS, generator=random)  # (a query and n keys, d)
    running = (numbers[0] * numbers[1:]).cumsum(-1)  # (n, d)
    return [running[:, 2**power - 1].tolist() for power in range(1, DOUBLINGS + 1)]
