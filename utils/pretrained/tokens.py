"""The tokeniser of a real model, from its `tokenizer.json`."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

from utils.pretrained.folder import CannotOpenError, brief


class Tokens:
    """Cut texts into the tokens of a model, and join them again.

    Args:
        file: a `tokenizer.json`, as the library `tokenizers` writes it.

    Raises:
        CannotOpenError: the file or the library is missing, or the file is damaged.
    """

    def __init__(self, file: Path):
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise CannotOpenError(
                "The library `tokenizers` is missing. `make real` installs it."
            ) from None
        if not file.is_file():
            raise CannotOpenError(f"{file.parent} has no tokenizer.json.")
        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises plain `Exception`
            raise CannotOpenError(
                f"tokenizer.json is damaged ({brief(error)}); fetch it again."
            ) from None
        self._tokenizer.no_truncation()  # files of some models cut texts short, or fill them up
        self._tokenizer.no_padding()

    def __len__(self) -> int:
        return self._tokenizer.get_vocab_size()

    def id_of(self, token: str) -> int | None:
        """Return the id of a token, or None if there is none of that name."""
        return self._tokenizer.token_to_id(token)

    def encode(self, text: str) -> Int[Tensor, "1 len"]:
        """Return the ids of a text, as a batch of one."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        return torch.tensor([ids], dtype=torch.long)

    def decode(self, ids: Sequence[int] | Tensor) -> str:
        """Return the text of ids (len,)."""
        ids = ids.flatten().tolist() if isinstance(ids, Tensor) else [*ids]
        return self._tokenizer.decode(ids, skip_special_tokens=False)

    def pieces(self, ids: Sequence[int] | Tensor) -> list[str]:
        """Return the text of each id by itself."""
        ids = ids.flatten().tolist() if isinstance(ids, Tensor) else [*ids]
        return [self.decode([number]) for number in ids]
