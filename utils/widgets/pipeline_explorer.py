"""Explore the steps of attention, from queries, keys and values to the context."""

from collections.abc import Sequence

import torch
import traitlets
from torch import Tensor

from utils.masks import check_mask, masked_softmax
from utils.plots import head_grid
from utils.widgets.pictured import Pictured


class PipelineExplorer(Pictured):
    """A widget that goes through the steps Q Kᵀ, scale, mask, softmax and weighted sum of V.

    Each step shows its matrices with their shapes, and one cell worked out in numbers.

    Args:
        q: queries, (tgt_len, d).
        k: keys, (src_len, d).
        v: values, (src_len, value_dim).
        mask: boolean, True = may be attended to, broadcastable to (tgt_len, src_len). None leaves
            out the step "mask".
        targets: a label for each query.
        sources: a label for each key.
        cell: row and column of the cell that is initially shown in numbers.

    Raises:
        ValueError: shapes or labels do not fit together.
        TypeError: the mask is not boolean.
    """

    q = traitlets.List().tag(sync=True)
    k = traitlets.List().tag(sync=True)
    v = traitlets.List().tag(sync=True)
    mask = traitlets.List().tag(sync=True)
    targets = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sources = traitlets.List(traitlets.Unicode()).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    cell = traitlets.List().tag(sync=True)
    axis = traitlets.Int(0).tag(sync=True)  # which number of the context vector is shown

    def __init__(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        targets: Sequence[str],
        sources: Sequence[str],
        mask: Tensor | None = None,
        cell: tuple[int, int] = (0, 0),
    ):
        shapes = {"q": q.shape, "k": k.shape, "v": v.shape}
        expected = {
            "q": (len(targets), q.shape[-1]),
            "k": (len(sources), q.shape[-1]),
            "v": (len(sources), v.shape[-1]),
        }
        for name, shape in shapes.items():
            if tuple(shape) != expected[name]:
                raise ValueError(f"{name} must be {expected[name]}, got {tuple(shape)}")
        if mask is not None:
            size = (len(targets), len(sources))
            check_mask(mask, size)
            mask = mask.expand(size)
        super().__init__(
            q=q.tolist(),
            k=k.tolist(),
            v=v.tolist(),
            mask=[] if mask is None else mask.tolist(),
            targets=list(targets),
            sources=list(sources),
            cell=list(cell),
        )

    def picture(self) -> str:
        q, k = torch.tensor(self.q), torch.tensor(self.k)
        mask = torch.tensor(self.mask) if self.mask else None
        weights = masked_softmax(q @ k.T / k.shape[-1] ** 0.5, mask)  # (tgt_len, src_len)
        return head_grid(
            [weights],
            self.sources,
            self.targets,
            ["weights"],
            annotate=True,
            masks=[mask],
            within=self.sources == self.targets,
        ).to_html()
