"""Mark answers to items, and say what the marks of a learner, or of a class, amount to."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from utils.items.item_bank import StoredItem, Version

UNKNOWN = "?"  # the answer "I do not know"
LETTERS = "abcde"
# A number in English; one in German is the same with point and comma exchanged.
ENGLISH = re.compile(
    r"(?=[+-]?\.?[0-9])[+-]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?"
)
BETWEEN_THOUSANDS = re.compile(r"(?<=[0-9])['’ \u00a0\u2009\u202f](?=[0-9]{3})")
EXCHANGED = str.maketrans(",.", ".,")
RESAMPLES = 4000  # of a bootstrap

PRIOR = 0.2  # chance that a learner holds a belief, before any answer
SHOWS = 0.8  # chance that who holds a belief shows it on an item that can show it
SLIPS = 0.1  # chance that who does not hold it shows it all the same: a slip, or a guess
HELD = 0.5  # how sure one must be of a belief for it to count as held


@dataclass(frozen=True)
class Mark:
    """What an answer is worth.

    Args:
        item: name of the item.
        right: whether the answer is right.
        belief: slug of the misconception that it shows; "" if it is right, shows none that is
            known, or if there is none.
    """

    item: str
    right: bool
    belief: str


def mark(item: StoredItem, answer: str) -> Mark:
    """Mark an answer to an item in its first set of numbers.

    Args:
        item: the item.
        answer: the letter of an option, "a" being the first; a number, where one is asked for, with
            an English or a German decimal sign; "?" for "I do not know", or "" for none.

    Raises:
        ValueError: the answer is none of these; the message says what to write.
    """
    version, text = item.versions[0], str(answer).strip()
    if text in ("", UNKNOWN):
        return Mark(item.id, False, "")
    place = _typed(version, text) if item.typed else _lettered(version, text)
    if place is None:
        return Mark(item.id, False, "")
    return Mark(item.id, place == version.right, version.beliefs[place])


def _lettered(version: Version, text: str) -> int:
    letters = LETTERS[: len(version.options)]
    letter = text.lower().strip("().")
    if len(letter) != 1 or letter not in letters:
        raise ValueError(
            f"{text!r} is none of the options: write a letter from a to {letters[-1]}, or "
            f'"{UNKNOWN}" if you do not know.'
        )
    return letters.index(letter)


def _typed(version: Version, text: str) -> int | None:
    if not (numbers := readings(text)):
        raise ValueError(
            f"{text!r} is not a number: write one such as 0.25, without a unit, or "
            f'"{UNKNOWN}" if you do not know.'
        )
    off = {
        (abs(number - value) / slack, place != version.right, place)
        for place, (value, slack) in enumerate(map(accepted, version.options))
        for number in numbers
    }
    distance, _, place = min(off)
    return place if distance <= 1 else None


def readings(text: str) -> set[float]:
    """Return the numbers that a text can mean: none, one, or two, as "1,024" or "1.024" can."""
    plain = BETWEEN_THOUSANDS.sub("", text.strip().replace("−", "-").lower())
    both = plain, plain.translate(EXCHANGED)
    return {float(each.replace(",", "")) for each in both if ENGLISH.fullmatch(each)}


def accepted(option: str) -> tuple[float, float]:
    """Return the number of an option, and by how much one that is typed may be off.

    It may be rounded or cut off at the digits that the option shows. Whole numbers are exact.
    """
    whole, decimals = re.search(r"(-?[0-9,]+)(\.[0-9]+)?", option.replace("−", "-")).groups("")
    value = float(whole.replace(",", "") + decimals)
    return value, 1.01 * 10 ** (1 - len(decimals)) if decimals else 0.51


# --- A learner, and a class -----------------------------------------------------------------------


def score(marks: Sequence[Mark]) -> float:
    """Return the share of answers that are right; NaN if there are none."""
    return sum(each.right for each in marks) / len(marks) if marks else math.nan


def normalised_gain(before: float, after: float) -> float:
    """Return the share of what was missing before that was there after (Hake 1998).

    (after − before) / (1 − before); below 0 for who lost something, NaN if nothing was missing.
    """
    return (after - before) / (1 - before) if before < 1 else math.nan


def interval(values: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of the mean over learners: the percentile bootstrap.

    Learners are drawn with replacement, as many as there are. NaN are left out; with fewer than two
    values there is no interval, and both ends are NaN. The same seed gives the same interval.
    """
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    if len(known) < 2:
        return math.nan, math.nan
    drawn = np.random.default_rng(seed).integers(len(known), size=(RESAMPLES, len(known)))
    low, high = np.percentile(known[drawn].mean(1), [2.5, 97.5])
    return float(low), float(high)


def can_show(items: Sequence[StoredItem]) -> dict[str, int]:
    """Return belief → how many of the items can show it."""
    return dict(Counter(slug for item in items for slug in item.beliefs))


def held(marks: Sequence[Mark], asked: Mapping[str, int]) -> dict[str, float]:
    """Return how sure we are, from 0 to 1, that a learner holds each belief.

    A belief that n items can show and k answers have shown is held with probability

        P S^k (1 − S)^(n − k) / (P S^k (1 − S)^(n − k) + (1 − P) R^k (1 − R)^(n − k))

    with P = 0.2 the chance of holding it before any answer, S = 0.8 that who holds it shows it on
    an item, and R = 0.1 that who does not hold it shows it all the same, by a slip or a guess.
    Answers count as independent of each other. From `HELD`, 0.5, a belief counts as held: shown on
    the only item that can show it, on two of two or three, or on three of four to six.

    Args:
        marks: of one learner.
        asked: belief → how many of the items answered can show it, as `can_show` counts.
    """
    shown = Counter(each.belief for each in marks)

    def sure(k: int, n: int) -> float:
        one, other = (
            chance * rate**k * (1 - rate) ** (n - k)
            for chance, rate in ((PRIOR, SHOWS), (1 - PRIOR, SLIPS))
        )
        return one / (one + other)

    return {slug: sure(min(shown[slug], n), n) for slug, n in asked.items()}
