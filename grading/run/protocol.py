"""The protocol between parent and worker: JSON, and arrays as raw bytes. Nothing is executed.

A frame is four bytes with the length of its JSON, the JSON, and then the bytes of its arrays. In
the JSON an array is {"array": [dtype, shape]}, and a tensor whose memory is laid out column by
column is marked "strided". The reader sets the limit on the size of a frame: a worker, which runs a
stranger's code, can send whatever it likes.
"""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

DTYPES = {name: np.dtype(name) for name in ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")}
MOST_AXES = 8
LARGEST = 2**31  # product of the sizes of an array, each counted as 1 at least
OBJECTS = 32  # the most bytes of objects that one byte of JSON can become
CHARACTER = 4  # bytes of a character in an array of texts
_LENGTH = struct.Struct("!I")

Receive = Callable[[int], bytes]  # returns that many bytes, or raises


class WireError(ValueError):
    """What arrived is not a frame."""


def pack(message: Any) -> bytes:
    """A frame with a message: JSON values, arrays and tensors, in lists and dictionaries."""
    blobs: list[bytes] = []

    def plain(value: Any) -> Any:
        if isinstance(value, Tensor):
            found = plain(value.detach().numpy())
            return found | {"tensor": True, "strided": not value.is_contiguous()}
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "U":
                return {"texts": value.tolist()}
            value = value.astype(value.dtype.newbyteorder("<"), copy=False)
            if value.dtype.str not in DTYPES:
                raise WireError(f"an array of {value.dtype} cannot be sent")
            blobs.append(value.tobytes())
            return {"array": [value.dtype.str, list(value.shape)]}
        if isinstance(value, dict):
            return {str(key): plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    text = json.dumps(plain(message)).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *blobs])


def unpack(receive: Receive, limit: int) -> tuple[Any, int]:
    """Read one frame.

    Args:
        receive: the next bytes of the stream.
        limit: maximum decoded size of the message, in bytes.

    Returns:
        The message, and an upper bound on its decoded size.

    Raises:
        WireError: it is not a frame, or a larger one.
    """
    (size,) = _LENGTH.unpack(receive(_LENGTH.size))
    left = limit

    def take(count: int) -> None:
        nonlocal left
        left -= count
        if left < 0:
            raise WireError("a frame is too large")

    take(OBJECTS * size)
    try:
        content = json.loads(receive(size))
    except (ValueError, RecursionError) as error:
        raise WireError(f"a frame is not JSON: {type(error).__name__}") from None

    def restored(value: Any) -> Any:
        if isinstance(value, list):
            return [restored(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "texts" in value:
            texts = _checked_texts(value["texts"])
            # Each text takes as much room as the longest.
            take(CHARACTER * len(texts) * max(map(len, texts), default=0))
            return np.array(value["texts"], dtype=str)
        if "array" not in value:
            return {key: restored(item) for key, item in value.items()}
        dtype, shape = _layout(value["array"])
        count = math.prod(shape) * dtype.itemsize
        take(count)
        array = np.frombuffer(receive(count), dtype).reshape(shape)
        if not value.get("tensor"):
            return array
        tensor = torch.from_numpy(array.copy())
        turned = value.get("strided") and tensor.dim() > 1
        return tensor.mT.contiguous().mT if turned else tensor

    try:
        return restored(content), limit - left
    except RecursionError:
        raise WireError("a frame is nested too deeply") from None


def _layout(description: Any) -> tuple[np.dtype, list[int]]:
    try:
        name, shape = description
        dtype = DTYPES[name]
    except (TypeError, ValueError, KeyError):
        raise WireError("an array of an unknown kind") from None
    sizes = shape if isinstance(shape, list) else [None]
    possible = len(sizes) <= MOST_AXES and all(type(size) is int and size >= 0 for size in sizes)
    if not possible or math.prod(size or 1 for size in sizes) >= LARGEST:
        raise WireError("an array of an impossible shape")
    return dtype, shape


def _checked_texts(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise WireError("an array of texts holds something else")
    return texts
