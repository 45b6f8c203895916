"""Explore how the matrix of the general score changes the weights."""

import math
from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from utils.plots import concept_heatmap
from utils.widgets.pictured import Pictured


class TurnExplorer(Pictured):
    """A widget in which a matrix W turns the keys h, with the weights that s · (W h) gives.

    A control sets the angle by which W turns the keys to the left; the queries s stay. Source:
    Luong et al. 2015, section 3.1, "general".

    Args:
        source: a label for each key.
        keys: (src_len, 2).
        target: a label for each query.
        queries: (tgt_len, 2).
        asking: index of the query whose row is marked initially.

    Raises:
        ValueError: the labels do not match keys or queries, or a vector has not two numbers.
    """

    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)  # `keys` is a method of every widget
    queries = traitlets.List().tag(sync=True)
    asking = traitlets.Int().tag(sync=True)
    degrees = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        source: Sequence[str],
        keys: Tensor,
        target: Sequence[str],
        queries: Tensor,
        asking: int = 0,
    ):
        for labels, vectors in ((source, keys), (target, queries)):
            if tuple(vectors.shape) != (len(labels), 2):
                raise ValueError(
                    f"{len(labels)} labels need {len(labels)} vectors of two numbers, got "
                    f"{tuple(vectors.shape)}"
                )
        super().__init__(
            source=list(source),
            target=list(target),
            key_vectors=keys.tolist(),
            queries=queries.tolist(),
            asking=asking,
        )

    def picture(self) -> str:
        angle = math.radians(self.degrees)
        cos, sin = math.cos(angle), math.sin(angle)
        turn = torch.tensor([[cos, -sin], [sin, cos]])  # W: (query_dim=2, key_dim=2)
        heard = torch.tensor(self.key_vectors) @ turn.T  # (src_len, 2): W h of every key h
        weights = (torch.tensor(self.queries) @ heard.T).softmax(-1)  # (tgt_len, src_len)
        title = f"W turns by {self.degrees}°"
        return concept_heatmap(weights, self.source, self.target, title).to_html()
