"""A decoder-only language model as it is built today, around the course's `MultiHeadAttention`.

What differs from the block of 2017 (`utils.transformer`): RMS norms instead of layer norms, SwiGLU
instead of ReLU, rotary positions instead of sinusoids, heads that share keys, and no biases. Models
of the Llama, Mistral, Qwen 2, Qwen 3 and SmolLM kinds are all of them this one, with other numbers.
Source: Touvron et al. 2023, section 2.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.attention import MultiHeadAttention
from utils.kv_cache import KVCache
from utils.masks import causal_mask, window_mask
from utils.positions import Layout, RotaryPositions, rotary_frequencies, stretched_frequencies


@dataclass(frozen=True)
class Architecture:
    """The sizes of a model, as its card states them.

    Attributes:
        vocab_size, dim, layers, hidden: tokens; width of the states; blocks; hidden width of the
            feed-forward networks.
        heads, kv_heads, head_dim: query heads, heads with keys and values, width of each.
        eps: ε of all RMS norms.
        base: of the rotary positions; `rotary_dim` entries of each head turn, in this `layout`.
        stretch: arguments of `stretched_frequencies` behind the first, or (factor,) for linear
            interpolation, or empty.
        bias: as for `MultiHeadAttention`.
        qk_norm: whether queries and keys are normalised.
        windows: for each block its window, or None.
        tied: whether the embedding serves as output matrix.
        context: the longest text that the card promises.
    """

    vocab_size: int
    dim: int
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    eps: float
    base: float
    rotary_dim: int
    windows: tuple[int | None, ...]
    layout: Layout = "halves"
    stretch: tuple[float, ...] = ()
    bias: bool | str = False
    qk_norm: bool = False
    tied: bool = True
    context: int = 2048

    def positions(self) -> RotaryPositions:
        """Return the rotary positions of every block."""
        frequencies = rotary_frequencies(self.rotary_dim, self.base)
        if len(self.stretch) == 1:
            frequencies = frequencies / self.stretch[0]
        elif self.stretch:
            frequencies = stretched_frequencies(frequencies, *self.stretch)
        return RotaryPositions(self.head_dim, self.layout, frequencies=frequencies)


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: W_down (SiLU(W_gate x) ⊙ W_up x), without biases.

    Source: Shazeer 2020, equation 6.
    """

    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.gate = nn.Linear(dim, hidden, bias=False)
        self.up = nn.Linear(dim, hidden, bias=False)
        self.down = nn.Linear(hidden, dim, bias=False)

    def forward(self, x: Float[Tensor, "... dim"]) -> Float[Tensor, "... dim"]:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    """Self-attention with grouped heads and rotary positions, then SwiGLU, both with pre-norm.

    Args:
        architecture: the sizes.
        positions: shared by all blocks of a model.
    """

    def __init__(self, architecture: Architecture, positions: RotaryPositions):
        super().__init__()
        a = architecture
        self.attention = MultiHeadAttention(
            a.dim,
            a.heads,
            bias=a.bias,
            kv_heads=a.kv_heads,
            positions=positions,
            head_dim=a.head_dim,
            qk_norm=a.eps if a.qk_norm else None,
        )
        self.feed_forward = SwiGLU(a.dim, a.hidden)
        self.norms = nn.ModuleList(nn.RMSNorm(a.dim, a.eps) for _ in range(2))

    def forward(
        self, x: Float[Tensor, "batch new dim"], mask: Tensor | None, cache: KVCache | None = None
    ) -> Float[Tensor, "batch new dim"]:
        """Return the states of new tokens after this block.

        Args:
            x: states before it.
            mask: who may look at whom, without a cache; with one, the cache says it.
            cache: of the tokens before; it is extended by the new ones.
        """
        y = self.norms[0](x)
        position = 0 if cache is None else cache.position
        memory = self.attention.remember(y, mask=mask, position=position)
        memory = memory if cache is None else cache.extend(memory)
        x = x + self.attention.attend(y, memory, position, return_weights=None)[0]
        return x + self.feed_forward(self.norms[1](x))


class CausalLM(nn.Module):
    """A language model: tokens in, the logits of the next token out.

    Args:
        architecture: the sizes.
        Block: class of the blocks, called with the architecture and the positions.
    """

    def __init__(self, architecture: Architecture, Block: type[nn.Module] = Block):  # noqa: N803
        super().__init__()
        self.architecture = a = architecture
        positions = a.positions()
        # Uniform, since a normal distribution takes a second on "meta", which imports a compiler.
        embedding = torch.rand(a.vocab_size, a.dim)
        self.embedding = nn.Embedding.from_pretrained(embedding, freeze=False)
        self.blocks = nn.ModuleList(Block(a, positions) for _ in range(a.layers))
        self.norm = nn.RMSNorm(a.dim, a.eps)
        self.output = nn.Linear(a.dim, a.vocab_size, bias=False)
        if a.tied:
            self.output.weight = self.embedding.weight

    def caches(self, window: int | None = None, sinks: int = 0) -> list[KVCache]:
        """Return an empty cache for each block; a window given here is for blocks without one."""
        return [KVCache(own or window, sinks) for own in self.architecture.windows]

    def masks(self, length: int) -> list[Tensor]:
        """Return the mask (length, length) of each block, causal and perhaps with a window."""
        device = self.embedding.weight.device
        causal, places = causal_mask(length, device), torch.arange(length, device=device)
        made = {None: causal}
        for window in {*self.architecture.windows} - {None}:
            made[window] = causal & window_mask(places, length, window - 1)
        return [made[window] for window in self.architecture.windows]

    def states(
        self, tokens: Int[Tensor, "batch new"], caches: Sequence[KVCache] | None = None
    ) -> Float[Tensor, "batch new dim"]:
        """Return the normalised states behind the last block, from which logits are made."""
        x = self.embedding(tokens)
        masks = self.masks(tokens.shape[1]) if caches is None else [None] * len(self.blocks)
        caches = [None] * len(self.blocks) if caches is None else caches
        for block, mask, cache in zip(self.blocks, masks, caches, strict=True):
            x = block(x, mask, cache)
        return self.norm(x)

    def forward(
        self, tokens: Int[Tensor, "batch new"], caches: Sequence[KVCache] | None = None
    ) -> Float[Tensor, "batch new vocab_size"]:
        """Return the logits of the next token behind each of the tokens.

        Args:
            tokens: ids; with caches, of the tokens behind those read before.
            caches: from `caches`; each block extends its own.
        """
        return self.output(self.states(tokens, caches))

    def last_logits(
        self, tokens: Int[Tensor, "batch new"], caches: Sequence[KVCache]
    ) -> Float[Tensor, "batch vocab_size"]:
        """Return the logits behind the last token alone: in writing, nobody needs the others."""
        return self.output(self.states(tokens, caches)[:, -1])
