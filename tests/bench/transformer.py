"""Compare a Transformer with the recurrent model of equal size, and with other positions.

Pairs, tests and Trainer are those of `capstone`; all models train on one thread. The recipe
"transformer" has about as many parameters as the recurrent model with dot-product attention, "dot",
and trains for about the same processor time; "twice the time" has twice the steps. "dot" is trained
again here, with one seed, so that all times come from the same machine.

`positions` gives "transformer" other positions, with the learning rate that was chosen for
sinusoids. The recipes called "backwards" have the same pairs with every French sentence written
from its last word to its first.
"""

import time
from dataclasses import dataclass, replace
from functools import cache

import torch

from tests.bench import capstone
from tests.bench.translation import Recipe, run_jobs
from utils.corpora import Corpus, Pair
from utils.positions import AlibiPositions, Positions, RotaryPositions, SinusoidalPositions
from utils.seq2seq import Seq2Seq
from utils.transformer import TransformerDecoder, TransformerEncoder

SEEDS = range(3)


@dataclass(frozen=True)
class TransformerRecipe(Recipe):
    """A recipe for a Transformer, whose states are all `embedding_dim` wide.

    Attributes:
        heads: number of heads in each attention.
        layers: number of blocks in the encoder, and in the decoder.
        hidden: width inside the feed-forward networks.
        pre: whether each sub-layer is normalised at its input; otherwise, after the residual sum.
    """

    heads: int = 4
    layers: int = 2
    hidden: int = 224
    pre: bool = True

    def model(self, source_vocabulary, target_vocabulary):
        """Return an untrained Transformer for these vocabularies."""
        sizes = self.embedding_dim, self.heads, self.hidden, self.layers, self.pre, self.dropout
        return Seq2Seq(
            TransformerEncoder(len(source_vocabulary), *sizes),
            TransformerDecoder(len(target_vocabulary), *sizes),
            source_vocabulary,
            target_vocabulary,
        )


@dataclass(frozen=True)
class PositionsRecipe(TransformerRecipe):
    """A recipe for a Transformer with a choice of positions.

    Attributes:
        positions: kind of those in every self-attention: "sinusoids", "rotary", "alibi" or "none".
        across: kind of those in the cross-attentions.
        backwards: whether every target sentence is written backwards.
    """

    positions: str = "sinusoids"
    across: str = "none"
    backwards: bool = False

    def model(self, source_vocabulary, target_vocabulary):
        """Return an untrained Transformer for these vocabularies."""
        kinds = {
            "none": Positions,
            "sinusoids": lambda: SinusoidalPositions(self.embedding_dim),
            "rotary": lambda: RotaryPositions(self.embedding_dim // self.heads),
            "alibi": AlibiPositions,
        }
        sizes = self.embedding_dim, self.heads, self.hidden, self.layers, self.pre, self.dropout
        positions = kinds[self.positions]()
        return Seq2Seq(
            TransformerEncoder(len(source_vocabulary), *sizes, positions),
            TransformerDecoder(len(target_vocabulary), *sizes, positions, kinds[self.across]()),
            source_vocabulary,
            target_vocabulary,
        )


SETTINGS = {"mechanism": "transformer", "batch_size": 96, "learning_rate": 1e-2, "warmup": 0.15}
RECIPES = {
    "transformer": TransformerRecipe(steps=820, **SETTINGS),
    "twice the time": TransformerRecipe(steps=1640, **SETTINGS),
    "dot": capstone.RECIPES["dot"],
}


def placed(**settings) -> PositionsRecipe:
    """Return the recipe "transformer" with other settings."""
    return PositionsRecipe(**SETTINGS, **{"steps": 820, **settings})


EVERYWHERE = {"positions": "rotary", "across": "rotary"}
PLACED = {
    "rotary": placed(positions="rotary"),
    "rotary everywhere": placed(**EVERYWHERE),
    "rotary across alone": placed(across="rotary"),  # and sinusoids in the embeddings
    "alibi": placed(positions="alibi"),
    "none": placed(positions="none"),
    "twice the time": placed(**EVERYWHERE, steps=1640),
    "backwards sinusoids": placed(backwards=True),
    "backwards rotary": placed(positions="rotary", backwards=True),
    "backwards rotary everywhere": placed(**EVERYWHERE, backwards=True),
}


def transformer(wanted: str = "transformer,twice the time-seed0,dot-seed0") -> None:
    """Compare a Transformer with the recurrent model, at equal size and equal training time."""
    capstone.print_table(run_jobs("transformer", measure, RECIPES, SEEDS, wanted))


def positions(wanted: str = "") -> None:
    """Compare kinds of positions in the Transformer, at equal size and equal steps."""
    capstone.print_table(run_jobs("positions", measure, PLACED, SEEDS, wanted))


def measure(recipe: Recipe, seed: int, device: str) -> dict:
    """Train a model on one thread and test it at every length.

    Returns:
        The steps and the processor seconds of training, with what `capstone.examine` returns.
    """
    torch.set_num_threads(1)
    texts, fresh = capstone.corpus(), capstone.fresh_pairs()
    if getattr(recipe, "backwards", False):
        texts, fresh = backwards_corpus(), backwards(fresh)
    before = time.process_time()
    model, _ = recipe.train(texts, seed, device)
    seconds = round(time.process_time() - before, 1)
    figures = capstone.examine(model, fresh, texts.test)
    return {"steps": recipe.steps, "processor_seconds": seconds, **figures}


@cache
def backwards_corpus() -> Corpus:
    """Return the corpus of `capstone` with every target sentence written backwards."""
    texts = capstone.corpus()
    parts = {name: backwards(getattr(texts, name)) for name in ("train", "validation", "test")}
    return replace(texts, **parts)


def backwards(pairs: list[Pair]) -> list[Pair]:
    """Return pairs whose target sentences are written backwards, with the links moved along."""
    turned = []
    for pair in pairs:
        last = len(pair.target) - 1
        sure, possible = (
            frozenset((source, last - target) for source, target in links)
            for links in (pair.sure, pair.possible)
        )
        words = pair.target[::-1]
        text = " ".join(words)
        turned.append(replace(pair, target=words, target_text=text, sure=sure, possible=possible))
    return turned
