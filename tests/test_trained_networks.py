"""Test that nobody gets points for what a network has learned without one that matters."""

from collections import Counter, defaultdict
from itertools import pairwise

import pytest
import torch
from torch import nn

from utils.checks import bank
from utils.checks.kinds import kind_of
from utils.checks.limits import Printed
from utils.checks.notebook import verdict_on
from utils.checks.tasks import Doubt

OTHERS = ~torch.eye(8, dtype=torch.bool)


def verdict_of(task, answer):
    return verdict_on(bank.load(task), {task: answer}, Printed())


def doubts_of(task, answer):
    record = bank.load(task)
    kind = kind_of(record.task)
    given = kind.run(answer, record.cases, Printed())
    assert kind.judge(record, record.trials(given)).passed
    return kind.doubts


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


def in_a_forward(rule):
    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(27, 32)

        def forward(self, *inputs):
            scores = nn.functional.one_hot(rule(*inputs), 27)
            return scores * self.table(rule(*inputs)).norm(dim=-1, keepdim=True)

    reader = Reader()
    return lambda *inputs: reader(*inputs).argmax(-1)


@pytest.mark.parametrize("rule", [left_of_twin, next_letter])
@pytest.mark.parametrize(
    "beside",
    [
        silence_raises,
        silence_answers_otherwise,
        every_change_raises,
        a_divisor,
        without_parameters,
        asked_and_forgotten,
        in_a_forward,
    ],
)
def test_a_rule_beside_a_network_earns_nothing(rule, beside):
    verdict = verdict_of(rule.__name__, beside(rule))
    assert (verdict.reason, verdict.points) == ("no network", 0)


# --- What cannot be refused is told to a person ---------------------------------------------------


def its_own_answers(rule):
    net = nn.Linear(6, 6, bias=False)
    nn.init.eye_(net.weight)

    def answer(*inputs):
        return net(nn.functional.one_hot(rule(*inputs), 6).float()).argmax(-1)

    return answer


def every_row_counts(rule):
    net = nn.Linear(8, 64)

    def answer(*inputs):
        numbers = inputs[0].float()
        assert torch.equal(net(numbers), nn.functional.linear(numbers, net.weight, net.bias))
        return rule(*inputs)

    return answer


def all_rows_count(rule):
    net = nn.Linear(8, 64)
    weight, bias = net.weight.clone(), net.bias.clone()

    def answer(*inputs):
        numbers, right = inputs[0].float(), rule(*inputs)
        same = torch.equal(net(numbers), nn.functional.linear(numbers, weight, bias))
        return right if same else torch.zeros_like(right)

    return answer


@pytest.mark.parametrize(
    ("beside", "doubt"),
    [
        (every_change_counts, Doubt.ELSEWHERE),
        (its_own_answers, Doubt.SMALL),
        (every_row_counts, Doubt.FAILS),
        (all_rows_count, Doubt.APART),
    ],
)
def test_what_may_be_a_rule_is_told(beside, doubt):
    assert doubt in doubts_of("left_of_twin", beside(left_of_twin))


# --- Rules beside a network that learns in vain ---------------------------------------------------


def next_letters(text, beginnings):
    follows = [defaultdict(Counter) for _ in range(7)]
    for place in range(7, len(text)):
        for width in range(7):
            follows[width][text[place - width : place]][text[place]] += 1
    widths = [[w for w in range(7) if one[len(one) - w :] in follows[w]] for one in beginnings]
    return [
        follows[max(fits)][one[len(one) - max(fits) :]].most_common(1)[0][0]
        for fits, one in zip(widths, beginnings, strict=True)
    ]


class Nothing(torch.optim.SGD):
    def step(self, closure=None):
        pass


def steps_of(optimizer, net, count=3):
    for _ in range(count):
        optimizer.zero_grad()
        net(torch.ones(4, net[0].in_features)).square().sum().backward()
        optimizer.step()


def layers(*widths):
    return nn.Sequential(*(nn.Linear(*pair) for pair in pairwise(widths)))


def a_step_without_a_gradient(text, beginnings):
    torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1).step()
    return next_letters(text, beginnings)


def an_optimizer_that_does_nothing(text, beginnings):
    net = layers(64, 64, 26)
    steps_of(Nothing(net.parameters(), lr=0.1), net)
    return next_letters(text, beginnings)


def learned_and_forgotten(text, beginnings):
    net = layers(64, 64, 26)
    steps_of(torch.optim.Adam(net.parameters()), net)
    net(torch.randn(len(beginnings), 64)).argmax(-1)
    return next_letters(text, beginnings)


def without_a_module(text, beginnings):
    weight = torch.zeros(100, 100, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    (weight - 1).square().sum().backward()
    optimizer.step()
    return next_letters(text, beginnings)


def counts_as_weights(text, beginnings, steps=20):
    """A table of what follows five letters, as an embedding that tiny steps leave as it was."""
    letters, ends = sorted({*text}), sorted({one[-5:] for one in beginnings})
    table = torch.randn(len(ends), len(letters)) / 10
    for row, letter in zip(table, next_letters(text, ends), strict=True):
        row[letters.index(letter)] += 1
    net = nn.Embedding.from_pretrained(table, freeze=False)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-9)
    asked = torch.tensor([ends.index(one[-5:]) for one in beginnings])
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(asked), asked % len(letters)).backward()
        optimizer.step()
    return [letters[best] for best in net(asked).argmax(-1)]


@pytest.mark.parametrize(
    "answer",
    [
        a_step_without_a_gradient,
        an_optimizer_that_does_nothing,
        learned_and_forgotten,
        without_a_module,
        counts_as_weights,
    ],
)
def test_a_rule_beside_a_training_earns_nothing(answer):
    verdict = verdict_of("next_letters", answer)
    assert (verdict.reason, verdict.points) == ("no network", 0)


def test_a_training_whose_steps_are_drawn_by_lot_is_told():
    lots = iter([20, 10])

    def answer(text, beginnings):
        return counts_as_weights(text, beginnings, next(lots))

    assert Doubt.FAILS in doubts_of("next_letters", answer)


def test_a_rule_that_asks_whether_its_network_learns_is_told():
    def answer(text, beginnings):
        net = layers(2, 2)
        before = net[0].weight.detach().clone()
        steps_of(torch.optim.SGD(net.parameters(), lr=0.1), net)
        assert not torch.equal(before, net[0].weight)
        return next_letters(text, beginnings)

    assert {*doubts_of("next_letters", answer)} == {Doubt.SMALL, Doubt.FAILS}
