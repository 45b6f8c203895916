"""Show a learner's progress: exercises done and to do, and beliefs that keep going wrong."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from utils.checks import bank
from utils.checks.feedback import EMPTY, FULL, GOOD, Note
from utils.checks.progress_file import (
    CERTAIN,
    Guess,
    TaskProgress,
    load_guesses,
    load_progress,
    load_ratings,
    load_turns,
    put_aside,
)
from utils.checks.reviews import in_words
from utils.checks.tasks import Task

BAR = 10  # characters of a whole notebook
MOST_BELIEFS = 3  # beliefs shown at a time, because nobody works on ten at once


def progress() -> Note:
    """Show the tasks of this notebook, a bar for each, what keeps coming back, and where to go on.

    The other notebooks' tasks are in a fold. Your progress is kept in `progress.json` beside the
    exercises, and in `predictions.json`, `your_turn.json`, `interview.json` and `reviews.json`
    beside the README.
    Delete these files to start over.
    """
    kept, course, turns = load_progress(), bank.tasks(), bank.turns()
    all_tasks = [task for tasks in course.values() for task in tasks]
    earned, total = _points(all_tasks, kept)
    here = Path(os.environ.get("JPY_SESSION_NAME", "")).stem  # Jupyter tells the notebook's name
    shown = [here] if here in course else [*course]
    others = [name for name in course if name not in shown]
    fold = Note("Tasks of the other notebooks", table=_list_tasks(others, kept), is_folded=True)
    below = _next_step(course, kept)
    if others:
        below = replace(fold, below=below)
    for note in (
        _describe_ratings(load_ratings()),
        _describe_guesses(load_guesses()),
        _describe_misconceptions(all_tasks, kept),
        Note("All notebooks", table=_draw_bars(kept, turns)),
    ):
        below = replace(note, below=below) if note else below
    return Note(
        f"{earned} of {total} points",
        [
            f"*Your turn*, in the notebooks: {_passed(turns)}.",
            *filter(None, [in_words()]),
            *put_aside(),
        ],
        table=_list_tasks(shown, kept),
        below=below,
    )


def _points(tasks: Sequence[Task], kept: Mapping[str, TaskProgress]) -> tuple[int, int]:
    """Return the points that tasks have earned, and those that they can earn."""
    earned = sum(kept.get(task.id, TaskProgress()).points_of(task) for task in tasks)
    return earned, sum(task.points for task in tasks)


def _list_tasks(notebooks: Sequence[str], kept: Mapping[str, TaskProgress]) -> list[list[str]]:
    """Return a row for each task of some notebooks: what it gives, and how far the learner is."""
    rows = [["", "Exercise", "Points", ""]]
    for notebook in notebooks:
        for task in bank.tasks()[notebook]:
            of_task = kept.get(task.id, TaskProgress())
            tried = "given" if of_task.given else "tried" if task.id in kept else "to do"
            state = "✓ done" if of_task.done(task) else tried
            earned = of_task.points_of(task)
            points = f"{earned} of {task.points}" if 0 < earned < task.points else str(task.points)
            rows.append([notebook[:2], task.title, points, state])
    return rows


def _passed(turns: Sequence[Task]) -> str:
    """Say how many of some stubs in the notebooks the learner has filled."""
    passed = load_turns()
    return f"{sum(task.id in passed for task in turns)} of {len(turns)}" if turns else "–"


def _draw_bars(kept: Mapping[str, TaskProgress], turns: Sequence[Task]) -> list[list[str]]:
    """Return a row for each notebook, with a bar as long as its share of the points."""
    rows = [["Notebook", "", "Points", "Your turn"]]
    for notebook, tasks in bank.tasks().items():
        earned, total = _points(tasks, kept)
        full = BAR * earned // total
        bar = FULL * full + EMPTY * (BAR - full)
        rows.append(
            [bank.title(notebook), bar, f"{earned} of {total}", _passed(_of(notebook, turns))]
        )
    return rows


def _of(notebook: str, turns: Sequence[Task]) -> list[Task]:
    """Return the stubs of the notebook to which a notebook of exercises belongs."""
    return [task for task in turns if task.section[:2] == notebook[:2]]


def _next_step(course: Mapping[str, Sequence[Task]], kept: Mapping[str, TaskProgress]) -> Note:
    """Name the first thing to do after the last that is done: a stub in a notebook, or a task."""
    passed, turns = load_turns(), bank.turns()
    way = []  # what is done, and where to find it
    for notebook, tasks in course.items():
        title = bank.title(notebook)
        for task in _of(notebook, turns):
            number = task.section.partition(".")[2]
            place = f"*{task.title}*, your turn in section {number} of the notebook {title}"
            way.append((task.id in passed, place))
        for task in tasks:
            done = kept.get(task.id, TaskProgress()).done(task)
            way.append((done, f"*{task.title}*, in the exercises of {title}"))
    last = max((place for place, (done, _) in enumerate(way) if done), default=-1)
    for done, where in [*way[last + 1 :], *way]:
        if not done:
            return Note("Go on here", [f"{where}."], GOOD)
    return Note("Everything is done", colour=GOOD)


def _describe_misconceptions(
    tasks: Sequence[Task], kept: Mapping[str, TaskProgress]
) -> Note | None:
    """List the misconceptions that two tasks or more have shown; last, those that are overcome."""
    vocabulary = bank.misconceptions()
    tasks_with: dict[str, list[Task]] = {}
    for task in tasks:
        for slug in kept.get(task.id, TaskProgress()).misconceptions:
            tasks_with.setdefault(slug, []).append(task)
    present, past = [], []
    for slug, where in sorted(tasks_with.items(), key=lambda item: -len(item[1])):
        if len(where) < 2 or slug not in vocabulary:
            continue
        misconception = vocabulary[slug]
        done = [task for task in where if kept[task.id].done(task)]
        if done == where:
            past.append(f"✓ Overcome in all {len(where)} tasks: that {misconception.belief}.")
        else:
            titles = ", ".join(f"{task.title} ✓" if task in done else task.title for task in where)
            present.append(
                f"You seem to believe that {misconception.belief} ({len(where)} tasks: {titles}). "
                f"{misconception.advice}"
            )
    lines = [*present[:MOST_BELIEFS], *past]
    return Note("What keeps coming back", lines) if lines else None


def _describe_guesses(guesses: Mapping[str, Guess]) -> Note | None:
    """Count the guesses that came true for each certainty; quote wrong ones that were certain."""
    if not guesses:
        return None
    true = sum(guess.came_true for guess in guesses.values())
    rows = [["How sure you were", "Came true"]]
    for certainty in dict.fromkeys(guess.certainty for guess in guesses.values()):
        such = [guess.came_true for guess in guesses.values() if guess.certainty == certainty]
        rows.append([certainty, f"{sum(such)} of {len(such)}"])
    wrong = [
        f"You were certain, and it was not so: {question} You said {guess.guess}, "
        f"the answer is {guess.answer}."
        for question, guess in guesses.items()
        if guess.certainty == CERTAIN and not guess.came_true
    ]
    heading = f"Your predictions: {true} of {len(guesses)} came true"
    return Note(heading, wrong[-MOST_BELIEFS:], table=rows)


def _describe_ratings(ratings: Mapping[str, str]) -> Note | None:
    """Count the questions of the interview sheet by how well the learner could answer them."""
    rows = [["You could answer", "Questions"]]
    rows += [[rating, str(count)] for rating, count in Counter(ratings.values()).most_common()]
    return Note("The interview sheet", table=rows) if ratings else None
