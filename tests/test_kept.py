"""Test that what an answer keeps from call to call is noticed, though each call alone is right."""

from dataclasses import replace

import pytest
import torch

from tests.made_up_tasks import NUMBERS, SCALE, SHARE, right, verdict_of
from tests.made_up_tasks import Scale as RightScale
from utils.checks import bank
from utils.checks.tasks import Twin

SQUARES = (NUMBERS**2 / (NUMBERS**2).sum(-1, keepdim=True)).double().numpy()
SHARE = replace(SHARE, twins=[Twin(0, {"inputs": {"power": 2.0}}, {"shares": SQUARES})])
TENS = {**SCALE.expected[0].outputs, "scaled": SCALE.expected[0].outputs["scaled"] * 10}
SCALE = replace(
    SCALE,
    twins=[
        Twin(0, {part: {name: getattr(SCALE.cases[0], part)[name] * 10}}, TENS)
        for part, name in (("inputs", "numbers"), ("parameters", "factors"))
    ],
)


TABLE = {}


def under_a_short_key(numbers, power):
    return right(numbers, TABLE.setdefault(numbers.shape, power))


class KeepsFactors(RightScale):
    kept = None

    def forward(self, numbers):
        if self.kept is None:
            self.kept = self.factors.clone().detach()
        kept = self.factors + (self.kept - self.factors).detach()
        return numbers * kept, torch.tensor(len(numbers))


class KeepsItsGraph(RightScale):
    kept = None

    def forward(self, numbers):
        if self.kept is None:
            self.kept = (self.factors * 2).square().sum()
        return numbers * self.factors + 0 * self.kept, torch.tensor(len(numbers))


class KeepsPrecision(RightScale):
    kept = None

    def forward(self, numbers):
        if self.kept is None:
            self.kept = torch.eye(len(numbers), dtype=numbers.dtype)
        return (numbers * self.factors) @ self.kept, torch.tensor(len(numbers))


class KeepsCount(RightScale):
    calls = 0

    def forward(self, numbers):
        self.calls += 1
        return numbers * self.factors * max(1, self.calls - 1), torch.tensor(len(numbers))


@pytest.mark.parametrize(
    ("answer", "record", "said"),
    [
        (under_a_short_key, SHARE, "with another `power`, `shares` is what it was before: your"),
        (KeepsFactors, SCALE, "with other parameters in the same module, `scaled` is what it was"),
        (KeepsItsGraph, SCALE, "one after the other, `Scale` fails: your code keeps something"),
        (KeepsPrecision, SCALE, "one after the other, `Scale` fails: your code keeps something"),
        (KeepsCount, SCALE, "with another `numbers`, `scaled` is wrong: your code keeps something"),
    ],
)
def test_what_is_kept_from_call_to_call_is_refused(answer, record, said):
    assert verdict_of(answer, replace(record, twins=[])).passed
    verdict = verdict_of(answer, record)
    assert verdict.reason == "kept"
    assert said in verdict.message


def test_what_is_kept_and_harmless_is_accepted():
    table = {}

    def share(numbers, power):
        return right(numbers, table.setdefault((numbers.shape, power), power))

    assert verdict_of(share, SHARE).passed
    assert verdict_of(RightScale, SCALE).passed


def test_other_values_come_back_from_the_disk(tmp_path):
    bank.save([SHARE, SCALE], tmp_path / "01_toys")
    stored = bank.load_all(tmp_path / "01_toys")
    for record in (SHARE, SCALE):
        assert str(stored[record.task.id].twins) == str(record.twins)
