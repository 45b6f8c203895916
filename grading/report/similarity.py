"""Find submissions that are nearly the same, for a person to look at. No grade depends on it.

Correct answers to a small task look alike anyway. So what counts is what two submissions share and
hardly any other has: runs of five tokens of code, or of five words, that are rare in the class.
Names of variables count, and so do comments, which do not agree by chance.
"""

import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from grading.intake import notebook_parser
from grading.intake.red_flags import ngrams
from grading.run.scoring import Result

RARE = 0.1  # the largest share of the class that has a rare n-gram
FEWEST_LEARNERS = 4  # an n-gram that no more than these have is rare in any class
ENOUGH = 20  # rare n-grams to share: fewer may be chance
SIMILAR = 0.6  # the share of the rare n-grams, of the submission with fewer
LAYOUT = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class Pair(NamedTuple):
    """Two files that are similar."""

    first: Result
    second: Result
    share: float  # of the rare n-grams of the one with fewer: how many of them the other has too
    ngrams: int  # rare ones that they share


def similar_pairs(results: Sequence[Result]) -> list[Pair]:
    """Return pairs of files by different learners, the most similar first."""
    pairs = []
    for notebook in sorted({result.notebook for result in results if result.notebook}):
        pairs += _pairs([result for result in results if result.notebook == notebook], notebook)
    return sorted(pairs, key=lambda pair: (-pair.share, -pair.ngrams, pair.first.file))


def _pairs(results: Sequence[Result], notebook: str) -> Iterator[Pair]:
    given = set().union(*map(_ngrams_of_code, notebook_parser.stubs(notebook).values()))
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
        same_person = results[first].learner == results[second].learner
        if count >= ENOUGH and count >= SIMILAR * fewer and not same_person:
            yield Pair(results[first], results[second], count / fewer, count)


def _ngrams_of(result: Result) -> set[tuple[str, ...]]:
    """Return the n-grams of a submission's code and words."""
    words = (ngrams(re.findall(r"\w+", text.lower())) for text in result.words.values())
    return set().union(*map(_ngrams_of_code, result.code.values()), *words)


def _ngrams_of_code(source: str) -> set[tuple[str, ...]]:
    """Return the n-grams of the tokens of a piece of code, without layout."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):  # the last: half a character
        return ngrams(source.split())
    return ngrams([token.string for token in tokens if token.type not in LAYOUT])
