import subprocess
import sys

import pytest
import torch
from torch import nn

from utils.model_helpers import available_devices, count_parameters, get_device, set_seed


def test_auto_takes_the_best_device_present():
    assert get_device("auto") == torch.device(available_devices()[0])
    assert get_device("cpu") == torch.device("cpu")
    assert get_device(torch.device("cpu")) == torch.device("cpu")


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_auto_prefers_cuda_then_mps_then_cpu(monkeypatch, cuda, mps, expected):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert get_device().type == expected


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_an_absent_device_is_an_error_that_says_what_is_there(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ValueError, match=f'"{name}" is not on this machine, which has: cpu;'):
        get_device(name)


def test_a_second_gpu_that_is_not_there_is_an_error(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert get_device("cuda:0") == torch.device("cuda:0")
    with pytest.raises(ValueError, match='"cuda:1" is not on this machine'):
        get_device("cuda:1")


@pytest.mark.parametrize("name", ["gpu", "", None, 3.5])
def test_an_unknown_device_names_the_choices(name):
    with pytest.raises(ValueError, match='use "auto", "cpu", "cuda" or "mps"'):
        get_device(name)


def test_parameters_are_counted_once_and_by_kind():
    first, second = nn.Linear(3, 4), nn.Linear(3, 4)
    second.weight = first.weight  # shared: 12 numbers, once
    second.bias.requires_grad_(False)
    assert count_parameters(nn.ModuleList([first, second])) == {
        "total": 12 + 4 + 4,
        "trainable": 12 + 4,
        "frozen": 4,
    }
    assert count_parameters(nn.Tanh()) == {"total": 0, "trainable": 0, "frozen": 0}


def test_a_seed_repeats_a_draw():
    set_seed(1)
    first = torch.randn(3)
    set_seed(1)
    assert torch.equal(first, torch.randn(3))
    set_seed(2)
    assert not torch.equal(first, torch.randn(3))


def test_importing_utils_alone_imports_nothing_heavy():
    code = "import sys, utils; print({'torch', 'numpy', 'matplotlib'} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout.strip() == "set()", printed.stderr
