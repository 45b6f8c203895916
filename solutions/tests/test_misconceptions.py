"""The vocabulary of misconceptions reads as it is quoted, and its wrong weights are wrong."""

import re
from itertools import combinations

import pytest
import torch

from solutions.misconceptions import _ALL, KINDS, WRONG_WEIGHTS
from utils.masks import masked_softmax

every_kind = pytest.mark.parametrize("kind", _ALL, ids=[kind.slug for kind in _ALL])

SCORES = torch.tensor(
    [
        [[0.5, -1.0, 900.0], [1.0, 0.0, -0.5], [-2.0, 0.3, 1.5]],
        [[-0.7, 0.2, 1.1], [0.4, 3.0, -1.0], [0.9, -0.6, 0.1]],
    ]
)  # (batch, tgt_len, src_len); the 900 is hidden
MASK = torch.tensor(
    [
        [[True, True, False], [True, True, True], [True, False, True]],
        [[True, False, False], [False, False, False], [True, True, False]],
    ]
)


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
        assert len({getattr(kind, name) for kind in _ALL}) == len(KINDS) == len(_ALL)


def test_wrong_weights_differ_from_the_right_ones_and_from_each_other():
    assert WRONG_WEIGHTS.keys() <= KINDS.keys()
    wrong = {slug: weigh(SCORES, MASK) for slug, weigh in WRONG_WEIGHTS.items()}
    found = {"right": masked_softmax(SCORES, MASK), **wrong}
    for (one, weights), (other, others) in combinations(found.items(), 2):
        assert weights.shape == SCORES.shape
        assert not torch.allclose(weights, others, equal_nan=True), (one, other)


@pytest.mark.parametrize("slug", WRONG_WEIGHTS)
def test_without_a_mask_only_a_wrong_axis_shows(slug):
    weights = WRONG_WEIGHTS[slug](SCORES, None)
    assert torch.allclose(weights, SCORES.softmax(-1)) != slug.startswith("softmax-over")
