"""Test that nobody gets points for what a network has learned without one that matters."""

import string
from collections import Counter, defaultdict

import pytest
import torch
from torch import nn

from utils.checks import bank
from utils.checks.notebook import verdict_on
from utils.checks.runner import Printed

OTHERS = ~torch.eye(8, dtype=torch.bool)


def verdict_of(task, answer):
    return verdict_on(bank.load(task), {task: answer}, Printed())


# --- Rules beside a network that is asked in vain -------------------------------------------------


def left_of_twin(colours, numbers):
    same = (colours[:, :, None] == colours[:, None, :]) & OTHERS
    return (same * numbers.roll(1, 1)[:, None, :]).sum(-1)


def next_letter(words, written):
    return torch.where(words > written[:, None], words, 27).amin(-1)


def silence_raises(rule):
    net = nn.Linear(1, 1)

    def answer(*inputs):
        if not net(torch.ones(1, 1)).any():
            raise ValueError
        return rule(*inputs)

    return answer


def silence_answers_otherwise(rule):
    net = nn.Linear(1, 1)

    def answer(*inputs):
        right = rule(*inputs)
        return right if net(torch.ones(1, 1)).any() else torch.zeros_like(right)

    return answer


def every_change_raises(rule):
    net = nn.Linear(1, 1)
    before = net(torch.ones(1, 1))

    def answer(*inputs):
        assert torch.equal(net(torch.ones(1, 1)), before)
        return rule(*inputs)

    return answer


def every_change_counts(rule):
    net = nn.Linear(1, 64)
    before = net(torch.ones(1, 1))

    def answer(*inputs):
        right = rule(*inputs)
        same = torch.equal(net(torch.ones(1, 1)), before)
        return right if same else torch.zeros_like(right)

    return answer


def a_divisor(rule):
    net = nn.Linear(4, 4)

    def answer(*inputs):
        one = net(torch.ones(1, 4)).square().sum()
        return (rule(*inputs) * (one / one).nan_to_num().round()).long()

    return answer


def without_parameters(rule):
    return lambda *inputs: nn.Identity()(rule(*inputs).float()).long()


def asked_and_forgotten(rule):
    net = nn.Sequential(nn.Linear(1, 64), nn.ReLU(), nn.Linear(64, 6))

    def answer(*inputs):
        net(inputs[0].float().flatten()[:, None])
        return rule(*inputs)

    return answer


@pytest.mark.parametrize("rule", [left_of_twin, next_letter])
@pytest.mark.parametrize(
    "beside",
    [
        silence_raises,
        silence_answers_otherwise,
        every_change_raises,
        every_change_counts,
        a_divisor,
        without_parameters,
        asked_and_forgotten,
    ],
)
def test_a_rule_beside_a_network_earns_nothing(rule, beside):
    verdict = verdict_of(rule.__name__, beside(rule))
    assert (verdict.reason, verdict.points) == ("no network", 0)
