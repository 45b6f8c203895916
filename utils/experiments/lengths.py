"""A small language model with a choice of positions, trained on short windows of a text.

How well it reads windows longer than those is a question of notebook 10, and at which learning
rates it still learns.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.attention import MultiHeadAttention
from utils.corpora import SOS, Pair, translation_corpus
from utils.masks import causal_mask
from utils.positions import Positions
from utils.training import one_cycle
from utils.transformer import EncoderBlock

TRAINED = 48  # words in a window of training
ASKED = 16  # the last words of a window, which are predicted when it is measured
LONGEST = 384  # words: measured windows of all lengths up to it end with the same words


class Texts(NamedTuple):
    """Two texts as ids of words, (words,) each, and the number of different words."""

    training: Int[Tensor, " words"]
    unseen: Int[Tensor, " words"]
    vocabulary: int


def english() -> Texts:
    """Return the English of notebook 06's grammar, one sentence after the other.

    Each sentence of one to three noun phrases begins with a start sign.
    """
    corpus = translation_corpus(pairs=12_000, phrases=(1, 3))
    vocabulary, _ = corpus.vocabularies()

    def in_a_row(pairs: list[Pair]) -> Tensor:
        return torch.tensor([word for p in pairs for word in [SOS, *vocabulary.encode(p.source)]])

    unseen = corpus.validation + corpus.test
    return Texts(in_a_row(corpus.train), in_a_row(unseen), len(vocabulary))


class NormedAttention(MultiHeadAttention):
    """Multi-head attention that normalises queries and keys before they are turned (QK-norm).

    Each head's queries and keys are divided by their root mean square and multiplied by a learned
    number for each entry, so no score can outgrow these numbers. After Henry et al. 2020, who
    divide by the length and learn a single scale; with the norm of Zhang and Sennrich 2019.
    """

    def __init__(self, dim: int, heads: int, positions: Positions | None = None):
        super().__init__(dim, heads, positions=positions)
        self.norm_q, self.norm_k = nn.RMSNorm(self.head_dim), nn.RMSNorm(self.head_dim)


class LanguageModel(nn.Module):
    """A causal language model of two pre-norm blocks with four heads, 64 wide.

    Args:
        words: size of the vocabulary.
        positions: asked before the first block, and in each attention.
        normed: whether queries and keys are normalised, as in `NormedAttention`.
    """

    def __init__(self, words: int, positions: Positions, normed: bool = False):
        super().__init__()
        dim, heads = 64, 4
        self.embedding, self.output = nn.Embedding(words, dim), nn.Linear(dim, words)
        blocks = (EncoderBlock(dim, heads, 4 * dim, positions=positions) for _ in range(2))
        self.positions, self.blocks = positions, nn.ModuleList(blocks)
        self.norm = nn.LayerNorm(dim)
        for block in self.blocks if normed else ():
            block.attention = NormedAttention(dim, heads, positions)

    def forward(self, words: Int[Tensor, "batch len"]) -> Float[Tensor, "batch len vocab"]:
        """Return the logits of the word that follows each word."""
        x = self.positions(self.embedding(words))  # (batch, len, dim)
        for block in self.blocks:
            x = block(x, causal_mask(words.shape[1]))
        return self.output(self.norm(x))


def train(
    model: nn.Module,
    text: Tensor,
    steps: int = 250,
    peak: float = 5e-3,
    sign: int | None = None,
) -> None:
    """Train a model on `steps` batches of 32 random windows of a text, with one cycle of rates.

    Args:
        model: takes words (batch, len) and returns logits (batch, len, vocab).
        text: (words,).
        peak: the largest learning rate, for Adam.
        sign: the id with which every window begins, in place of its first word; None for its own.
    """
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for step in range(steps):
        starts = torch.randint(len(text) - TRAINED, (32, 1))
        words = text[starts + torch.arange(TRAINED + 1)]  # (32, TRAINED + 1)
        if sign is not None:
            words[:, 0] = sign
        optimizer.param_groups[0]["lr"] = one_cycle(step, steps, peak, 0.1)
        loss = F.cross_entropy(model(words[:, :-1]).transpose(1, 2), words[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def perplexity(model: nn.Module, text: Tensor, length: int) -> float:
    """Return the perplexity of the last 16 words of 128 windows, spread evenly over a text.

    Windows of every length up to `LONGEST` end at the same places, so the same words are predicted.
    """
    ends, losses = torch.linspace(LONGEST, len(text) - 1, 128).long(), []
    for some in ends.split(32):
        words = text[some[:, None] + torch.arange(-length, 1)]  # (32, length + 1)
        logits = model(words[:, :-1])[:, -ASKED:].transpose(1, 2)  # (32, vocab, ASKED)
        losses.append(F.cross_entropy(logits, words[:, -ASKED:]))
    return torch.stack(losses).mean().exp().item()


@torch.no_grad()
def shares_of_the_first(
    model: LanguageModel, text: Tensor, sign: int | None = None
) -> Float[Tensor, "blocks heads"]:
    """Return how much of its weight each head gives to the first word of a window.

    That is the mean over the last 16 words of 128 windows as long as those of training.

    Args:
        sign: as for `train`.
    """
    starts = torch.linspace(0, len(text) - TRAINED, 128).long()
    words = text[starts[:, None] + torch.arange(TRAINED)]  # (128, TRAINED)
    if sign is not None:
        words[:, 0] = sign
    x, shares = model.positions(model.embedding(words)), []
    for block in model.blocks:
        y, mask = block.norms[0](x), causal_mask(TRAINED)
        _, weights = block.attention(y, y, mask=mask, return_weights="heads")
        shares.append(weights[:, :, -ASKED:, 0].mean((0, 2)))  # (heads,)
        x = block(x, mask)
    return torch.stack(shares)
