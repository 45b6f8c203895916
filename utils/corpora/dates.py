"""A corpus of dates as people write them, with their ISO 8601 form, as characters.

    Monday, 3 May 2021 → 2021-05-03

It is a task for attention over characters: digits are copied, parts change places, names become
numbers, and the weekday has to be ignored. In dates written as numbers, the day comes before the
month, as in British usage.
"""

from datetime import date, timedelta
from itertools import product
from random import Random
from string import Formatter

from utils.corpora.pairs import Corpus, Link, Pair, split

_FORMATS = (
    "{day} {month_name} {year}",
    "{day_ordinal} {month_name} {year}",
    "the {day_ordinal} of {month_name}, {year}",
    "{day} {month_short} {year}",
    "{month_name} {day}, {year}",
    "{month_name} the {day_ordinal}, {year}",
    "{month_short} {day}, {year}",
    "{weekday}, {day} {month_name} {year}",
    "{weekday} {day_ordinal} {month_name} {year}",
    "{year}, {month_name} {day}",
    "{day}/{month}/{year}",
    "{day_padded}/{month_padded}/{year}",
    "{day_padded}.{month_padded}.{year}",
    "{day_padded}-{month_short}-{year}",
)
# Not `strftime`, which depends on the computer's locale.
_MONTHS = ("January", "February", "March", "April", "May", "June")
_MONTHS += ("July", "August", "September", "October", "November", "December")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FIRST = date(1900, 1, 1)
_DAYS = (date(2100, 1, 1) - _FIRST).days
_PLACES = {"year": range(0, 4), "month": range(5, 7), "day": range(8, 10)}  # in YYYY-MM-DD
_HYPHENS = (4, 7)


def date_corpus(pairs: int = 20_000, seed: int = 0) -> Corpus:
    """Generate dates from 1900 to 2099 in many formats, with their ISO 8601 form, as characters.

    No date occurs twice, in whatever format, so training, validation and test share no date.
    `corpus.tokenise` is `tuple`, `corpus.detokenise` is `"".join`.

    Gold alignments: a digit and its copy are a sure link. The letters of a month and its number,
    and a single digit and the zero put before it, are possible links. So is every link to a hyphen:
    hyphens are the same in all dates, so where a model looks when it writes one means nothing.

    Args:
        pairs: the number of dates; 5 % of them go to validation, 5 % to test.
        seed: the same seed gives the same corpus on every machine.

    Raises:
        ValueError: `pairs` is below 3, or above the number of days.
    """
    if not 3 <= pairs <= _DAYS:
        raise ValueError(f"pairs must be 3 to {_DAYS:,}, the number of days, got {pairs}")
    random = Random(seed)
    days = [_FIRST + timedelta(days=days) for days in random.sample(range(_DAYS), pairs)]
    dates = [_pair(day, random.choice(_FORMATS)) for day in days]
    return split([[pair] for pair in dates], seed, tokenise=tuple, detokenise="".join)


def _pair(day: date, form: str) -> Pair:
    """Return a day in a format and its ISO 8601 form as a pair, with the links between them."""
    source, target = "", day.isoformat()
    sure, possible = set(), set()
    values = _values(day)
    for literal, name, _, _ in Formatter().parse(form):
        source += literal
        part = name.split("_")[0]
        if part in _PLACES:
            copies, others = _links(values[name], len(source), _PLACES[part])
            sure |= copies
            possible |= others
        source += values[name]
    possible |= sure | set(product(range(len(source)), _HYPHENS))
    return Pair(tuple(source), tuple(target), source, target, frozenset(sure), frozenset(possible))


def _values(day: date) -> dict[str, str]:
    """Return the value that a day has for each field of the formats."""
    month = _MONTHS[day.month - 1]
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    if day.day in (11, 12, 13):
        suffix = "th"
    return {
        "year": str(day.year),
        "month": str(day.month),
        "month_padded": f"{day.month:02}",
        "month_name": month,
        "month_short": month[:3],
        "day": str(day.day),
        "day_padded": f"{day.day:02}",
        "day_ordinal": f"{day.day}{suffix}",
        "weekday": _WEEKDAYS[day.weekday()],
    }


def _links(value: str, start: int, places: range) -> tuple[set[Link], set[Link]]:
    """Link a field's value, which begins at `start`, to its places in the ISO 8601 form.

    Returns:
        The sure links, and the other possible links.
    """
    figures = [start + offset for offset, character in enumerate(value) if character.isdigit()]
    if not figures:  # the name of a month
        return set(), set(product(range(start, start + len(value)), places))
    copies = set(zip(reversed(figures), reversed(places), strict=False))
    zeros = places[: len(places) - len(figures)]  # "3" → "03"
    return copies, set(product(figures, zeros))
