"""Random words that are repeated: a task that attention solves by copying.

Source: Olsson et al. 2022.
"""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from utils.attention import MultiHeadAttention
from utils.experiments.experiment import Arm
from utils.masks import causal_mask
from utils.positions import Positions

WORDS = 64  # ids 0 to 63 are words
START = WORDS  # the id of the start sign


class Copier(nn.Module):
    """Two causal blocks of attention alone, each with a norm before it and a residual around it.

    Args:
        make_attention: returns the attention of a block, for states 64 wide.
        see_start: whether words may look at the start sign; it may always look at itself.

    Attributes:
        maps: the weights of both blocks in the last call, (batch, len, len) each.
        seen: the states that the second block was given, (batch, len, 64).
    """

    def __init__(self, make_attention: Callable[[], MultiHeadAttention], see_start: bool = True):
        super().__init__()
        dim = 64
        self.embedding, self.output = nn.Embedding(WORDS + 1, dim), nn.Linear(dim, WORDS)
        self.blocks = nn.ModuleList(make_attention() for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(3))
        self.see_start = see_start

    def forward(
        self,
        words: Int[Tensor, "batch len"],
        chosen: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch len WORDS"]:
        """Return the logits of the next words; `chosen` masks the second block once more."""
        x, mask = self.embedding(words), causal_mask(words.shape[1])
        mask[1:, 0] &= self.see_start
        y = self.norms[0](x)
        context, first = self.blocks[0](y, y, mask=mask)
        x = x + context
        self.seen = self.norms[1](x)
        mask = mask if chosen is None else mask & chosen  # (batch, len, len), or without batch
        context, second = self.blocks[1](self.seen, self.seen, mask=mask)
        self.maps = first.detach(), second.detach()
        return self.output(self.norms[2](x + context))


def repeated_words(
    length: int, count: int = 32, sign: bool = True
) -> Int[Tensor, "count 2*length+1"]:
    """Return texts of a start sign and `length` random words, twice.

    Without the sign, one more random word stands in its place.
    """
    half = torch.randint(WORDS, (count, length))
    first = torch.full((count, 1), START) if sign else torch.randint(WORDS, (count, 1))
    return torch.cat([first, half, half], dim=1)


def loss_of_the_copy(
    model: nn.Module, texts: Int[Tensor, "count 2*length+1"], **options
) -> Float[Tensor, ""]:
    """Return the mean loss in the second half, all but its first word, which nobody can know."""
    return _losses(model, texts, **options)[:, texts.shape[1] // 2 + 1 :].mean()


def _losses(model, texts, **options):
    logits = model(texts[:, :-1], **options).transpose(1, 2)  # (count, WORDS, 2 * length)
    return F.cross_entropy(logits, texts[:, 1:], reduction="none")


def learn_to_copy(model: nn.Module, steps: int = 400, sign: bool = True) -> Float[Tensor, " steps"]:
    """Train a model on 12 to 24 repeated words, and return the loss of the copy at each step.

    `sign` is as for `repeated_words`.
    """
    optimizer, copied = torch.optim.AdamW(model.parameters(), fused=True), []
    for step in range(steps):
        texts = repeated_words(int(torch.randint(12, 25, ())), sign=sign)
        losses = _losses(model, texts)  # (count, 2 * length)
        optimizer.param_groups[0]["lr"] = 3e-3 * min(1, (step + 1) / 100)  # a warm-up
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        copied.append(losses[:, texts.shape[1] // 2 + 1 :].mean().item())
    return torch.tensor(copied)


@torch.no_grad()
def found_by_distance(model: Copier, distances: Sequence[int]) -> dict[int, float]:
    """Return in how many per cent of 512 texts a model finds what it looks up, by distance.

    The last of 48 random words, as many as in the longest texts of training, also stands `distance`
    words before, and nowhere else. What followed it there is to be the likeliest next word.
    """
    found = {}
    for distance in distances:
        asked = torch.randint(WORDS, (512, 1))
        others = torch.randint(WORDS - 1, (512, 48))
        texts = others + (others >= asked)  # any word but the one that is asked for
        texts[:, [-1, -1 - distance]] = asked
        start = torch.full((512, 1), START)
        guess = model(torch.cat([start, texts], dim=1))[:, -1].argmax(-1)  # (512,)
        found[distance] = 100 * (guess == texts[:, -distance]).double().mean().item()
    return found


def learner(positions: Positions) -> Arm:
    """Return a function of a number of steps that trains a `Copier` of two heads with positions."""
    return lambda steps: learn_to_copy(
        Copier(lambda: MultiHeadAttention(64, 2, positions=positions)), steps
    )


@torch.no_grad()
def shares_of_the_first(model: Copier, sign: bool = True) -> Float[Tensor, " blocks"]:
    """Return how much of its weight each block gives to the first of 24 words and their copy.

    That is the mean over words 2 to 24, which have nothing to copy yet; whoever gave all words the
    same would give it 0.12. `sign` is as for `repeated_words`.
    """
    model(repeated_words(24, 128, sign)[:, :-1])
    return torch.stack([weights[:, 1:24, 0].mean() for weights in model.maps])
