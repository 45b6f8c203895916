"""Make or load parallel corpora, and put them into batches.

`translation_corpus` generates pairs with gold alignments; loaders read real text.

    corpus = translation_corpus(pairs=20_000, phrases=(1, 8), seed=0)
    source_vocabulary, target_vocabulary = corpus.vocabularies()
    batches = Batches(corpus.train, source_vocabulary, target_vocabulary)

Data from every source becomes a `Pair` of token sequences, so models, metrics and plots need not
know where it came from. Only generated pairs have gold alignments.
"""

from utils.corpora.batches import Batch, Batches, pad_ids
from utils.corpora.digits import load_digits
from utils.corpora.grammar import running_example, translation_corpus, translation_pairs
from utils.corpora.loading import load_multi30k, load_tsv
from utils.corpora.pairs import Corpus, LoadReport, Pair
from utils.corpora.prose import hold_out, read_text
from utils.corpora.text import detokenise, tokenise
from utils.corpora.vocabulary import EOS, PAD, SOS, SPECIALS, UNK, Vocabulary

__all__ = [
    "EOS",
    "PAD",
    "SOS",
    "SPECIALS",
    "UNK",
    "Batch",
    "Batches",
    "Corpus",
    "LoadReport",
    "Pair",
    "Vocabulary",
    "detokenise",
    "hold_out",
    "load_digits",
    "load_multi30k",
    "load_tsv",
    "pad_ids",
    "read_text",
    "running_example",
    "tokenise",
    "translation_corpus",
    "translation_pairs",
]
