"""Turn a query among the keys, and watch scores, weights and context follow."""

from collections.abc import Sequence
from pathlib import Path

import anywidget
import traitlets

from utils.plots import vector_plane
from utils.widgets.pictured import Pictured


class QueryExplorer(Pictured, anywidget.AnyWidget):
    """Keys as arrows in a plane, and a query to turn with a slider, the arrow keys or the mouse.

    Everything is computed in the page, so it responds at once, even without a kernel.

    Args:
        labels: one for each key.
        keys: an (x, y) for each label; they are the values too.
        query: where the query points initially.
    """

    _esm = Path(__file__).with_suffix(".js")
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)  # every widget has a `keys` already
    query = traitlets.List().tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)

    def __init__(
        self,
        labels: Sequence[str],
        keys: Sequence[Sequence[float]],
        query: Sequence[float] = (2.0, 1.0),
    ):
        if len(labels) != len(keys):
            raise ValueError(f"need one label per key, got {len(labels)} and {len(keys)}")
        keys = [[float(number) for number in key] for key in keys]
        super().__init__(labels=list(labels), key_vectors=keys, query=[float(one) for one in query])

    def picture(self) -> str:
        keys = dict(zip(self.labels, self.key_vectors, strict=True))
        return vector_plane(keys, self.query, "run the cell to turn the query").to_html()
