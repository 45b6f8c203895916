"""Map words to ids and back."""

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
        TypeError: the words are not strings but sentences, for which there is `build`.
        ValueError: a word occurs twice, is a special word, or is a whole sentence.
    """

    def __init__(self, words: Iterable[str]):
        self.words = [*SPECIALS, *words]
        for word in self.words:
            if not isinstance(word, str):
                raise TypeError(
                    f"words must be strings, but one is {word!r}: "
                    "to make a vocabulary of sentences, call Vocabulary.build(sentences)"
                )
            if len(word.split()) > 1:
                raise ValueError(
                    f"{word!r} is no word, but a sentence: cut sentences into words, and call "
                    "Vocabulary.build(sentences)"
                )
        self._ids = {word: index for index, word in enumerate(self.words)}
        if len(self._ids) < len(self.words):
            twice = next(word for word, count in Counter(self.words).items() if count > 1)
            raise ValueError(
                f"words must all be different and none of {' '.join(SPECIALS)}, "
                f"but {twice!r} occurs twice: Vocabulary.build counts the words of sentences"
            )

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], min_count: int = 1) -> "Vocabulary":
        """Build the vocabulary of tokenised sentences, the most frequent words first.

        Args:
            sentences: sequences of tokens.
            min_count: least number of occurrences; rarer words will be read as `<unk>`.

        Raises:
            TypeError: a sentence is a plain string.
            ValueError: `min_count` is below 1.
        """
        if min_count < 1:
            raise ValueError(f"min_count must be 1 or more, got {min_count}")
        counts = Counter()
        for sentence in sentences:
            counts.update(_tokens(sentence))
        for special in SPECIALS:  # special words have their ids already
            counts.pop(special, None)
        # Equally frequent words are in alphabetical order, so the ids are the same every time.
        ranking = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(word for word in ranking if counts[word] >= min_count)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self):,} words"

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Return the id of each token; unknown tokens get the id of `<unk>`.

        Raises:
            TypeError: `tokens` is a plain string.
        """
        return [self._ids.get(token, UNK) for token in _tokens(tokens)]

    def decode(self, ids: Iterable[int] | Tensor) -> list[str]:
        """Return the words of one sequence of ids up to `<eos>`, without `<pad>` and `<sos>`.

        Raises:
            ValueError: `ids` is a whole batch, or an id is not in the vocabulary.
        """
        if isinstance(ids, Tensor):
            if ids.dim() != 1:
                raise ValueError(
                    f"ids must be one sequence, (length,), got {tuple(ids.shape)}: decode each row"
                )
            ids = ids.tolist()
        words = []
        for index in ids:
            if not 0 <= index < len(self):
                raise ValueError(
                    f"id {index} is not in this vocabulary of {len(self)} words: "
                    "does it come from another one?"
                )
            if index == EOS:
                break
            if index not in (PAD, SOS):
                words.append(self.words[index])
        return words


def _tokens(sentence: Sequence[str]) -> Sequence[str]:
    """Return the tokens; raise a `TypeError` for a plain string, which would pass as letters."""
    if isinstance(sentence, str):
        raise TypeError(f"expected a sequence of tokens, got the string {sentence!r}: tokenise it")
    return sentence
