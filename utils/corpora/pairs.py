"""Pairs and corpora: the same classes hold generated sentences and real text."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from random import Random

from utils.corpora.vocabulary import Vocabulary

HELD_OUT = 0.05  # share of the pairs for validation, and the same share for test
MOST_REJECTED = 5_000  # rejected sentences in a row before a grammar gives up

Link = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation.

    Attributes:
        source, target: the tokens.
        source_text, target_text: both sentences as a person would write them; real text as it was
            read, with its capitals.
        sure: gold alignment, the links (source index, target index) beyond dispute: one word
            renders another. No target token has two sure links, so a model that picks one source
            token for each target token can get all of them right. None if unknown, as in real text.
        possible: every link that is not wrong: the sure links, and those of a target token that
            renders several source tokens together, as in "in front of" → "devant". None if unknown.
            Source: Och and Ney 2003, section 2.
        phrases: the number of noun phrases in a generated sentence; None for all other pairs.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    source_text: str
    target_text: str
    sure: frozenset[Link] | None = None
    possible: frozenset[Link] | None = None
    phrases: int | None = None

    def __str__(self) -> str:
        return f"{self.source_text} → {self.target_text}"


@dataclass
class LoadReport:
    """A count of the lines of files: those that became pairs, and those left out, by reason.

    Attributes:
        kept: the number of pairs that were read.
        left_out: reason → places (file and line number) of the lines left out for it.
    """

    kept: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, reason: str, place: str) -> None:
        """Count the line at `place` as left out."""
        self.left_out.setdefault(reason, []).append(place)

    def __str__(self) -> str:
        kept = f"{self.kept:,} pairs read"
        if not self.left_out:
            return f"{kept}, no line left out"
        total = sum(len(places) for places in self.left_out.values())
        reasons = (
            f"{len(places):,} with {reason} (first: {places[0]})"
            for reason, places in self.left_out.items()
        )
        return f"{kept}, {total:,} left out: {', '.join(reasons)}"


@dataclass(frozen=True, repr=False)
class Corpus:
    """Pairs for training, validation and test.

    Attributes:
        train, validation, test: lists of `Pair`.
        report: count of the lines read and left out in loading; None for a generated corpus.
    """

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
    report: LoadReport | None = None

    def vocabularies(self, min_count: int = 1) -> tuple[Vocabulary, Vocabulary]:
        """Build source and target vocabularies of the training pairs by `Vocabulary.build`."""
        return (
            Vocabulary.build((pair.source for pair in self.train), min_count),
            Vocabulary.build((pair.target for pair in self.train), min_count),
        )

    def __repr__(self) -> str:
        train, validation, test = map(len, (self.train, self.validation, self.test))
        return f"Corpus of {train:,} training, {validation:,} validation and {test:,} test pairs"


def split(groups: list[list[Pair]], seed: int, **fields) -> Corpus:
    """Split groups of pairs into training, validation and test; a group is never divided.

    Validation and test get the share `HELD_OUT` of the pairs each, or slightly less if the groups
    require it.

    Args:
        groups: lists of pairs; pairs that have a sentence in common belong in one group.
        seed: decides which groups go to which set.
        fields: the other fields of `Corpus`.

    Raises:
        ValueError: the groups are too few or too large to give each set a group.
    """
    groups = Random(seed).sample(groups, len(groups))  # a shuffled copy of the caller's list
    room = max(1, round(HELD_OUT * sum(map(len, groups))))
    train, validation, test = [], [], []
    for group in groups:
        fitting = (part for part in (test, validation) if len(part) + len(group) <= room)
        next(fitting, train).extend(group)
    if not (train and validation and test):
        raise ValueError(
            "too few pairs: training, validation and test must not share a sentence, so each needs "
            "at least one pair that has none in common with the others"
        )
    return Corpus(train, validation, test, **fields)


def phrase_range(phrases: int | tuple[int, int]) -> tuple[int, int]:
    """Return the fewest and the most phrases, or raise a `ValueError` if they are not a range."""
    bounds = phrases if isinstance(phrases, tuple) else (phrases, phrases)
    whole = len(bounds) == 2 and all(isinstance(bound, int) for bound in bounds)
    if not whole or not 1 <= bounds[0] <= bounds[1]:
        raise ValueError(
            f"phrases must be a whole number from 1 up, or (fewest, most) of them, got {phrases!r}"
        )
    return bounds


def draw_distinct(
    pairs: int,
    draw: Callable[[int], Pair],
    wanted: Callable[[Pair], bool],
    taken: Collection[tuple[str, ...]] = (),
) -> list[Pair]:
    """Draw pairs of a grammar, no two of which have a sentence in common.

    Args:
        pairs: how many.
        draw: function that draws a pair; it is given the number of those that have been kept.
        wanted: function that tells whether to keep a pair.
        taken: sentences of either language that no pair may have.

    Raises:
        ValueError: `pairs` is below 1, or the grammar has too few sentences.
    """
    if pairs < 1:
        raise ValueError(f"pairs must be 1 or more, got {pairs}")
    taken, generated, rejected = {*taken}, [], 0
    while len(generated) < pairs:
        pair = draw(len(generated))
        if pair.source in taken or pair.target in taken or not wanted(pair):
            rejected += 1
            if rejected == MOST_REJECTED:
                raise ValueError(
                    f"the grammar has too few sentences of phrases={pair.phrases} for "
                    f"pairs={pairs:,}: ask for fewer pairs or more phrases"
                )
            continue
        rejected = 0
        taken |= {pair.source, pair.target}
        generated.append(pair)
    return generated
