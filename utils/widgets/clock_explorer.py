"""Explore rotary positions: a query and a key as the two hands of clocks of several speeds."""

import torch
import traitlets

from utils.plots import line_chart
from utils.positions import rotary_frequencies
from utils.widgets.pictured import Pictured

FARTHEST = 384  # the largest distance between query and key


class ClockExplorer(Pictured):
    """A widget that shows the pairs of a query and of a key as clocks, turned by their places.

    Query and key are equal vectors, so that their hands coincide at distance 0. Shaded are the
    angles that a clock meets between the two in texts of the trained length.

    Args:
        head_dim: width of a head, which has half as many clocks.
        trained: words in the texts of training, initially.
    """

    frequencies = traitlets.List().tag(sync=True)  # radians from word to word, one for each clock
    place = traitlets.Int(3).tag(sync=True)  # of the key
    distance = traitlets.Int(4).tag(sync=True)  # of the query, behind the key
    trained = traitlets.Int().tag(sync=True)

    def __init__(self, head_dim: int, trained: int):
        super().__init__(frequencies=rotary_frequencies(head_dim).tolist(), trained=trained)

    def picture(self) -> str:
        distances = torch.arange(0, FARTHEST + 1, 4)  # (97,)
        angles = distances[:, None] * torch.tensor(self.frequencies)  # (97, clocks)
        scores = angles.cos().mean(1).tolist()
        alt = (
            f"The score of two equal vectors of {len(self.frequencies)} clocks by distance, as a "
            f"share of that at distance 0: it rises and falls, and is {scores[12]:.2f} at "
            f"distance 48, {scores[48]:.2f} at 192 and {scores[-1]:.2f} at {FARTHEST}."
        )
        lines = {"equal vectors": scores}
        return line_chart(distances.tolist(), lines, "distance", "score", alt).to_html()
