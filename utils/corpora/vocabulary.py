"""Words and their numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence

from torch import Tensor

SPECIALS = ("<pad>", "<unk>", "<sos>", "<eos>")
PAD, UNK, SOS, EOS = range(len(SPECIALS))


class Vocabulary:
    """A two-way table of words and ids. The ids 0 to 3 are `<pad> <unk> <sos> <eos>`.

    Args:
        words: the ordinary words, without the special ones, in the order of their ids from 4 on.
            `Vocabulary(old.words[4:])` is a copy of `old`.

    Raises:
        ValueError: a word comes twice, or is one of the special ones.
    """

    def __init__(self, words: Iterable[str]):
        self.words = [*SPECIALS, *words]
        self._ids = {word: index for index, word in enumerate(self.words)}
        if len(self._ids) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise ValueError(
                f"words must be all different and none of {' '.join(SPECIALS)}, "
                f"but {twice!r} comes twice"
            )

    @classmethod
    def build(
        cls, sentences: Iterable[Sequence[str]], min_count: int = 1, max_size: int | None = None
    ) -> "Vocabulary":
        """The vocabulary of tokenised sentences, the most frequent words first.

        Args:
            sentences: sequences of tokens.
            min_count: words seen less often become `<unk>`.
            max_size: cap on `len(vocabulary)`, the four special words included.

        Raises:
            TypeError: a sentence is a plain string.
            ValueError: `min_count` is below 1, or `max_size` leaves no room for a word.
        """
        if min_count < 1:
            raise ValueError(f"min_count must be 1 or more, got {min_count}")
        if max_size is not None and max_size <= len(SPECIALS):
            raise ValueError(
                f"max_size must be more than the {len(SPECIALS)} special words, got {max_size}"
            )
        counts = Counter()
        for sentence in sentences:
            counts.update(_tokens(sentence))
        for special in SPECIALS:  # they have their ids already
            counts.pop(special, None)
        # Words that are equally frequent stand in alphabetical order: the same ids every time.
        ranking = sorted(counts, key=lambda word: (-counts[word], word))
        frequent = [word for word in ranking if counts[word] >= min_count]
        return cls(frequent if max_size is None else frequent[: max_size - len(SPECIALS)])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self):,} words"

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The id of each token; what the vocabulary does not know becomes `<unk>`.

        Raises:
            TypeError: `tokens` is a plain string.
        """
        return [self._ids.get(token, UNK) for token in _tokens(tokens)]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """The words of one sequence of ids up to the first `<eos>`, without `<pad>` and `<sos>`.

        Raises:
            ValueError: `ids` is a whole batch, or holds an id that the vocabulary does not have.
        """
        if isinstance(ids, Tensor):
            if ids.dim() != 1:
                raise ValueError(
                    f"ids must be one sequence, (length,), got {tuple(ids.shape)}: go row by row"
                )
            ids = ids.tolist()
        words = []
        for index in ids:
            if not 0 <= index < len(self):
                raise ValueError(
                    f"id {index} is outside this vocabulary of {len(self)} words: "
                    "was it made with another one?"
                )
            if index == EOS:
                break
            if index not in (PAD, SOS):
                words.append(self.words[index])
        return words


def _tokens(sentence: Sequence[str]) -> Sequence[str]:
    # A string is a sequence of strings too: unrefused, it would pass as a list of its letters.
    if isinstance(sentence, str):
        raise TypeError(f"expected a sequence of tokens, got the string {sentence!r}: tokenise it")
    return sentence
