"""Explore why splitting into heads takes a `view` and a `transpose`."""

from collections.abc import Sequence

import torch
import traitlets

from utils.plots import matrix_map
from utils.widgets.pictured import Pictured


class ReshapeExplorer(Pictured):
    """A widget that shows where each number goes when (batch, len, dim) is split into heads.

    The right way to (batch, heads, len, head_dim) takes two steps, `view` and `transpose`; beside
    it is the wrong way, `view` alone. One number is marked at each step, with its index in the
    tensor and its place in memory.

    Args:
        sentences: the batch: tokens of sentences of equal length.
        dim: number of features of each token.
        heads: initial number of heads; more than one, and a divisor of `dim`.

    Raises:
        ValueError: the sentences differ in length, or `heads` does not fit `dim`.
    """

    sentences = traitlets.List().tag(sync=True)
    dim = traitlets.Int().tag(sync=True)
    heads = traitlets.Int().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    followed = traitlets.Int().tag(sync=True)  # offset in memory of the number that is followed

    def __init__(self, sentences: Sequence[Sequence[str]], dim: int, heads: int = 2):
        if len({len(sentence) for sentence in sentences}) != 1:
            lengths = [len(sentence) for sentence in sentences]
            raise ValueError(f"the sentences of a batch have one length, got {lengths}")
        if heads < 2 or dim % heads:
            raise ValueError(f"need two heads or more that divide dim = {dim}, got {heads}")
        tokens = [list(sentence) for sentence in sentences]
        second = dim + dim // heads  # the second token's first number for the second head
        super().__init__(sentences=tokens, dim=dim, heads=heads, followed=second)

    def picture(self) -> str:
        """Return head 1 of the first sentence as both ways give it, as HTML.

        Its numbers tell token and feature: 23 is feature 3 of token 2.
        """
        tokens = self.sentences[0]
        numbers = torch.tensor([[10 * i + c for c in range(self.dim)] for i in range(len(tokens))])
        cut = (len(tokens), self.heads, self.dim // self.heads)
        right = (numbers + 11).view(cut).transpose(0, 1)  # (heads, len, head_dim)
        alone = (numbers + 11).view(right.shape)  # (heads, len, head_dim)
        alt = (
            f"Head 1 holds, row by row, with 23 for token 2, feature 3: {right[0].tolist()} after "
            f"view and transpose, {alone[0].tolist()} after view alone, which mixes tokens."
        )
        matrices = {"view, transpose": right[0], "view alone": alone[0]}
        labels = [str(n + 1) for n in range(cut[2])]
        return matrix_map(matrices, "of head 1", "token", alt, labels, tokens, ".0f").to_html()
