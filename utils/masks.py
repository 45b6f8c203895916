"""Masks, and the softmax that respects them.

Every mask is boolean, and True means "may be attended to", as in PyTorch's
`scaled_dot_product_attention`. (`torch.nn.MultiheadAttention` means the opposite: pass it `~mask`.)
A mask only has to broadcast to the weights, so masks combine with `&`.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def padding_mask(
    lengths: Int[Tensor, " batch"] | list[int], max_len: int | None = None
) -> Bool[Tensor, "batch 1 max_len"]:
    """Return a mask that is True for the real positions of each sequence, False for its padding.

    Args:
        lengths: the number of real positions in each sequence.
        max_len: the padded length; the longest of `lengths` if not given.

    Returns:
        Shape (batch, 1, max_len): the 1 stands for "every target position".

    Raises:
        ValueError: a length is negative or more than `max_len`.
    """
    lengths = torch.as_tensor(lengths)
    max_len = int(lengths.max()) if max_len is None else max_len
    if lengths.min() < 0 or lengths.max() > max_len:
        raise ValueError(
            f"lengths must lie between 0 and max_len = {max_len}, got {lengths.tolist()}"
        )
    positions = torch.arange(max_len, device=lengths.device)
    return (positions < lengths[:, None]).unsqueeze(1)  # (batch, 1, max_len)


def causal_mask(length: int, device: torch.device | None = None) -> Bool[Tensor, "length length"]:
    """Return a mask (length, length): row i is True for positions 0 to i, False for later ones."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def window_mask(
    centres: Int[Tensor, "batch tgt_len"] | Int[Tensor, " tgt_len"], src_len: int, half_width: int
) -> Bool[Tensor, "batch tgt_len src_len"] | Bool[Tensor, "tgt_len src_len"]:
    """Return a mask that is True for the 2·`half_width` + 1 source positions around each centre.

    A window that extends past either end of the source is cut off there.
    Source: Luong et al. 2015, section 3.2.

    For self-attention over a sliding window (each word and the `width - 1` words before it), give
    any mechanism the mask `causal_mask(n) & window_mask(torch.arange(n), n, width - 1)`.

    Args:
        centres: the source position at the centre of each target position's window.
        src_len: the number of source positions.
        half_width: D in the paper, the number of positions on each side of the centre.

    Raises:
        ValueError: `half_width` is negative.
    """
    if half_width < 0:
        raise ValueError(f"half_width must be 0 or more, got {half_width}")
    positions = torch.arange(src_len, device=centres.device)
    return (positions - centres.unsqueeze(-1)).abs() <= half_width  # (..., tgt_len, src_len)


def check_mask(mask: Tensor, weights_shape: torch.Size) -> None:
    """Raise an error if a mask is not boolean or does not broadcast to the weights.

    A mask of numbers is refused rather than converted: a Gaussian window is nowhere exactly zero,
    so as a mask it would silently let everything through.

    Raises:
        TypeError: the mask is not a boolean tensor.
        ValueError: the mask does not broadcast to `weights_shape`, or its rows look like the
            lengths of a batch where they would be read as those of the targets.
    """
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        dtype = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise TypeError(
            f"mask must be a boolean tensor (True = may be attended to), got {dtype}; "
            "write the rule as a comparison, such as lengths > positions"
        )
    try:
        mask.expand(weights_shape)
    except RuntimeError:
        raise ValueError(
            f"mask must broadcast to the weights, {tuple(weights_shape)}, got {tuple(mask.shape)}"
        ) from None
    if len(weights_shape) > 2 and _looks_like_padding(mask, weights_shape):
        raise ValueError(
            f"mask {tuple(mask.shape)} would be read as (tgt_len, src_len), but its rows look like "
            "the lengths of a batch: write mask[:, None, :], or use padding_mask"
        )


def _looks_like_padding(mask: Tensor, weights_shape: torch.Size) -> bool:
    """Decide whether a mask of two axes is one of (batch, src_len), with batch equal to tgt_len.

    Padded on the right, each of its rows is open at its beginning only, and a later row is shorter
    than an earlier one, which no look-ahead has; padded on the left, the other way round.
    """
    batch, *_, targets, sources = weights_shape
    if mask.shape != (batch, sources) or batch != targets:
        return False
    if mask.is_meta or torch.compiler.is_compiling():  # its values cannot be looked at
        return False
    longer = mask.sum(-1).diff()  # each row than the one above
    opens, closes = ~mask[:, :-1] & mask[:, 1:], mask[:, :-1] & ~mask[:, 1:]
    right, left = not opens.any() and (longer < 0).any(), not closes.any() and (longer > 0).any()
    return bool(right or left)


def masked_softmax(
    scores: Float[Tensor, "..."],
    mask: Bool[Tensor, "..."] | None = None,
    dim: int = -1,
    inplace: bool = False,
) -> Float[Tensor, "..."]:
    """Return the softmax over the positions that the mask allows.

    Every masked weight is exactly 0, and the rest of its row sums to 1. A fully masked row gives
    zero weights and zero gradients, never NaN.

    Args:
        scores: any shape, finite even where they are masked; the softmax runs along `dim`.
        mask: boolean, True = may be attended to, broadcastable to `scores`; None allows everything.
        dim: the axis of the source positions.
        inplace: whether the mask may be written into `scores`, which then serve for nothing else.

    Raises:
        TypeError: the mask is not boolean.
        ValueError: the mask does not broadcast to the scores.
    """
    if mask is None:
        return scores.softmax(dim)
    check_mask(mask, scores.shape)
    along = dim if dim < 0 else dim - scores.dim()  # the same axis of a mask with fewer axes
    mask = mask.reshape((1,) * (-along - mask.dim()) + mask.shape)
    is_open = mask.any(along, keepdim=True)  # each row: whether anything in it is allowed
    # Adding a mask costs a fraction of filling the scores. A row of -inf only would give 0/0 = NaN,
    # so a row that is closed whole is left as it is, and its weights are set to zero afterwards.
    closed = torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(is_open & ~mask, -torch.inf)
    if not _all_known_true(is_open):
        return (scores + closed).softmax(dim) * is_open
    return (scores.add_(closed) if inplace else scores + closed).softmax(dim)


def _all_known_true(flags: Bool[Tensor, "..."]) -> bool:
    """Return whether all are True; False also where that is not known, or asking would cost.

    A GPU would have to be waited for, "meta" has no values, and what is compiled, traced or mapped
    (`torch.vmap`) has to be right for other values, too.
    """
    if flags.device.type != "cpu" or torch.compiler.is_compiling() or torch.jit.is_tracing():
        return False
    try:
        return bool(flags.all())
    except RuntimeError:  # under `torch.vmap`, and in a fake tensor of `torch.export`
        return False
