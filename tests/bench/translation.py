"""What the benchmarks of translation share: recipes, jobs side by side, results kept in a file."""

import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
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
    """A model and how it is trained.

    Attributes:
        mechanism: what the decoder attends with; "none" is the model without attention, which is
            fed one vector of the whole source at every step.
        decoder: has no effect without attention.
        steps: the budget, in batches.
        encoder_dim: width of each direction. Additive scores are half as wide.
        min_count: words seen less often in training are unknown.
        warmup, label_smoothing, clip: as the `Trainer` has them.
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
        """The model before training."""
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
            kind = BahdanauDecoder if self.decoder == "bahdanau" else LuongDecoder
            decoder = kind(*sizes, attention, dropout=self.dropout)
        return Seq2Seq(encoder, decoder, source_vocabulary, target_vocabulary)

    def train(
        self,
        corpus: Corpus,
        seed: int,
        device: torch.device | str,
        validate: bool = True,
        progress: bool = False,
        checkpoint: Path | None = None,
    ) -> tuple[Seq2Seq, float]:
        """The trained model, and the seconds that training took; a checkpoint is resumed."""
        set_seed(seed)
        vocabularies = corpus.vocabularies(min_count=self.min_count)
        model = self.model(*vocabularies).to(device)
        trainer = Trainer(
            model,
            Batches(corpus.train, *vocabularies, self.batch_size),
            Batches(corpus.validation, *vocabularies) if validate else None,
            steps=self.steps,
            learning_rate=self.learning_rate,
            warmup=self.warmup,
            label_smoothing=self.label_smoothing,
            clip=self.clip,
            checkpoint=checkpoint,
            progress=progress,
            seed=seed,
        )
        if checkpoint is not None and checkpoint.exists():
            trainer.load(checkpoint)
        start = time.perf_counter()
        trainer.fit()
        return model, time.perf_counter() - start


Work = Callable[[Recipe, int, str, bool], dict]


def run_jobs(
    benchmark: str,
    work: Work,
    recipes: dict[str, Recipe],
    seeds: range,
    wanted: str,
) -> dict[str, list[dict]]:
    """Train every recipe with every seed, as many at a time as the CPU has cores.

    The results are added to a file for each benchmark in notebooks/results, which drops those of
    recipes that have changed since.

    Args:
        benchmark: name of the benchmark, and of the file.
        work: trains and measures: (recipe, seed, device, whether to show progress) → figures.
        recipes: by the names of the models.
        seeds: of each recipe.
        wanted: prefixes of job names, separated by commas: "dot,none-seed3". Empty means all.

    Returns:
        The figures on file of every model, including those of earlier calls.
    """
    results = Results(benchmark, recipes)
    jobs = {
        f"{model}-seed{seed}": (model, seed)
        for model in sorted(recipes, key=lambda name: -recipes[name].steps)  # the longest first
        for seed in seeds
    }
    jobs = {name: job for name, job in jobs.items() if name.startswith(tuple(wanted.split(",")))}
    if not jobs:
        raise ValueError(f"no job of {benchmark} is called {wanted!r}; models: {[*recipes]}")
    workers = min(os.cpu_count(), len(jobs))
    threads = max(1, torch.get_num_threads() // workers)
    device = chosen_device().type
    print(f"{len(jobs)} jobs, {workers} at a time, {threads} CPU threads each, on {device}")
    with ProcessPoolExecutor(
        workers,
        multiprocessing.get_context("spawn"),  # CUDA does not survive a fork
        initializer=torch.set_num_threads,
        initargs=(threads,),
    ) as pool:
        running = {
            pool.submit(work, recipes[model], seed, device, workers == 1): name
            for name, (model, seed) in jobs.items()
        }
        for future in tqdm(as_completed(running), total=len(running), desc=benchmark):
            name = running[future]
            model, seed = jobs[name]
            results.add(name, {"model": model, "seed": seed, "device": device, **future.result()})
    found = results.runs.values()
    by_model = {name: [run for run in found if run["model"] == name] for name in recipes}
    return {name: runs for name, runs in by_model.items() if runs}


def chosen_device() -> torch.device:
    """The best device available, or the one that BENCH_DEVICE names."""
    return get_device(os.environ.get("BENCH_DEVICE", "auto"))


class Results:
    """The figures of a benchmark, in a small file of the repository, with the recipes behind them.

    Args:
        benchmark: name of the benchmark, and of the file.
        recipes: the current ones; runs with other recipes are dropped.
    """

    def __init__(self, benchmark: str, recipes: dict[str, Recipe]):
        self.path = RESULTS / f"{benchmark}.json"
        self.command = f"python -m tests.bench {benchmark}"
        self.recipes = {name: asdict(recipe) for name, recipe in recipes.items()}

    @property
    def runs(self) -> dict[str, dict]:
        """The runs on file, read again since another process may have added to them."""
        stored = json.loads(self.path.read_text()) if self.path.exists() else {"runs": {}}
        return {
            name: run
            for name, run in stored["runs"].items()
            if stored["recipes"][run["model"]] == self.recipes.get(run["model"])
        }

    def add(self, job: str, figures: dict) -> None:
        """Write the figures of a job immediately, since a long benchmark may be stopped."""
        content = {
            "command": self.command,
            "recipes": self.recipes,
            "runs": dict(sorted((self.runs | {job: figures}).items())),
        }
        RESULTS.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(content, indent=1) + "\n")


def spread(values: list[float]) -> dict[str, float]:
    """Mean and standard deviation over seeds."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return {"mean": round(statistics.fmean(values), 2), "sd": round(deviation, 2)}


def plus_minus(figure: dict[str, float] | None) -> str:
    """A mean and its deviation as a table shows them."""
    return "–" if figure is None else f"{figure['mean']:.2f} ± {figure['sd']:.2f}"
