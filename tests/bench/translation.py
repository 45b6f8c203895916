"""Train the models of a benchmark by recipes, and keep the results in a file."""

import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import torch
from tqdm.auto import tqdm

from utils.attention import AdditiveAttention, DotProductAttention, MultiplicativeAttention
from utils.corpora import Batches, Corpus, Vocabulary
from utils.model_helpers import get_device, set_seed
from utils.seq2seq import BahdanauDecoder, Encoder, FixedVectorDecoder, LuongDecoder, Seq2Seq
from utils.training import Trainer

RESULTS = Path(__file__).parents[2] / "notebooks" / "results"


@dataclass(frozen=True)
class Recipe:
    """The settings of a model and of its training.

    Attributes:
        mechanism: the decoder's attention. With "none" the decoder gets, at every step, one vector
            that sums up the source.
        steps: length of the training, in batches.
        decoder: order of attention and recurrence; has no effect without attention.
        encoder_dim: width of each of the encoder's two directions. The hidden layer of additive
            attention is half as wide.
        min_count: words that occur less often in training count as unknown.
        warmup, label_smoothing, clip: settings of `Trainer`.
    """

    mechanism: Literal["dot", "additive", "general", "none"]
    steps: int
    decoder: Literal["luong", "bahdanau"] = "luong"
    embedding_dim: int = 64
    encoder_dim: int = 64
    decoder_dim: int = 128
    batch_size: int = 64
    learning_rate: float = 3e-3
    dropout: float = 0.1
    min_count: int = 1
    warmup: float = 0.1
    label_smoothing: float = 0.1
    clip: float = 1.0

    def model(self, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> Seq2Seq:
        """Return an untrained model for these vocabularies."""
        encoder = Encoder(
            len(source_vocabulary), self.embedding_dim, self.encoder_dim, dropout=self.dropout
        )
        sizes = len(target_vocabulary), self.embedding_dim
        query_dim, key_dim = self.decoder_dim, encoder.output_dim
        if self.mechanism == "none":
            decoder = FixedVectorDecoder(*sizes, query_dim, key_dim, dropout=self.dropout)
        else:
            attention = {
                "dot": lambda: DotProductAttention(key_dim),
                "additive": lambda: AdditiveAttention(query_dim, key_dim, self.encoder_dim // 2),
                "general": lambda: MultiplicativeAttention(query_dim, key_dim, "general"),
            }[self.mechanism]()
            order = BahdanauDecoder if self.decoder == "bahdanau" else LuongDecoder
            decoder = order(*sizes, attention, dropout=self.dropout)
        return Seq2Seq(encoder, decoder, source_vocabulary, target_vocabulary)

    def train(self, corpus: Corpus, seed: int, device: torch.device | str) -> tuple[Seq2Seq, float]:
        """Train a new model; return it, and the seconds that training took.

        The weights that did best in validation are kept.
        """
        set_seed(seed)
        vocabularies = corpus.vocabularies(min_count=self.min_count)
        model = self.model(*vocabularies).to(device)
        trainer = Trainer(
            model,
            Batches(corpus.train, *vocabularies, self.batch_size),
            Batches(corpus.validation, *vocabularies),
            steps=self.steps,
            learning_rate=self.learning_rate,
            warmup=self.warmup,
            label_smoothing=self.label_smoothing,
            clip=self.clip,
            seed=seed,
        )
        start = time.perf_counter()
        trainer.fit()
        return model, time.perf_counter() - start


Measure = Callable[[Recipe, int, str], dict]


def run_jobs(
    benchmark: str, measure: Measure, recipes: dict[str, Recipe], seeds: range, wanted: str
) -> dict[str, list[dict]]:
    """Train and measure every recipe with every seed, one after the other.

    A job is a recipe with a seed. Each job's results are written to notebooks/results as soon as
    they are known, since a long benchmark may be stopped, or run in parts by several processes.
    Earlier results are kept in the file unless their recipe has changed.

    Args:
        benchmark: name of the benchmark, and of the file.
        measure: trains and tests a model: (recipe, seed, device) → results.
        recipes: name of a model → its recipe.
        seeds: the seeds for each recipe.
        wanted: prefixes of job names, separated by commas: "dot,none-seed3". Empty means all.

    Returns:
        Name of a model → its results in the file, one dict for each seed, those of earlier calls
        included.

    Raises:
        ValueError: no job has such a name.
    """
    jobs = {
        f"{model}-seed{seed}": (model, seed)
        for model in sorted(recipes, key=lambda name: -recipes[name].steps)  # the longest first
        for seed in seeds
    }
    jobs = {name: job for name, job in jobs.items() if name.startswith(tuple(wanted.split(",")))}
    if not jobs:
        raise ValueError(f"no job of {benchmark} is called {wanted!r}; models: {[*recipes]}")
    device = chosen_device().type
    for name, (model, seed) in tqdm(jobs.items(), desc=f"{benchmark} on {device}"):
        figures = measure(recipes[model], seed, device)
        run = {"model": model, "seed": seed, "device": device, **figures}
        content = {
            "command": f"python -m tests.bench {benchmark}",
            "recipes": {name: asdict(recipe) for name, recipe in recipes.items()},
            "runs": dict(sorted((stored_runs(benchmark, recipes) | {name: run}).items())),
        }
        text = json.dumps(content, indent=1) + "\n"
        (RESULTS / f"{benchmark}.json").write_text(text)
    by_model = {name: [] for name in recipes}
    for run in stored_runs(benchmark, recipes).values():
        by_model[run["model"]].append(run)
    return {name: runs for name, runs in by_model.items() if runs}


def stored_runs(benchmark: str, recipes: dict[str, Recipe]) -> dict[str, dict]:
    """Return the stored results, by job, whose recipes are still the same.

    The file is read at each call, since other processes may add to it.
    """
    path = RESULTS / f"{benchmark}.json"
    stored = json.loads(path.read_text()) if path.exists() else {"runs": {}}
    current = {name: asdict(recipe) for name, recipe in recipes.items()}
    return {
        name: run
        for name, run in stored["runs"].items()
        if stored["recipes"][run["model"]] == current.get(run["model"])
    }


def chosen_device() -> torch.device:
    """Return the device that the variable BENCH_DEVICE names; by default, the best available."""
    return get_device(os.environ.get("BENCH_DEVICE", "auto"))


def mean_and_deviation(values: list[float]) -> str:
    """Return mean and standard deviation as text, such as "97.20 ± 0.31"."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.2f} ± {deviation:.2f}"
