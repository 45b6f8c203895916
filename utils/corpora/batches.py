"""Batches of pairs as tensors, bucketed by length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from utils.corpora.pairs import Pair
from utils.corpora.vocabulary import EOS, PAD, SOS, Vocabulary
from utils.masks import padding_mask


def pad_ids(sequences: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "batch len"], Tensor]:
    """Pad lists of ids with `<pad>` at the end, and stack them as one tensor.

    Returns:
        The ids, (batch, len), and the lengths before padding, (batch,).

    Raises:
        ValueError: there is no sequence.
    """
    if not sequences:
        raise ValueError("pad_ids needs at least one sequence of ids, got none")
    rows = [torch.as_tensor(sequence, dtype=torch.long) for sequence in sequences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD), torch.tensor(
        [len(row) for row in rows]
    )


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of pairs, as tensors of ids.

    Attributes:
        source: (batch, src_len), the words alone, without `<sos>` and `<eos>`, so that the columns
            of an attention matrix are exactly the source words.
        source_lengths: (batch,), on the CPU, where `pack_padded_sequence` wants them.
        target: (batch, tgt_len + 1), `<sos>`, the words, `<eos>`.
        pairs: the pairs that the rows were made from, in the same order.
    """

    source: Int[Tensor, "batch src_len"]
    source_lengths: Int[Tensor, " batch"]
    target: Int[Tensor, "batch tgt_len+1"]
    pairs: list[Pair]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def source_mask(self) -> Bool[Tensor, "batch 1 src_len"]:
        """Return a mask (batch, 1, src_len) that is True for words and False for padding."""
        return padding_mask(self.source_lengths, self.source.shape[1])

    @property
    def decoder_input(self) -> Int[Tensor, "batch tgt_len"]:
        """Return what the decoder reads under teacher forcing: `<sos>` and the target words."""
        return self.target[:, :-1]

    @property
    def labels(self) -> Int[Tensor, "batch tgt_len"]:
        """Return what the decoder has to predict at each step: the target words and `<eos>`."""
        return self.target[:, 1:]


class Batches:
    """Pairs in batches of similar length on both sides, so that little of a batch is padding.

    Iteration yields batches with every pair once, from short to long and always in the same order,
    which suits validation. `shuffled(seed)` returns one epoch of training.

    Args:
        pairs: the pairs to put into batches.
        source_vocabulary, target_vocabulary: map words to ids.
        batch_size: pairs per batch; one batch may be smaller.

    Raises:
        ValueError: there are no pairs, or `batch_size` is below 1.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        batch_size: int = 128,
    ):
        if not pairs:
            raise ValueError("Batches needs at least one pair, got none")
        if batch_size < 1:
            raise ValueError(f"batch_size must be 1 or more, got {batch_size}")
        self.batch_size = batch_size
        self._pairs = pairs
        self._sources = [torch.tensor(source_vocabulary.encode(pair.source)) for pair in pairs]
        self._targets = [
            torch.tensor([SOS, *target_vocabulary.encode(pair.target), EOS]) for pair in pairs
        ]

    def __len__(self) -> int:
        """Return the number of batches."""
        return -(-len(self._pairs) // self.batch_size)

    @property
    def target_tokens(self) -> int:
        """Return the number of tokens to predict: all target words, and one `<eos>` per pair."""
        return sum(len(target) - 1 for target in self._targets)

    def __iter__(self) -> Iterator[Batch]:
        return map(self._batch, self._buckets(list(range(len(self._pairs)))))

    def shuffled(self, seed: int) -> Iterator[Batch]:
        """Return the batches of one epoch in random order.

        Pairs of equal length are shuffled as well, so each seed makes other batches.
        """
        random = Random(seed)
        indices = list(range(len(self._pairs)))
        random.shuffle(indices)
        buckets = self._buckets(indices)
        random.shuffle(buckets)
        return map(self._batch, buckets)

    def _buckets(self, indices: list[int]) -> list[list[int]]:
        by_length = sorted(indices, key=lambda i: (len(self._sources[i]), len(self._targets[i])))
        return [
            by_length[start : start + self.batch_size]
            for start in range(0, len(by_length), self.batch_size)
        ]

    def _batch(self, indices: list[int]) -> Batch:
        source, source_lengths = pad_ids([self._sources[index] for index in indices])
        target, _ = pad_ids([self._targets[index] for index in indices])
        return Batch(source, source_lengths, target, [self._pairs[index] for index in indices])
