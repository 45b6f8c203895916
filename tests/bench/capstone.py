"""The course's own task, with and without attention: does quality hold as sentences grow?

Generated sentences of 1 to 8 noun phrases, 20,000 pairs, five seeds. Each model is tested on 500
unseen sentences of every length that it was trained on, and of longer ones.
"""

from functools import cache

from tests.bench.translation import Recipe, plus_minus, run_jobs, spread
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


def capstone(wanted: str = "") -> dict:
    """Quality against sentence length with dot, additive, general and no attention, 5 seeds."""
    runs = run_jobs("capstone", measure, RECIPES, SEEDS, wanted)
    summary = {model: summarise(of_model) for model, of_model in runs.items()}
    print_table(summary)
    return summary


@cache
def corpus() -> Corpus:
    return translation_corpus(pairs=20_000, phrases=(1, 8), seed=0)


@cache
def fresh_pairs() -> list[Pair]:
    """Sentences of every length that are nowhere in the corpus."""
    texts = corpus()
    known = {pair.source_text for pair in [*texts.train, *texts.validation, *texts.test]}
    found = []
    for phrases in (*range(1, 9), *UNSEEN):
        drawn = translation_pairs(2 * TESTED, phrases, seed=1)
        found += [pair for pair in drawn if pair.source_text not in known][:TESTED]
    return found


def measure(recipe: Recipe, seed: int, device: str, progress: bool) -> dict:
    """Train a model and test it at every length; shares are in per cent."""
    model, seconds = recipe.train(corpus(), seed, device, progress=progress)
    matches = match_by_phrases(model, fresh_pairs())
    return {
        "parameters": count_parameters(model)["total"],
        "steps": recipe.steps,
        "seconds": round(seconds, 1),
        "exact_match": {str(phrases): round(100 * share, 2) for phrases, share in matches.items()},
        "alignment_error": None if recipe.mechanism == "none" else alignment_error(model),
    }


def match_by_phrases(model: Seq2Seq, pairs: list[Pair]) -> dict[int, float]:
    """Share of greedy translations with every word right, by number of phrases."""
    found = model.translate_all([pair.source for pair in pairs])
    return by_length(
        exact_match,
        [pair.phrases for pair in pairs],
        [translation.words for translation in found],
        [pair.target for pair in pairs],
    )


def alignment_error(model: Seq2Seq) -> float:
    """Alignment error rate in per cent at trained lengths, on the gold translations."""
    batches = Batches(corpus().test, model.source_vocabulary, model.target_vocabulary)
    pairs, weights = forced_weights(model, batches)
    rate = alignment_error_rate(
        [alignment_links(matrix) for matrix in weights],
        [pair.sure for pair in pairs],
        [pair.possible for pair in pairs],
    )
    return round(100 * rate, 2)


def summarise(runs: list[dict]) -> dict:
    """The mean and deviation over the seeds of a model."""
    summary = {
        "seeds": len(runs),
        "parameters": runs[0]["parameters"],
        "steps": runs[0]["steps"],
        "exact_match": {
            phrases: spread([run["exact_match"][phrases] for run in runs])
            for phrases in runs[0]["exact_match"]
        },
    }
    if runs[0]["alignment_error"] is not None:
        summary["alignment_error"] = spread([run["alignment_error"] for run in runs])
    return summary


def print_table(summary: dict[str, dict]) -> None:
    """A column for each model, a row for each number of phrases."""
    columns = summary.values()
    rows = {
        "": list(summary),
        "parameters": [f"{column['parameters']:,}" for column in columns],
        "steps": [f"{column['steps']:,}" for column in columns],
        "seeds": [str(column["seeds"]) for column in columns],
    }
    for phrases in next(iter(columns))["exact_match"]:
        title = f"{phrases} unseen" if int(phrases) in UNSEEN else f"{phrases} phrases"
        rows[title] = [plus_minus(column["exact_match"][phrases]) for column in columns]
    rows["AER"] = [plus_minus(column.get("alignment_error")) for column in columns]
    print("\nExact match in % by noun phrases, and alignment error rate in %: mean ± deviation")
    for title, cells in rows.items():
        print(f"{title:>12}" + "".join(f"{cell:>16}" for cell in cells))
