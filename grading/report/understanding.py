"""Tell what a class understood before and after the course, from the tests that were handed in.

Nothing here touches a grade. What is compared is compared over the learners who took both tests.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from grading.names import Names
from grading.report.class_statistics import FEWEST, item_statistics
from grading.report.tables import Learner, write_csv
from utils.checks import bank
from utils.checks.tasks import Misconception
from utils.items.item_bank import StoredItem, form
from utils.items.marking import LETTERS, UNKNOWN, interval, mark, normalised_gain
from utils.items.understanding import AFTER, BEFORE, CAME, LEFT, STAYED, Sitting, fates, sittings

FILE = "understanding.csv"
WHEN = {BEFORE: "before", AFTER: "after"}
HEADS = ("learner", "form", "item", "section", "answer", "right", "belief")
OTHER = "another number"


def after_grading(class_: Sequence[Learner], names: Names) -> dict[str, Any]:
    """Return what the overview shows of the tests; nothing if nobody has handed one in."""
    if not any(learner.tests for learner in class_):
        return {}
    untouched = sum(not test.answers for learner in class_ for test in learner.forms.values())
    return {"understanding": understood([taken for _, taken in taken_by(class_)], untouched)}


def write_tables(class_: Sequence[Learner], out: Path) -> None:
    """Write a row for each learner and item, also where nothing was answered."""
    rows = [row for learner, taken in taken_by(class_) for row in _rows(learner, taken)]
    if rows:
        write_csv(out / FILE, [HEADS, *rows])
    else:  # a test that was there before may have been removed
        (out / FILE).unlink(missing_ok=True)


def _rows(learner: str, taken: dict[str, Sitting]) -> Iterator[Sequence]:
    for name, sitting in taken.items():
        for item, own in zip(sitting.items, sitting.marks, strict=True):
            given = _as_number(sitting.answers.get(item.id, ""))
            yield learner, WHEN[name], item.id, item.section, given, int(own.right), own.belief


def _as_number(text: str) -> float | str:
    """Return an answer as a number if it is one: a text with a minus would look like a formula."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def taken_by(class_: Sequence[Learner]) -> list[tuple[str, dict[str, Sitting]]]:
    """Return each learner with form → what was answered, except who has answered nothing."""
    taken = []
    for learner in class_:
        answers: dict[str, str] = {}
        for result in learner.forms.values():
            answers |= result.answers
        if own := sittings(answers):
            taken.append((learner.label, own))
    return taken


# --- The figures ----------------------------------------------------------------------------------


class Scores(NamedTuple):
    """The scores of some learners in a test, as shares of its items."""

    learners: int
    mean: float
    spread: float  # standard deviation; NaN of one learner


class BeliefRow(NamedTuple):
    """A belief in the answers of a class: who held it before and after, and what became of it."""

    misconception: Misconception
    before: Sequence[int]  # how many held it, of how many who were asked
    after: Sequence[int]
    left: int  # of those who took both tests
    stayed: int
    came: int


class ItemRow(NamedTuple):
    """How an item behaved in a class."""

    item: StoredItem
    difficulty: float  # the share of learners who were right
    discrimination: float | None  # correlation with the rest of the test; None of too few learners
    options: Sequence[tuple[str, float, bool]]  # answer, share of learners, whether it is right


class FormRow(NamedTuple):
    """How a test behaved in a class."""

    when: str
    learners: int
    alpha: float | None  # Cronbach's; None of too few learners
    items: Sequence[ItemRow]


class Understood(NamedTuple):
    """What the overview shows of the tests before and after the course."""

    scores: dict[str, Scores]  # "before" and "after" → of all who took this test
    both: int  # learners who took both
    paired: dict[str, Scores]  # the same of these learners alone
    gain: float  # mean of their normalised gains; NaN if there is none
    interval: Sequence[float]  # of 95 %
    of_means: float  # normalised gain of the two mean scores, as Hake computes that of a class
    full_before: int  # learners among them who had everything right before, and so have no gain
    beliefs: Sequence[BeliefRow]
    forms: Sequence[FormRow]
    untouched: int  # tests handed in without any answer

    @property
    def is_small(self) -> bool:
        """Whether one of the figures comes from too few learners to conclude much."""
        counts = [self.both, *(each.learners for each in self.scores.values())]
        return 0 < min(filter(None, counts), default=0) < FEWEST


def understood(class_: Sequence[dict[str, Sitting]], untouched: int = 0) -> Understood:
    """Return the figures of a class.

    Args:
        class_: for each learner, form → what was answered.
        untouched: tests handed in without any answer.
    """
    both = [taken for taken in class_ if {BEFORE, AFTER} <= taken.keys()]
    of_form = {name: [taken[name] for taken in class_ if name in taken] for name in WHEN}
    paired = {WHEN[name]: _scores([taken[name] for taken in both]) for name in WHEN}
    gains = [normalised_gain(taken[BEFORE].score, taken[AFTER].score) for taken in both]
    known = sorted(gain for gain in gains if not math.isnan(gain))  # in whatever order they came
    return Understood(
        scores={WHEN[name]: _scores(own) for name, own in of_form.items()},
        both=len(both),
        paired=paired,
        gain=statistics.fmean(known) if known else math.nan,
        interval=interval(known),
        of_means=normalised_gain(*(paired[when].mean for when in WHEN.values())),
        full_before=len(gains) - len(known),
        beliefs=belief_rows(of_form[BEFORE], of_form[AFTER], both),
        forms=[_form_row(name, own) for name, own in of_form.items() if own],
        untouched=untouched,
    )


def _scores(taken: Sequence[Sitting]) -> Scores:
    own = [sitting.score for sitting in taken]
    return Scores(
        len(own),
        statistics.fmean(own) if own else math.nan,
        statistics.stdev(own) if len(own) > 1 else math.nan,
    )


def belief_rows(
    before: Sequence[Sitting], after: Sequence[Sitting], both: Sequence[dict[str, Sitting]]
) -> list[BeliefRow]:
    """Return a row for each belief that somebody held, the one that most hold afterwards first."""
    changed = [fates(taken[BEFORE], taken[AFTER]) for taken in both]
    rows = []
    for slug, misconception in bank.misconceptions().items():
        holding = [
            (
                sum(sitting.believed.get(slug, False) for sitting in taken),
                sum(slug in sitting.believed for sitting in taken),
            )
            for taken in (before, after)
        ]
        if any(held for held, _ in holding):
            fate = Counter(own.get(slug) for own in changed)
            rows.append(
                BeliefRow(misconception, *holding, *(fate[each] for each in (LEFT, STAYED, CAME)))
            )

    def share(holding: Sequence[int]) -> float:
        held, of = holding
        return held / of if of else 0.0

    return sorted(rows, key=lambda row: (-share(row.after), -share(row.before)))


def _form_row(name: str, taken: Sequence[Sitting]) -> FormRow:
    right = [[own.right for own in sitting.marks] for sitting in taken]  # (learners, items)
    rows = []
    for number, item in enumerate(form(name)):
        points = [(own[number], sum(own) - own[number]) for own in right]
        rows.append(
            ItemRow(
                item,
                statistics.fmean(own for own, _ in points),
                item_statistics(points, of=1).discrimination,
                option_shares(item, [sitting.answers.get(item.id, "") for sitting in taken]),
            )
        )
    return FormRow(WHEN[name], len(taken), cronbach_alpha(right), rows)


def cronbach_alpha(right: Sequence[Sequence[bool]]) -> float | None:
    """Return Cronbach's alpha of a test, which is KR-20 as each item is right or wrong.

    Args:
        right: for each learner, whether each item is right.

    Returns:
        Alpha; None of fewer than two items or `FEWEST` learners, or if all have the same score.
    """
    if len(right) < FEWEST or len(right[0]) < 2:
        return None
    of_scores = statistics.pvariance(map(sum, right))
    of_items = sum(statistics.pvariance(map(int, item)) for item in zip(*right, strict=True))
    items = len(right[0])
    return items / (items - 1) * (1 - of_items / of_scores) if of_scores else None


def option_shares(item: StoredItem, given: Sequence[str]) -> list[tuple[str, float, bool]]:
    """Return each answer to an item, the share of learners who gave it, and whether it is right.

    Args:
        item: the item.
        given: the answer of each learner, "" if there is none.
    """
    version = item.versions[0]
    if item.typed:
        names = dict(zip(version.beliefs, version.options, strict=True))
        count = Counter(_typed(item, text, names) for text in given)
        labels = [*dict.fromkeys(names.values()), OTHER]
        right = names[""]
    else:
        count = Counter(_lettered(text) for text in given)
        labels = [*LETTERS[: len(version.options)]]
        right = labels[version.right]
    labels += [UNKNOWN, ""]
    return [(each or "none", count[each] / len(given), each == right) for each in labels]


def _lettered(text: str) -> str:
    """Return the letter in an answer that can be read, such as "C)"."""
    return "".join(letter for letter in text.lower() if letter in LETTERS + UNKNOWN)


def _typed(item: StoredItem, text: str, names: dict[str, str]) -> str:
    if text in ("", UNKNOWN):
        return text
    own = mark(item, text)
    return names[own.belief] if own.right or own.belief else OTHER
