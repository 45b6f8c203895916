"""Random words that are repeated: a task that attention solves by copying.

Source: Olsson et al. 2022.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

WORDS = 64  # ids 0 to 63 are words
START = WORDS  # the id of the start sign


def repeated_words(length: int, count: int = 32) -> Int[Tensor, "count 2*length+1"]:
    """Return texts of a start sign and `length` random words, twice."""
    half = torch.randint(WORDS, (count, length))
    return torch.cat([torch.full((count, 1), START), half, half], dim=1)


def loss_of_the_copy(
    model: nn.Module, texts: Int[Tensor, "count 2*length+1"], **options
) -> Float[Tensor, ""]:
    """Return the mean loss in the second half, all but its first word, which nobody can know."""
    return _losses(model, texts, **options)[:, texts.shape[1] // 2 + 1 :].mean()


def _losses(model, texts, **options):
    logits = model(texts[:, :-1], **options).transpose(1, 2)  # (count, WORDS, 2 * length)
    return F.cross_entropy(logits, texts[:, 1:], reduction="none")


def learn_to_copy(
    model: nn.Module, steps: int = 400, rate: float = 3e-3
) -> Float[Tensor, " steps"]:
    """Train a model on 12 to 24 repeated words, and return the loss of the copy at each step."""
    optimizer, copied = torch.optim.AdamW(model.parameters(), fused=True), []
    for step in range(steps):
        texts = repeated_words(int(torch.randint(12, 25, ())))
        losses = _losses(model, texts)  # (count, 2 * length)
        optimizer.param_groups[0]["lr"] = rate * min(1, (step + 1) / 100)  # a warm-up
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        copied.append(losses[:, texts.shape[1] // 2 + 1 :].mean().item())
    return torch.tensor(copied)
