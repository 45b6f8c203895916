"""An explorer of attention heads: the weights of each head, and how a model does without some."""

from collections.abc import Callable, Sequence
from itertools import compress, product

import anywidget
import traitlets
from torch import Tensor

from utils.plots import head_grid
from utils.widgets.module import module
from utils.widgets.pictured import Pictured

MOST_HEADS = 10  # which can be switched on and off in 1,024 ways


class HeadsExplorer(Pictured, anywidget.AnyWidget):
    """Heatmaps of all heads, with one head or their mean shown large, and a switch for each head.

    Switching a head off shows how much worse the model does without it. The model is measured once
    for every set of heads, so that the page needs neither model nor kernel afterwards.

    Args:
        maps: (heads, tgt_len, src_len), the weights of one example.
        source: labels of the columns.
        target: labels of the rows.
        names: a name for each head.
        questions: names of the quantities that are measured, such as the share of right answers to
            each of two questions.
        measure: function of the indices of the heads that are off, each an argument; it returns a
            number from 0 to 1 for each question.
        alt: what the maps show, for a reader who cannot see them.

    Raises:
        ValueError: the shape of the maps does not fit the labels, or there are too many heads.
    """

    _esm = module("heads_explorer")
    maps = traitlets.List().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List().tag(sync=True)  # a row for each set; bit h of its index: h is off
    off = traitlets.Int(0).tag(sync=True)  # the set of heads that are off: bit h if h is off
    large = traitlets.Int(-1).tag(sync=True)  # the head shown large; -1: the mean of heads on

    def __init__(
        self,
        maps: Tensor,
        source: Sequence[str],
        target: Sequence[str],
        names: Sequence[str],
        questions: Sequence[str],
        measure: Callable[..., Sequence[float]],
        alt: str,
    ):
        expected = (len(names), len(target), len(source))
        if maps.shape != expected:
            raise ValueError(
                f"maps are (heads, tgt_len, src_len) = {expected}, got {tuple(maps.shape)}"
            )
        if len(names) > MOST_HEADS:
            raise ValueError(f"at most {MOST_HEADS} heads can be switched, got {len(names)}")
        sets = [bits[::-1] for bits in product([False, True], repeat=len(names))]
        answers = [measure(*compress(range(len(names)), bits)) for bits in sets]
        self._alt = alt
        super().__init__(
            maps=[[_rounded(row) for row in head] for head in maps.tolist()],
            source=list(source),
            target=list(target),
            names=list(names),
            questions=list(questions),
            answers=[_rounded(answer) for answer in answers],
        )

    def picture(self) -> str:
        return head_grid(self.maps, self.source, self.target, self.names, self._alt).to_html()


def _rounded(numbers) -> list[float]:
    """Round numbers to six decimal places, which are enough for a page."""
    return [round(float(number), 6) for number in numbers]
