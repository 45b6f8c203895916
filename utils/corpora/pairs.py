"""What a corpus is made of, the same for generated sentences, dates and real text."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

from utils.corpora.text import detokenise, tokenise
from utils.corpora.vocabulary import Vocabulary

HELD_OUT = 0.05  # share of the pairs that validation and test get, each

Link = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation.

    Attributes:
        source, target: the tokens.
        source_text, target_text: the same as a person would write it; real text as it was read,
            with its capitals.
        sure: gold alignment, the links (source index, target index) that no one would dispute: a
            word that renders a single other word. No target token has two of them, so that a model
            that picks one source token for each target token can be right throughout. None where
            nobody knows: real text.
        possible: every link that is not wrong. These are the sure ones, and those of a target token
            that renders several source tokens together: "in front of" → "devant".
            Source: Och and Ney 2003, section 2.
        phrases: the number of noun phrases of a generated sentence.
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
    """What became of the lines of a file.

    Attributes:
        kept: the number of pairs that were read.
        left_out: for each reason, the places of the lines that were left out because of it.
    """

    kept: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, reason: str, place: str) -> None:
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
    """Pairs to learn from, to choose by, and to be judged by.

    Attributes:
        train, validation, test: lists of `Pair`.
        report: what was left out on loading; None for what is generated.
        tokenise, detokenise: from a text to tokens of this corpus, words or characters, and back.
    """

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
    report: LoadReport | None = None
    tokenise: Callable[[str], tuple[str, ...]] = tokenise
    detokenise: Callable[[Iterable[str]], str] = detokenise

    def vocabularies(
        self, min_count: int = 1, max_size: int | None = None
    ) -> tuple[Vocabulary, Vocabulary]:
        """The vocabularies of source and target; only the training pairs are looked at.

        Args and errors are those of `Vocabulary.build`.
        """
        return (
            Vocabulary.build((pair.source for pair in self.train), min_count, max_size),
            Vocabulary.build((pair.target for pair in self.train), min_count, max_size),
        )

    def __repr__(self) -> str:
        train, validation, test = map(len, (self.train, self.validation, self.test))
        return f"Corpus of {train:,} training, {validation:,} validation and {test:,} test pairs"


def split(groups: list[list[Pair]], seed: int, **fields) -> Corpus:
    """Deal groups of pairs out to training, validation and test; a group is never divided.

    Validation and test get `HELD_OUT` of the pairs each, or as near below as the groups allow.

    Args:
        groups: pairs that have a sentence in common belong in one group.
        seed: decides which go where.
        fields: the other fields of `Corpus`.

    Raises:
        ValueError: there are too few groups, or too large ones, to give each set one.
    """
    groups = Random(seed).sample(groups, len(groups))  # shuffled, and the caller's list is not
    room = max(1, round(HELD_OUT * sum(map(len, groups))))
    train, validation, test = [], [], []
    for group in groups:
        fitting = (part for part in (test, validation) if len(part) + len(group) <= room)
        next(fitting, train).extend(group)
    if not (train and validation and test):
        raise ValueError(
            "too few pairs: training, validation and test share no sentence, so that each needs "
            "at least one that has none in common with the others"
        )
    return Corpus(train, validation, test, **fields)
