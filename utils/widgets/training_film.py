"""Explore how a translator learns which words to attend to."""

from collections.abc import Mapping, Sequence

import traitlets
from torch import Tensor

from utils.corpora import Pair, detokenise
from utils.plots import alignment_heatmap
from utils.widgets.pictured import Pictured

DIGITS = 3  # decimal places of each number that is stored


class TrainingFilm(Pictured):
    """A widget that shows a few sentences' weights and translations at several training steps.

    Args:
        pairs: name → a sentence with its translation and gold links.
        film: training step → a tuple of four: the loss; the share of target words that attend most
            to a right source word; a list with the weights (tgt_len, src_len) of each pair; a list
            with the model's translation, in words, of each pair.

    Raises:
        ValueError: a moment lacks the weights or the translation of a pair, or has too many.
    """

    steps = traitlets.List(traitlets.Int()).tag(sync=True)
    losses = traitlets.List(traitlets.Float()).tag(sync=True)
    shares = traitlets.List(traitlets.Float()).tag(sync=True)
    sentences = traitlets.List().tag(sync=True)
    frames = traitlets.List().tag(sync=True)  # moment, pair, target, source
    translations = traitlets.List().tag(sync=True)  # moment, pair
    moment = traitlets.Int(0).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        pairs: Mapping[str, Pair],
        film: Mapping[int, tuple[float, float, Sequence[Tensor], Sequence[Sequence[str]]]],
    ):
        for step, (_, _, maps, words) in film.items():
            if not len(maps) == len(words) == len(pairs):
                raise ValueError(
                    f"need a map and a translation for each of {len(pairs)} pairs, got {len(maps)} "
                    f"and {len(words)} at step {step}"
                )
        self._pairs = list(pairs.values())
        losses, shares, frames, translations = zip(*film.values(), strict=True)
        super().__init__(
            steps=list(film),
            losses=[round(loss, DIGITS) for loss in losses],
            shares=[round(share, DIGITS) for share in shares],
            sentences=[
                {
                    "name": name,
                    "source": pair.source,
                    "target": pair.target,
                    "links": sorted(pair.possible),
                }
                for name, pair in pairs.items()
            ],
            frames=[[_rounded(weights) for weights in maps] for maps in frames],
            translations=[[detokenise(words) for words in both] for both in translations],
            moment=len(film) // 2,
        )

    def picture(self) -> str:
        pair, frame = self._pairs[self.sentence], self.frames[self.moment][self.sentence]
        step, loss = self.steps[self.moment], self.losses[self.moment]
        title = f"step {step}: loss {loss:.2f}, {self.shares[self.moment]:.0%} look right"
        alt = f"Weights after {step} steps of training, right links framed: {pair}."
        return alignment_heatmap(
            frame, pair.source, pair.target, title, pair.possible, alt
        ).to_html()


def _rounded(weights: Tensor) -> list[list[float]]:
    return [[round(weight, DIGITS) for weight in row] for row in weights.tolist()]
