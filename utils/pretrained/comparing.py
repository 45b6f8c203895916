"""Where two models that should be the same begin to differ: the first layer, the first place."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from utils.attention import Memory
from utils.kv_cache import KVCache
from utils.pretrained.architecture import CausalLM
from utils.pretrained.faults import twin

NEAR = 1e-4  # of the largest entry of a state: differences below it are rounding
FAINTEST = -7.0  # power of ten: below it everything is rounding in float32


@dataclass(frozen=True)
class Difference:
    """How far the states of two models are apart, or why that cannot be said.

    Attributes:
        largest: after each block, at each place, the largest difference of an entry, as a share of
            the largest entry there, (layers, len); empty if the other model failed.
        failure: why it failed, in one line.
    """

    largest: Float[Tensor, "layers len"]
    failure: str = ""

    @property
    def first(self) -> tuple[int, int] | None:
        """Return the first layer that differs and its first place, both from 0, or None."""
        layers = (self.largest > NEAR).any(1).nonzero()
        if not len(layers):
            return None
        layer = int(layers[0])
        return layer, int((self.largest[layer] > NEAR).nonzero()[0])

    @property
    def same(self) -> bool:
        """Return whether there is no difference but rounding."""
        return not self.failure and self.first is None

    @property
    def powers(self) -> Float[Tensor, "layers len"]:
        """Return the differences as powers of ten, for a picture; rounding lies near -7."""
        return self.largest.log10().clamp(min=FAINTEST)

    def __str__(self) -> str:
        if self.failure:
            return self.failure
        if self.same:
            layers = len(self.largest)
            return f"the same states after all {layers} layers, but for rounding (below {NEAR:.4f})"
        layer, place = self.first
        by = 100 * self.largest[layer].max()
        return (
            f"layer {layer} is the first that differs, from token {place} on, by up to "
            f"≈ {by:.2f} % of its largest entry"
        )


@torch.inference_mode()
def compare(
    model: CausalLM, other: CausalLM, tokens: Int[Tensor, "1 len"], piece: int | None = None
) -> Difference:
    """Compare the states of two models behind each block, on one text.

    A model that fails, as with a learner's half-done function in it, is no error: the result says
    why.

    Args:
        piece: the other model reads so many tokens at once, with its caches; all if not given.
    """
    expected = states_behind(model, tokens)
    try:
        actual = states_behind(other, tokens, piece)
    except Exception as error:  # whatever a learner's code raises
        return Difference(expected[:0, :, 0], _why(error))
    apart = (expected - actual).abs().amax(-1)  # (layers, len)
    return Difference(apart.nan_to_num(torch.inf) / expected.abs().amax(-1))


def _why(error: Exception) -> str:
    if isinstance(error, NotWrittenError):
        return str(error)
    return f"It stopped with {type(error).__name__}: {str(error).splitlines()[0]}"


class NotWrittenError(Exception):
    """A learner's function returns nothing yet."""


def _written(function: Callable) -> Callable:
    """Return a function that refuses to return nothing."""

    def call(*inputs):
        output = function(*inputs)
        if output is None:
            name = function.__name__
            raise NotWrittenError(f"`{name}` returns nothing yet; the fold above has an answer.")
        return output

    return call


def states_behind(
    model: CausalLM, tokens: Int[Tensor, "1 len"], piece: int | None = None
) -> Float[Tensor, "layers len dim"]:
    """Return the states behind each block of a model that reads a text, at once or in pieces."""
    states = [[] for _ in model.blocks]
    hooks = [
        block.register_forward_hook(lambda block, inputs, x, mine=mine: mine.append(x[0]))
        for block, mine in zip(model.blocks, states, strict=True)
    ]
    try:
        caches = None if piece is None else model.caches()
        for part in tokens.split(piece or tokens.shape[1], dim=1):
            model(part, caches)
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack([torch.cat(parts) for parts in states])


def with_yours(
    model: CausalLM,
    attend: Callable | None = None,
    turn: Callable | None = None,
    extend: Callable | None = None,
) -> CausalLM:
    """Return a twin of a model in which your functions do the work of the course's.

    Args:
        attend: contexts (batch, heads, new, width) from queries of that shape, from keys and values
            (batch, kv_heads, all, width), and from a mask (new, all), True = may be looked at.
        turn: vectors (batch, heads, len, width) of tokens at `places` (len,), turned.
        extend: keys, values and the mask for new tokens, from the keys and values of those before
            and of the new ones.
    """
    yours = twin(model)
    if attend is not None:
        mine = _written(attend)

        def attend_heads(queries, keys, values, mask, *_):
            return mine(queries, keys, values, _open(mask, queries, keys)), None

        for block in yours.blocks:
            block.attention.attend_heads = attend_heads
    if turn is not None:
        yours.blocks[0].attention.positions.turn = _written(turn)  # all blocks share them
    if extend is not None:
        yours.caches = lambda: [_YourCache(_written(extend)) for _ in yours.blocks]
    return yours


def _open(mask: Tensor | None, queries: Tensor, keys: Tensor) -> Tensor:
    """Return the mask, or one that is open everywhere."""
    return queries.new_ones(queries.shape[2], keys.shape[2]).bool() if mask is None else mask


class _YourCache(KVCache):
    """A cache in which a learner's function joins what was kept with what is new."""

    def __init__(self, extend: Callable):
        super().__init__()
        self._joined, self._parts = extend, None

    def extend(self, new: Memory) -> Memory:
        if self._parts is None:
            self._parts = new.keys[:, :, :0], new.values[:, :, :0]
        keys, values, mask = self._joined(*self._parts, new.keys, new.values)
        self._parts, self.position = (keys, values), self.position + new.keys.shape[2]
        return Memory(keys, values, mask)
