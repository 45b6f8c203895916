"""Find pairs of submissions that are nearly the same, for a person to look at. No grade changes.

Correct answers to a small task look alike anyway. So the only n-grams that count are those that two
submissions share and hardly any other has: runs of five tokens of code, or of five words. Names of
variables and comments are part of them, because these do not agree by chance.
"""

import heapq
import io
import re
import tokenize
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from grading.intake.red_flags import ngrams
from grading.names import Names
from grading.report.tables import Learner
from grading.run.scoring import Result
from utils import notebook_file

RARE = 0.1  # the largest share of the class that may have a rare n-gram
FEWEST_LEARNERS = 4  # an n-gram of no more learners is rare in any class
ENOUGH = 20  # rare n-grams that a pair must share: fewer may be chance
MOST = 10_000  # n-grams of a submission that are compared; honest ones have some thousands
SIMILAR = 0.6  # share of rare n-grams that the submission with fewer must have in common
LONGEST = 50_000  # letters of a cell that are compared
MOST_KEPT = 50  # cells whose n-grams are kept: stubs, and answers that many write alike
LAYOUT = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class Pair(NamedTuple):
    """Two files that are similar."""

    first: Result
    second: Result
    share: float  # share of rare n-grams in common, for the file that has fewer of them
    ngrams: int  # number of rare n-grams that both have


def after_grading(class_: Sequence[Learner], names: Names) -> dict[str, list[Pair]]:
    """Return the pairs for the overview."""
    results = [result for learner in class_ for result in learner.results.values()]
    return {"pairs": similar_pairs(results)}


def similar_pairs(results: Sequence[Result]) -> list[Pair]:
    """Return the pairs of similar files by different learners, the most similar pair first."""
    pairs = []
    for notebook in sorted({result.notebook for result in results if result.notebook}):
        pairs += _pairs([result for result in results if result.notebook == notebook], notebook)
    return sorted(pairs, key=lambda pair: (-pair.share, -pair.ngrams, pair.first.file))


def _pairs(results: Sequence[Result], notebook: str) -> Iterator[Pair]:
    given = set().union(*map(_ngrams_of_code, notebook_file.stubs(notebook).values()))
    own = [_ngrams_of(result) - given for result in results]
    owners = Counter(ngram for ngrams in own for ngram in ngrams)
    limit = max(FEWEST_LEARNERS, RARE * len(results))
    rare = [{ngram for ngram in ngrams if owners[ngram] <= limit} for ngrams in own]
    sharers = defaultdict(list)
    for place, rare_ngrams in enumerate(rare):
        for ngram in rare_ngrams:
            sharers[ngram].append(place)
    shared = Counter(pair for places in sharers.values() for pair in combinations(places, 2))
    for (first, second), count in shared.items():
        fewer = min(len(rare[first]), len(rare[second]))
        one, other = ((it.learner, it.id) for it in (results[first], results[second]))
        if count >= ENOUGH and count >= SIMILAR * fewer and one != other:
            yield Pair(results[first], results[second], count / fewer, count)


def _ngrams_of(result: Result) -> set[tuple[str, ...]]:
    """Return the n-grams of a submission's code and of its answers in words, `MOST` at most."""
    found: set[tuple[str, ...]] = set()
    for text in result.words.values():
        found |= ngrams(re.findall(r"\w+", text.lower()))
    for source in dict.fromkeys(result.code.values()):  # a cell may hold several tasks
        if len(source) <= LONGEST:
            found |= _ngrams_of_code(source)
    return set(heapq.nsmallest(MOST, found, key=_number)) if len(found) > MOST else found


def _number(ngram: tuple[str, ...]) -> int:
    """Return a number that looks drawn: of too many n-grams, all files keep the same ones."""
    return zlib.crc32(" ".join(ngram).encode(errors="replace"))


@lru_cache(MOST_KEPT)
def _ngrams_of_code(source: str) -> frozenset[tuple[str, ...]]:
    """Return the n-grams of the tokens in a piece of code, without layout."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):  # ValueError: half a character
        return frozenset(ngrams(source.split()))
    return frozenset(ngrams([token.string for token in tokens if token.type not in LAYOUT]))
