"""Explore a softmax that reads the keys in tiles, a few at a time, and never holds all scores."""

import math
from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from utils.plots import concept_heatmap
from utils.widgets.pictured import Pictured


class TilesExplorer(Pictured):
    """A widget that shows scaled dot-product attention reading a tile, a few keys, at a time.

    For each query, the algorithm keeps the largest score, the sum of the powers e^(score − largest)
    and the weighted sum of the values, and rescales both sums when a larger score turns up (Milakov
    and Gimelshein 2018). So no more than one tile of the scores exists at a time (Dao et al. 2022).

    Args:
        queries: (tgt_len, key_dim).
        keys: (src_len, key_dim).
        values: (src_len, value_dim), of two or three numbers each, which are shown.
        source: labels of the keys.
        target: labels of the queries.
        asking: index of the query whose numbers are shown initially.

    Raises:
        ValueError: the number of labels is not that of the queries, keys or values.
    """

    queries = traitlets.List().tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)  # `keys` is a method of every widget
    value_vectors = traitlets.List().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    size = traitlets.Int(2).tag(sync=True)  # keys in a tile
    step = traitlets.Int(2).tag(sync=True)  # number of tiles read; the second may rescale
    asking = traitlets.Int().tag(sync=True)
    rescaling = traitlets.Bool(True).tag(sync=True)

    def __init__(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        source: Sequence[str],
        target: Sequence[str],
        asking: int = 0,
    ):
        for name, vectors, labels in (
            ("queries", queries, target),
            ("keys", keys, source),
            ("values", values, source),
        ):
            if len(vectors) != len(labels):
                raise ValueError(f"need one label for each of {len(vectors)} {name}: {labels}")
        super().__init__(
            queries=queries.tolist(),
            key_vectors=keys.tolist(),
            value_vectors=values.tolist(),
            source=list(source),
            target=list(target),
            asking=asking,
        )

    def picture(self) -> str:
        """Return a heatmap of the powers e^(score − largest) in the last tile read, as HTML.

        Initially, that is the second tile.
        """
        queries, keys = torch.tensor(self.queries), torch.tensor(self.key_vectors)
        scores = queries @ keys.T / math.sqrt(keys.shape[1])  # (tgt_len, src_len)
        read = self.step * self.size
        tile = torch.zeros_like(scores, dtype=torch.bool)
        tile[:, read - self.size : read] = True
        largest = scores[:, :read].amax(1, keepdim=True)  # (tgt_len, 1)
        powers = (scores - largest).exp() * tile  # (tgt_len, src_len)
        title = "e^(score − largest so far), second tile"
        return concept_heatmap(powers, self.source, self.target, title, mask=tile).to_html()
