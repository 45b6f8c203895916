"""The vocabulary of misconceptions reads as it is quoted."""

import re
from collections import Counter

import pytest

from solutions.build import chosen
from solutions.misconceptions import _ALL, MISCONCEPTIONS
from solutions.specification import CatchTheBug

every_kind = pytest.mark.parametrize("kind", _ALL, ids=[kind.slug for kind in _ALL])


@every_kind
def test_a_kind_reads_as_it_is_quoted(kind):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.slug)
    assert re.match(r"[a-z`]", kind.belief), "it continues a sentence"
    assert not re.search(r"[.?!:]$|[.?!] |\n", kind.belief), "it is less than a sentence"
    assert kind.advice.endswith(".")
    assert 1 <= len(re.findall(r"[.](?= |$)", kind.advice)) <= 3
    assert kind.belief.count("`") % 2 == kind.advice.count("`") % 2 == 0


def test_no_two_kinds_are_the_same():
    for name in ("slug", "belief", "advice"):
        assert len({getattr(kind, name) for kind in _ALL}) == len(MISCONCEPTIONS) == len(_ALL)


def test_every_kind_is_shared_and_few_mistakes_are_of_none():
    mistakes = [mistake for _, exercise in chosen() for mistake in exercise.task.mistakes]
    used = Counter(mistake.misconception for mistake in mistakes)
    tests = [one for _, one in chosen() if isinstance(one, CatchTheBug)]
    used.update(kind for one in tests for kind in one.lineup.broken)
    assert used.keys() == MISCONCEPTIONS.keys()
    assert min(used.values()) >= 2
    assert used["another-task"] < len(mistakes) / 20
