"""The made-up class is what it says."""

from itertools import islice

import pytest

from grading import classroom
from grading.intake.submissions import find
from solutions.build import exercises_of
from utils.checks import bank
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on

TASKS = {exercise.task.id: exercise.task for exercise in exercises_of(classroom.NOTEBOOK)}


def verdict(task, source):
    names = {}
    exec(f"import torch\n{source}", names)
    return verdict_on(bank.load(task), names, Printed())


@pytest.mark.parametrize("task", TASKS)
def test_right_answers_are_right_and_known_mistakes_are_named(task):
    answers, expected = classroom.answers()[task], TASKS[task].mistakes
    assert all(verdict(task, source).passed for source in answers.right)
    actual = [verdict(task, source).mistake for source in answers.wrong[: len(expected)]]
    assert actual == list(expected)


def test_the_same_seed_writes_the_same_class_and_all_are_found(tmp_path):
    first, again, other = (
        [path.read_bytes() for path in classroom.write(tmp_path / name, 20, 0.1, seed)]
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert first == again != other
    assert sum(b'"attack"' in content for content in first) == 2
    assert len({submission.learner for submission in find(tmp_path / "first")}) == 20
    assert len(set(islice(classroom.names(), 500))) == 500
