"""Train all translators and store them: `python -m utils.translators`; or those that are named.

Data, order and settings are those of notebook 06, but training takes three times as many steps,
since people try these translators with any sentence they like. The everyday ones learn from a wider
corpus, from sentences of up to 6 phrases; at the end they practise what visitors type first,
which is in `first.txt`.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import torch

from utils.corpora import Batches, Corpus, Pair, translation_corpus
from utils.corpora.everyday import everyday_corpus
from utils.corpora.everyday.words import load_everyday
from utils.corpora.lexicon import load_lexicon
from utils.metrics import exact_match
from utils.model_helpers import set_seed
from utils.seq2seq import Seq2Seq
from utils.training import Trainer
from utils.translators import EVERYDAY, STORED, build, file_of, fill, packed, store_translator

DATA = {"pairs": 10_000, "phrases": (1, 4), "seed": 0}  # for translation_corpus
TRAINING = {"steps": 1200, "batch_size": 32, "learning_rate": 0.015, "seed": 0}
EVERYDAY_DATA = {"pairs": 80_000, "phrases": (1, 6), "seed": 0}  # for everyday_corpus
EVERYDAY_TRAINING = TRAINING | {
    "steps": 11_000,
    "batch_size": 64,
    "learning_rate": 0.012,
    "label_smoothing": 0.05,
}
FIRST = Path(__file__).with_name("first.txt")
OFTEN = 100  # how often each of them comes, among the pairs of the corpus
FIRST_TRAINING = {"steps": 700, "learning_rate": 0.001}  # otherwise as above


def main() -> None:
    """Train and store the translators that are named on the command line, or all."""
    torch.set_num_threads(1)  # more threads gain little here, and may change the last digits
    for name in sys.argv[1:] or STORED:
        share = make(name, corpus_of(name))
        size = file_of(name).stat().st_size / 1e6
        print(f"{name}: exact match on the test sentences {share:.3f}, {size:.2f} MB")


def recipe(name: str) -> tuple[dict, dict]:
    """Return data and settings of a translator's training."""
    return (EVERYDAY_DATA, EVERYDAY_TRAINING) if name in EVERYDAY else (DATA, TRAINING)


@cache
def corpus_of(name: str) -> Corpus:
    """Return the corpus that a translator learns from."""
    generate = everyday_corpus if name in EVERYDAY else translation_corpus
    return generate(**recipe(name)[0])


def make(name: str, corpus: Corpus) -> float:
    """Train and store a translator; return its exact match with the stored, rounded weights."""
    model = train(name, corpus)
    fill(model, packed(name, model))
    share = test_match(model, corpus)
    data, training = recipe(name)
    store_translator(name, model, data=data, training=training, exact_match=share)
    return share


def train(name: str, corpus: Corpus) -> Seq2Seq:
    """Return a trained translator."""
    _, training = recipe(name)
    set_seed(training["seed"])
    model = build(name, *corpus.vocabularies())
    learn(model, name, corpus.train, training)
    if name in EVERYDAY:
        practise(model, name, corpus)
    return model


def practise(model: Seq2Seq, name: str, corpus: Corpus) -> None:
    """Train an everyday translator on what visitors type first, among pairs of its corpus."""
    lines = [line.lower().split(" | ") for line in FIRST.read_text(encoding="utf-8").splitlines()]
    first = [Pair(one.split(), other.split(), one, other) for one, other in lines]
    pairs = [*OFTEN * first, *corpus.train]
    learn(model, name, pairs, EVERYDAY_TRAINING | FIRST_TRAINING)


def learn(model: Seq2Seq, name: str, pairs: Sequence[Pair], training: dict) -> None:
    """Train a translator on pairs; every second one has `<unk>` in place of names."""
    lexicon = load_everyday().names if name in EVERYDAY else [n.one for n in load_lexicon().names]
    names = frozenset(lexicon)
    pairs = [hide_names(pair, names) if n % 2 else pair for n, pair in enumerate(pairs)]
    vocabularies = model.source_vocabulary, model.target_vocabulary
    batches = Batches(pairs, *vocabularies, training["batch_size"])
    settings = {key: value for key, value in training.items() if key not in ("batch_size", "seed")}
    Trainer(model, batches, **settings).fit()


def hide_names(pair: Pair, names: frozenset[str]) -> Pair:
    """Return a pair with `<unk>` in place of names, so that a model learns to copy `<unk>`."""
    sides = pair.source, pair.target
    source, target = (tuple("<unk>" if w in names else w for w in words) for words in sides)
    return replace(pair, source=source, target=target)


def test_match(model: Seq2Seq, corpus: Corpus) -> float:
    """Return a model's exact match: the share of test sentences with every word right."""
    translations = model.translate_all([pair.source for pair in corpus.test])
    words = [translation.words for translation in translations]
    return exact_match(words, [pair.target for pair in corpus.test])


if __name__ == "__main__":
    main()
