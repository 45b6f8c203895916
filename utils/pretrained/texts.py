"""The texts on which the real model is measured."""

import tomllib
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STORIES: list[str] = _TEXTS["stories"]  # five, of 131 to 141 tokens
PROSE: list[str] = _TEXTS["prose"]  # three passages, of 1,305 to 1,439 tokens
CODE: str = _TEXTS["code"]
LICENCE: str = _TEXTS["licence"]  # which many projects carry, so the model has read it often


def said_twice(vocab_size: int, seed: int, length: int = 30) -> Int[Tensor, "1 2*length"]:
    """Return random tokens, said twice: nothing predicts the first half, the second is a copy.

    The first thousand ids are left out, since many of them are signs and special tokens.
    """
    generator = torch.Generator().manual_seed(seed)
    once = torch.randint(1_000, vocab_size, (1, length), generator=generator)
    return torch.cat([once, once], dim=1)
