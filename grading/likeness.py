"""Submissions that are nearly the same, for a person to look at. It never touches a grade.

Right answers to a small task look alike by themselves. So what counts is what two share and hardly
anybody else has: runs of five pieces of code, or of five words, that are rare in the class.
Comments count, since they are where chance ends. Names count too.
"""

import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from grading import reading
from grading.marking import Result

RUN = 5
RARE = 0.1  # of the class
FEWEST_LEARNERS = 4  # a run that as many have is rare in any class
ENOUGH = 20  # rare runs: less may be chance
ALIKE = 0.6  # of the rare runs of the one that has fewer


@dataclass(frozen=True)
class Pair:
    """Two files that are alike.

    Args:
        first, second: the results.
        share: of the rare runs of the one that has fewer, those that the other has too.
        runs: how many that are.
    """

    first: Result
    second: Result
    share: float
    runs: int


def alike(results: Sequence[Result]) -> list[Pair]:
    """Pairs of files of different learners that share much that is rare, the most alike first."""
    found = []
    for notebook in sorted({one.notebook for one in results if one.notebook}):
        found += _alike([one for one in results if one.notebook == notebook], notebook)
    return sorted(found, key=lambda pair: (-pair.share, -pair.runs, pair.first.file))


def _alike(results: Sequence[Result], notebook: str) -> Iterator[Pair]:
    given = {run for stub in reading.stubs(notebook).values() for run in _fives(_pieces(stub))}
    own = [_runs(result) - given for result in results]
    owners = Counter(run for runs in own for run in runs)
    most = max(FEWEST_LEARNERS, RARE * len(results))
    rare = [{run for run in runs if owners[run] <= most} for runs in own]
    having = defaultdict(list)
    for place, runs in enumerate(rare):
        for run in runs:
            having[run].append(place)
    shared = Counter(pair for places in having.values() for pair in combinations(places, 2))
    for (first, second), count in shared.items():
        fewer = min(len(rare[first]), len(rare[second]))
        same_person = results[first].learner == results[second].learner
        if count >= ENOUGH and count >= ALIKE * fewer and not same_person:
            yield Pair(results[first], results[second], count / fewer, count)


def _runs(result: Result) -> set[tuple[str, ...]]:
    """The runs of a submission's code and words."""
    found = {run for source in result.code.values() for run in _fives(_pieces(source))}
    for text in result.words.values():
        found |= _fives(re.findall(r"\w+", text.lower()))
    return found


def _fives(pieces: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(pieces[start:] for start in range(RUN)), strict=False))


def _pieces(source: str) -> list[str]:
    """The tokens of a piece of code, layout aside."""
    layout = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):  # the last: half a letter
        return source.split()
    return [token.string for token in tokens if token.type not in layout]
