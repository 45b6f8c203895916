"""Try the item bank on made-up learners whose beliefs are known:

    python -m solutions.simulate_learners

A made-up learner holds some beliefs. On an item that can show one of them, the learner chooses what
the wrong implementation of that belief has computed, on any other the right option; and slips now
and then. Are the beliefs found from the answers to a form? Are both forms equally hard? Does a
warm-up bring back what went wrong? That tests the instrument. It says nothing about teaching, nor
about people: whoever is made up reads every question, is never tired, and never changes a belief.
It takes less than a minute.
"""

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from utils.checks.reviews import answered, reviews
from utils.items.choosing import LATER, chosen, version
from utils.items.item_bank import StoredItem, Version, form
from utils.items.marking import HELD, LETTERS, Mark, can_show, held, interval, mark
from utils.widgets.questions import A_FEW, SOME

LEARNERS, SEEDS = 2_000, 5
MOST = 8  # beliefs of a learner: any number from 0 to 8 is as likely
SLIPS = (0.0, 0.1, 0.2)  # share of items on which a learner chooses any option at random
PEOPLE = 20  # who answer warm-ups
WITHIN = (1, 2, 4)  # sittings
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Pace:
    """When a learner answers warm-ups.

    Args:
        name: in words.
        questions: how many each time.
        every: days from one time to the next.
        before: for each time the notebook before which the course has been read.
    """

    name: str
    questions: int
    every: int
    before: Sequence[str]


PACES = (
    Pace("`review()` on each of 30 days", SOME, 1, [LATER] * 30),
    Pace(
        "the warm-ups of notebooks 02 to 11, one every 4 days",
        A_FEW,
        4,
        [f"{number:02}" for number in range(2, 12)],
    ),
)


@dataclass(frozen=True)
class Learners:
    """Made-up learners.

    Args:
        beliefs: slugs of the misconceptions that some of them hold.
        hold: who holds which, of booleans, (learners, beliefs).
    """

    beliefs: Sequence[str]
    hold: np.ndarray

    def choose(self, now: Version, slips: float, rng: np.random.Generator) -> np.ndarray:
        """Return the option that each learner chooses, (learners,).

        Of several options that follow from a learner's beliefs, one is drawn.
        """
        column = {slug: place for place, slug in enumerate(self.beliefs)}
        count = len(self.hold)
        nobody = np.zeros(count, dtype=bool)
        fits = np.stack(
            [self.hold[:, column[slug]] if slug in column else nobody for slug in now.beliefs], -1
        )  # (learners, options)
        fits[:, now.right] = ~fits.any(-1)
        option = (fits * (1 + rng.random(fits.shape))).argmax(-1)
        anything = rng.integers(len(now.options), size=count)
        return np.where(rng.random(count) < slips, anything, option)

    def answer(
        self, items: Sequence[StoredItem], slips: float, rng: np.random.Generator
    ) -> list[tuple[Mark, ...]]:
        """Return the marks of each learner, for the answers to a form."""
        columns = []
        for item in items:
            now = item.versions[0]
            texts = now.options if item.typed else LETTERS[: len(now.options)]
            marks = [mark(item, text) for text in texts]
            columns.append([marks[option] for option in self.choose(now, slips, rng)])
        return [*zip(*columns, strict=True)]


def draw(beliefs: Sequence[str], count: int, rng: np.random.Generator) -> Learners:
    """Make up learners, each with 0 to `MOST` of the beliefs, drawn at random."""
    how_many = rng.integers(MOST + 1, size=(count, 1))
    ranks = rng.random((count, len(beliefs))).argsort(-1).argsort(-1)
    return Learners(beliefs, ranks < how_many)


# --- Are the beliefs found? -----------------------------------------------------------------------


def found(
    items: Sequence[StoredItem], learners: Learners, slips: float, rng: np.random.Generator
) -> dict[int, tuple[int, int, int]]:
    """Return how well `held` finds what learners believe, by the number of items that can show it.

    Returns:
        Number of items → how many beliefs of how many learners are held and found, held, found.
    """
    asked = can_show(items)
    findable = [place for place, slug in enumerate(learners.beliefs) if slug in asked]
    sure = [held(marks, asked) for marks in learners.answer(items, slips, rng)]
    counts = {}
    for place in findable:
        slug = learners.beliefs[place]
        seen = np.array([each[slug] >= HELD for each in sure])
        there = learners.hold[:, place]
        new = ((seen & there).sum(), there.sum(), seen.sum())
        old = counts.get(asked[slug], (0, 0, 0))
        counts[asked[slug]] = tuple(int(a + b) for a, b in zip(old, new, strict=True))
    return counts


def precision_and_recall(counts: Sequence[tuple[int, int, int]]) -> tuple[float, float]:
    """Return which share of what is found is held, and which share of what is held is found."""
    both, there, seen = np.sum([*counts], axis=0)
    return both / seen if seen else np.nan, both / there if there else np.nan


def print_found(name: str, items: Sequence[StoredItem], beliefs: Sequence[str]) -> None:
    """Print precision and recall of a form, with their spread over seeds."""
    asked = can_show(items)
    numbers = sorted(set(asked.values()))
    print(f"\nForm {name}: {len(items)} items, {len(asked)} beliefs that it can show")
    print("  slips   precision       recall          both, of beliefs that so many items can show")
    for slips in SLIPS:
        runs = []
        for seed in range(SEEDS):
            rng = np.random.default_rng(seed)
            runs.append(found(items, draw(beliefs, LEARNERS, rng), slips, rng))
        whole = np.array([precision_and_recall([*run.values()]) for run in runs])
        shown = [
            f"{mean:.3f} ± {spread:.3f}"
            for mean, spread in zip(whole.mean(0), whole.std(0, ddof=1), strict=True)
        ]
        parts = [
            np.mean([precision_and_recall([run[number]]) for run in runs], 0) for number in numbers
        ]
        by_number = [f"{n}: {a:.2f}, {b:.2f}" for n, (a, b) in zip(numbers, parts, strict=True)]
        print(f"  {slips:4.0%}    {'   '.join(shown)}   {'; '.join(by_number)}")


# --- Are the forms equally hard? ------------------------------------------------------------------


@dataclass(frozen=True)
class Difficulty:
    """Two forms, answered by the same learners; shares of answers that are right.

    Args:
        items: by form, (2, items).
        scores: by form and learner, (2, learners).
    """

    items: np.ndarray
    scores: np.ndarray

    @property
    def difference(self) -> float:
        """The mean score in the first form less that in the second."""
        return float(self.scores[0].mean() - self.scores[1].mean())


def difficulty(
    forms: Sequence[Sequence[StoredItem]],
    learners: Learners,
    slips: float,
    rng: np.random.Generator,
) -> Difficulty:
    """Let learners answer two forms of equal length."""
    right = np.array(
        [
            [[each.right for each in marks] for marks in learners.answer(items, slips, rng)]
            for items in forms
        ]
    )  # (forms, learners, items)
    return Difficulty(right.mean(1), right.mean(2))


def print_difficulty(
    forms: Sequence[Sequence[StoredItem]], beliefs: Sequence[str], slips: float
) -> None:
    """Print how hard two forms are, whole and by pairs of items."""
    rng = np.random.default_rng(SEEDS)
    both = difficulty(forms, draw(beliefs, LEARNERS, rng), slips, rng)
    low, high = interval(both.scores[0] - both.scores[1])
    print(
        f"\nShare right, {slips:.0%} slips: A {both.scores[0].mean():.3f}, "
        f"B {both.scores[1].mean():.3f}; A − B {both.difference:+.3f} ({low:+.3f} to {high:+.3f})"
        f"\nCorrelation of a learner's two scores: {np.corrcoef(both.scores)[0, 1]:.2f}"
        "\n  A      B      A − B   pair"
    )
    for one, other, a, b in zip(*forms, *both.items, strict=True):
        only = sorted(one.beliefs ^ other.beliefs)
        note = f"; only in one: {', '.join(only)}" if only else ""
        print(f"  {a:.2f}   {b:.2f}   {a - b:+.2f}   {one.id}, {other.id}{note}")


# --- Does what went wrong come back? --------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A question of the warm-ups.

    Args:
        first: the sitting in which it was asked first.
        right: whether that answer was right.
        again: the sitting in which it was asked next; None if it was not.
    """

    first: int
    right: bool
    again: int | None


def warm_ups(
    learner: Learners, slips: float, pace: Pace, rng: np.random.Generator
) -> Iterator[Asked]:
    """Yield what one made-up learner was asked, as it is planned for real learners.

    What is kept of the answers lies in a temporary folder.
    """
    history: dict[str, list[tuple[int, bool]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        notebooks = Path(folder, "notebooks")  # what is kept lies beside it
        notebooks.mkdir()
        with contextlib.chdir(notebooks):
            for sitting, before in enumerate(pace.before):
                now = START + timedelta(days=sitting * pace.every)
                kept = reviews()
                for item in chosen(pace.questions, before, now):
                    asked = version(item, kept)
                    (option,) = learner.choose(asked, slips, rng)
                    answered(item.id, asked.beliefs[option], now)
                    history.setdefault(item.id, []).append((sitting, option == asked.right))
    for (first, right), *later in history.values():
        yield Asked(first, right, later[0][0] if later else None)


def share_asked_again(asked: Sequence[Asked], within: int, sittings: int) -> float:
    """Return the share of questions that were asked again within some sittings.

    Those count after whose first answer so many sittings were left.
    """
    back = [
        each.again is not None and each.again - each.first <= within
        for each in asked
        if each.first + within < sittings
    ]
    return float(np.mean(back)) if back else np.nan


def print_warm_ups(beliefs: Sequence[str], slips: float, pace: Pace) -> None:
    """Print how soon questions come back, after a right answer and after a wrong one."""
    rng = np.random.default_rng(SEEDS)
    people = [[*warm_ups(draw(beliefs, 1, rng), slips, pace, rng)] for _ in range(PEOPLE)]
    asked = [each for person in people for each in person]
    print(
        f"\n{PEOPLE} learners, {slips:.0%} slips, {pace.name}: {pace.questions * len(pace.before)} "
        f"questions, {len(asked) / PEOPLE:.0f} different ones"
        f"\n  asked again within   {'   '.join(f'{within} sittings' for within in WITHIN)}"
    )
    for right in (False, True):
        group = [one for one in asked if one.right == right]
        shares = [share_asked_again(group, within, len(pace.before)) for within in WITHIN]
        print(
            f"  first {'right' if right else 'wrong'} ({len(group):3})    "
            + "   ".join(f"{share:10.0%}" for share in shares)
        )


def main() -> None:
    """Print all of it for the two forms of the bank."""
    forms = [form("A"), form("B")]
    beliefs = sorted({slug for items in forms for item in items for slug in item.beliefs})
    print(
        f"{LEARNERS:,} made-up learners, each with 0 to {MOST} of {len(beliefs)} beliefs; mean ± "
        f"spread of {SEEDS} seeds.\nThis tests the instrument and says nothing about teaching."
    )
    for name, items in zip("AB", forms, strict=True):
        print_found(name, items, beliefs)
    print_difficulty(forms, beliefs, SLIPS[1])
    for pace in PACES:
        print_warm_ups(beliefs, SLIPS[1], pace)


if __name__ == "__main__":
    main()
