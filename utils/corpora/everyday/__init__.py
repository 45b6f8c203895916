"""Everyday English sentences with their French translation, from some 3,000 words.

    Where is my old cat? → où est mon vieux chat ?

A wider sister of the corpus in `grammar.py`, for translators that visitors talk to: the present
and the past, questions, commands, greetings, pronouns as subjects and objects, comparisons, clauses
in clauses, and ready-made patterns of everyday talk. It has no gold alignments, and nothing in the
notebooks is made from it. An English sentence has exactly one translation; "you" is one friend, the
French tu.

The words are in `words.toml`, which `words.py` reads. What leaves nothing to chance is in
`rules.py`; the rest draws, each from the one before: `phrases.py`, `predicates.py`, `patterns.py`,
`sentences.py`.
"""

from random import Random

from utils.corpora.everyday.sentences import Sentences
from utils.corpora.everyday.words import load_everyday
from utils.corpora.pairs import Corpus, Pair, draw_distinct, phrase_range, split

_LONGEST = (8, 3)  # words: so many, and so many more for each phrase


def everyday_corpus(
    pairs: int = 40_000, phrases: int | tuple[int, int] = (1, 8), seed: int = 0
) -> Corpus:
    """Generate a corpus of everyday sentences; no sentence of either language occurs twice.

    Args:
        pairs: the number of pairs; 5 % of them go to validation, 5 % to test.
        phrases: noun phrases and pronouns per sentence, as (fewest, most), few more
            often than many; or one number for all sentences.
        seed: the same seed gives the same corpus on every machine.

    Raises:
        ValueError: `pairs` is below 3, `phrases` is not a range of numbers from 1 up, or the
            grammar has too few sentences with so few phrases.
    """
    return split([[pair] for pair in everyday_pairs(pairs, phrases, seed)], seed)


def everyday_pairs(
    pairs: int, phrases: int | tuple[int, int] = (1, 8), seed: int = 0
) -> list[Pair]:
    """Generate distinct pairs in one list; arguments and errors as for `everyday_corpus`."""
    fewest, most = phrase_range(phrases)
    random = Random(seed)
    sentences = Sentences(random, load_everyday())

    def draw(_: int) -> Pair:
        return sentences.sentence(min(random.randint(fewest, most), random.randint(fewest, most)))

    def is_short(pair: Pair) -> bool:
        return len(pair.source) <= _LONGEST[0] + _LONGEST[1] * pair.phrases

    return draw_distinct(pairs, draw, is_short)
