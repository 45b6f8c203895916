"""The capstone's task for a Transformer, at the parameters and the time of the recurrent model.

Same pairs, same tests, same Trainer as in `capstone`; one thread. "transformer" is about as large
as the recurrent model with dot-product attention, and has the number of steps that takes about the
same processor time. "twice the time" has twice the steps. The recurrent model is trained again
with one seed, to have its processor time from the same machine.
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
        heads: in each attention.
        layers: blocks of the encoder, and as many of the decoder.
        hidden: width inside the feed-forward networks.
        pre: the norm before each layer; otherwise behind the sum.
    """

    heads: int = 4
    layers: int = 2
    hidden: int = 224
    pre: bool = True

    def model(self, source_vocabulary, target_vocabulary):
        """Return the model before training."""
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
    """Try a Transformer at the size and the time of the recurrent model on the capstone's task."""
    capstone.print_table(run_jobs("transformer", measure, RECIPES, SEEDS, wanted))


def measure(recipe: Recipe, seed: int, device: str) -> dict:
    """Train a model with one thread and test it at every length; shares are in per cent."""
    torch.set_num_threads(1)
    before = time.process_time()
    model, _ = recipe.train(capstone.corpus(), seed, device)
    seconds = round(time.process_time() - before, 1)
    return {"steps": recipe.steps, "processor_seconds": seconds, **capstone.examine(model)}
