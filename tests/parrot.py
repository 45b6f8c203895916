"""A model and a tokeniser small enough to know by heart, for tests of what writes with them."""

import torch
from torch import nn

# A letter in two bytes, each a token of its own, and at last the token that ends a text.
PIECES = (b"Once", b" the", b" cat", b" caf", b"\xc3", b"\xa9", b"\n", b"</s>")


class Parrot(nn.Module):
    """Each piece is followed by the next, with a logit of 3; the others have less, one by one."""

    def caches(self) -> list:
        return []

    def last_logits(self, new: torch.Tensor, _caches: list) -> torch.Tensor:
        logits = -torch.arange(float(len(PIECES))).repeat(1, 1)  # (1, vocab)
        logits[0, (int(new[0, -1]) + 1) % len(PIECES)] = 3.0
        return logits


class Bytes:
    """The tokeniser of a `Parrot`."""

    def id_of(self, token: str) -> int | None:
        return PIECES.index(token.encode()) if token.encode() in PIECES else None

    def encode(self, text: str) -> torch.Tensor:
        return torch.tensor([[len(text.split()) - 1]])  # so many words, so far into the pieces

    def decode(self, ids: list[int]) -> str:
        return b"".join(PIECES[n] for n in ids).decode(errors="replace")

    def pieces(self, ids: list[int]) -> list[str]:
        return [self.decode([n]) for n in ids]
