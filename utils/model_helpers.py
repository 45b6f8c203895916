"""Small helpers of the notebooks: choose a device, count parameters and memory, set seeds."""

import random
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn


def available_devices() -> list[str]:
    """Return the types of device on this machine, fastest first; "cpu" always comes last."""
    devices = ["cpu"]
    if torch.backends.mps.is_available():
        devices.insert(0, "mps")
    if torch.cuda.is_available():
        devices.insert(0, "cuda")
    return devices


def get_device(name: str | torch.device = "auto") -> torch.device:
    """Return the device to compute on.

    Args:
        name: "auto" picks CUDA, else MPS, else the CPU. A name ("cpu", "cuda", "cuda:1", "mps") or
            a `torch.device` asks for exactly that device.

    Raises:
        ValueError: the device is unknown, or not on this machine.
    """
    present = available_devices()
    if name == "auto":
        return torch.device(present[0])
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError):
        raise ValueError(
            f'device {name!r} is unknown; use "auto", "cpu", "cuda" or "mps"'
        ) from None
    absent = device.type not in present or (
        device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count()
    )
    if absent:
        raise ValueError(
            f'device "{device}" is not on this machine, which has: {", ".join(present)}; '
            'use one of these, or "auto"'
        )
    return device


def count_parameters(module: nn.Module) -> dict[str, int]:
    """Count the parameters of a module; a parameter shared by several layers counts once.

    Returns:
        A dict with "total", "trainable" and "frozen" (parameters that require no gradient).
    """
    parameters = list(module.parameters())  # .parameters() yields a shared parameter only once
    total = sum(parameter.numel() for parameter in parameters)
    trainable = sum(parameter.numel() for parameter in parameters if parameter.requires_grad)
    return {"total": total, "trainable": trainable, "frozen": total - trainable}


def set_seed(seed: int) -> None:
    """Seed Python, NumPy and torch (all devices), so that a run can be repeated on this machine.

    Floating-point results still differ slightly between machines and thread counts.
    """
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - for libraries that still use the global state
    torch.manual_seed(seed)


def bytes_kept(function: Callable, *inputs: Tensor) -> int:
    """Count the bytes of the tensors that autograd keeps for the backward pass of a call.

    A tensor that is kept several times counts once, by its place in memory.
    """
    sizes = {}  # place in memory → bytes

    def note(tensor: Tensor) -> Tensor:
        sizes[tensor.data_ptr()] = tensor.nbytes
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        _ = function(*inputs)  # held until the end, so that no place in memory is used again
    return sum(sizes.values())
