"""Keep a learner's progress, predictions and ratings from one session to the next.

`progress.json` beside the exercises holds the points that each task has earned. Beside the README,
`predictions.json` holds guesses from the notebooks, `your_turn.json` the stubs there that passed,
`interview.json` how well the learner could answer the questions of the interview sheet, and
`reviews.json` what is still known of the questions of the warm-ups, and `understanding.json` the
answers to the tests before and after the course.

A notebook that was told of a room, by the environment variable `COURSE_ROOM`, also keeps the latest
guesses in `guesses.json` beside the exercises, where the room's view counts them.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from utils.checks.tasks import Mistake, Task

PROGRESS = Path("progress.json")  # a notebook runs in its own folder
FROM_NOTEBOOKS = Path("..", "exercises", PROGRESS)  # notebooks and exercises lie side by side
PREDICTIONS = Path("..", "predictions.json")
TURNS = Path("..", "your_turn.json")
RATINGS = Path("..", "interview.json")
REVIEWS = Path("..", "reviews.json")
UNDERSTANDING = Path("..", "understanding.json")
GUESSES = Path("..", "exercises", "guesses.json")
CERTAIN = "certain"  # the surest that a guess can be, as in the form that asks for it

_put_aside: list[str] = []  # damaged files that nobody has been told of yet


@dataclass(frozen=True)
class TaskProgress:
    """A learner's stored progress in a task.

    Args:
        points: most points that an answer has earned; older files hold `true` for full points.
        misconceptions: slugs of the misconceptions that answers have shown.
        given: whether the learner was given the solution, so that no answer earns more points.
    """

    points: int = 0
    misconceptions: Sequence[str] = ()
    given: bool = False

    def points_of(self, task: Task) -> int:
        """Return the points that the task has earned."""
        return task.points if self.points is True else max(0, min(self.points, task.points))

    def done(self, task: Task) -> bool:
        """Decide whether an answer has earned full points."""
        return self.points_of(task) == task.points


def load_progress() -> dict[str, TaskProgress]:
    """Return task → its stored progress; damaged entries are ignored."""
    kept = _read(PROGRESS) or _read(FROM_NOTEBOOKS)
    return {task: parse_progress(entry) for task, entry in kept.items()}


def parse_progress(entry: Any) -> TaskProgress:
    """Convert a task's entry in `progress.json` to its progress; damaged fields are ignored."""
    entry = entry if isinstance(entry, dict) else {"points": entry}  # older files: only the points
    points, slugs = entry.get("points"), entry.get("kinds")
    return TaskProgress(
        points if isinstance(points, int) else 0,
        [slug for slug in slugs if isinstance(slug, str)] if isinstance(slugs, list) else [],
        entry.get("given") is True,
    )


def save_progress(task: Task, points: int, mistake: Mistake | None) -> bool:
    """Store the points that an answer has earned, and the misconception that it has shown.

    Returns:
        Whether the file could be written.
    """
    kept = load_progress()
    before = kept.get(task.id, TaskProgress())
    shown = [mistake.misconception] if mistake and mistake.misconception else []
    earned = before.points_of(task)
    kept[task.id] = TaskProgress(
        earned if before.given else max(points, earned),
        list(dict.fromkeys([*before.misconceptions, *shown])),
        before.given,
    )
    return _write_progress(kept)


def save_given(tasks: Iterable[Task]) -> bool:
    """Store that the learner was given the solutions of those tasks that are not done.

    Returns:
        Whether the file could be written.
    """
    kept = load_progress()
    for task in tasks:
        before = kept.get(task.id, TaskProgress())
        kept[task.id] = replace(before, given=not before.done(task))
    return _write_progress(kept)


def _write_progress(kept: Mapping[str, TaskProgress]) -> bool:
    entries = {
        task: {"points": of_task.points, "kinds": of_task.misconceptions, "given": of_task.given}
        for task, of_task in kept.items()
    }
    return _write(PROGRESS, entries)


@dataclass(frozen=True)
class Guess:
    """A learner's prediction, how sure of it they were, and whether it was right, or close."""

    guess: str
    certainty: str
    answer: str
    came_true: bool


def load_guesses() -> dict[str, Guess]:
    """Return question → the learner's first guess; damaged entries are ignored."""
    kept = _read(PREDICTIONS).items()
    return {question: Guess(**entry) for question, entry in kept if _is_guess(entry)}


def save_guess(question: str, guess: Guess) -> None:
    """Store the first guess at a question; a later one would no longer be a guess."""
    kept = load_guesses()
    kept.setdefault(question, guess)
    _write(PREDICTIONS, {known: asdict(first) for known, first in kept.items()})


def is_in_room() -> bool:
    """Decide whether this notebook was told of a room in which guesses are counted."""
    return bool(os.environ.get("COURSE_ROOM"))


def save_for_room(question: str, guess: str) -> None:
    """Store the latest guess at a question, for the room to count."""
    _write(GUESSES, {**_read(GUESSES), question: guess})


def load_turns() -> set[str]:
    """Return the stubs in the notebooks that the learner has filled."""
    return {task for task, passed in _read(TURNS).items() if passed is True}


def save_turn(task_id: str) -> None:
    """Store that the learner has filled a stub in a notebook."""
    _write(TURNS, dict.fromkeys([*sorted(load_turns() | {task_id})], True))


def load_ratings() -> dict[str, str]:
    """Return question of the interview sheet → how well the learner could answer it."""
    kept = _read(RATINGS).items()
    return {question: rating for question, rating in kept if isinstance(rating, str)}


def save_ratings(ratings: Mapping[str, str]) -> None:
    """Store how well the learner could answer the questions of the interview sheet."""
    _write(RATINGS, dict(ratings))


def load_reviews() -> dict[str, Any]:
    """Return item → what is kept of it, which `reviews` reads."""
    return _read(REVIEWS)


def save_reviews(kept: Mapping[str, Any]) -> None:
    """Store what is kept of each item."""
    _write(REVIEWS, dict(kept))


def load_test_answers() -> dict[str, str]:
    """Return item of a test → the learner's answer; damaged entries are ignored."""
    kept = _read(UNDERSTANDING).items()
    return {item: answer for item, answer in kept if isinstance(answer, str)}


def save_test_answer(item: str, answer: str) -> bool:
    """Store the answer to an item of a test, in place of an earlier one.

    Returns:
        Whether the file could be written.
    """
    return _write(UNDERSTANDING, {**load_test_answers(), item: answer})


def _is_guess(entry: Any) -> bool:
    """Decide whether an entry of `predictions.json` has exactly the fields of a guess."""
    types = {"guess": str, "certainty": str, "answer": str, "came_true": bool}
    return isinstance(entry, dict) and {name: type(value) for name, value in entry.items()} == types


def _read(file: Path) -> dict[str, Any]:
    """Read a JSON file; return {} if it is missing, or damaged, in which case it is renamed."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except OSError:  # not there yet
        return {}
    except (ValueError, RecursionError):  # damaged: renamed, as the next entry would replace it
        with contextlib.suppress(OSError):
            damaged = file.replace(file.with_name(f"{file.stem}.damaged.json"))
            _put_aside.append(
                f"`{file.name}` could not be read, and is begun anew. What was in it is kept in "
                f"`{damaged.name}`."
            )
        return {}
    return kept if isinstance(kept, dict) else {}


def put_aside() -> list[str]:
    """Return sentences on damaged files that were put aside, each of them only once."""
    told = [*_put_aside]
    _put_aside.clear()
    return told


def _write(file: Path, content: dict[str, Any]) -> bool:
    """Replace a JSON file in one step, because another notebook may be reading it.

    Returns:
        Whether the file could be written.
    """
    new = file.with_name(f".{file.stem}.{os.getpid()}.json")
    try:
        new.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        new.replace(file)
    except OSError:  # a read-only folder
        return False
    return True
