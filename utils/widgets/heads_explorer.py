"""An explorer of attention heads: the weights of each head, and how a model does without some."""

from collections.abc import Callable, Sequence
from itertools import compress, product

import traitlets
from torch import Tensor

from utils.plots import head_grid
from utils.widgets.pictured import Linked

MOST_HEADS = 10  # which can be switched on and off in 1,024 ways


class HeadsExplorer(Linked):
    """Heatmaps of all heads, with one head or their mean shown large, and a switch for each head.

    Switching a head off shows how much worse the model does without it. The model is measured once
    for every set of heads, so that the page needs neither model nor kernel afterwards; only another
    sentence does (see `typed`).

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
        unit: unit of the measured quantities if they are losses, such as "bits"; "" for shares.

    Raises:
        ValueError: the shape of the maps does not fit the labels, or there are too many heads.
    """

    maps = traitlets.List().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List().tag(sync=True)  # a row for each set; bit h of its index: h is off
    off = traitlets.Int(0).tag(sync=True)  # the set of heads that are off: bit h if h is off
    unit = traitlets.Unicode("").tag(sync=True)  # of losses; "" for shares
    sentence = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # None: not to be typed
    complaint = traitlets.Unicode("").tag(sync=True)  # why a sentence cannot be read
    version = traitlets.Int(0).tag(sync=True)  # grows when another sentence has been read
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
        unit: str = "",
    ):
        expected = (len(names), len(target), len(source))
        if maps.shape != expected:
            raise ValueError(
                f"maps are (heads, tgt_len, src_len) = {expected}, got {tuple(maps.shape)}"
            )
        if len(names) > MOST_HEADS:
            raise ValueError(f"at most {MOST_HEADS} heads can be switched, got {len(names)}")
        self._alt = alt
        super().__init__(
            maps=[[_rounded(row) for row in head] for head in maps.tolist()],
            source=list(source),
            target=list(target),
            names=list(names),
            questions=list(questions),
            answers=_answers(len(names), measure),
            unit=unit,
        )

    @classmethod
    def typed(
        cls,
        look: Callable[[str], tuple[Tensor, Sequence[str]]],
        lose: Callable[..., float],
        sentence: str,
        names: Sequence[str],
        question: str,
        unit: str,
        alt: str,
    ) -> "HeadsExplorer":
        """Return an explorer of a model that reads itself, with a line to type a sentence in.

        Args:
            look: function of a sentence that returns the maps (heads, len, len) and their labels; a
                `ValueError` that it raises is shown below the line.
            lose: function of a sentence and of the indices of the heads that are off; it returns
                the loss.
            sentence: the sentence at the start.
            question, unit: name and unit of the loss.
            names, alt: as for the class.
        """
        maps, labels = look(sentence)
        explorer = cls(
            maps, labels, labels, names, [question], lambda *off: [lose(sentence, *off)], alt, unit
        )
        explorer._look, explorer._lose = look, lose
        explorer.sentence = sentence
        explorer.observe(explorer._read, "sentence")
        return explorer

    def _read(self, change) -> None:
        """Show another sentence, or say why it cannot be read."""
        sentence = change["new"]
        try:
            maps, labels = self._look(sentence)
            answers = _answers(len(self.names), lambda *off: [self._lose(sentence, *off)])
        except ValueError as error:
            self.complaint = str(error)
            return
        with self.hold_sync():
            self.maps = [[_rounded(row) for row in head] for head in maps.tolist()]
            self.source = self.target = list(labels)
            self.answers, self.complaint = answers, ""
            self.version += 1

    def picture(self) -> str:
        within = self.sentence is not None
        labels = self.source, self.target, self.names
        return head_grid(self.maps, *labels, self._alt, within=within).to_html()


def _answers(heads: int, measure: Callable[..., Sequence[float]]) -> list[list[float]]:
    """Measure a model without each set of its heads, in the order of the sets' numbers."""
    sets = [bits[::-1] for bits in product([False, True], repeat=heads)]
    return [_rounded(measure(*compress(range(heads), bits))) for bits in sets]


def _rounded(numbers) -> list[float]:
    """Round numbers to six decimal places, which are enough for a page."""
    return [round(float(number), 6) for number in numbers]
