"""Choose which questions are asked now, and in which numbers."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from utils.checks.progress_file import load_guesses, load_progress
from utils.checks.reviews import Review, reviews
from utils.course import chapters
from utils.items.item_bank import StoredItem, Version, items

LATER = "99"  # beyond every notebook
JOINT = re.compile(r'"\s*\n\s*"')  # of a text that is written on two lines


def chosen(count: int, before: str = LATER, now: datetime | None = None) -> list[StoredItem]:
    """Return questions for this learner, the most urgent first, of different notebooks if possible.

    First come those that went wrong last time and are due. Half of the places that are left, or one
    more, go to those that nobody has asked yet, the rest to others that are due: what was known
    does not keep out what is new. Then come more new ones, and last those that will be due
    soonest. Of new ones those come first that can show a belief which the learner's exercises have
    shown, or are on a notebook in which a guess went wrong.

    Args:
        count: how many.
        before: number of the notebook, "05", before which the course has been read.
        now: the time, with its time zone; by default now.
    """
    now = now or datetime.now(UTC)
    kept = reviews()
    doubts, went_wrong = _doubts(), _went_wrong()
    pool = [item for item in items().values() if not item.form and item.notebook < before]
    known = {item.id: kept[item.id].known(now) for item in pool if item.id in kept}
    due = [item for item in pool if item.id in kept and kept[item.id].is_due(now)]
    wrong = [item for item in due if kept[item.id].belief]
    new = [item for item in pool if item.id not in kept]

    def urgency(item: StoredItem) -> float:
        if item.id in known:
            return known[item.id]
        return -len(item.beliefs & doubts) - (item.notebook in went_wrong)

    taken: list[StoredItem] = []
    for group, share in ((wrong, 1), (new, 0.5), (due, 1), (new, 1), (pool, 1)):
        left = [item for item in group if item not in taken]
        places = math.ceil(share * (count - len(taken)))
        taken += _mixed(sorted(left, key=urgency), places, taken, urgency)
    return taken


def _mixed(
    ranked: Sequence[StoredItem],
    count: int,
    before: Sequence[StoredItem],
    urgency: Callable[[StoredItem], float],
) -> list[StoredItem]:
    """Take the first so many; of equally urgent ones, in turn from the notebooks."""
    rest, taken = [*ranked], []
    while rest and len(taken) < count:
        seen = [item.notebook for item in (*before, *taken)]
        equal = [item for item in rest if urgency(item) == urgency(rest[0])]
        # from the notebook asked least, and the latest of these
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
