"""Measure translation quality on real text: Multi30k, tested on test_2016_flickr.

The data are read from the folder that the variable MULTI30K names, else from
../shared/data/multi30k. Training on a laptop takes 5 or 12 minutes. These are
budgets in steps, as many as two idle cores took in that time, so that quality does not depend on
the device.
"""

import os
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tests.bench.translation import Recipe, mean_and_deviation, run_jobs
from utils.corpora import Batches, Corpus, Pair, detokenise, load_multi30k
from utils.metrics import Bleu, bleu, free_running_perplexity, teacher_forced_perplexity
from utils.model_helpers import count_parameters
from utils.seq2seq import Seq2Seq

SEEDS = range(3)
FIGURES = {
    "greedy": "BLEU greedy",
    "beam": "BLEU beam 5",
    "forced": "PPL forced",
    "free": "PPL free",
}


@dataclass(frozen=True)
class TextRecipe(Recipe):
    """A recipe for real text, with the two languages and larger defaults than `Recipe` has."""

    source: str = "de"
    target: str = "en"
    embedding_dim: int = 256
    encoder_dim: int = 256
    decoder_dim: int = 256
    batch_size: int = 64
    learning_rate: float = 8e-3
    min_count: int = 2


FIVE_MINUTES = TextRecipe("general", steps=1900, dropout=0.2)
TWELVE_MINUTES = TextRecipe("general", steps=4100, dropout=0.3)
RECIPES = {
    "5min": FIVE_MINUTES,
    "12min": TWELVE_MINUTES,
    "en-fr": replace(FIVE_MINUTES, source="en", target="fr"),
    # It reads the summary of the source at every step, so it is a little larger at equal widths.
    "none": replace(FIVE_MINUTES, mechanism="none"),
}


def multi30k(wanted: str = "") -> None:
    """Measure BLEU and perplexity on real text after training for 5 and 12 laptop minutes."""
    runs = run_jobs("multi30k", measure, RECIPES, SEEDS, wanted)
    print(
        "\nMean ± deviation over seeds. Perplexity is of words, <unk> among them; forced and free\n"
        "are not comparable. sacreBLEU:",
        next(iter(runs.values()))[0]["signature"],
    )
    titles = "".join(f"{title:>18}" for title in FIGURES.values())
    print(f"{'model':8}{'parameters':>12}{'steps':>7}{'seeds':>6}{titles}")
    for model, of_model in runs.items():
        sizes = f"{of_model[0]['parameters']:12,}{of_model[0]['steps']:7,}{len(of_model):6}"
        figures = (mean_and_deviation([run[name] for run in of_model]) for name in FIGURES)
        print(f"{model:8}{sizes}" + "".join(f"{figure:>18}" for figure in figures))


@cache
def corpus(source: str, target: str) -> Corpus:
    """Load Multi30k from the folder that MULTI30K names, else from ../shared."""
    shared = Path(__file__).parents[3] / "shared" / "data" / "multi30k"
    return load_multi30k(os.environ.get("MULTI30K", shared), source, target)


def measure(recipe: TextRecipe, seed: int, device: str) -> dict:
    """Train a model and test it.

    Returns:
        Parameters, steps, seconds of training, BLEU with greedy and with beam search,
        teacher-forced and free-running perplexity, and the signature of sacreBLEU.
    """
    texts = corpus(recipe.source, recipe.target)
    model, seconds = recipe.train(texts, seed, device)
    batches = Batches(texts.test, model.source_vocabulary, model.target_vocabulary)
    greedy, beam = (score(model, texts.test, beam_size) for beam_size in (1, 5))
    return {
        "parameters": count_parameters(model)["total"],
        "steps": recipe.steps,
        "seconds": round(seconds, 1),
        "greedy": round(greedy.score, 2),
        "beam": round(beam.score, 2),
        "forced": round(teacher_forced_perplexity(model, batches), 2),
        "free": round(free_running_perplexity(model, batches), 2),
        "signature": greedy.signature,
    }


def score(model: Seq2Seq, pairs: list[Pair], beam_size: int) -> Bleu:
    """Translate the pairs' sources, and return sacreBLEU against their published targets.

    BLEU is computed on plain text: the translations are detokenised.
    """
    translations = model.translate_all([pair.source for pair in pairs], beam_size)
    texts = [detokenise(translation.words) for translation in translations]
    return bleu(texts, [pair.target_text for pair in pairs])
