"""Train the Transformer of `transformer` with other positions, and on another word order.

Pairs, tests and settings are those of the recipe "transformer": 820 steps on one thread, and a
learning rate that was chosen for sinusoids. The recipes called "backwards" have the same pairs with
every French sentence written from its last word to its first.
"""

import time
from dataclasses import dataclass, replace
from functools import cache

import torch

from tests.bench import capstone
from tests.bench.transformer import SEEDS, SETTINGS, TransformerRecipe
from tests.bench.translation import run_jobs
from utils.corpora import Corpus, Pair
from utils.positions import AlibiPositions, Positions, RotaryPositions, SinusoidalPositions
from utils.seq2seq import Seq2Seq
from utils.transformer import TransformerDecoder, TransformerEncoder


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


def recipe(**settings) -> PositionsRecipe:
    """Return the recipe of "transformer" with other settings."""
    return PositionsRecipe(**SETTINGS, **{"steps": 820, **settings})


EVERYWHERE = {"positions": "rotary", "across": "rotary"}
RECIPES = {
    "rotary": recipe(positions="rotary"),
    "rotary everywhere": recipe(**EVERYWHERE),
    "rotary across alone": recipe(across="rotary"),  # and sinusoids in the embeddings
    "alibi": recipe(positions="alibi"),
    "none": recipe(positions="none"),
    "twice the time": recipe(**EVERYWHERE, steps=1640),
    "backwards sinusoids": recipe(backwards=True),
    "backwards rotary": recipe(positions="rotary", backwards=True),
    "backwards rotary everywhere": recipe(**EVERYWHERE, backwards=True),
}


def positions(wanted: str = "") -> None:
    """Compare kinds of positions in the Transformer, at equal size and equal steps."""
    capstone.print_table(run_jobs("positions", measure, RECIPES, SEEDS, wanted))


def measure(recipe: PositionsRecipe, seed: int, device: str) -> dict:
    """Train a model on one thread and test it at every length; returns as `transformer` does."""
    torch.set_num_threads(1)
    texts = backwards_corpus() if recipe.backwards else capstone.corpus()
    before = time.process_time()
    model, _ = recipe.train(texts, seed, device)
    seconds = round(time.process_time() - before, 1)
    fresh = backwards(capstone.fresh_pairs()) if recipe.backwards else capstone.fresh_pairs()
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
