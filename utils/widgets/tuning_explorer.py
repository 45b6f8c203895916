"""Explore the additive score, in which the state sets the threshold of each hidden unit."""

from collections.abc import Mapping, Sequence

import torch
import traitlets
from torch import Tensor

from utils.plots import bar_chart
from utils.widgets.pictured import Pictured


class TuningExplorer(Pictured):
    """A widget with the score v · tanh(W s + U h), and a slider for each number of s and of v.

    Each hidden unit is presented as a question to the keys. Its tanh is drawn as a curve over U h,
    the answer of a key, with each key as a dot. The state s shifts the curve, which can turn a
    key's answer from no (tanh near −1) to yes (near 1).

    Args:
        labels: a label for each key.
        keys: (src_len, key_dim).
        W: (attention_dim, state_dim).
        U: (attention_dim, key_dim).
        v: (attention_dim,), from 0 to 8.
        questions: a name for each hidden unit.
        state: name → initial, smallest and largest value, for each of the state's numbers.

    Raises:
        ValueError: the shapes do not fit one another.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_vectors = traitlets.List().tag(sync=True)  # `keys` is a method of every widget
    W = traitlets.List().tag(sync=True)
    U = traitlets.List().tag(sync=True)
    points = traitlets.List().tag(sync=True)  # v: the points that a yes to each question earns
    questions = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sliders = traitlets.List().tag(sync=True)  # name, smallest, largest
    state = traitlets.List().tag(sync=True)

    def __init__(
        self,
        labels: Sequence[str],
        keys: Tensor,
        W: Tensor,  # noqa: N803
        U: Tensor,  # noqa: N803
        v: Tensor,
        questions: Sequence[str],
        state: Mapping[str, tuple[float, float, float]],
    ):
        width = len(questions)
        shapes = {
            "keys": (keys, (len(labels), keys.shape[-1])),
            "W": (W, (width, len(state))),
            "U": (U, (width, keys.shape[-1])),
            "v": (v, (width,)),
        }
        for name, (tensor, shape) in shapes.items():
            if tensor.shape != shape:
                raise ValueError(f"{name} must be {shape}, got {tuple(tensor.shape)}")
        super().__init__(
            labels=list(labels),
            key_vectors=keys.tolist(),
            W=W.tolist(),
            U=U.tolist(),
            points=v.tolist(),
            questions=list(questions),
            sliders=[[name, low, high] for name, (_, low, high) in state.items()],
            state=[value for value, _, _ in state.values()],
        )

    def picture(self) -> str:
        parts = (self.W, self.U, self.points, self.state, self.key_vectors)
        W, U, v, state, keys = map(torch.tensor, parts)  # noqa: N806
        weights = ((W @ state + keys @ U.T).tanh() @ v).softmax(-1).tolist()  # (src_len,)
        names = (name for name, _, _ in self.sliders)
        title = ", ".join(map("{} {:g}".format, names, self.state))
        shares = ", ".join(map("{} {:.2f}".format, self.labels, weights))
        alt = f"Weights for the state {title}: {shares}."
        return bar_chart({"weight": weights}, self.labels, "weight", alt, title).to_html()
