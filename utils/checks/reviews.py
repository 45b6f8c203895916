"""Keep what a learner still knows of the questions of the warm-ups, and when each is due again.

The schedule is FSRS (Ye, Su and Cao 2022, "A stochastic shortest path algorithm for optimizing
spaced repetition scheduling"), as the package `fsrs` computes it: a question comes back when the
chance that it is still known has fallen to 90 %. A day is its smallest step.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from fsrs import Card, Rating, Scheduler

from utils.checks.progress_file import load_reviews, save_reviews

SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
FADED = SCHEDULER.desired_retention  # chance of being known below which a question fades


@dataclass(frozen=True)
class Review:
    """What is kept of a question that was answered.

    Args:
        card: its state in the schedule.
        times: how often it was answered.
        belief: slug of the misconception that the last answer showed; "" if it was right, "?" if it
            was wrong in a way that shows none.
    """

    card: Card
    times: int = 0
    belief: str = ""

    def known(self, now: datetime) -> float:
        """Return the chance that the learner still knows it."""
        return SCHEDULER.get_card_retrievability(self.card, now)

    def is_due(self, now: datetime) -> bool:
        """Decide whether it is time to ask again."""
        return self.card.due <= now


def reviews() -> dict[str, Review]:
    """Return item → what is kept of it; damaged entries are ignored."""
    kept = {}
    for item, entry in load_reviews().items():
        try:
            card, times, belief = Card.from_dict(entry["card"]), entry["times"], entry["belief"]
            if isinstance(times, int) and isinstance(belief, str) and card.due.tzinfo:
                kept[item] = Review(card, times, belief)
        except (KeyError, TypeError, ValueError):
            continue
    return kept


def answered(item: str, belief: str, now: datetime | None = None) -> None:
    """Store an answer to a question, and plan when it is asked again.

    Args:
        item: name of the question.
        belief: see `Review`.
        now: time of the answer, with its time zone; by default now.
    """
    kept = reviews()
    review = kept.get(item, Review(Card(card_id=1)))
    rating = Rating.Again if belief else Rating.Good
    card, _ = SCHEDULER.review_card(review.card, rating, now or datetime.now(UTC))
    kept[item] = Review(card, review.times + 1, belief)
    save_reviews(
        {
            name: {"card": each.card.to_dict(), "times": each.times, "belief": each.belief}
            for name, each in kept.items()
        }
    )


def in_words(now: datetime | None = None) -> str:
    """Say how many of the questions are fresh, and how many fade; "" if none was answered."""
    chances = [review.known(now or datetime.now(UTC)) for review in reviews().values()]
    faded = sum(chance < FADED for chance in chances)
    if not chances:
        return ""
    fades = f", {faded} fade: `from utils.widgets import review; review()`" if faded else ""
    return f"Warm-ups: {len(chances) - faded} of {len(chances)} questions are fresh{fades}."
