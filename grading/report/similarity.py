"""Submissions that are nearly the same, for a person to look at. It never affects a grade.

Correct answers to a small task look alike anyway. So what counts is what two submissions share and
hardly any other has: runs of five tokens of code, or of five words, that are rare in the class.
Names of variables count, and so do comments, which do not agree by chance.
"""

import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from grading.intake import notebook_parser
from grading.intake.red_flags import runs_in
from grading.run.scoring import Result

RARE = 0.1  # the largest share of the class that has a rare run
FEWEST_LEARNERS = 4  # a run that no more than these have is rare in any class
ENOUGH = 20  # rare runs to share: fewer may be chance
ALIKE = 0.6  # the share of the rare runs, of the submission with fewer


@dataclass(frozen=True)
class Pair:
    """Two files that are alike.

    Args:
        first, second: the results.
        share: of the rare runs of the one with fewer, how large a share the other has too.
        runs: how many they share.
    """

    first: Result
    second: Result
    share: float
    runs: int


def alike(results: Sequence[Result]) -> list[Pair]:
    """Pairs of files by different learners that share many rare runs, the most alike first."""
    found = []
    for notebook in sorted({result.notebook for result in results if result.notebook}):
        found += _alike([result for result in results if result.notebook == notebook], notebook)
    return sorted(found, key=lambda pair: (-pair.share, -pair.runs, pair.first.file))


def _alike(results: Sequence[Result], notebook: str) -> Iterator[Pair]:
    given = {
        run for stub in notebook_parser.stubs(notebook).values() for run in runs_in(_tokens(stub))
    }
    own = [_runs_of(result) - given for result in results]
    owners = Counter(run for runs in own for run in runs)
    limit = max(FEWEST_LEARNERS, RARE * len(results))
    rare = [{run for run in runs if owners[run] <= limit} for runs in own]
    sharers = defaultdict(list)
    for place, runs in enumerate(rare):
        for run in runs:
            sharers[run].append(place)
    shared = Counter(pair for places in sharers.values() for pair in combinations(places, 2))
    for (first, second), count in shared.items():
        fewer = min(len(rare[first]), len(rare[second]))
        same_person = results[first].learner == results[second].learner
        if count >= ENOUGH and count >= ALIKE * fewer and not same_person:
            yield Pair(results[first], results[second], count / fewer, count)


def _runs_of(result: Result) -> set[tuple[str, ...]]:
    """The runs of a submission's code and words."""
    found = {run for source in result.code.values() for run in runs_in(_tokens(source))}
    for text in result.words.values():
        found |= runs_in(re.findall(r"\w+", text.lower()))
    return found


def _tokens(source: str) -> list[str]:
    """The tokens of a piece of code, without layout."""
    layout = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):  # the last: half a character
        return source.split()
    return [token.string for token in tokens if token.type not in layout]
