"""Measure, with and without attention, how translation quality depends on sentence length.

The task is that of notebook 06, on 20,000 generated pairs of 1 to 8 noun phrases, with five seeds.
Each model is tested on 500 unseen sentences of every length that it was trained on, and of three
longer ones.
"""

from functools import cache

from tests.bench.translation import Recipe, mean_and_deviation, run_jobs
from utils.corpora import Batches, Corpus, Pair, translation_corpus, translation_pairs
from utils.metrics import (
    alignment_error_rate,
    alignment_links,
    by_length,
    exact_match,
    forced_weights,
)
from utils.model_helpers import count_parameters
from utils.seq2seq import Seq2Seq

SEEDS = range(5)
UNSEEN = (9, 10, 12)  # phrases
TESTED = 500  # sentences of each length
ATTENTION = {"steps": 1500, "batch_size": 96, "learning_rate": 1.2e-2}
RECIPES = {
    "dot": Recipe("dot", **ATTENTION),
    # Bahdanau's model reads one word at a time, so it gets fewer and smaller batches and a narrower
    # decoder. The other settings were tuned on another corpus.
    "additive": Recipe(
        "additive",
        steps=1200,
        decoder="bahdanau",
        decoder_dim=96,
        learning_rate=6e-3,
        warmup=0.25,
        label_smoothing=0.05,
        clip=0.5,
    ),
    "general": Recipe("general", **ATTENTION),
    # For fairness: three times the steps, over three times the parameters, its own learning rate,
    # and the summary of the source at every step.
    "none": Recipe(
        "none", steps=4500, batch_size=96, encoder_dim=112, decoder_dim=240, learning_rate=6e-3
    ),
}


def capstone(wanted: str = "") -> None:
    """Measure quality by sentence length, for dot, additive, general and no attention."""
    print_table(run_jobs("capstone", measure, RECIPES, SEEDS, wanted))


@cache
def corpus() -> Corpus:
    """Return the corpus of this benchmark, which is generated at the first call."""
    return translation_corpus(pairs=20_000, phrases=(1, 8), seed=0)


@cache
def fresh_pairs() -> list[Pair]:
    """Return 500 pairs of every length that are nowhere in the corpus.

    They are generated at the first call.
    """
    texts = corpus()
    known = {pair.source_text for pair in [*texts.train, *texts.validation, *texts.test]}
    fresh = []
    for phrases in (*range(1, 9), *UNSEEN):
        drawn = translation_pairs(2 * TESTED, phrases, seed=1)
        fresh += [pair for pair in drawn if pair.source_text not in known][:TESTED]
    return fresh


def measure(recipe: Recipe, seed: int, device: str) -> dict:
    """Train a model and test it at every length.

    Returns:
        The steps and the seconds of training, with what `examine` returns.
    """
    model, seconds = recipe.train(corpus(), seed, device)
    return {
        "steps": recipe.steps,
        "seconds": round(seconds, 1),
        **examine(model, fresh_pairs(), corpus().test),
    }


def examine(model: Seq2Seq, pairs: list[Pair], test: list[Pair]) -> dict:
    """Return the number of parameters, the exact matches and the alignment error of a model.

    Exact matches are in per cent, on `pairs`, for each number of phrases. The alignment error rate,
    also in per cent, is measured on `test` with the gold translations as decoder input; it is None
    for a model without attention.
    """
    translations = model.translate_all([pair.source for pair in pairs])
    matches = by_length(
        exact_match,
        [pair.phrases for pair in pairs],
        [translation.words for translation in translations],
        [pair.target for pair in pairs],
    )
    batches = Batches(test, model.source_vocabulary, model.target_vocabulary)
    tested, weights = forced_weights(model, batches)
    error = None
    if weights[0].numel():
        links = [alignment_links(matrix) for matrix in weights]
        gold = [pair.sure for pair in tested], [pair.possible for pair in tested]
        error = round(100 * alignment_error_rate(links, *gold), 2)
    return {
        "parameters": count_parameters(model)["total"],
        "exact_match": {str(phrases): round(100 * share, 2) for phrases, share in matches.items()},
        "alignment_error": error,
    }


def print_table(runs: dict[str, list[dict]]) -> None:
    """Print mean ± deviation over seeds: a column for each model, a row for each length.

    Further rows show parameters, steps, number of seeds, and alignment error rate (AER).
    """
    first = [of_model[0] for of_model in runs.values()]
    rows = {
        "": list(runs),
        "parameters": [f"{run['parameters']:,}" for run in first],
        "steps": [f"{run['steps']:,}" for run in first],
        "seeds": [str(len(of_model)) for of_model in runs.values()],
    }
    for phrases in first[0]["exact_match"]:
        title = f"{phrases} unseen" if int(phrases) in UNSEEN else f"{phrases} phrases"
        shares = ([run["exact_match"][phrases] for run in of_model] for of_model in runs.values())
        rows[title] = list(map(mean_and_deviation, shares))
    rows["AER"] = [
        "–"
        if of_model[0]["alignment_error"] is None
        else mean_and_deviation([run["alignment_error"] for run in of_model])
        for of_model in runs.values()
    ]
    print("\nExact match in % by noun phrases, and alignment error rate in %: mean ± deviation")
    for title, cells in rows.items():
        print(f"{title:>12}" + "".join(f"{cell:>16}" for cell in cells))
