"""The made-up class is what it says."""

import pytest

from grading import classroom
from grading.intake.submissions import find
from solutions.build import exercises_of
from utils.checks import bank
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed

EXERCISES = {exercise.task.id: exercise for exercise in exercises_of(classroom.NOTEBOOK)}


def verdict(task, source):
    names = {}
    exec(f"import torch\n{source}", names)
    return verdict_on(bank.load(task), names, Printed())


@pytest.mark.parametrize("task", EXERCISES)
def test_right_answers_are_right_and_known_mistakes_are_named(task):
    answers, known = classroom.answers()[task], EXERCISES[task].misconceptions
    assert all(verdict(task, source).passed for source in answers.right)
    said = [verdict(task, source).mistake for source in answers.wrong[: len(known)]]
    assert [one and one.name for one in said] == [one.name for one in known]


def test_the_same_seed_writes_the_same_class(tmp_path):
    first, again, other = (
        [path.read_bytes() for path in classroom.write(tmp_path / name, 20, 0.1, seed)]
        for name, seed in (("first", 1), ("again", 1), ("other", 2))
    )
    assert first == again != other
    assert sum(b'"attack"' in content for content in first) == 2


def test_every_learner_is_found_by_name(tmp_path):
    classroom.write(tmp_path, 150)
    assert len({one.learner for one in find(tmp_path)}) == 150
