"""Keys and values of the tokens read so far, so that a new token costs itself alone."""

import torch
from torch import Tensor

from utils.attention import Memory


class KVCache:
    """The keys and values that one attention has made of a text, all of them or those in a window.

        cache = KVCache()
        memory = cache.extend(attention.remember(new, position=cache.position))
        context, _ = attention.attend(new, memory, position)  # the position before `extend`

    Args:
        window: a token sees itself and the `window` - 1 tokens before it; None for the whole text.
        sinks: how many first tokens of the text stay visible beside a window (Xiao et al. 2024,
            section 3.2).

    Attributes:
        position: the number of tokens read, which is the place of the next one.

    Raises:
        ValueError: the window is smaller than 1, or `sinks` negative.
    """

    def __init__(self, window: int | None = None, sinks: int = 0):
        if (window is not None and window < 1) or sinks < 0:
            raise ValueError(f"window must be 1 or more, sinks 0 or more, got {window} and {sinks}")
        self.window, self.sinks = window, sinks
        self.position = 0
        self._kept = 0
        self._room: tuple[Tensor, Tensor] | None = None  # with free places behind those kept

    def extend(self, new: Memory) -> Memory:
        """Keep the keys and values of new tokens, and return what these tokens may look at.

        Args:
            new: keys and values (batch, kv_heads, new, head_dim) of tokens behind those read, as
                `MultiHeadAttention.remember` returns them.

        Returns:
            Keys and values of the tokens kept before and of the new ones, and a causal mask (new,
            kept + new), or None where everything may be seen.
        """
        count = new.keys.shape[2]
        if self.window is not None:
            self._drop()
        self._append(new.keys, new.values)
        keys, values = (room[:, :, : self._kept] for room in self._room)
        mask = None if count == 1 else self._mask(count, keys.device)
        self.position += count
        return Memory(keys, values, mask)

    def nbytes(self) -> int:
        """Return the bytes of the keys and values kept."""
        return sum(room[:, :, : self._kept].nbytes for room in self._room or ())

    def _places(self, device: torch.device) -> Tensor:
        """Return the places in the text of what is kept, if it ends before `self.position`."""
        places = torch.arange(self._kept, device=device)
        sinks = min(self.sinks, self._kept)
        places[sinks:] += self._end - self._kept
        return places

    def _mask(self, count: int, device: torch.device) -> Tensor:
        places = self._places(device)
        queries = torch.arange(self.position, self.position + count, device=device)[:, None]
        visible = places <= queries  # (count, kept)
        if self.window is None:
            return visible
        return visible & ((places > queries - self.window) | (places < self.sinks))

    def _drop(self) -> None:
        """Drop what the next token cannot see any more."""
        if self._room is None:
            return
        near = min(self.window - 1, max(0, self._kept - self.sinks))
        first = min(self.sinks, self._kept)
        if first + near < self._kept:
            for room in self._room:
                room[:, :, first : first + near] = room[
                    :, :, self._kept - near : self._kept
                ].clone()
            self._kept = first + near

    def _append(self, keys: Tensor, values: Tensor) -> None:
        wanted = self._kept + keys.shape[2]
        if self._room is None or self._room[0].shape[2] < wanted:
            self._room = tuple(
                self._grow(part, new, 2 * wanted)
                for part, new in zip(self._room or (None, None), (keys, values), strict=True)
            )
        for room, new in zip(self._room, (keys, values), strict=True):
            room[:, :, self._kept : wanted] = new
        self._kept = wanted
        self._end = self.position + keys.shape[2]

    def _grow(self, part: Tensor | None, new: Tensor, length: int) -> Tensor:
        room = new.new_empty(*new.shape[:2], length, new.shape[3])
        if part is not None:
            room[:, :, : self._kept] = part[:, :, : self._kept]
        return room
