"""Test the vocabulary of misconceptions: its texts fit where they are quoted, and are used."""

import re
from collections import Counter

import pytest

from solutions.build import chosen
from solutions.misconceptions import _ALL, MISCONCEPTIONS
from solutions.specification import CatchTheBug


@pytest.mark.parametrize("misconception", _ALL, ids=lambda misconception: misconception.slug)
def test_a_misconception_reads_as_it_is_quoted(misconception):
    belief, advice = misconception.belief, misconception.advice
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", misconception.slug)
    assert re.match(r"[a-z`]", belief), "it continues a sentence"
    assert not re.search(r"[.?!:]$|[.?!] |\n", belief), "it is less than a sentence"
    assert advice.endswith(".")
    assert 1 <= len(re.findall(r"[.](?= |$)", advice)) <= 3
    assert belief.count("`") % 2 == advice.count("`") % 2 == 0


def test_no_two_misconceptions_are_the_same():
    for name in ("slug", "belief", "advice"):
        texts = {getattr(misconception, name) for misconception in _ALL}
        assert len(texts) == len(MISCONCEPTIONS) == len(_ALL)


def test_every_misconception_is_met_and_few_mistakes_have_none():
    exercises = [exercise for _, exercise in chosen()]
    mistakes = [mistake for exercise in exercises for mistake in exercise.task.mistakes]
    used = Counter(mistake.misconception for mistake in mistakes)
    for exercise in exercises:
        if isinstance(exercise, CatchTheBug):
            used.update([*exercise.implementations.broken])
    assert used.keys() == MISCONCEPTIONS.keys()
    assert used["another-task"] < len(mistakes) / 20
