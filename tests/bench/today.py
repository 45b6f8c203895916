"""Measure what notebooks 09 and 10 tell: the cost of looking back, sinks, recall, length, QK-norm.

The tables of sharing, bytes and untrained recall take half a minute. The rest are small models and
timings, three of each, 4 to 80 seconds of one thread each, whose results are kept in
notebooks/results.
"""

import math
import statistics
from dataclasses import dataclass
from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import nn

from tests.bench.measure import seconds_side_by_side
from tests.bench.translation import mean_and_deviation, run_jobs
from utils.attention import MultiHeadAttention
from utils.corpora import SOS
from utils.experiments import copying, lengths
from utils.experiments.caching import seconds_of_writing
from utils.experiments.lengths import LanguageModel, Texts, english, perplexity, train
from utils.experiments.recall import (
    MIXES,
    add_pair,
    correct_pair,
    learn_to_recall,
    recalled,
    recaller,
)
from utils.model_card import LONG, in_units
from utils.model_helpers import set_seed
from utils.positions import (
    AlibiPositions,
    Positions,
    RotaryPositions,
    SinusoidalPositions,
    rotary_frequencies,
)
from utils.transformer import EncoderBlock
from utils.widgets.cache_explorer import cards_by_kind

SEEDS = range(3)
SPOTS = [16, 32, 64, 128, 256, 512, 1_024]  # words
PAIRS = [4, 16, 32, 64, 128]
TRAINED_PAIRS = PAIRS[:3]
LENGTHS = [48, 96, 192, 384]  # words
DISTANCES = [2, 4, 8, 10, 12, 16, 20, 24, 26, 28, 32, 40, 46]  # words, from a question back
RATES = [0.005, 0.05, 0.1, 0.2, 0.5]
HEAD_DIM = 16
YARN = {"yarn": 32, "yarn, 4": 4}  # turns from which on a clock is left alone
KINDS = {
    "sinusoids": partial(SinusoidalPositions, 64),
    "rotary": partial(RotaryPositions, HEAD_DIM),
    "ALiBi": AlibiPositions,
    "none": Positions,
    "base 500,000": partial(RotaryPositions, HEAD_DIM, base=500_000.0),
}


@dataclass(frozen=True)
class LengthRecipe:
    """The settings of a small language model: its positions, QK-norm, and its training."""

    positions: str
    normed: bool = False
    peak: float = 5e-3
    steps: int = 250


@dataclass(frozen=True)
class CacheRecipe:
    """The size of a stack that reads a text with a cache and without; nothing is trained."""

    layers: int
    dim: int
    steps: int = 0


@dataclass(frozen=True)
class SinkRecipe:
    """A small model, and whether each of its texts begins with a start sign."""

    model: str
    sign: bool
    steps: int = 400


@dataclass(frozen=True)
class RecallRecipe:
    """A mixer that is trained to recall so many pairs."""

    mix: str
    pairs: int
    peak: float = 1e-2
    steps: int = 500


@dataclass(frozen=True)
class CopyRecipe:
    """A model of two blocks that learns to copy halves of 12 to 24 words, and its positions."""

    positions: str
    steps: int = 2_000


RECIPES = {kind: LengthRecipe(kind) for kind in KINDS}
for rate in RATES:
    for normed in (False, True):
        name = f"rate {rate}, {'normed' if normed else 'plain'}"
        RECIPES[name] = LengthRecipe("rotary", normed, rate)
RECIPES |= {f"cache {n} of {dim}": CacheRecipe(n, dim) for n, dim in ((2, 48), (4, 128))}
RECIPES |= {
    f"sink {model} {'with' if sign else 'without'}": SinkRecipe(model, sign)
    for model in ("copier", "language model")
    for sign in (True, False)
}
RECIPES |= {f"recall {n} {mix}": RecallRecipe(mix, n) for n in TRAINED_PAIRS for mix in MIXES}
RECIPES["late recall 4 sum"] = RecallRecipe("sum", 4, steps=2_000)
RECIPES |= {f"copy {kind}": CopyRecipe(kind) for kind in ("rotary", "ALiBi")}


def today(wanted: str = "") -> None:
    """Measure the cache, its bytes by kind, sinks, recall by pairs, length, and QK-norm by rate."""
    torch.set_num_threads(1)
    set_seed(0)
    print_sharing()
    print_bytes()
    print_recall()
    runs = run_jobs("today", measure, RECIPES, SEEDS, wanted)
    print_writing(runs)
    print_sinks(runs)
    print_trained_recall(runs)
    print_copies(runs)
    print_lengths(runs)
    print_rates(runs)


def print_sharing() -> None:
    """Print the time of a decoding step over 4,096 words, with fewer and fewer KV heads."""
    print("\na step over 4,096 words, 8 heads of width 64: microseconds, and ours over PyTorch's")
    query = torch.randn(1, 1, 512)
    for kv_heads in (8, 2, 1):
        attention = MultiHeadAttention(512, 8, kv_heads=kv_heads).requires_grad_(False)
        memory, queries = attention.remember(torch.randn(1, 4_096, 512)), attention.W_q(query)
        queries = attention.split_heads(queries)  # (1, 8, 1, 64)

        def ours(attention=attention, memory=memory, queries=queries):
            attention.look_up(attention.compare(queries, memory.keys).softmax(-1), memory.values)

        def theirs(memory=memory, queries=queries):
            F.scaled_dot_product_attention(queries, memory.keys, memory.values, enable_gqa=True)

        first, second, ratio = seconds_side_by_side(ours, theirs, budget=1)
        numbers = memory.keys.numel() + memory.values.numel()
        times = f"{first * 1e6:6.0f} {second * 1e6:6.0f} {ratio:5.2f}"
        print(f"{kv_heads} KV heads, {numbers:9,} numbers kept: {times}")


def print_bytes() -> None:
    """Print what Llama 3.1 8B keeps with layers of each kind."""
    print(f"\nLlama 3.1 8B with layers of six kinds: a token, and {LONG:,} tokens")
    for kind, card in cards_by_kind("Llama 3.1 8B").items():
        print(f"{kind:12} {in_units(card.per_token):>10} {in_units(card.kept(LONG)):>10}")


def print_recall() -> None:
    """Print how many pairs an untrained state of width 32 recalls, each key written once or twice.

    A softmax over all pairs has no state; it is told in the notebook that it loses none.
    """
    print("\nrecalled in %, keys written once | twice")
    print(f"{'pairs':16}", *(f"{count:9}" for count in PAIRS))
    steps = {"plain sum": add_pair, "delta": correct_pair}
    steps["delta, rate 0.1"] = partial(correct_pair, beta=0.1)
    for name, step in steps.items():
        shares = ((recalled(step, n, 1), recalled(step, n, 2)) for n in PAIRS)
        print(f"{name:16}", *(f"{once:3.0f} | {twice:3.0f}" for once, twice in shares))


def measure(recipe, seed: int, device: str) -> dict:
    """Return what is stored of a run on one thread; keys that are numbers become text there."""
    torch.set_num_threads(1)
    set_seed(seed)
    kinds = {
        LengthRecipe: measure_length,
        CacheRecipe: measure_writing,
        SinkRecipe: measure_sink,
        RecallRecipe: measure_recall,
        CopyRecipe: measure_copy,
    }
    return kinds[type(recipe)](recipe)


def measure_length(recipe: LengthRecipe) -> dict:
    """Train a model; return its perplexities, by length.

    Of the recipe "rotary", also those with clocks slowed down for each length, by way of scaling.
    """
    given = texts()
    model = LanguageModel(given.vocabulary, KINDS[recipe.positions](), recipe.normed)
    train(model, given.training, recipe.steps, recipe.peak)
    found = {"perplexity": {n: round(perplexity(model, given.unseen, n), 2) for n in LENGTHS}}
    for scaling in ("linear", "ntk") if recipe == RECIPES["rotary"] else ():
        found[scaling] = {}
        for n in LENGTHS:
            slower = rotary_frequencies(HEAD_DIM, factor=n / LENGTHS[0], scaling=scaling)
            model.positions.frequencies = slower
            found[scaling][n] = round(perplexity(model, given.unseen, n), 2)
    for name, most in YARN.items() if recipe == RECIPES["rotary"] else ():
        found[name] = {n: round(read_with_yarn(model, n, most), 2) for n in LENGTHS}
    return found


def read_with_yarn(model: LanguageModel, length: int, most: float) -> float:
    """Return the perplexity of a rotary model whose clocks YaRN has fitted to a length.

    Clocks that made `most` turns or more within the trained length are left alone, those that made
    one or less are slowed down by the full factor. Source: Peng et al. 2024, section 3.
    """
    trained = LENGTHS[0]
    factor, plain = length / trained, rotary_frequencies(HEAD_DIM)  # (HEAD_DIM / 2,)
    alone = ((trained * plain / (2 * math.pi) - 1) / (most - 1)).clamp(0, 1)
    model.positions.frequencies = alone * plain + (1 - alone) * plain / factor
    inner = [block.attention.attention for block in model.blocks]
    before = inner[0].scale
    for attention in inner:  # queries and keys times the same number: their scores by its square
        attention.scale = before * (0.1 * math.log(factor) + 1) ** 2
    found = perplexity(model, texts().unseen, length)
    for attention in inner:
        attention.scale = before
    return found


def measure_writing(recipe: CacheRecipe) -> dict:
    """Return seconds of writing with a cache and without, by length, of attention in two ways."""
    dim = recipe.dim
    blocks = nn.ModuleList(EncoderBlock(dim, 4, 4 * dim) for _ in range(recipe.layers))
    ways = {"written out": "mean", "kernel": None}
    found = {name: seconds_of_writing(blocks, SPOTS, dim, way) for name, way in ways.items()}
    return {
        name: {n: [round(each, 4) for each in both] for n, both in by_length.items()}
        for name, by_length in found.items()
    }


def measure_sink(recipe: SinkRecipe) -> dict:
    """Train a model; return how many per cent of its weight each head gives to the first word."""
    if recipe.model == "copier":
        model = copying.Copier(lambda: MultiHeadAttention(64, 1, positions=RotaryPositions(64)))
        copying.learn_to_copy(model, recipe.steps, sign=recipe.sign)
        shares = copying.shares_of_the_first(model, recipe.sign)[:, None]  # (blocks, 1)
    else:
        given, sign = texts(), SOS if recipe.sign else None
        training, unseen = (text[text != SOS] for text in given[:2])
        model = LanguageModel(given.vocabulary, RotaryPositions(HEAD_DIM))
        train(model, training, recipe.steps, sign=sign)
        shares = lengths.shares_of_the_first(model, unseen, sign)  # (blocks, heads)
    return {"first": [[round(100 * share, 1) for share in block] for block in shares.tolist()]}


def measure_recall(recipe: RecallRecipe) -> dict:
    """Train a model to recall pairs; return how many per cent it recalls."""
    model = recaller(MIXES[recipe.mix])
    return {"recalled": round(learn_to_recall(model, recipe.pairs, recipe.steps, recipe.peak), 1)}


def measure_copy(recipe: CopyRecipe) -> dict:
    """Train a model to copy; return its loss now and then, and what it finds, by distance."""
    kinds = {"rotary": RotaryPositions(32), "ALiBi": AlibiPositions()}
    model = copying.Copier(lambda: MultiHeadAttention(64, 2, positions=kinds[recipe.positions]))
    curve = copying.learn_to_copy(model, recipe.steps)  # (steps,)
    found = copying.found_by_distance(model, DISTANCES)
    return {
        "by step": [round(loss, 2) for loss in curve.unflatten(0, (-1, 100)).mean(1).tolist()],
        "found": {n: round(share, 1) for n, share in found.items()},
    }


@cache
def texts() -> Texts:
    """Return the texts of all runs."""
    return english()


def print_writing(runs: dict[str, list[dict]]) -> None:
    """Print words a second with a cache and without, and their ratio, by length: medians."""
    for name in (name for name in runs if name.startswith("cache")):
        for way in ("written out", "kernel"):
            print(f"\n{name}, {way}: words a second with it, without, and their ratio")
            for spot in map(str, SPOTS):
                kept, again = zip(*(run[way][spot] for run in runs[name]), strict=True)
                ratio = statistics.median(b / a for a, b in zip(kept, again, strict=True))
                speeds = (int(spot) / statistics.median(seconds) for seconds in (kept, again))
                print(f"{spot:>6}", *(f"{speed:8,.0f}" for speed in speeds), f"{ratio:6.1f}")


def print_sinks(runs: dict[str, list[dict]]) -> None:
    """Print the share of the first word, for each seed and head."""
    print("\nweight on the first word in %, by block (and head), of each seed")
    for name in (name for name in runs if name.startswith("sink")):
        print(f"{name:28}", *(run["first"] for run in runs[name]))


def print_trained_recall(runs: dict[str, list[dict]]) -> None:
    """Print how many pairs trained models recall, by mixer: mean ± deviation over seeds."""
    print("\nrecalled in % after training: mean ± deviation over seeds")
    print(f"{'pairs':16}", *(f"{count:>13}" for count in TRAINED_PAIRS))
    for mix in MIXES:
        found = (runs.get(f"recall {count} {mix}", []) for count in TRAINED_PAIRS)
        shares = ([run["recalled"] for run in each] for each in found)
        row = (mean_and_deviation(each) if each else "–" for each in shares)
        print(f"{mix:16}", *(f"{share:>13}" for share in row))


def print_copies(runs: dict[str, list[dict]]) -> None:
    """Print in how many per cent of texts a copier finds what it looks up, for each seed."""
    print("\nfound in % by distance in words, of each seed")
    for name in (name for name in runs if name.startswith("copy")):
        for run in runs[name]:
            print(f"{name:16}", *(f"{n}: {share:4.1f} " for n, share in run["found"].items()))


def print_lengths(runs: dict[str, list[dict]]) -> None:
    """Print perplexity by length for each kind of positions, mean ± deviation over seeds."""
    print(f"\nperplexity by words, trained on {LENGTHS[0]}: mean ± deviation over seeds")
    print(f"{'positions':16}", *(f"{length:>13}" for length in LENGTHS))
    for kind in filter(runs.get, KINDS):
        for what in ("perplexity", "linear", "ntk", *YARN):
            found = [run[what] for run in runs[kind] if what in run]
            if found:
                name = kind if what == "perplexity" else f"{kind}, {what}"
                shares = (mean_and_deviation([each[str(n)] for each in found]) for n in LENGTHS)
                print(f"{name:16}", *(f"{share:>13}" for share in shares))


def print_rates(runs: dict[str, list[dict]]) -> None:
    """Print perplexity at the trained length by learning rate, without QK-norm and with it."""
    print("\nperplexity of 48 words by peak learning rate: mean ± deviation over seeds")
    print(f"{'':16}", *(f"{rate:>13}" for rate in RATES))
    for kind in ("plain", "normed"):
        found = [runs.get(f"rate {rate}, {kind}", []) for rate in RATES]
        shares = ([run["perplexity"]["48"] for run in each] for each in found)
        row = (mean_and_deviation(each) if each else "–" for each in shares)
        print(f"{kind:16}", *(f"{share:>13}" for share in row))
