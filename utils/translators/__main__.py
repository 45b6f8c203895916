"""Train the translators of notebook 06 and store them: `python -m utils.translators`.

Data, their order and the settings are those of the notebook, but training takes three times as many
steps, since people try these translators with any sentence they like.
"""

from dataclasses import replace

import torch

from utils.corpora import Batches, Corpus, Pair, translation_corpus
from utils.corpora.lexicon import load_lexicon
from utils.metrics import exact_match
from utils.model_helpers import set_seed
from utils.seq2seq import Seq2Seq
from utils.training import Trainer
from utils.translators import DECODERS, build, file_of, store_translator

DATA = {"pairs": 10_000, "phrases": (1, 4), "seed": 0}  # for translation_corpus
TRAINING = {"steps": 1200, "batch_size": 32, "learning_rate": 0.015, "seed": 0}


def main() -> None:
    """Train and store all translators."""
    torch.set_num_threads(1)  # more threads gain little here, and may change the last digits
    corpus = translation_corpus(**DATA)
    for name in DECODERS:
        share = make(name, corpus)
        size = file_of(name).stat().st_size / 1e6
        print(f"{name}: exact match on the test sentences {share:.3f}, {size:.2f} MB")


def make(name: str, corpus: Corpus) -> float:
    """Train and store a translator; return its exact match with the stored, rounded weights."""
    model = train(name, corpus)
    for parameter in model.parameters():
        parameter.data = parameter.data.half().float()
    share = test_match(model, corpus)
    store_translator(name, model, data=DATA, training=TRAINING, exact_match=share)
    return share


def train(name: str, corpus: Corpus) -> Seq2Seq:
    """Return a trained translator; every second training pair has `<unk>` in place of names."""
    set_seed(TRAINING["seed"])
    model = build(name, *corpus.vocabularies())
    pairs = [hide_names(pair) if n % 2 else pair for n, pair in enumerate(corpus.train)]
    vocabularies = model.source_vocabulary, model.target_vocabulary
    batches = Batches(pairs, *vocabularies, TRAINING["batch_size"])
    settings = {"steps": TRAINING["steps"], "learning_rate": TRAINING["learning_rate"]}
    Trainer(model, batches, **settings).fit()
    return model


def hide_names(pair: Pair) -> Pair:
    """Return a pair with `<unk>` in place of names, so that a model learns to copy `<unk>`."""
    names = {name.one for name in load_lexicon().names}
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
