"""The Transformer: attention does the work of the recurrent networks too.

    encoder = TransformerEncoder(len(source_vocabulary), dim=64, heads=4, hidden=256, layers=2)
    decoder = TransformerDecoder(len(target_vocabulary), dim=64, heads=4, hidden=256, layers=2)
    model = Seq2Seq(encoder, decoder, source_vocabulary, target_vocabulary)

Encoder and decoder fit the frame of `seq2seq.py`, so training, greedy and beam search, and the
measurements are the same as for the recurrent models. Source: Vaswani et al. 2017.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.attention import Memory, MultiHeadAttention
from utils.masks import causal_mask, padding_mask
from utils.positions import Positions, SinusoidalPositions
from utils.seq2seq import Encoded

MAX_LEN = 512  # positions


class SourceMemory(NamedTuple):
    """Keys and values of the source for every block of a decoder, made once per sequence."""

    keys: Float[Tensor, "batch layers heads src_len head_dim"]  # of the cross-attentions
    values: Float[Tensor, "batch layers heads src_len head_dim"]
    mask: Tensor  # (batch, 1, 1, src_len), True for words, False for padding


class Past(NamedTuple):
    """Keys and values of the words already written, for every block of a decoder."""

    keys: Float[Tensor, "batch layers heads written head_dim"]  # of the self-attentions
    values: Float[Tensor, "batch layers heads written head_dim"]
    position: int  # the number of words read


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network for each position, both with residuals.

    With a causal mask it is also the block of a language model. Source: Vaswani et al. 2017,
    sections 3.1 and 3.3; for the norm before each layer, Xiong et al. 2020, section 3.

    Args:
        dim: width of the states.
        heads: number of heads; must divide `dim`.
        hidden: width of the feed-forward network's hidden layer.
        pre: whether to compute x + layer(norm(x)), instead of norm(x + layer(x)) as in the paper
            of 2017.
        dropout: share of the entries of each layer's output set to 0 in training.
        positions: those of the self-attention, as for `MultiHeadAttention`.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        hidden: int,
        pre: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
    ):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads, positions=positions)
        self.feed_forward = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, dim))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(2))
        self.pre = pre
        self.dropout = nn.Dropout(dropout)

    def add(self, norm: nn.Module, x: Tensor, layer) -> Tensor:
        """Add a layer's output to its input, with the norm before the layer or after the sum."""
        if self.pre:
            return x + self.dropout(layer(norm(x)))
        return norm(x + self.dropout(layer(x)))

    def look(self, y: Tensor, mask: Tensor | None) -> Tensor:
        """Return the context of self-attention, without weights, so that PyTorch can fuse it."""
        return self.attention(y, y, mask=mask, return_weights=None)[0]

    def forward(
        self, x: Float[Tensor, "batch len dim"], mask: Tensor | None = None
    ) -> Float[Tensor, "batch len dim"]:
        """Return the states after this block; `mask` is as for `MultiHeadAttention`."""
        x = self.add(self.norms[0], x, lambda y: self.look(y, mask))
        return self.add(self.norms[1], x, self.feed_forward)


class DecoderBlock(EncoderBlock):
    """An `EncoderBlock` with cross-attention to the source between its two layers.

    Source: Vaswani et al. 2017, section 3.1.

    Args:
        dim, heads, hidden, pre, dropout, positions: as for `EncoderBlock`.
        cross_positions: those of the cross-attention.
    """

    def __init__(
        self,
        dim: int,
        heads: int,
        hidden: int,
        pre: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
        cross_positions: Positions | None = None,
    ):
        super().__init__(dim, heads, hidden, pre, dropout, positions)
        self.cross = MultiHeadAttention(dim, heads, positions=cross_positions)
        self.norms.append(nn.LayerNorm(dim))

    def forward(
        self,
        x: Float[Tensor, "batch tgt_len dim"],
        mask: Tensor | None,
        source: Float[Tensor, "batch src_len dim"],
        source_mask: Tensor | None = None,
    ) -> Float[Tensor, "batch tgt_len dim"]:
        """Return the states of all words after this block; `mask` has to be causal."""

        def look_across(y):
            return self.cross(y, source, mask=source_mask, return_weights=None)[0]

        x = self.add(self.norms[0], x, lambda y: self.look(y, mask))
        x = self.add(self.norms[2], x, look_across)
        return self.add(self.norms[1], x, self.feed_forward)

    def step(
        self, x: Tensor, past: tuple[Tensor, Tensor], source: Memory, weigh: bool
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor | None]:
        """Read new words, which follow the words whose keys and values are in `past`.

        Args:
            x: states of the new words, (batch, new, dim).
            past: keys and values of the words before, (batch, heads, written, head_dim) each.
            source: projected keys and values of the source, from `cross.remember`.
            weigh: whether to return the weights of the cross-attention.

        Returns:
            The states; keys and values of all words; the weights (batch, new, src_len), the mean
            over the heads, or None.
        """
        keys_and_values, weights = past, None
        position = past[0].shape[2]  # of the first new word

        def look_back(y):
            nonlocal keys_and_values
            new = self.attention.remember(y, position=position)
            keys = torch.cat([past[0], new.keys], dim=2)  # (batch, heads, written + new, head_dim)
            values = torch.cat([past[1], new.values], dim=2)
            keys_and_values = keys, values
            # A single new word may attend to every word so far, itself included.
            mask = None if y.shape[1] == 1 else causal_mask(keys.shape[2], y.device)[position:]
            memory = Memory(keys, values, mask)
            return self.attention.attend(y, memory, position, return_weights=None)[0]

        def look_across(y):
            nonlocal weights
            wanted = "mean" if weigh else None
            context, weights = self.cross.attend(y, source, position, return_weights=wanted)
            return context

        x = self.add(self.norms[0], x, look_back)
        x = self.add(self.norms[2], x, look_across)
        return self.add(self.norms[1], x, self.feed_forward), keys_and_values, weights


class _Stack(nn.Module):
    """Base class of encoder and decoder: embedding with positions, blocks, and a last norm."""

    def __init__(self, vocab_size, dim, pre, dropout, positions, layers, make_block):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim)
        nn.init.normal_(self.embedding.weight, std=dim**-0.5)
        self.positions = SinusoidalPositions(dim, MAX_LEN) if positions is None else positions
        self.blocks = nn.ModuleList(make_block() for _ in range(layers))
        # Blocks that compute norm(x + layer(x)) end with a norm, so they need no last one.
        self.norm = nn.LayerNorm(dim) if pre else nn.Identity()
        self.dropout = nn.Dropout(dropout)

    def embed(self, words: Int[Tensor, "batch len"], position: int = 0) -> Tensor:
        """Return word vectors plus position vectors: Vaswani et al. 2017, sections 3.4 and 3.5."""
        vectors = self.embedding(words) * math.sqrt(self.embedding.embedding_dim)
        return self.dropout(self.positions(vectors, position))  # (batch, len, dim)


class TransformerEncoder(_Stack):
    """Embedding with positions, then blocks of self-attention; it can replace an `Encoder`.

    Args:
        vocab_size: number of source words.
        dim, heads, hidden, pre, dropout: as for `EncoderBlock`.
        layers: number of blocks.
        positions: added to the embeddings and used in every self-attention; sinusoids if not given.
    """

    def __init__(
        self,
        vocab_size: int,
        dim: int,
        heads: int,
        hidden: int,
        layers: int,
        pre: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
    ):
        def make_block():
            return EncoderBlock(dim, heads, hidden, pre, dropout, positions)

        super().__init__(vocab_size, dim, pre, dropout, positions, layers, make_block)
        self.output_dim = dim

    def forward(
        self, source: Int[Tensor, "batch src_len"], lengths: Int[Tensor, " batch"]
    ) -> Encoded:
        """Encode a padded batch; `lengths` is the number of words in each row."""
        mask = padding_mask(lengths.to(source.device), source.shape[1])  # (batch, 1, src_len)
        x = self.embed(source)
        for block in self.blocks:
            x = block(x, mask)
        states = self.norm(x)  # (batch, src_len, dim)
        return Encoded(states, states[:, 0], mask)  # `TransformerDecoder` ignores the summary


class TransformerDecoder(_Stack):
    """Blocks of self-attention, cross-attention and feed-forward; it can replace a `Decoder`.

    It keeps the keys and values of the words already written (`Past`), so that a step computes only
    those of the new word. The weights it returns are those of the last block, the mean over the
    heads; in training they have no columns. The output projection shares its weights with the
    embedding, as in `Decoder`.

    Args:
        vocab_size: number of target words.
        dim, heads, hidden, layers, pre, dropout, positions: as for `TransformerEncoder`.
        cross_positions: those of the cross-attentions; none if not given.
    """

    def __init__(
        self,
        vocab_size: int,
        dim: int,
        heads: int,
        hidden: int,
        layers: int,
        pre: bool = True,
        dropout: float = 0.0,
        positions: Positions | None = None,
        cross_positions: Positions | None = None,
    ):
        def make_block():
            return DecoderBlock(dim, heads, hidden, pre, dropout, positions, cross_positions)

        super().__init__(vocab_size, dim, pre, dropout, positions, layers, make_block)
        self.summary_dim = dim
        self.heads = heads
        self.output = nn.Linear(dim, vocab_size)
        self.output.weight = self.embedding.weight

    def remember(self, encoded: Encoded) -> SourceMemory:
        """Return the keys and values of the source for every block."""
        memories = [block.cross.remember(encoded.states) for block in self.blocks]
        keys = torch.stack([memory.keys for memory in memories], dim=1)
        values = torch.stack([memory.values for memory in memories], dim=1)
        # keys, values: (batch, layers, heads, src_len, head_dim)
        return SourceMemory(keys, values, encoded.mask.unsqueeze(1))

    def start(self, encoded: Encoded) -> Past:
        """Return the state before the first word: a `Past` without keys and values."""
        batch, _, dim = encoded.states.shape
        empty = encoded.states.new_empty(batch, len(self.blocks), self.heads, 0, dim // self.heads)
        return Past(empty, empty, position=0)

    def forward(
        self, words: Int[Tensor, "batch tgt_len"], memory: SourceMemory, state: Past
    ) -> tuple[Tensor, Tensor, Past]:
        """Read `words`, and after each one predict the next; returns as `Decoder.forward` does."""
        x = self.embed(words, state.position)  # (batch, tgt_len, dim)
        weights, kept = None, []
        for layer, block in enumerate(self.blocks):
            past = state.keys[:, layer], state.values[:, layer]
            source = Memory(memory.keys[:, layer], memory.values[:, layer], memory.mask)
            last = layer == len(self.blocks) - 1
            x, present, weights = block.step(x, past, source, weigh=last and not self.training)
            kept.append(present)
        if weights is None:
            weights = x.new_zeros(*words.shape, 0)
        keys, values = (torch.stack(parts, dim=1) for parts in zip(*kept, strict=True))
        return self.norm(x), weights, Past(keys, values, state.position + words.shape[1])
