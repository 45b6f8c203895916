"""Measure how fast models train and decode on the CPU, compared with a typical tutorial's code."""

import operator
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.bench import capstone
from tests.bench.measure import seconds_side_by_side
from tests.bench.multi30k import FIVE_MINUTES, RECIPES, corpus
from utils.corpora import PAD, Batch, Batches, Pair, Vocabulary
from utils.model_helpers import count_parameters
from utils.seq2seq import Seq2Seq

ROUNDS = 5
BATCH = 128  # pairs
DECODED = 128  # sentences
LEARNED = 300  # steps; with fewer, some sentences do not end, and their batch has to wait for them
PACED = {"capstone": 1500, "multi30k": 100}  # largest number of steps


class PlainModel(nn.Module):
    """A translator with additive attention, written as in many tutorials, for comparison.

    Its default sizes are those of the third notebook of pytorch-seq2seq. It is slow since every
    step projects all keys again, joined to copies of the state, and maps state, context and word,
    1,792 numbers, to the vocabulary.
    """

    def __init__(self, source_words: int, target_words: int, embedding: int = 256, dim: int = 512):
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, embedding)
        self.encoder = nn.GRU(embedding, dim, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(2 * dim, dim)
        self.score = nn.Sequential(
            nn.Linear(3 * dim, dim), nn.Tanh(), nn.Linear(dim, 1, bias=False)
        )
        self.target_embedding = nn.Embedding(target_words, embedding)
        self.decoder = nn.GRUCell(embedding + 2 * dim, dim)
        self.output = nn.Linear(dim + 2 * dim + embedding, target_words)

    def losses(self, batch: Batch) -> Tensor:
        """Return the cross-entropy of each target word (batch · tgt_len,), 0 for padding."""
        states, last = self.encoder(self.source_embedding(batch.source))  # (batch, src_len, 2 dim)
        state = self.bridge(torch.cat([*last], dim=-1)).tanh()  # (batch, dim)
        logits = torch.zeros(*batch.labels.shape, self.output.out_features)
        for step, words in enumerate(batch.decoder_input.T):
            embedded = self.target_embedding(words)  # (batch, embedding)
            context = self.attend(state, states, batch.source_mask)  # (batch, 2 dim)
            state = self.decoder(torch.cat([embedded, context], dim=-1), state)
            logits[:, step] = self.output(torch.cat([state, context, embedded], dim=-1))
        return F.cross_entropy(
            logits.flatten(0, 1), batch.labels.flatten(), ignore_index=PAD, reduction="none"
        )

    def attend(self, state: Tensor, states: Tensor, mask: Tensor) -> Tensor:
        """Return the context (batch, 2 dim) of one step, given the encoder's states."""
        repeated = state.unsqueeze(1).expand(-1, states.shape[1], -1)  # (batch, src_len, dim)
        scores = self.score(torch.cat([repeated, states], dim=-1)).squeeze(-1)  # (batch, src_len)
        weights = scores.masked_fill(~mask.squeeze(1), -1e10).softmax(-1)
        return (weights.unsqueeze(1) @ states).squeeze(1)


def throughput() -> None:
    """Compare our training speed with that of `PlainModel`, and two ways to decode.

    Sentences are decoded in one batch, and one by one.
    """
    texts = corpus("de", "en")
    vocabularies = texts.vocabularies(min_count=FIVE_MINUTES.min_count)
    loop = replace(FIVE_MINUTES, mechanism="additive", decoder="bahdanau")
    plain = PlainModel(*map(len, vocabularies))
    bucketed = list(islice(Batches(texts.train, *vocabularies, BATCH).shuffled(0), ROUNDS + 1))
    mixed = list(islice(mixed_batches(texts.train, vocabularies), ROUNDS + 1))
    contestants = {
        "plain": (plain, mixed),
        "plain, our batches": (plain, bucketed),
        "luong": (FIVE_MINUTES.model(*vocabularies), bucketed),
        "bahdanau": (loop.model(*vocabularies), bucketed),
    }
    train_in_turn(contestants)
    for name, recipe, pairs in (
        ("captions", FIVE_MINUTES, texts),
        ("capstone", capstone.RECIPES["dot"], capstone.corpus()),
    ):
        learner, _ = replace(recipe, steps=LEARNED).train(pairs, 0, "cpu", validate=False)
        decode(name, learner, [pair.source for pair in pairs.test[:DECODED]])


def mixed_batches(
    pairs: list[Pair], vocabularies: tuple[Vocabulary, Vocabulary]
) -> Iterator[Batch]:
    """Yield random batches of mixed lengths, as the tutorial's shuffled `DataLoader` does."""
    random = Random(0)
    while True:
        yield next(iter(Batches(random.sample(pairs, BATCH), *vocabularies, BATCH)))


def train_in_turn(contestants: dict[str, tuple[nn.Module, list[Batch]]]) -> None:
    """Train all models in turn, one step each a round, and print target tokens per second.

    The figures are medians over the rounds; a first round for warming up does not count.

    Args:
        contestants: name → a model, and its batches, one for each round.
    """
    optimizers = {
        name: torch.optim.Adam(model.parameters(), fused=True)
        for name, (model, _) in contestants.items()
    }
    speeds = {name: [] for name in contestants}  # target tokens per second, padding not counted
    for turn in range(ROUNDS + 1):
        for name, (model, batches) in contestants.items():
            start = time.perf_counter()
            take_step(model, optimizers[name], batches[turn])
            seconds = time.perf_counter() - start
            if turn > 0:
                speeds[name].append(int((batches[turn].labels != PAD).sum()) / seconds)
    print(f"\nTraining, batches of {BATCH}, {torch.get_num_threads()} threads")
    print(f"{'':20}{'parameters':>12}{'tokens/s':>10}{'ratio':>8}{'our batches':>13}")
    for name, (model, _) in contestants.items():
        rate = statistics.median(speeds[name])
        ratios = [
            statistics.median(map(operator.truediv, speeds[name], speeds[plain]))
            for plain in ("plain", "plain, our batches")
        ]
        parameters = count_parameters(model)["total"]
        print(f"{name:20}{parameters:12,}{rate:10,.0f}{ratios[0]:8.1f}{ratios[1]:13.1f}")


def take_step(model: nn.Module, optimizer: torch.optim.Optimizer, batch: Batch) -> None:
    """Take one step of gradient descent."""
    optimizer.zero_grad()
    model.losses(batch).mean().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def decode(name: str, model: Seq2Seq, sources: list[tuple[str, ...]]) -> None:
    """Time translating all sentences one by one and in one batch; print both times.

    Args:
        name: what the sentences are, for the heading.
        model: a trained model.
        sources: the sentences, as tuples of words.
    """
    words = statistics.fmean(len(each.words) for each in model.translate_all(sources))
    print(f"\nDecoding {len(sources)} sentences of {name}, {words:.1f} words each")
    print(f"{'search':12}{'one by one':>12}{'batch':>12}{'ratio':>8}")
    for search, beam_size in (("greedy", 1), ("beam 5", 5)):
        one_by_one, together, ratio = seconds_side_by_side(
            lambda size=beam_size: [model.translate(source, size) for source in sources],
            lambda size=beam_size: model.translate_all(sources, size),
        )
        print(f"{search:12}{one_by_one:10.2f} s{together:10.2f} s{ratio:8.1f}")


def pace() -> None:
    """Print how long each recipe's training takes on two threads of this CPU.

    Only the first steps are run, and the time of all is extrapolated. Let nothing else run
    meanwhile.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    print(f"\n{'recipe':18}{'steps':>7}{'timed':>7}{'ms a step':>11}{'seconds':>9}")
    for benchmark, model, texts in [
        *(("capstone", model, capstone.corpus()) for model in capstone.RECIPES),
        *(("multi30k", model, corpus("de", "en")) for model in RECIPES if model != "en-fr"),
    ]:
        recipe = (capstone.RECIPES if benchmark == "capstone" else RECIPES)[model]
        timed = min(recipe.steps, PACED[benchmark])
        _, seconds = replace(recipe, steps=timed).train(texts, 0, "cpu", validate=False)
        name, milliseconds = f"{benchmark} {model}", 1000 * seconds / timed
        whole = recipe.steps * milliseconds / 1000
        print(f"{name:18}{recipe.steps:7,}{timed:7,}{milliseconds:11.1f}{whole:9.0f}")
    torch.set_num_threads(threads)
