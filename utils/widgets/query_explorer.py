"""Explore how scores, weights and context change when a query is turned among the keys."""

from collections.abc import Sequence

import traitlets

from utils.plots import vector_plane
from utils.widgets.pictured import Pictured

Vectors = Sequence[Sequence[float]]

# Parameters of the scores that have any, set by hand instead of learned. The additive score asks
# four questions of each key: how far does it point right, left, up and down? It reads the query as
# (x, y, 1). A query that points in a question's direction makes that question strict; otherwise
# every key passes it. The general score turns every key by 90 degrees to the left, so that a query
# finds the key that lies a quarter turn to its right.
PARAMETERS = {
    "additive": {
        "W": [[-1.0, 0.0, 3.0], [1.0, 0.0, 3.0], [0.0, -1.0, 3.0], [0.0, 1.0, 3.0]],
        "U": [[0.5, 0.0], [-0.5, 0.0], [0.0, 0.5], [0.0, -0.5]],
        "v": [5.0, 5.0, 5.0, 5.0],
    },
    "general": {"W": [[0.0, -1.0], [1.0, 0.0]]},
}


class QueryExplorer(Pictured):
    """A widget that shows keys as arrows in a plane, and a query that can be turned.

    The query is turned with a slider, the arrow keys or the mouse. Beside it are the weights of all
    queries. The score can be the dot product, the scaled dot product, additive or general;
    `PARAMETERS` has the parameters of the last two. Everything is computed in the page, so it
    responds at once, even without a kernel.

    Args:
        labels: a label for each key.
        keys: an (x, y) for each label; keys are the values too.
        targets: a label for each query.
        queries: an (x, y) for each target.
        asking: index of the query that is shown initially.
        plain: whether there is only the dot product, without temperature and entropy, for readers
            who have not met these yet.

    Raises:
        ValueError: labels and keys, or targets and queries, differ in number.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)  # `keys` is a method of every widget
    targets = traitlets.List(traitlets.Unicode()).tag(sync=True)
    queries = traitlets.List().tag(sync=True)
    parameters = traitlets.Dict(PARAMETERS).tag(sync=True)
    query = traitlets.List().tag(sync=True)
    score = traitlets.Unicode("dot").tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    plain = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self,
        labels: Sequence[str],
        keys: Vectors,
        targets: Sequence[str],
        queries: Vectors,
        asking: int = 0,
        plain: bool = False,
    ):
        for name, names, vectors in (("key", labels, keys), ("query", targets, queries)):
            if len(names) != len(vectors):
                raise ValueError(f"need one label per {name}, got {len(names)} and {len(vectors)}")
        keys, queries = (
            [[float(x) for x in vector] for vector in vectors] for vectors in (keys, queries)
        )
        super().__init__(
            labels=list(labels),
            key_vectors=keys,
            targets=list(targets),
            queries=queries,
            query=queries[asking],
            plain=plain,
        )

    def picture(self) -> str:
        keys = dict(zip(self.labels, self.key_vectors, strict=True))
        return vector_plane(keys, self.query, "run the cell to turn the query").to_html()
