"""Compare a Transformer with the recurrent model of equal size on the task of `capstone`.

Pairs, tests and Trainer are those of `capstone`; all models train on one thread. The recipe
"transformer" has about as many parameters as the recurrent model with dot-product attention, "dot",
and trains for about the same processor time; "twice the time" has twice the steps. "dot" is trained
again here, with one seed, so that all times come from the same machine.
"""

import time
from dataclasses import dataclass

import torch

from tests.bench import capstone
from tests.bench.translation import Recipe, run_jobs
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


SETTINGS = {"mechanism": "transformer", "batch_size": 96, "learning_rate": 1e-2, "warmup": 0.15}
RECIPES = {
    "transformer": TransformerRecipe(steps=820, **SETTINGS),
    "twice the time": TransformerRecipe(steps=1640, **SETTINGS),
    "dot": capstone.RECIPES["dot"],
}


def transformer(wanted: str = "transformer,twice the time-seed0,dot-seed0") -> None:
    """Compare a Transformer with the recurrent model, at equal size and equal training time."""
    capstone.print_table(run_jobs("transformer", measure, RECIPES, SEEDS, wanted))


def measure(recipe: Recipe, seed: int, device: str) -> dict:
    """Train a model on one thread and test it at every length.

    Returns:
        The steps and the processor seconds of training, with what `capstone.examine` returns.
    """
    torch.set_num_threads(1)
    before = time.process_time()
    model, _ = recipe.train(capstone.corpus(), seed, device)
    seconds = round(time.process_time() - before, 1)
    figures = capstone.examine(model, capstone.fresh_pairs(), capstone.corpus().test)
    return {"steps": recipe.steps, "processor_seconds": seconds, **figures}
