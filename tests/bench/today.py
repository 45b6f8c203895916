"""Measure what notebooks 09 and 10 tell: the cost of looking back, recall, length, QK-norm.

The first four tables take half a minute. The last two come from 42 small language models, eight
seconds of one thread each, whose results are kept in notebooks/results.
"""

from dataclasses import dataclass
from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import nn

from tests.bench.measure import seconds_side_by_side
from tests.bench.translation import mean_and_deviation, run_jobs
from utils.attention import MultiHeadAttention
from utils.experiments.caching import speed_ups
from utils.experiments.lengths import LanguageModel, Texts, english, perplexity, train
from utils.experiments.recall import add_pair, correct_pair, recalled
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
SPOTS = [64, 256, 1_024]  # words
PAIRS = [4, 16, 32, 64, 128]
LENGTHS = [48, 96, 192, 384]  # words
RATES = [0.005, 0.05, 0.1, 0.2, 0.5]
HEAD_DIM = 16
KINDS = {
    "sinusoids": partial(SinusoidalPositions, 64),
    "rotary": partial(RotaryPositions, HEAD_DIM),
    "ALiBi": AlibiPositions,
    "none": Positions,
}


@dataclass(frozen=True)
class LengthRecipe:
    """The settings of a small language model: its positions, QK-norm, and its training."""

    positions: str
    normed: bool = False
    peak: float = 5e-3
    steps: int = 250


RECIPES = {kind: LengthRecipe(kind) for kind in KINDS}
for rate in RATES:
    for normed in (False, True):
        name = f"rate {rate}, {'normed' if normed else 'plain'}"
        RECIPES[name] = LengthRecipe("rotary", normed, rate)


def today(wanted: str = "") -> None:
    """Measure the cache, its bytes by kind, recall by pairs, length, and QK-norm by rate."""
    torch.set_num_threads(1)
    set_seed(0)
    print_speed_ups()
    print_sharing()
    print_bytes()
    print_recall()
    runs = run_jobs("today", measure, RECIPES, SEEDS, wanted)
    print_lengths(runs)
    print_rates(runs)


def print_speed_ups() -> None:
    """Print how many times as fast a text is written with a cache, by its length."""
    print("\nspeed-up of a cache by words, attention written out | PyTorch's kernel")
    print(f"{'blocks, width':14}", *(f"{spot:>15,}" for spot in SPOTS))
    for layers, dim in ((2, 48), (4, 128)):
        blocks = nn.ModuleList(EncoderBlock(dim, 4, 4 * dim) for _ in range(layers))
        ours, theirs = (speed_ups(blocks, SPOTS, dim, kind) for kind in ("mean", None))
        row = (f"{ours[spot]:6.1f} | {theirs[spot]:6.1f}" for spot in SPOTS)
        print(f"{layers} of {dim:<9}", *row)


def print_sharing() -> None:
    """Print the time of a decoding step over 4,096 words, with fewer and fewer heads of keys."""
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
        print(f"{kv_heads} heads with keys, {numbers:9,} numbers kept: {times}")


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


def measure(recipe: LengthRecipe, seed: int, device: str) -> dict:
    """Train a model on one thread; return its perplexities, by length as text.

    Of the recipe "rotary", also those with clocks slowed down for each length, by way of scaling.
    """
    torch.set_num_threads(1)
    set_seed(seed)
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
    return found


@cache
def texts() -> Texts:
    """Return the texts of all runs."""
    return english()


def print_lengths(runs: dict[str, list[dict]]) -> None:
    """Print perplexity by length for each kind of positions, mean ± deviation over seeds."""
    print(f"\nperplexity by words, trained on {LENGTHS[0]}: mean ± deviation over seeds")
    print(f"{'positions':16}", *(f"{length:>13}" for length in LENGTHS))
    for kind in filter(runs.get, KINDS):
        for what in ("perplexity", "linear", "ntk"):
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
