"""What the grader makes of capstones that rest on no network, or on one that hardly matters."""

import pytest

from grading.intake import notebook_parser
from grading.run import scoring
from grading.run.grading import Assignment, Grading
from grading.run.launcher import Launcher
from grading.run.scoring import Result
from grading.tests.made import numbered
from tests import needs
from utils.checks import bank
from utils.checks.tasks import Doubt

NAME, TASK = "05_multi_head_attention", "left_of_twin"
RULE = """
import torch
from torch import nn

def twin(colours, numbers):
    same = (colours[:, :, None] == colours[:, None, :]) & ~torch.eye(8, dtype=torch.bool)
    return (same * numbers.roll(1, 1)[:, None, :]).sum(-1)
"""
SILENCE_RAISES = """
net = nn.Linear(1, 1)

def left_of_twin(colours, numbers):
    if not net(torch.ones(1, 1)).any(): raise ValueError
    return twin(colours, numbers)
"""
ANSWERS_THROUGH_A_NETWORK = """
net = nn.Linear(6, 6, bias=False)
nn.init.eye_(net.weight)

def left_of_twin(colours, numbers):
    return net(nn.functional.one_hot(twin(colours, numbers), 6).float()).argmax(-1)
"""
MADE_BY_HAND = """
net = nn.Sequential(nn.Linear(6, 40), nn.Linear(40, 6))
nn.init.orthogonal_(net[0].weight)
net[1].weight.data = net[0].weight.data.T.clone()

def left_of_twin(colours, numbers):
    return net(nn.functional.one_hot(twin(colours, numbers), 6).float()).argmax(-1)

optimizer = torch.optim.SGD(net.parameters(), lr=1)
for _ in range(100):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(torch.eye(6)), torch.arange(6))
    loss.backward()
    optimizer.step()
"""
HARDLY_TRAINED = MADE_BY_HAND.replace("lr=1", "lr=1e-9")
TRAINED = MADE_BY_HAND.replace("net[0].weight.data.T.clone()", "-net[0].weight.data.T")
A_COPY = TRAINED + "import copy\nnet, original = copy.deepcopy(net), net\n"


@pytest.fixture(scope="module")
def launcher():
    with Launcher() as started:
        yield started


@needs.sandbox
@pytest.mark.parametrize(
    ("cell", "points", "flags"),
    [
        (SILENCE_RAISES, 0, []),
        (ANSWERS_THROUGH_A_NETWORK, 5, [f"{TASK} {Doubt.UNTAUGHT}", f"{TASK} {Doubt.SMALL}"]),
        (HARDLY_TRAINED, 5, [f"{TASK} {Doubt.UNTAUGHT}"]),
        (TRAINED, 5, []),
        (A_COPY, 5, []),
    ],
)
def test_a_network_that_does_not_matter_earns_nothing_or_a_flag(cell, points, flags, launcher):
    record = bank.load(TASK)
    grading = Grading({NAME: Assignment(NAME, {TASK: record}, {TASK: record})}, launcher)
    result = Result("ada", "", "", "ada.ipynb")
    sent = notebook_parser.Notebook(NAME, numbered([RULE, cell]))
    scoring.score_tasks(result, sent, [TASK], grading)
    assert result.tasks[TASK].points == points
    assert [*map(str, result.flags)] == flags
