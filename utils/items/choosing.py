"""Choose which questions are asked now, and in which numbers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from utils.checks.progress_file import load_guesses, load_progress
from utils.checks.reviews import Review, reviews
from utils.course import chapters
from utils.items.item_bank import StoredItem, Version, items

LATER = "99"  # beyond every notebook
JOINT = re.compile(r'"\s*\n\s*"')  # of a text that is written on two lines


def chosen(count: int, before: str = LATER, now: datetime | None = None) -> list[StoredItem]:
    """Return questions for this learner, the most urgent first, of different notebooks if possible.

    Those that are due come first; then those that nobody has asked yet, and of these first such as
    can show a belief that the learner's exercises have shown, or are on a notebook in which a guess
    went wrong; last, those that will be due soonest.

    Args:
        count: how many.
        before: number of the notebook, "05", before which the course has been read.
        now: the time, with its time zone; by default now.
    """
    now = now or datetime.now(UTC)
    kept = reviews()
    pool = [item for item in items().values() if not item.form and item.notebook < before]
    doubts, went_wrong = _doubts(), _went_wrong()

    def urgency(item: StoredItem) -> tuple:
        review = kept.get(item.id)
        if review:
            return (0 if review.is_due(now) else 2, review.known(now))
        weak = len(item.beliefs & doubts) + (item.notebook in went_wrong)
        return (1, -weak)

    ranked = sorted(pool, key=urgency)
    return _mixed(ranked, count, {item.id: urgency(item) for item in ranked})


def _mixed(
    ranked: Sequence[StoredItem], count: int, urgency: Mapping[str, tuple]
) -> list[StoredItem]:
    """Take questions in turn from the notebooks, as long as none is passed over that is due."""
    due = [item for item in ranked if urgency[item.id][0] == 0]
    taken = due[:count]
    rest = [item for item in ranked if item not in taken]
    while rest and len(taken) < count:
        seen = [item.notebook for item in taken]
        first = min(urgency[item.id] for item in rest)
        equal = [item for item in rest if urgency[item.id] == first]
        # of equally urgent ones, from the notebook asked least, and the latest of these
        item = min(equal, key=lambda item: (seen.count(item.notebook), -int(item.notebook)))
        taken.append(item)
        rest.remove(item)
    return taken


def version(item: StoredItem, kept: Mapping[str, Review] | None = None) -> Version:
    """Return a question in numbers that the learner has not seen yet, as long as there are some."""
    review = (reviews() if kept is None else kept).get(item.id)
    return item.versions[(review.times if review else 0) % len(item.versions)]


def _doubts() -> set[str]:
    """Return the slugs of the misconceptions that the learner's answers have shown."""
    return {slug for task in load_progress().values() for slug in task.misconceptions}


def _went_wrong() -> set[str]:
    """Return the numbers of the notebooks in which a guess of the learner did not come true."""
    wrong = [question for question, guess in load_guesses().items() if not guess.came_true]
    return {*_asking(wrong)} if wrong else set()


def _asking(questions: Sequence[str]) -> Iterator[str]:
    """Yield the numbers of the notebooks that ask some questions."""
    for chapter in chapters().values():
        cells = (cell.source for cell in chapter.read().cells if cell.cell_type == "code")
        text = JOINT.sub("", "\n".join(cells))
        if any(question in text for question in questions):
            yield chapter.number
